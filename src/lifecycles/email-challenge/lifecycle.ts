/**
 * The link in an e-mail. The "row" of a decision is the links of one person, together with the end-user. The statement that stores a
 * newer link counts it in the older links. The statement that uses a link ends the others of its purpose. The end-user's machine decides
 * on the change of the account, which is committed with the link's use.
 */
import { isDeepStrictEqual } from 'node:util';
import type {
  EmailChallengeContext,
  EmailChallengeEvent,
  EmailChallengePurpose,
  EmailChallengeRejectReason,
} from '../../../machines/email-challenge/facts.ts';
import { emailChallengeMachine } from '../../../machines/email-challenge/machine.ts';
import type { PasskeyState } from '../../../machines/passkey/facts.ts';
import type { UserEvent, UserEventByLink } from '../../../machines/user/facts.ts';
import { type Commit, type CommitStore, insert, update, type Write } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import { type Lifecycle, type Sent, send } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import { type Actor, actorName } from '../../model/actor.ts';
import { type Bytes, sameBytes } from '../../model/grant.ts';
import type { SignInOrigin } from '../../model/ledger.ts';
import { addressKey, addressOf, NO_PASSWORD, type RegisteredUser } from '../../model/user.ts';
import { accountIn, newPasskeyIn } from '../account-row.ts';
import type { RowVersion } from '../client/lifecycle.ts';
import type { Passkey } from '../passkey/entity.ts';
import { type NewPasskey, passkeyWrite, unregistered } from '../passkey/lifecycle.ts';
import { FIELDS, type UserChange, type UserFacts, type UserRegistration, userWrite } from '../user/lifecycle.ts';
import {
  EMAIL_CHALLENGES,
  type EmailChallenge,
  NEWER_LINKS_ALLOWED,
  type NewEmailChallenge,
  personOf,
} from './entity.ts';

/** The link of the event, where it is stored, and the active links of the same person; the end-user, where there is one. */
export type EmailChallengeRow = {
  readonly challenges: readonly EmailChallenge[];
  readonly user: RegisteredUser | null;
  /** Of the new account; null: none comes with the link's use. */
  readonly passkey: Passkey | null;
};

export type LoadedEmailChallenge = Omit<EmailChallengeRow, 'passkey'> & {
  readonly now: Date;
  /** Of the end-user's row. */
  readonly version: RowVersion;
  /** The end-user who has the chosen username, or whom it identifies as an address; null: it is free, or none was chosen. */
  readonly usernameOf: string | null;
  /** Verified addresses are identifiers. Absent: they are none. */
  readonly addressesIdentify?: boolean;
  /** The end-user whom the address of the key identifies, or who has it as the username. Absent: none. */
  readonly addressOf?: string | null;
  /** Of the credential that was sent, with any end-user. Absent: it is not registered, or none was sent. */
  readonly passkeyState?: PasskeyState;
  /** When the oldest of the end-user's passkeys and authenticator apps was added; null: there is none. */
  readonly oldestFactorAt: Date | null;
};

/** The parameters of the button on the link's page. */
export type LinkUse =
  /** Verifies, changes or restores the address; or says that every factor was lost. */
  | { readonly kind: 'press' }
  | { readonly kind: 'password'; readonly passwordHash: RegisteredUser['passwordHash'] }
  /** `id`: the `sub` of the new account, drawn for it. `passkey`: with which it begins, without a password. Null: with a password. */
  | {
      readonly kind: 'account';
      readonly id: string;
      readonly registration: UserRegistration;
      readonly passkey: NewPasskey | null;
    };

