/** The model of federated and delegated sign-ins: browsers that were redirected, end-users, and their linked identities. */
import type { WaysToSignIn } from '../../../../machines/shared/facts.ts';
import type { Commit } from '../../../engine/commit.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { initialState } from '../../../review/proof/define-walk.ts';
import { ALICE, hashOf } from '../../../review/proof/end-users.ts';
import { drawn } from '../../../review/proof/identities.ts';
import { after } from '../../../review/proof/instants.ts';
import type { LinkedIdentity } from '../../linked-identity/entity.ts';
import type { IdentityRemoved, LoadedIdentity } from '../../linked-identity/lifecycle.ts';
import type { ExternalSignIn } from '../entity.ts';
import type { ExternalSignInOutcome, LoadedExternalSignIn, SoughtUser } from '../lifecycle.ts';

export type Brings = {
  readonly kind: 'signIn';
  readonly id: string;
  readonly type: 'answerReceived' | 'refusalReceived' | 'browserReturned';
  readonly browser: 'its' | 'another' | 'none';
  readonly isAdmitted: boolean;
  /** The policy registers just-in-time users. */
  readonly registers: boolean;
};
export const REMOVALS = ['removalRequested', 'removalRequestedByAdministrator'] as const;
type Removes = {
  readonly kind: 'identity';
  readonly type: (typeof REMOVALS)[number];
  readonly id: string;
  readonly userId: string;
};
export type Asked = Brings | Removes;

export type Stored = {
  readonly externalSignIns: readonly ExternalSignIn[];
  readonly users: readonly RegisteredUser[];
  readonly linkedIdentities: readonly LinkedIdentity[];
  /** None: the walk of factors has some. */
  readonly passkeys: readonly [];
  readonly registers: boolean;
};

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedExternalSignIn | LoadedIdentity;
  readonly commit: Commit;
  readonly answer: ExternalSignInOutcome | IdentityRemoved | null;
  /** The acknowledged sign-ins, with their end-users. */
  readonly known: { readonly signedIn: readonly { readonly id: string; readonly userId: string }[] };
};

/** The account at the identity provider, with which each browser of this walk returns. */
export const THERE = { issuer: 'https://login.example', subject: 'ada there' };
export const PROVIDER = 'company';
export const USERNAMES = ['ada', 'ada-2'] as const;

const LIFETIME_SECONDS = 600;

const bytes = (text: string) => new TextEncoder().encode(text);
export const ITS_BROWSER = bytes('the browser that began');
export const ANOTHER_BROWSER = bytes('another browser');

const signIn = (id: string, laterSeconds: number, change: Partial<ExternalSignIn> = {}): ExternalSignIn => ({
  id,
  referenceHash: bytes(id),
  kind: 'upstream',
  purpose: 'signIn',
  provider: PROVIDER,
  browserHash: ITS_BROWSER,
  interactionId: 'the request of an app',
  sealedInteraction: null,
  requested: {
    clientId: drawn('shop'),
    scope: [],
    loginHint: null,
    prompt: [],
    maxAgeSeconds: null,
    acrValues: [],
    requiredClass: null,
    uiLocales: [],
    destination: null,
  },
  sealedSecrets: null,
  state: 'awaiting',
  userId: null,
  userEpoch: null,
  amr: null,
  authenticatedAt: null,
  refusal: null,
  beganAt: after(laterSeconds - 2),
  endsAt: after(laterSeconds - 2 + LIFETIME_SECONDS),
  ...change,
});

const BOB: RegisteredUser = { ...ALICE, id: 'bob', username: 'bob', passwordHash: hashOf('') };

/** An end-user with the username that a just-in-time user would have. */
export const NAMESAKE: RegisteredUser = { ...ALICE, id: 'a namesake', username: USERNAMES[0] };

const identityOf = (userId: string, subject = THERE.subject): LinkedIdentity => ({
  ...THERE,
  subject,
  id: subject === THERE.subject ? `of ${userId}` : `another of ${userId}`,
  userId,
  provider: PROVIDER,
  linkedAt: after(-10),
  state: 'active',
  removedAt: null,
  removedReason: null,
});

const given = (says: string, stored: Partial<Stored>) =>
  initialState<Terms>(
    says,
    { externalSignIns: [], users: [ALICE], linkedIdentities: [], passkeys: [], registers: true, ...stored },
    { signedIn: [] },
  );

const DELEGATED = { kind: 'delegated', provider: 'delegated' } as const;
const LINK = { purpose: 'link', userId: 'alice', interactionId: null } as const;

