/**
 * The federated or delegated sign-in: from the redirect until the browser is signed in. One commit registers the end-user, links
 * the identity and uses the answer; each of the three has its own machine.
 */

import type {
  Admission,
  ExternalSignInContext,
  ExternalSignInEvent,
  ExternalSignInRejectReason,
} from '../../../machines/external-sign-in/facts.ts';
import { externalSignInMachine } from '../../../machines/external-sign-in/machine.ts';
import type { LinkedIdentityEvent } from '../../../machines/linked-identity/facts.ts';
import type { UserEvent } from '../../../machines/user/facts.ts';
import { type Commit, type CommitStore, insert, type Requirement, rowsOf, update } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle, Sent } from '../../engine/lifecycle.ts';
import { type Request, runFound, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import type { Actor } from '../../model/actor.ts';
import type { Bytes } from '../../model/grant.ts';
import { type Claims, NO_PASSWORD, type RegisteredUser, verifiedAddressKey } from '../../model/user.ts';
import { type ExternalIdentity, LINKED_IDENTITIES, type LinkedIdentity } from '../linked-identity/entity.ts';
import { linkedIdentityLifecycle } from '../linked-identity/lifecycle.ts';
import { USERS } from '../user/entity.ts';
import { userLifecycle, userWrite } from '../user/lifecycle.ts';
import { within } from '../within.ts';
import { EXTERNAL_SIGN_INS, type ExternalSignIn } from './entity.ts';

export type ExternalSignInRow = {
  readonly signIn: ExternalSignIn;
  /** The end-user whom it names; null: none yet. */
  readonly user: RegisteredUser | null;
  /** With which they came; null: with none that is linked. */
  readonly identity: LinkedIdentity | null;
};

/** The way to find an end-user. */
export type SoughtUser =
  /** By the identity, whose end-user it is. */
  | { readonly by: 'identity'; readonly identity: ExternalIdentity }
  /** By what the sign-in itself says: the end-user who began to link, or who was named in the answer. */
  | { readonly by: 'signIn'; readonly identity: ExternalIdentity | null }
  | { readonly by: 'sub'; readonly sub: string }
  | { readonly by: 'username'; readonly username: string };

export type LoadedExternalSignIn = {
  readonly now: Date;
  readonly signIn: ExternalSignIn;
  readonly lastUsedBeganAt: Date | null;
  readonly user: RegisteredUser | null;
  /** The active link of the identity that was looked for. */
  readonly identity: LinkedIdentity | null;
  /** The usernames of the request that are free. */
  readonly freeUsernames: readonly string[];
  /** Verified addresses are identifiers. Absent: they are none. */
  readonly addressesIdentify?: boolean;
  /** Another end-user signs in by the address of the request, or has it as the username. Absent: none does. */
  readonly addressIsTaken?: boolean;
  readonly serverEpoch: bigint;
};

/** How and when the end-user signed in there. */
export type TheirSignIn = { readonly amr: readonly string[]; readonly authenticatedAt: Date };

export type ExternalSignInFacts = {
  readonly now: Date;
  /** Of the sign-ins that were used in the same browser for the same request: when the last of them began. */
  readonly lastUsedBeganAt: Date | null;
  readonly theirs: TheirSignIn | null;
  /** Of `refusalReceived`. */
  readonly refusal: string | null;
  /** The just-in-time user that `createUser` registers; null: none. */
  readonly newUser: { readonly id: string; readonly username: string; readonly claims: Claims } | null;
  readonly addressesIdentify: boolean;
  /** The identity that `linkIdentity` stores; null: none. */
  readonly newIdentity: (ExternalIdentity & { readonly id: string; readonly provider: string }) | null;
  /** In whose name an end-user is registered. */
  readonly actor: Actor;
};

export type NewExternalSignIn = Omit<
  ExternalSignIn,
  'state' | 'userEpoch' | 'amr' | 'authenticatedAt' | 'refusal' | 'beganAt' | 'endsAt'
> & {
  readonly lifetimeSeconds: number;
  /** Never later than this; null: there is no interaction. */
  readonly interactionEndsAt: Date | null;
};

export type ExternalSignInStore = {
  readonly insert: (signIn: NewExternalSignIn) => Promise<void>;
  /** Null: there is none. */
  readonly find: (referenceHash: Bytes) => Promise<{ readonly now: Date; readonly signIn: ExternalSignIn } | null>;
  /** Null: there is none. @param usernames the reply names the free ones. @param address the key of a new user's verified address. */
  readonly load: (
    referenceHash: Bytes,
    sought: SoughtUser,
    usernames: readonly string[],
    address?: string | null,
  ) => Promise<LoadedExternalSignIn | null>;
  readonly commit: CommitStore;
};

const ofUser = within(
  userLifecycle,
  ({ user }: ExternalSignInRow) => ({ user }),
  (row, { user }) => ({ ...row, user }),
);
const ofIdentity = within(
  linkedIdentityLifecycle,
  ({ identity }: ExternalSignInRow) => ({ identity }),
  (row, { identity }) => ({ ...row, identity }),
);

const registration = ({ newUser, now, actor, addressesIdentify }: ExternalSignInFacts): Sent<ExternalSignInRow> => {
  if (newUser === null) throw new InvariantViolation('external sign-in: no user to register');
  const { id, username, claims } = newUser;
  const change = {
    type: 'registrationRequested' as const,
    registration: { username, claims, passwordHash: NO_PASSWORD },
  };
  const facts = { now, id, version: null, actor, change, fields: [], addressesIdentify };
  const event: UserEvent = {
    type: change.type,
    expectationHolds: true,
    usernameOf: null,
    addressOf: null,
    differing: [],
  };
  return { lifecycle: ofUser, facts, event };
};

const link = ({ user }: ExternalSignInRow, { newIdentity, now }: ExternalSignInFacts): Sent<ExternalSignInRow> => {
  if (newIdentity === null || user === null) throw new InvariantViolation('external sign-in: no identity to link');
  const facts = { now, draft: { ...newIdentity, userId: user.id } };
  const event: LinkedIdentityEvent = { type: 'linkRequested' };
  return { lifecycle: ofIdentity, facts, event };
};

const settled = (
  { signIn, user, identity }: ExternalSignInRow,
  state: ExternalSignIn['state'],
  { theirs }: ExternalSignInFacts,
): ExternalSignInRow => ({
  user,
  identity,
  signIn: {
    ...signIn,
    state,
    userId: user?.id ?? signIn.userId,
    userEpoch: signIn.userEpoch ?? user?.epoch ?? null,
    amr: theirs?.amr ?? signIn.amr,
    authenticatedAt: theirs?.authenticatedAt ?? signIn.authenticatedAt,
  },
});

export const externalSignInLifecycle: Lifecycle<ExternalSignInRow, ExternalSignInFacts, Commit> = {
  machine: externalSignInMachine,
  stateOf: ({ signIn }) => signIn.state,
  contextOf: ({ signIn }, { lastUsedBeganAt }): ExternalSignInContext => ({
    endsAt: signIn.endsAt.getTime(),
    beganAt: signIn.beganAt.getTime(),
    purpose: signIn.purpose,
    userId: signIn.userId,
    userEpoch: signIn.userEpoch,
    lastUsedBeganAt: lastUsedBeganAt?.getTime() ?? null,
  }),
  answers: {
    answerReceived: ['recordAnswer', 'reject'],
    refusalReceived: ['recordRefusal', 'reject'],
    browserReturned: ['useAnswer', 'reject'],
  },
  changes: {
    recordAnswer: (row, facts) => settled(row, 'answered', facts),
    recordRefusal: ({ signIn, ...row }, { refusal }) => ({ ...row, signIn: { ...signIn, state: 'denied', refusal } }),
    useAnswer: (row, facts) => settled(row, 'used', facts),
  },
  sends: {
    createUser: (_, facts) => registration(facts),
    linkIdentity: link,
  },
  violation: ({ before, after }) => {
    if (after.signIn.state !== 'used' || before.signIn.state === 'used') return null;
    if (after.user === null || after.user.disabledAt !== null) return 'a sign-in without an end-user who may sign in';
    if (after.signIn.amr === null || after.signIn.authenticatedAt === null)
      return 'a sign-in that says neither how nor when';
    if (after.signIn.kind === 'upstream' && after.identity?.userId !== after.user.id)
      return 'a sign-in with the identity of another';
    return null;
  },
  ledgerFacts: ({ signIn, user }) => ({
    ...(user && { userId: user.id }),
    ...(signIn.requested.clientId !== null && { clientId: signIn.requested.clientId }),
  }),
  commitOf: ({ before, after }, { now }, entries) => ({
    now,
    requires: reliedOn(before, after.signIn.state),
    writes: [
      // A cluster asks for the end-user of the sign-in when it writes the sign-in.
      ...(before.user === null && after.user !== null ? [userWrite(null, after.user, null, true)] : []),
      update(EXTERNAL_SIGN_INS, before.signIn, after.signIn, ['state']),
      ...(before.identity === null && after.identity !== null ? [newIdentity(after.identity)] : []),
    ] as unknown as Commit['writes'],
    entries: entries.map((entry) => ({ ...entry, interactionId: before.signIn.interactionId })),
  }),
};

const newIdentity = (identity: LinkedIdentity) => {
  const { issuer, subject } = identity;
  return insert(LINKED_IDENTITIES, identity, [{ issuer, subject, state: 'active' }]);
};

/** The rows that the decision relies on, besides the sign-in itself. */
function reliedOn({ signIn, user, identity }: ExternalSignInRow, to: ExternalSignIn['state']): readonly Requirement[] {
  const { browserHash, interactionId, purpose, beganAt } = signIn;
  const requirements: Requirement[] = [];
  if (to === 'used') {
    const where = { browserHash, interactionId, purpose, state: 'used' } as const;
    const rows = [rowsOf(EXTERNAL_SIGN_INS, where, { later: { beganAt } })];
    requirements.push({ that: 'no later sign-in was used in this browser', rows, are: 'none' });
  }
  // A refusal ends the sign-in, also of an end-user who was disabled or deleted.
  if (user !== null && to !== 'denied') {
    const rows = [rowsOf(USERS, { id: user.id, disabledAt: null, epoch: user.epoch })];
    requirements.push({ that: 'the end-user is as loaded', rows, are: 'some', locked: true });
  }
  if (identity !== null) {
    const rows = [rowsOf(LINKED_IDENTITIES, { id: identity.id, state: 'active' })];
    requirements.push({ that: 'the identity is as loaded', rows, are: 'some', locked: true });
  }
  return requirements;
}

// Requests.

export type ExternalSignInOutcome =
  | { readonly kind: 'done'; readonly row: ExternalSignInRow; readonly serverEpoch: bigint }
  | { readonly kind: 'rejected'; readonly reason: ExternalSignInRejectReason; readonly signIn: ExternalSignIn };

type ExternalSignInRequest = Request<
  LoadedExternalSignIn,
  ExternalSignInRow,
  ExternalSignInFacts,
  Commit,
  ExternalSignInOutcome
>;

/** The parameters of a request. */
export type Brought = {
  readonly type: ExternalSignInEvent['type'];
  /** SHA-256 of the cookie that came along; `none`: it comes through no browser. Null: the browser sent none. */
  readonly browser: Bytes | null | 'none';
  /** Absent: the policy says nothing. */
  readonly admission?: Admission;
  /** Of a link: the end-user who is signed in in the browser that returns. Null or absent: none. */
  readonly sessionUserId?: string | null;
  /** Null: the end-user is found in another way. */
  readonly identity?: (ExternalIdentity & { readonly provider: string }) | null;
  readonly theirs?: TheirSignIn | null;
  readonly refusal?: string | null;
  /** The just-in-time user that the policy would register; null: none. `usernames`: in order of preference. */
  readonly justInTimeUser?: { readonly usernames: readonly string[]; readonly claims: Claims } | null;
  /** The answer is the code of an OpenID Provider: it says nothing yet. */
  readonly isWithoutUser?: boolean;
  readonly actor: Actor;
  /** Drawn at random, for the new rows. */
  readonly ids: { readonly user: string; readonly identity: string };
  /** Whether two hashes are the same, in constant time. */
  readonly sameBytes: (one: Bytes, other: Bytes) => boolean;
};

function eventOf(loaded: LoadedExternalSignIn, brought: Brought): ExternalSignInEvent {
  const { now, signIn, user, freeUsernames } = loaded;
  const { type, browser, sameBytes, identity, justInTimeUser, admission = 'admitted', sessionUserId = null } = brought;
  const fromItsBrowser = browser === 'none' || (browser !== null && sameBytes(browser, signIn.browserHash));
  const refusal = { now: now.getTime(), fromItsBrowser };
  if (type === 'refusalReceived') return { type, ...refusal };
  const answer = {
    ...refusal,
    namesUser: !brought.isWithoutUser,
    user: user && { id: user.id, epoch: user.epoch, disabledAt: user.disabledAt?.getTime() ?? null },
    freeUsernames: justInTimeUser ? freeUsernames : [],
  };
  if (type === 'answerReceived') return { type, ...answer };
  const linked = identity ? { linkedTo: loaded.identity?.userId ?? null } : null;
  return { type, ...answer, admission, sessionUserId, identity: linked };
}

/** The word of an identity provider does not take a verified address from the end-user who signs in by it. */
const claimsOfNew = ({ claims }: { readonly claims: Claims }, { addressIsTaken }: LoadedExternalSignIn): Claims =>
  addressIsTaken ? { ...claims, email_verified: false } : claims;

export const externalSignInRequest = (brought: Brought): ExternalSignInRequest => ({
  lifecycle: externalSignInLifecycle,
  read: (loaded) => {
    const { now, signIn, user, identity, lastUsedBeganAt, freeUsernames, addressesIdentify = false } = loaded;
    const { justInTimeUser, ids } = brought;
    const [username] = freeUsernames;
    const facts: ExternalSignInFacts = {
      now,
      lastUsedBeganAt,
      theirs: brought.theirs ?? null,
      refusal: brought.refusal ?? null,
      newUser:
        justInTimeUser && username !== undefined
          ? { id: ids.user, username, claims: claimsOfNew(justInTimeUser, loaded) }
          : null,
      addressesIdentify,
      newIdentity: brought.identity ? { ...brought.identity, id: ids.identity } : null,
      actor: brought.actor,
    };
    return { row: { signIn, user, identity }, facts, event: eventOf(loaded, brought) };
  },
  answer: (step, { signIn, serverEpoch }) => {
    const rejected = rejectionIn<ExternalSignInRejectReason>(step);
    return rejected ? { ...rejected, signIn } : { kind: 'done', row: step.after, serverEpoch };
  },
});

export type ExternalSignInPorts = Sleeping & {
  readonly externalSignIns: Pick<ExternalSignInStore, 'load' | 'commit'>;
};

/** @returns null: the sign-in is not found. @throws Unavailable, StoreUnavailable */
export function bringToExternalSignIn(
  { externalSignIns, sleep }: ExternalSignInPorts,
  referenceHash: Bytes,
  sought: SoughtUser,
  brought: Brought,
): Promise<ExternalSignInOutcome | null> {
  const { usernames, claims } = brought.justInTimeUser ?? { usernames: [], claims: {} };
  const load = () => externalSignIns.load(referenceHash, sought, usernames, verifiedAddressKey({ claims }));
  return runFound({ load, commit: externalSignIns.commit, sleep }, externalSignInRequest(brought));
}