export type EmailChallengeFacts = {
  readonly now: Date;
  readonly id: string;
  /** To be sent by this request; null: none. */
  readonly fresh: NewEmailChallenge | null;
  /** For `offerUndo`, drawn in case it is needed. */
  readonly undo: Pick<NewEmailChallenge, 'id' | 'secretHash' | 'lifetimeSeconds'> | null;
  readonly use: LinkUse | null;
  readonly version: RowVersion;
  readonly usernameOf: string | null;
  readonly addressesIdentify: boolean;
  readonly addressOf: string | null;
  readonly passwordIsProven: boolean;
  readonly oldestFactorAt: Date | null;
  /** By the current policy. */
  readonly isOffered: (purpose: EmailChallengePurpose) => boolean;
  readonly passkeyIsOffered: boolean;
  /** Of `undone`: when the link was sent that undoes the change; null: no change is undone. */
  readonly undoneSince: Date | null;
  /** Of `overtaken`: where the newer link was sent; null: none is newer. */
  readonly newerTo: string | null;
  /** The administrator who asks; absent: the person does. */
  readonly actor: Actor | undefined;
  /** Of the browser in which the link was used. */
  readonly origin: SignInOrigin | undefined;
};

/**
 * A stored link by its secret or its id; or a fresh link by its end-user. @property username as it was chosen. @property address that
 * the link makes the verified one; absent: none.
 */
export type EmailChallengeKey =
  | {
      readonly kind: 'secret';
      readonly secretHash: Bytes;
      readonly username: string | null;
      readonly address?: string | null;
      /** Of the passkey that came; absent: none came. */
      readonly credentialId?: Bytes;
    }
  | { readonly kind: 'id'; readonly id: string; readonly purpose: EmailChallengePurpose }
  | { readonly kind: 'fresh'; readonly id: string; readonly userId: string | null; readonly person: string };

export type EmailChallengeStore = {
  readonly load: (key: EmailChallengeKey) => Promise<LoadedEmailChallenge>;
  readonly commit: CommitStore;
};

const challengeOf = ({ challenges }: EmailChallengeRow, { id }: EmailChallengeFacts): EmailChallenge | undefined =>
  challenges.find((challenge) => challenge.id === id);

/** The event's link, stored or to be sent. */
function subjectOf(row: EmailChallengeRow, facts: EmailChallengeFacts): EmailChallenge {
  const found = challengeOf(row, facts) ?? (facts.fresh?.id === facts.id ? sentRow(row, facts.fresh, facts.now) : null);
  if (found === null) throw new InvariantViolation('emailChallenge: the event is about no link');
  return found;
}

const sentRow = ({ user }: EmailChallengeRow, fresh: NewEmailChallenge, now: Date): EmailChallenge => {
  const { lifetimeSeconds, ...given } = fresh;
  return {
    ...given,
    state: 'active',
    supersededReason: null,
    person: personOf(fresh),
    userEpoch: fresh.userId === null ? null : (user?.epoch ?? null),
    newerLinks: 0,
    createdAt: now,
    endsAt: new Date(now.getTime() + lifetimeSeconds * 1000),
  };
};

const changed = (
  row: EmailChallengeRow,
  { id }: EmailChallengeFacts,
  change: Partial<EmailChallenge>,
): EmailChallengeRow => ({
  ...row,
  challenges: row.challenges.map((challenge) => (challenge.id === id ? { ...challenge, ...change } : challenge)),
});

/** A use is one with a passkey where the row has one. */
type EventWithoutPasskey = Exclude<EmailChallengeEvent['type'], 'overtaken' | 'usedWithPasskey'>;

const eventOf = (
  { passkey }: Pick<EmailChallengeRow, 'passkey'>,
  facts: EmailChallengeFacts,
  type: EventWithoutPasskey,
): EmailChallengeEvent => {
  const { now, usernameOf, addressOf, passwordIsProven } = facts;
  const use = { now: now.getTime(), usernameOf, addressOf };
  if (type === 'used')
    return passkey === null
      ? { type, ...use, passwordIsProven }
      : { type: 'usedWithPasskey', ...use, passkey: passkey.state };
  return type === 'requested' ? { type, passwordIsProven } : { type };
};

const sendTo = (
  row: EmailChallengeRow,
  facts: EmailChallengeFacts,
  type: EventWithoutPasskey,
  about: Pick<EmailChallengeFacts, 'id'> & Partial<EmailChallengeFacts>,
): Sent<EmailChallengeRow> => {
  const others = { ...facts, ...about };
  return send(emailChallengeLifecycle, others, eventOf(row, others, type));
};