export const INITIAL_STATES = [
  given('A browser was sent to a provider, with an account that no end-user has here', {
    externalSignIns: [signIn('first', 0)],
  }),
  given('Two tabs of a browser were sent there, one after the other', {
    externalSignIns: [signIn('first', 0), signIn('second', 1)],
  }),
  given('A browser was sent there, with the account of an end-user without a password', {
    externalSignIns: [signIn('first', 0)],
    users: [ALICE, BOB],
    linkedIdentities: [identityOf('bob')],
  }),
  given('A browser was sent there, with the account of an end-user with a password', {
    externalSignIns: [signIn('first', 0)],
    linkedIdentities: [identityOf('alice')],
  }),
  given('A browser was sent there, and the policy registers no just-in-time user', {
    externalSignIns: [signIn('first', 0)],
    registers: false,
  }),
  given('An end-user without a password has linked two accounts', {
    users: [BOB],
    linkedIdentities: [identityOf('bob'), identityOf('bob', 'bob elsewhere')],
  }),
  given('An end-user links the account, while a browser signs in with it', {
    externalSignIns: [signIn('first', 0), signIn('link', 1, LINK)],
  }),
  given('An end-user links an account that is linked to another', {
    externalSignIns: [signIn('link', 0, LINK)],
    users: [ALICE, BOB],
    linkedIdentities: [identityOf('bob')],
  }),
  given('A browser was sent to the application of the team', {
    externalSignIns: [signIn('delegated first', 0, DELEGATED)],
  }),
  given('Two tabs of a browser were sent to the application of the team', {
    externalSignIns: [signIn('delegated first', 0, DELEGATED), signIn('delegated second', 1, DELEGATED)],
  }),
];

// As src/storage/external-sign-ins.ts loads them.

/** The ids of the just-in-time user, by the sign-in that makes them. */
export const idsFor = (signInId: string) => ({ user: `made by ${signInId}`, identity: `linked by ${signInId}` });

export const soughtBy = ({ type }: Brings, { kind, purpose }: ExternalSignIn): SoughtUser => {
  if (kind === 'delegated')
    return type === 'answerReceived' ? { by: 'sub', sub: 'alice' } : { by: 'signIn', identity: null };
  if (type !== 'browserReturned') return { by: 'signIn', identity: null };
  return purpose === 'link' ? { by: 'signIn', identity: THERE } : { by: 'identity', identity: THERE };
};

/** The identity that links the account at the provider. */
export const activeOf = ({ linkedIdentities }: Pick<Stored, 'linkedIdentities'>): LinkedIdentity | null =>
  linkedIdentities.find(({ state, subject }) => state === 'active' && subject === THERE.subject) ?? null;
const userOf = ({ users }: Stored, id: string | null | undefined): RegisteredUser | null =>
  users.find((user) => user.id === id) ?? null;

/** In the same browser, a sign-in that began later has signed in. */
export const isOvertaken = (
  { externalSignIns }: Pick<Stored, 'externalSignIns'>,
  { beganAt, purpose, interactionId }: ExternalSignIn,
): boolean =>
  externalSignIns.some(
    (other) =>
      other.state === 'used' &&
      other.beganAt > beganAt &&
      other.purpose === purpose &&
      other.interactionId === interactionId,
  );

/** The end-user's ways to sign in without this identity. */
const otherWays = (stored: Stored, id: string, userId: string): WaysToSignIn => ({
  password: (userOf(stored, userId)?.passwordHash ?? '') !== '',
  passkeys: 0,
  linkedIdentities: stored.linkedIdentities.filter(
    (one) => one.id !== id && one.userId === userId && one.state === 'active',
  ).length,
});

/** In the same browser, for the same request: when the last that has signed in began. */
function lastUsedBeganAt({ externalSignIns }: Stored, { purpose, interactionId }: ExternalSignIn): Date | null {
  const began = externalSignIns
    .filter((one) => one.state === 'used' && one.purpose === purpose && one.interactionId === interactionId)
    .map(({ beganAt }) => beganAt.getTime());
  return began.length === 0 ? null : new Date(Math.max(...began));
}

/** Whether the end-user can sign in without this identity. */
export const hasAnotherWay = (stored: Stored, id: string, userId: string): boolean =>
  (userOf(stored, userId)?.passwordHash ?? '') !== '' ||
  stored.linkedIdentities.some((one) => one.id !== id && one.userId === userId && one.state === 'active');

export function load(stored: Stored, asked: Asked, now: Date): Terms['loaded'] {
  if (asked.kind === 'identity') {
    const { id, userId } = asked;
    const identity = stored.linkedIdentities.find((one) => one.id === id && one.userId === userId) ?? null;
    return { now, identity, otherWays: otherWays(stored, id, userId) } satisfies LoadedIdentity;
  }
  const signIn = stored.externalSignIns.find(({ id }) => id === asked.id);
  if (!signIn) throw new Error('The sign-in is not found.');
  const sought = soughtBy(asked, signIn);
  const wanted = 'identity' in sought && sought.identity !== null;
  const identity = wanted ? activeOf(stored) : null;
  const userId = sought.by === 'identity' ? identity?.userId : sought.by === 'sub' ? sought.sub : signIn.userId;
  return {
    now,
    signIn,
    identity,
    lastUsedBeganAt: lastUsedBeganAt(stored, signIn),
    user: userOf(stored, userId),
    freeUsernames: USERNAMES.filter((name) => stored.users.every(({ username }) => username !== name)),
    serverEpoch: 0n,
  } satisfies LoadedExternalSignIn;
}
