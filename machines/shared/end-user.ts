/** Predicates about the end-user, for the guards of several machines. */
import type { EndUser, WaysToSignIn } from './facts.ts';

export const maySignIn = (user: EndUser | null) => user !== null && user.disabledAt === null;

/** None besides the one that is removed. */
export const isNoWay = (others: WaysToSignIn) =>
  !others.password && others.passkeys === 0 && others.linkedIdentities === 0;

/** Predicates that several guards share, so that reviews show them beside the guards. */
export const sharedPredicates = { maySignIn, isNoWay };
