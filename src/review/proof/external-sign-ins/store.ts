/** Sign-ins, end-users and identities in memory, under the same contract as in Postgres (src/storage/external-sign-ins.ts). */
import type { Commit } from '../../../engine/commit.ts';
import type { LoadedExternalSignIn, SoughtUser } from '../../../lifecycles/external-sign-in/lifecycle.ts';
import type { LoadedIdentity } from '../../../lifecycles/linked-identity/lifecycle.ts';
import type { ExternalSignIn } from '../../../model/external-sign-in.ts';
import type { LinkedIdentity } from '../../../model/linked-identity.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { carryOut, type LeftOut } from '../carry-out.ts';
import type { Asked, Brings, Stored, Terms } from './terms.ts';

/** The account at the other provider, which everybody in this walk comes with. */
export const THERE = { issuer: 'https://login.example', subject: 'ada there' };
export const PROVIDER = 'company';
export const USERNAMES = ['ada', 'ada-2'] as const;

/** The newcomer's, by the sign-in that makes them. */
export const idsFor = (signInId: string) => ({ user: `made by ${signInId}`, identity: `linked by ${signInId}` });

export const soughtBy = ({ type }: Brings, { kind, purpose }: ExternalSignIn): SoughtUser => {
  if (kind === 'delegated')
    return type === 'answerReceived' ? { by: 'sub', sub: 'alice' } : { by: 'signIn', identity: null };
  if (type !== 'browserReturned') return { by: 'signIn', identity: null };
  return purpose === 'link' ? { by: 'signIn', identity: THERE } : { by: 'identity', identity: THERE };
};

/** Of the account there: to whom it is linked. */
export const activeOf = ({ identities }: Pick<Stored, 'identities'>): LinkedIdentity | null =>
  identities.find(({ state, subject }) => state === 'active' && subject === THERE.subject) ?? null;
const userOf = ({ users }: Stored, id: string | null | undefined): RegisteredUser | null =>
  users.find((user) => user.id === id) ?? null;

/** In the same browser, a sign-in that began later has signed in. */
export const isOvertaken = (
  { signIns }: Pick<Stored, 'signIns'>,
  { beganAt, purpose, interactionId }: ExternalSignIn,
): boolean =>
  signIns.some(
    (other) =>
      other.state === 'used' &&
      other.beganAt > beganAt &&
      other.purpose === purpose &&
      other.interactionId === interactionId,
  );

/** Whether the end-user can sign in without this identity. */
export const hasAnotherWay = (stored: Stored, id: string, userId: string): boolean =>
  (userOf(stored, userId)?.passwordHash ?? '') !== '' ||
  stored.identities.some((one) => one.id !== id && one.userId === userId && one.state === 'active');

export function load(stored: Stored, asked: Asked, now: Date): Terms['loaded'] {
  if (asked.about === 'identity') {
    const { id, userId } = asked;
    const identity = stored.identities.find((one) => one.id === id && one.userId === userId) ?? null;
    return { now, identity, hasAnotherWay: hasAnotherWay(stored, id, userId) } satisfies LoadedIdentity;
  }
  const signIn = stored.signIns.find(({ id }) => id === asked.id);
  if (!signIn) throw new Error('There is no such sign-in.');
  const sought = soughtBy(asked, signIn);
  const wanted = 'identity' in sought && sought.identity !== null;
  const identity = wanted ? activeOf(stored) : null;
  const userId = sought.by === 'identity' ? identity?.userId : sought.by === 'sub' ? sought.sub : signIn.userId;
  return {
    now,
    signIn,
    identity,
    isOvertaken: isOvertaken(stored, signIn),
    user: userOf(stored, userId),
    freeUsernames: USERNAMES.filter((name) => stored.users.every(({ username }) => username !== name)),
    serverEpoch: 0n,
  } satisfies LoadedExternalSignIn;
}

/** @returns null when a fact did not hold: nothing changed. */
export function commitExternal(stored: Stored, commit: Commit, leftOut?: LeftOut): Stored | null {
  const { signIns: externalSignIns, users, identities: linkedIdentities } = stored;
  const after = carryOut({ externalSignIns, users, linkedIdentities, passkeys: [] }, commit, leftOut);
  return after && { ...stored, signIns: after.externalSignIns, users: after.users, identities: after.linkedIdentities };
}