/** The next that is active, of the same purpose. */
const nextOf = (
  challenges: readonly EmailChallenge[],
  { id, purpose }: Pick<EmailChallenge, 'id' | 'purpose'>,
): EmailChallenge | undefined =>
  challenges.find((one) => one.state === 'active' && one.purpose === purpose && one.id !== id);

const { ofUser, addPasskey } = accountIn<EmailChallengeRow>();

const changeOf = (
  { use }: EmailChallengeFacts,
  event: UserEventByLink | 'registrationRequested',
  { address }: EmailChallenge,
): UserChange => {
  if (event === 'passwordReset' && use?.kind === 'password') return { type: event, passwordHash: use.passwordHash };
  if (event === 'registrationRequested' && use?.kind === 'account')
    return { type: event, registration: withAddress(use.registration, address) };
  if (event === 'addressVerified' || event === 'addressChanged' || event === 'addressRestored')
    return { type: event, address };
  if (event === 'factorsLost') return { type: event };
  throw new InvariantViolation(`emailChallenge: ${use?.kind ?? 'nothing'} was sent for ${event}`);
};

function recipientOf(user: RegisteredUser): NonNullable<EmailChallengeContext['user']> {
  const address = addressOf(user);
  return {
    disabledAt: user.disabledAt?.getTime() ?? null,
    epoch: user.epoch,
    address: address && addressKey(address.address),
    addressIsVerified: address?.isVerified ?? false,
    passwordByLinkAt: user.passwordByLinkAt?.getTime() ?? null,
  };
}

const withAddress = (registration: UserRegistration, address: string): UserRegistration => ({
  ...registration,
  claims: { ...registration.claims, email: address, email_verified: true },
});

