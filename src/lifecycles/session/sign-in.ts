/** How an end-user signs in: for sessions, and for the entries of the ledger about sign-ins. */
import type { HELD_TABLES } from '../tables.ts';

type Factor<Held> = Held extends { readonly machine: infer Name; readonly provesSignInWhile?: infer State }
  ? [NonNullable<State>] extends [never]
    ? never
    : Name
  : never;

/** The machines of factors that a session may rely on, as their tables say. */
export type FactorKind = Factor<(typeof HELD_TABLES)[number]>;

/** By which a browser came to be signed in, or was not. `link`, `mailedCode`: in a mail. */
export type SignInMethod = 'password' | FactorKind | 'upstream' | 'delegated' | 'link' | 'mailedCode';

export type RefusedSignIn = {
  readonly method: SignInMethod;
  readonly reason: string;
  /** As typed, or of the account; only its keyed hash is kept. Null: no account was named. */
  readonly username: string | null;
  /** The `sub` of the account; null: there is none, or it is not known. */
  readonly userId: string | null;
};
