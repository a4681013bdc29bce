/** Sign-ins, end-users and identities in memory, under the same contract as in Postgres (src/storage/external-sign-ins.ts). */
import type { ExternalSignInCommit, LoadedExternalSignIn, SoughtUser } from '../../../lifecycles/external-sign-in.ts';
import type { LinkedIdentityCommit, LoadedIdentity } from '../../../lifecycles/linked-identity.ts';
import type { ExternalSignIn } from '../../../model/external-sign-in.ts';
import type { LinkedIdentity } from '../../../model/linked-identity.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { put } from '../rows.ts';
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

type Fact = (stored: Stored, commit: ExternalSignInCommit) => boolean;
type RemovalFact = (stored: Stored, commit: LinkedIdentityCommit) => boolean;

/** Every fact that the commit asks for, by name, so that each can be left out to see what that would allow. */
export const EXTERNAL_GUARD: Readonly<Record<string, Fact>> = {
  signInIsAsLoaded: ({ signIns }, { loaded }) =>
    signIns.some(({ id, state }) => id === loaded.signIn.id && state === loaded.signIn.state),
  isNotOvertaken: (stored, { loaded, after }) => after.signIn.state !== 'used' || !isOvertaken(stored, loaded.signIn),
  userIsAsLoaded: (stored, { loaded: { user }, after }) => {
    const now = user && userOf(stored, user.id);
    return user === null || after.signIn.state === 'denied' || (now?.disabledAt === null && now.epoch === user.epoch);
  },
  identityIsAsLoaded: ({ identities }, { loaded: { identity } }) =>
    identity === null || identities.some(({ id, state }) => id === identity.id && state === 'active'),
  usernameIsFree: ({ users }, { loaded, after }) =>
    loaded.user !== null || users.every(({ username }) => username !== after.user?.username),
  identityIsFree: (stored, { loaded, after }) =>
    loaded.identity !== null || after.identity === null || activeOf(stored) === null,
};
export const REMOVAL_GUARD: Readonly<Record<string, RemovalFact>> = {
  identityIsActive: ({ identities }, { after }) =>
    identities.some(({ id, state }) => id === after.id && state === 'active'),
  keepsAWay: (stored, { after, needsAnotherWay }) => !needsAnotherWay || hasAnotherWay(stored, after.id, after.userId),
};

/** @returns null when a guard did not hold: nothing changed. */
export function commitExternal(
  stored: Stored,
  commit: Terms['commit'],
  guard = EXTERNAL_GUARD,
  removalGuard = REMOVAL_GUARD,
): Stored | null {
  if (!('loaded' in commit)) {
    if (!Object.values(removalGuard).every((fact) => fact(stored, commit))) return null;
    return { ...stored, identities: put(stored.identities, commit.after) };
  }
  if (!Object.values(guard).every((fact) => fact(stored, commit))) return null;
  const { signIn, user, identity } = commit.after;
  const { loaded } = commit;
  return {
    ...stored,
    signIns: put(stored.signIns, signIn),
    users: loaded.user === null ? put(stored.users, user) : stored.users,
    identities: loaded.identity === null ? put(stored.identities, identity) : stored.identities,
  };
}