export const emailChallengeLifecycle: Lifecycle<EmailChallengeRow, EmailChallengeFacts, Commit> = {
  machine: emailChallengeMachine,
  stateOf: (row, facts) => challengeOf(row, facts)?.state ?? 'unsent',
  contextOf: (row, facts): EmailChallengeContext => {
    const challenge = subjectOf(row, facts);
    const { user } = row;
    return {
      purpose: challenge.purpose,
      endsAt: challenge.endsAt.getTime(),
      isOffered: facts.isOffered(challenge.purpose),
      passkeyIsOffered: facts.passkeyIsOffered,
      address: addressKey(challenge.address),
      userId: challenge.userId,
      userEpoch: challenge.userEpoch,
      user: user && recipientOf(user),
      oldestFactorAt: facts.oldestFactorAt?.getTime() ?? null,
      newerLinks: challenge.newerLinks,
      newerLinksAllowed: NEWER_LINKS_ALLOWED[challenge.purpose],
    };
  },
  answers: { used: ['useLink', 'reject'] },
  changes: {
    sendLink: (row, facts) => ({ ...row, challenges: [subjectOf(row, facts), ...row.challenges] }),
    supersedeLink: (row, facts, { reason }) => changed(row, facts, { state: 'superseded', supersededReason: reason }),
    useLink: (row, facts) => changed(row, facts, { state: 'used' }),
    countNewerLink: (row, facts) => changed(row, facts, { newerLinks: subjectOf(row, facts).newerLinks + 1 }),
  },
  // The link stays as it was for its end-user: the newer link has its own ledger entry.
  notAudited: ['countNewerLink'],
  sends: {
    overtakeOlder: (row, facts) => {
      // The newest link is first. Each overtaken link sends the event to the next.
      const subject = subjectOf(row, facts);
      const newerTo = facts.newerTo ?? subject.address;
      const older = nextOf(row.challenges.slice(row.challenges.indexOf(subject)), subject);
      if (older === undefined) return null;
      const others = { ...facts, id: older.id, newerTo };
      const overtaken: EmailChallengeEvent = {
        type: 'overtaken',
        newerAddress: addressKey(newerTo),
      };
      return send(emailChallengeLifecycle, others, overtaken);
    },
    supersedeOthers: (row, facts) => {
      const other = nextOf(row.challenges, subjectOf(row, facts));
      return other ? sendTo(row, facts, 'otherUsed', { id: other.id }) : null;
    },
    supersedeLater: (row, facts) => {
      // Each superseded link leads to the next, until none is left.
      const since = facts.undoneSince ?? subjectOf(row, facts).createdAt;
      const later = row.challenges.find(({ state, createdAt }) => state === 'active' && createdAt >= since);
      return later ? sendTo(row, facts, 'undone', { id: later.id, undoneSince: since }) : null;
    },
    offerUndo: (row, facts) => {
      const { undo } = facts;
      const before = row.user && addressOf(row.user);
      // An address that was never verified may be a stranger's.
      if (undo === null || row.user === null || !before?.isVerified) return null;
      const fresh = {
        ...undo,
        purpose: 'undo_change',
        userId: row.user.id,
        address: before.address,
        resumption: null,
      } as const;
      return sendTo(row, facts, 'requested', { id: fresh.id, fresh });
    },
    changeUser: (row, facts, { event }) => {
      const { now, version, actor, usernameOf, addressOf, addressesIdentify, use } = facts;
      const change = changeOf(facts, event, subjectOf(row, facts));
      const id = use?.kind === 'account' ? use.id : (row.user?.id ?? '');
      const sent: UserEvent =
        event === 'registrationRequested'
          ? { type: event, expectationHolds: true, usernameOf, addressOf, differing: [] }
          : { type: event };
      const userFacts: UserFacts = { now, id, version, actor, change, fields: FIELDS[event], addressesIdentify };
      return { lifecycle: ofUser, facts: userFacts, event: sent };
    },
    addPasskey,
  },
  violation: ({ before, after }) => {
    const isUsed = after.challenges.some(
      ({ id, state }) => state === 'used' && before.challenges.find((one) => one.id === id)?.state === 'active',
    );
    if (!isUsed) return null;
    if (after.user === before.user) return 'a link was used, and the account is as before';
    const isNewWithoutPassword = before.user === null && after.user?.passwordHash === NO_PASSWORD;
    return isNewWithoutPassword && newPasskeyIn(before, after) === null ? 'an account without a way to sign in' : null;
  },
  ledgerFacts: (row, facts) => {
    const { userId, purpose, supersededReason } = subjectOf(row, facts);
    return {
      reason: supersededReason ?? purpose,
      ...(userId !== null && { userId }),
      ...(facts.actor && { actor: facts.actor }),
      ...(facts.origin && { origin: facts.origin }),
    };
  },
  // A link that was sent since the load counts in the active links, so that the use of one sees it.
  commitOf: ({ before, after }, { now, version, actor }, entries) => {
    const stored = new Map(before.challenges.map((challenge) => [challenge.id, challenge]));
    const moved = after.challenges.flatMap((challenge) => {
      const loaded = stored.get(challenge.id);
      if (loaded === undefined || loaded === challenge) return [];
      return [update(EMAIL_CHALLENGES, loaded, challenge, ['state', 'newerLinks'])];
    });
    const added = after.challenges.filter(({ id }) => !stored.has(id));
    const passkey = newPasskeyIn(before, after);
    const writes = [
      ...moved,
      ...(after.user === before.user || after.user === null ? [] : [userWrite(before.user, after.user, version, true)]),
      ...added.map((challenge) => newLink(challenge, actor)),
      ...(passkey === null ? [] : [passkeyWrite(passkey)]),
    ];
    return { now, requires: [], writes: writes as [Write, ...Write[]], entries };
  },
};

function newLink(challenge: EmailChallenge, actor: Actor | undefined): Write {
  const { id, person, purpose } = challenge;
  const newest = { person, purpose, state: 'active', newerLinks: 0 } as const;
  const row = { ...challenge, sentBy: actor ? actorName(actor) : null };
  return insert(EMAIL_CHALLENGES, row, [{ id }, ...(purpose === 'undo_change' ? [] : [newest])]);
}

type LinkRequest<Answer> = Request<LoadedEmailChallenge, EmailChallengeRow, EmailChallengeFacts, Commit, Answer>;

export type LinkRejected = { readonly kind: 'rejected'; readonly reason: EmailChallengeRejectReason };

