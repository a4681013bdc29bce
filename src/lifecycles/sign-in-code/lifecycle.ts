/**
 * The code in a mail. The "row" of a decision is the code of the event, the open code that it overtakes, and the end-user. One commit
 * stores a code and ends the older one; another makes it that of an end-user, before the mail; another uses it, before the session.
 */
import type {
  SignInCodeContext,
  SignInCodeEvent,
  SignInCodeRejectReason,
} from '../../../machines/sign-in-code/facts.ts';
import { signInCodeMachine } from '../../../machines/sign-in-code/machine.ts';
import {
  type Commit,
  type CommitStore,
  insert,
  type Requirement,
  rowsOf,
  update,
  type Write,
} from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import { type Lifecycle, send } from '../../engine/lifecycle.ts';
import { type Request, run, runFound, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import { type Bytes, sameBytes } from '../../model/grant.ts';
import type { SignInOrigin } from '../../model/ledger.ts';
import { addressKey, addressOf, type RegisteredUser } from '../../model/user.ts';
import { USERS } from '../user/entity.ts';
import { DIRECT, isOpen, type NewSignInCode, SIGN_IN_CODES, type SignInCode } from './entity.ts';

/** The code of the event, and the open code of the same browser and place. */
export type SignInCodeRow = {
  readonly codes: readonly SignInCode[];
  readonly user: RegisteredUser | null;
};

export type LoadedSignInCode = SignInCodeRow & { readonly now: Date };

/** By the current policy. */
export type SignInCodePolicy = {
  readonly isOffered: boolean;
  readonly lifetimeSeconds: number;
  /** How many wrong codes leave a code valid. */
  readonly wrongCodesAllowed: number;
};

export type SignInCodeFacts = {
  readonly now: Date;
  readonly id: string;
  /** To be stored by this request; null: none. */
  readonly fresh: NewSignInCode | null;
  readonly policy: SignInCodePolicy;
  /** Of the browser that asks or presents; absent: no browser does. */
  readonly origin?: SignInOrigin | undefined;
};

export type SignInCodeStore = {
  /** With the open code of the same browser and place; a lost commit may have stored the fresh code. */
  readonly loadFresh: (fresh: Pick<NewSignInCode, 'id' | 'browserHash' | 'place'>) => Promise<LoadedSignInCode>;
  /** @param userId of the end-user to load with it. Absent: that of the code. Null: not found. */
  readonly load: (id: string, userId?: string) => Promise<LoadedSignInCode | null>;
  readonly commit: CommitStore;
};

const codeOf = ({ codes }: SignInCodeRow, { id }: Pick<SignInCodeFacts, 'id'>): SignInCode | undefined =>
  codes.find((code) => code.id === id);

/** The event's code, stored or to be stored. */
function subjectOf(row: SignInCodeRow, facts: SignInCodeFacts): SignInCode {
  const found = codeOf(row, facts) ?? (facts.fresh?.id === facts.id ? storedRow(facts.fresh, facts) : null);
  if (found === null) throw new InvariantViolation('signInCode: the event is about no code');
  return found;
}

const storedRow = (fresh: NewSignInCode, { now, policy }: SignInCodeFacts): SignInCode => ({
  ...fresh,
  state: 'requested',
  wrongCodes: 0,
  userId: null,
  userEpoch: null,
  address: null,
  createdAt: now,
  endsAt: new Date(now.getTime() + policy.lifetimeSeconds * 1000),
});

const changed = (
  row: SignInCodeRow,
  { id }: SignInCodeFacts,
  change: (code: SignInCode) => Partial<SignInCode>,
): SignInCodeRow => ({
  ...row,
  codes: row.codes.map((code) => (code.id === id ? { ...code, ...change(code) } : code)),
});

const oneMoreWrong = ({ wrongCodes }: SignInCode) => ({ wrongCodes: wrongCodes + 1 });

function recipientOf(user: RegisteredUser): NonNullable<SignInCodeContext['user']> {
  const own = addressOf(user);
  return {
    id: user.id,
    disabledAt: user.disabledAt?.getTime() ?? null,
    epoch: user.epoch,
    verifiedAddress: own?.isVerified ? addressKey(own.address) : null,
  };
}

/** The mailbox is that of the account. */
function sentTo({ user }: SignInCodeRow): Pick<SignInCode, 'userId' | 'userEpoch' | 'address'> {
  const own = user && addressOf(user);
  if (user === null || own === null) throw new InvariantViolation('signInCode: a code is sent to no mailbox');
  return { userId: user.id, userEpoch: user.epoch, address: own.address };
}

export const signInCodeLifecycle: Lifecycle<SignInCodeRow, SignInCodeFacts, Commit> = {
  machine: signInCodeMachine,
  stateOf: (row, facts) => codeOf(row, facts)?.state ?? 'unrequested',
  contextOf: (row, facts): SignInCodeContext => {
    const { createdAt, endsAt, wrongCodes, userId, userEpoch, address } = subjectOf(row, facts);
    const { isOffered, lifetimeSeconds, wrongCodesAllowed } = facts.policy;
    return {
      endsAt: Math.min(endsAt.getTime(), createdAt.getTime() + lifetimeSeconds * 1000),
      isOffered,
      wrongCodes,
      wrongCodesAllowed,
      userId,
      userEpoch,
      address: address && addressKey(address),
      user: row.user && recipientOf(row.user),
    };
  },
  answers: {
    requested: ['storeCode', 'reject'],
    identified: ['sendCode', 'repeatCode', 'reject'],
    presented: ['accept', 'reject'],
  },
  changes: {
    storeCode: (row, facts) => ({ ...row, codes: [subjectOf(row, facts), ...row.codes] }),
    sendCode: (row, facts) => changed(row, facts, () => ({ state: 'active', ...sentTo(row) })),
    countWrongCode: (row, facts) => changed(row, facts, oneMoreWrong),
    spendWrongCodes: (row, facts) => changed(row, facts, (code) => ({ state: 'spent', ...oneMoreWrong(code) })),
    supersedeCode: (row, facts) => changed(row, facts, () => ({ state: 'superseded' })),
    useCode: (row, facts) => changed(row, facts, () => ({ state: 'used' })),
  },
  // The use case adds an entry for each rejected sign-in, whether or not a code exists.
  notAudited: ['countWrongCode'],
  sends: {
    overtakeOlderCode: (row, facts) => {
      const older = row.codes.find((code) => code.id !== facts.id && isOpen(code));
      const overtaken: SignInCodeEvent = { type: 'overtaken' };
      return older ? send(signInCodeLifecycle, { ...facts, id: older.id }, overtaken) : null;
    },
  },
  violation: ({ before, after }, facts) => {
    const [was, is] = [codeOf(before, facts), codeOf(after, facts)];
    if (is?.state !== 'used' || was?.state === 'used') return null;
    if (was?.state !== 'active') return 'a code that was not sent has signed in';
    if (after.user === null || after.user.id !== is.userId) return 'a code has signed in another end-user';
    return null;
  },
  ledgerFacts: (row, facts) => {
    const { userId, place } = subjectOf(row, facts);
    return {
      ...(userId !== null && { userId }),
      ...(place !== DIRECT && { interactionId: place }),
      ...(facts.origin && { origin: facts.origin }),
    };
  },
  commitOf: ({ before, after }, { now, id }, entries) => {
    const stored = new Map(before.codes.map((code) => [code.id, code]));
    const moved = after.codes.flatMap((code) => {
      const loaded = stored.get(code.id);
      if (loaded === undefined || loaded === code) return [];
      return [update(SIGN_IN_CODES, loaded, code, ['state', 'wrongCodes'])];
    });
    const added = after.codes.filter((code) => !stored.has(code.id));
    const writes = [...moved, ...added.map((code) => insert(SIGN_IN_CODES, code, [{ id: code.id }]))];
    return { now, requires: reliedOn(before, after, id), writes: writes as [Write, ...Write[]], entries };
  },
};

/** The rows that the decision relies on, besides the code itself. */
function reliedOn(before: SignInCodeRow, after: SignInCodeRow, id: string): readonly Requirement[] {
  const [was, is] = [codeOf(before, { id }), codeOf(after, { id })];
  if (is === undefined || was?.state === is.state) return [];
  if (was === undefined) {
    const { browserHash, place } = is;
    const [older] = before.codes.filter(isOpen);
    const others = (['requested', 'active'] as const).map((state) =>
      rowsOf(SIGN_IN_CODES, { browserHash, place, state }, older && { not: { id: older.id } }),
    );
    return [{ that: 'no other code of this browser and place is open', rows: others, are: 'none' }];
  }
  if ((is.state !== 'active' && is.state !== 'used') || after.user === null) return [];
  // The claims have the address.
  const { id: userId, epoch, claims } = after.user;
  const rows = [rowsOf(USERS, { id: userId, disabledAt: null, epoch, claims })];
  return [{ that: 'the end-user is as loaded, with the address', rows, are: 'some', locked: true }];
}

// Requests.

export type SignInCodeRejected = { readonly kind: 'rejected'; readonly reason: SignInCodeRejectReason };

type CodeRequest<Answer> = Request<
  LoadedSignInCode,
  SignInCodeRow,
  SignInCodeFacts,
  Commit,
  Answer | SignInCodeRejected
>;

const rowOf = ({ codes, user }: LoadedSignInCode): SignInCodeRow => ({ codes, user });

/** A browser asks for a code. */
export const askForCodeRequest = (
  fresh: NewSignInCode,
  policy: SignInCodePolicy,
  origin?: SignInOrigin,
): CodeRequest<{ readonly kind: 'stored' }> => ({
  lifecycle: signInCodeLifecycle,
  read: (loaded) => {
    const facts = { now: loaded.now, id: fresh.id, fresh, policy, origin };
    const event: SignInCodeEvent = { type: 'requested' };
    return { row: rowOf(loaded), facts, event };
  },
  answer: (step) => rejectionIn<SignInCodeRejectReason>(step) ?? { kind: 'stored' },
  isIn: ({ codes }) => codes.some(({ id }) => id === fresh.id),
});

/** The typed text was looked up: the loaded end-user has the account; null: none has. */
export const sendCodeRequest = (
  id: string,
  policy: SignInCodePolicy,
): CodeRequest<{ readonly kind: 'sent'; readonly code: SignInCode; readonly user: RegisteredUser }> => ({
  lifecycle: signInCodeLifecycle,
  read: (loaded) => {
    const event: SignInCodeEvent = { type: 'identified', now: loaded.now.getTime() };
    return { row: rowOf(loaded), facts: { now: loaded.now, id, fresh: null, policy }, event };
  },
  answer: (step, _, facts) => {
    const rejected = rejectionIn<SignInCodeRejectReason>(step);
    if (rejected) return rejected;
    const { user } = step.after;
    if (user === null) throw new InvariantViolation('signInCode: a code was sent to no end-user');
    return { kind: 'sent', code: subjectOf(step.after, facts), user };
  },
});

/** The parameters of a typed code. */
export type PresentedCode = {
  /** The keyed hashes of the typed code, under each root secret; none: the text is no code. */
  readonly hashes: readonly Bytes[];
  /** SHA-256 of the cookie of the browser; null: it sent none. */
  readonly browserHash: Bytes | null;
  readonly place: string;
  readonly origin?: SignInOrigin | undefined;
  /** Whether two hashes are the same, in constant time. */
  readonly sameBytes?: (one: Bytes, other: Bytes) => boolean;
};

export const presentCodeRequest = (
  id: string,
  { hashes, browserHash, place, origin, sameBytes: same = sameBytes }: PresentedCode,
  policy: SignInCodePolicy,
): CodeRequest<{ readonly kind: 'accepted'; readonly userId: string; readonly userEpoch: bigint | null }> => ({
  lifecycle: signInCodeLifecycle,
  read: (loaded) => {
    const facts: SignInCodeFacts = { now: loaded.now, id, fresh: null, policy, origin };
    const code = subjectOf(rowOf(loaded), facts);
    const event: SignInCodeEvent = {
      type: 'presented',
      now: loaded.now.getTime(),
      isRight: hashes.some((hash) => same(hash, code.codeHash)),
      fromItsBrowser: browserHash !== null && same(browserHash, code.browserHash),
      fromItsPlace: place === code.place,
    };
    return { row: rowOf(loaded), facts, event };
  },
  answer: (step, _, facts) => {
    const rejected = rejectionIn<SignInCodeRejectReason>(step);
    if (rejected) return rejected;
    const { userId, userEpoch } = subjectOf(step.after, facts);
    if (userId === null) throw new InvariantViolation('signInCode: a code of no end-user was accepted');
    return { kind: 'accepted', userId, userEpoch };
  },
});

export type SignInCodePorts = Sleeping & { readonly signInCodes: SignInCodeStore };

/** @throws Unavailable */
export const askForCode = (
  { signInCodes, sleep }: SignInCodePorts,
  fresh: NewSignInCode,
  policy: SignInCodePolicy,
  origin?: SignInOrigin,
) =>
  run(
    { load: () => signInCodes.loadFresh(fresh), commit: signInCodes.commit, sleep },
    askForCodeRequest(fresh, policy, origin),
  );

/** @returns null: not found. @throws Unavailable */
export const sendCode = (
  { signInCodes, sleep }: SignInCodePorts,
  id: string,
  userId: string,
  policy: SignInCodePolicy,
) =>
  runFound(
    { load: () => signInCodes.load(id, userId), commit: signInCodes.commit, sleep },
    sendCodeRequest(id, policy),
  );

/** @param first as loaded before. @throws Unavailable */
export const presentCode = (
  { signInCodes, sleep }: SignInCodePorts,
  id: string,
  presented: PresentedCode,
  policy: SignInCodePolicy,
  first: LoadedSignInCode,
) =>
  runFound(
    { load: () => signInCodes.load(id), commit: signInCodes.commit, sleep },
    presentCodeRequest(id, presented, policy),
    first,
  );