const rowOf = (
  { challenges, user, passkeyState, now }: LoadedEmailChallenge,
  use: LinkUse | null = null,
): EmailChallengeRow => ({ challenges, user, passkey: broughtBy(use, passkeyState, now) });
function broughtBy(use: LinkUse | null, state: PasskeyState = 'unregistered', now: Date): Passkey | null {
  const passkey = use?.kind === 'account' ? use.passkey : null;
  return passkey && { ...unregistered(passkey, now), state };
}
const NOTHING_DRAWN = {
  fresh: null,
  undo: null,
  use: null,
  passkeyIsOffered: false,
  undoneSince: null,
  newerTo: null,
  usernameOf: null,
  addressesIdentify: false,
  addressOf: null,
  passwordIsProven: false,
  oldestFactorAt: null,
  actor: undefined,
  origin: undefined,
} as const;

/** @property actor the administrator who asks; absent: the person does. @property passwordIsProven in the browser that asks. */
export type LinkAsker = { readonly actor?: Actor | undefined; readonly passwordIsProven?: boolean };

/** A link is to be sent. */
export const sendLinkRequest = (
  { isOffered }: Pick<EmailChallengeFacts, 'isOffered'>,
  fresh: NewEmailChallenge,
  { actor, passwordIsProven = false }: LinkAsker = {},
): LinkRequest<
  { readonly kind: 'sent'; readonly challenge: EmailChallenge; readonly user: RegisteredUser | null } | LinkRejected
> => ({
  lifecycle: emailChallengeLifecycle,
  read: (loaded) => {
    const { now, version, oldestFactorAt } = loaded;
    const known = { now, version, oldestFactorAt, isOffered, actor, passwordIsProven };
    const facts = { ...NOTHING_DRAWN, ...known, id: fresh.id, fresh };
    const row = rowOf(loaded);
    return { row, facts, event: eventOf(row, facts, 'requested') };
  },
  answer: (step, _, facts) => {
    const rejected = rejectionIn<EmailChallengeRejectReason>(step);
    if (rejected) return rejected;
    const { after } = step;
    return { kind: 'sent', challenge: subjectOf(after, facts), user: after.user };
  },
  isIn: ({ challenges }) => challenges.some(({ id }) => id === fresh.id),
});

export type LinkUsed = {
  readonly kind: 'used';
  readonly at: Date;
  readonly challenge: EmailChallenge;
  readonly before: RegisteredUser | null;
  readonly user: RegisteredUser;
  /** For the address from before; null: none was needed. */
  readonly undo: EmailChallenge | null;
};

/** By the current policy. */
export type LinkPolicy = Pick<EmailChallengeFacts, 'isOffered'> & {
  /** A new account may have a passkey instead of a password. Absent: no account does. */
  readonly passkeyIsOffered?: () => boolean;
};
const noPasskeys = () => false;

/** @property passwordIsProven in the browser in which it is used. */
export type LinkUser = { readonly passwordIsProven?: boolean | undefined; readonly origin?: SignInOrigin };

/** The button of the link's page was pressed. */
export const useLinkRequest = (
  { isOffered, passkeyIsOffered = noPasskeys }: LinkPolicy,
  secretHash: Bytes,
  use: LinkUse,
  undo: EmailChallengeFacts['undo'],
  { passwordIsProven = false, origin }: LinkUser = {},
): LinkRequest<LinkUsed | LinkRejected> => ({
  lifecycle: emailChallengeLifecycle,
  read: (loaded) => {
    const challenge = loaded.challenges.find((one) => sameBytes(one.secretHash, secretHash));
    if (!challenge) throw new InvariantViolation('emailChallenge: the link is not found');
    const facts: EmailChallengeFacts = {
      ...NOTHING_DRAWN,
      now: loaded.now,
      id: challenge.id,
      version: loaded.version,
      isOffered,
      passkeyIsOffered: passkeyIsOffered(),
      use,
      undo,
      usernameOf: loaded.usernameOf,
      addressesIdentify: loaded.addressesIdentify ?? false,
      addressOf: loaded.addressOf ?? null,
      passwordIsProven,
      origin,
      oldestFactorAt: loaded.oldestFactorAt,
    };
    const row = rowOf(loaded, use);
    return { row, facts, event: eventOf(row, facts, 'used') };
  },
  answer: (step, _, facts) => {
    const rejected = rejectionIn<EmailChallengeRejectReason>(step);
    if (rejected) return rejected;
    const { before, after } = step;
    if (after.user === null) throw new InvariantViolation('emailChallenge: a link was used, and there is no account');
    return {
      kind: 'used',
      at: facts.now,
      challenge: subjectOf(after, facts),
      before: before.user,
      user: after.user,
      undo: after.challenges.find(({ id }) => id === undo?.id) ?? null,
    };
  },
  // No other request draws this password's hash, this account's id or this undo.
  isIn: ({ challenges, user }, { after }) =>
    isDeepStrictEqual(user, after.user) &&
    challenges.some((one) => sameBytes(one.secretHash, secretHash) && one.state === 'used'),
});

/** An administrator takes an invitation back. The answer: whether this request did. */
export const withdrawLinkRequest = (id: string, actor: Actor): LinkRequest<boolean> => ({
  lifecycle: emailChallengeLifecycle,
  read: (loaded) => {
    const facts = { ...NOTHING_DRAWN, now: loaded.now, id, version: loaded.version, isOffered: () => true, actor };
    const row = rowOf(loaded);
    return { row, facts, event: eventOf(row, facts, 'withdrawn') };
  },
  answer: ({ before, after }) => after !== before,
});

export type EmailChallengePorts = Sleeping & LinkPolicy & { readonly challenges: EmailChallengeStore };

/** @throws Unavailable */
export function sendLink(
  { challenges, sleep, isOffered }: EmailChallengePorts,
  fresh: NewEmailChallenge,
  asker: LinkAsker = {},
) {
  const key = { kind: 'fresh', id: fresh.id, userId: fresh.userId, person: personOf(fresh) } as const;
  return run(
    { load: () => challenges.load(key), commit: challenges.commit, sleep },
    sendLinkRequest({ isOffered }, fresh, asker),
  );
}

/** @returns rejected with `link_unknown`: the server has not sent this link. @throws Unavailable */
export async function useLink(
  ports: EmailChallengePorts,
  secretHash: Bytes,
  use: LinkUse,
  undo: EmailChallengeFacts['undo'],
  user: LinkUser & { readonly address?: string | null } = {},
): Promise<LinkUsed | LinkRejected> {
  const { challenges, sleep } = ports;
  const { address = null } = user;
  const username = use.kind === 'account' ? use.registration.username : null;
  const credentialId = use.kind === 'account' ? use.passkey?.credentialId : undefined;
  const load = () =>
    challenges.load({ kind: 'secret', secretHash, username, address, ...(credentialId && { credentialId }) });
  const first = await load();
  // A random secret of 256 bits is compared by the index over its hash.
  if (first.challenges.length === 0) return { kind: 'rejected', reason: 'link_unknown' };
  const request = useLinkRequest(ports, secretHash, use, undo, user);
  return run({ load: kept(load, first), commit: challenges.commit, sleep }, request, first);
}

/** Between load and reload, housekeeping may have removed the link of a deleted end-user: then the link is as it was, and the end-user has ended. */
const kept =
  (load: () => Promise<LoadedEmailChallenge>, { challenges }: LoadedEmailChallenge) =>
  async (): Promise<LoadedEmailChallenge> => {
    const loaded = await load();
    return loaded.challenges.length > 0 ? loaded : { ...loaded, challenges };
  };

/** @returns false: it was used, superseded or withdrawn before, or the invitation is not found. @throws Unavailable */
export async function withdrawInvitation(
  { challenges, sleep }: Omit<EmailChallengePorts, 'isOffered'>,
  id: string,
  actor: Actor,
): Promise<boolean> {
  const load = () => challenges.load({ kind: 'id', id, purpose: 'invitation' });
  const first = await load();
  if (first.challenges.length === 0) return false;
  return run({ load: kept(load, first), commit: challenges.commit, sleep }, withdrawLinkRequest(id, actor), first);
}
