/**
 * The set-up of the first operator. The "row" of a decision is the set-ups that have not ended, together with the new account. A newer link
 * ends the older ones in the same statement. The use of a link makes the account in the same statement.
 */
import { isDeepStrictEqual } from 'node:util';
import type {
  OperatorSetUpContext,
  OperatorSetUpEvent,
  OperatorSetUpRejectReason,
} from '../../../machines/operator-set-up/facts.ts';
import { operatorSetUpMachine } from '../../../machines/operator-set-up/machine.ts';
import type { PasskeyState } from '../../../machines/passkey/facts.ts';
import type { UserEvent } from '../../../machines/user/facts.ts';
import { type Commit, type CommitStore, insert, update, type Write } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import { type Lifecycle, send } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import { type Actor, configurationFiles, endUser } from '../../model/actor.ts';
import type { Bytes } from '../../model/grant.ts';
import type { SignInOrigin } from '../../model/ledger.ts';
import { NO_PASSWORD, type RegisteredUser, type User, usernameKey } from '../../model/user.ts';
import { accountIn, newPasskeyIn } from '../account-row.ts';
import type { Passkey } from '../passkey/entity.ts';
import { type NewPasskey, passkeyWrite, unregistered } from '../passkey/lifecycle.ts';
import { type UserFacts, userWrite } from '../user/lifecycle.ts';
import { type NewOperatorSetUp, OPERATOR_SET_UPS, type OperatorSetUp, SET_UP_LINK_SECONDS } from './entity.ts';

export type OperatorSetUpRow = {
  readonly setUps: readonly OperatorSetUp[];
  /** The account that the use makes; null: none. */
  readonly user: RegisteredUser | null;
  /** Of that account; null: it has a password. */
  readonly passkey: Passkey | null;
};

export type LoadedOperatorSetUp = {
  readonly now: Date;
  readonly serverEpoch: bigint;
  /** The one that is meant, in any state, and those that have not ended. */
  readonly setUps: readonly OperatorSetUp[];
  /** One of the declared operators may sign in. */
  readonly operatorIsDeclared: boolean;
  /** The end-user of the set-up that was used may sign in; null: none does. */
  readonly operatorBySetUp: string | null;
  /** The end-user who has the sent username; null: it is free, or none was sent. */
  readonly usernameOf: string | null;
  /** Of the credential that was sent, with any end-user. Absent: it is not registered, or none was sent. */
  readonly passkeyState?: PasskeyState;
};

/** @property declared the usernames of operators.yaml. */
export type OperatorSetUpKey = {
  readonly meant: { readonly id: string } | { readonly secretHash: Bytes } | null;
  readonly declared: readonly string[];
  readonly username: string | null;
  /** Of the passkey that came; absent: none came. */
  readonly credentialId?: Bytes | undefined;
};

export type OperatorSetUpStore = {
  readonly load: (key: OperatorSetUpKey) => Promise<LoadedOperatorSetUp>;
  readonly commit: CommitStore;
};

/** The account that is made. `id`: its `sub`, drawn for it. */
export type OperatorAccount = Pick<User, 'id' | 'username' | 'passwordHash'> & {
  /** With which it begins, without a password. Null: with a password. */
  readonly passkey: NewPasskey | null;
};

export type OperatorSetUpFacts = Omit<LoadedOperatorSetUp, 'setUps' | 'passkeyState'> & {
  readonly id: string;
  readonly fresh: NewOperatorSetUp | null;
  readonly account: OperatorAccount | null;
  readonly declared: readonly string[];
  /** Absent: the user of the link. */
  readonly actor: Actor | undefined;
  readonly origin: SignInOrigin | undefined;
};

const storedIn = ({ setUps }: OperatorSetUpRow, { id }: OperatorSetUpFacts): OperatorSetUp | undefined =>
  setUps.find((one) => one.id === id);

function subjectOf(row: OperatorSetUpRow, facts: OperatorSetUpFacts): OperatorSetUp {
  const subject = storedIn(row, facts) ?? (facts.fresh?.id === facts.id ? issuedRow(facts.fresh, facts) : null);
  if (subject === null) throw new InvariantViolation('operatorSetUp: the event is about no set-up');
  return subject;
}

const issuedRow = (fresh: NewOperatorSetUp, { now, serverEpoch }: OperatorSetUpFacts): OperatorSetUp => ({
  ...fresh,
  state: 'active',
  userId: null,
  serverEpoch,
  createdAt: now,
  endsAt: new Date(now.getTime() + SET_UP_LINK_SECONDS * 1000),
  endedReason: null,
});

const changed = (
  row: OperatorSetUpRow,
  { id }: OperatorSetUpFacts,
  change: Partial<OperatorSetUp>,
): OperatorSetUpRow => ({
  ...row,
  setUps: row.setUps.map((one) => (one.id === id ? { ...one, ...change } : one)),
});

/** The link may name the operator; otherwise operators.yaml does; otherwise anyone with the link chooses. */
const usernamesFor = ({ username }: OperatorSetUp, declared: readonly string[]): readonly string[] | null => {
  if (username !== null) return [usernameKey(username)];
  return declared.length === 0 ? null : declared.map(usernameKey);
};

const operatorNow = ({
  operatorIsDeclared,
  operatorBySetUp,
}: Pick<LoadedOperatorSetUp, 'operatorIsDeclared' | 'operatorBySetUp'>): OperatorSetUpContext['operator'] => {
  if (operatorIsDeclared) return 'declared';
  return operatorBySetUp === null ? 'none' : 'setUp';
};

const { ofUser, addPasskey } = accountIn<OperatorSetUpRow>();

const NO_EVENT_ELSE = { expectationHolds: true, addressOf: null, differing: [] } as const;

export const operatorSetUpLifecycle: Lifecycle<OperatorSetUpRow, OperatorSetUpFacts, Commit> = {
  machine: operatorSetUpMachine,
  stateOf: (row, facts) => storedIn(row, facts)?.state ?? 'unissued',
  contextOf: (row, facts): OperatorSetUpContext => {
    const setUp = subjectOf(row, facts);
    return {
      endsAt: setUp.endsAt.getTime(),
      serverEpoch: setUp.serverEpoch,
      liveServerEpoch: facts.serverEpoch,
      operator: operatorNow(facts),
      usernames: usernamesFor(setUp, facts.declared),
    };
  },
  answers: { used: ['useSetUp', 'reject'], usedWithPasskey: ['useSetUp', 'reject'] },
  changes: {
    issueSetUp: (row, facts) => ({ ...row, setUps: [...row.setUps, subjectOf(row, facts)] }),
    useSetUp: (row, facts) => changed(row, facts, { state: 'used', userId: facts.account?.id ?? null }),
    endSetUp: (row, facts, { reason }) => changed(row, facts, { state: 'ended', endedReason: reason }),
  },
  sends: {
    replaceOthers: (row, facts) => {
      const other = row.setUps.find(({ id, state }) => state !== 'ended' && id !== (facts.fresh?.id ?? facts.id));
      const replaced: OperatorSetUpEvent = { type: 'replaced' };
      return other ? send(operatorSetUpLifecycle, { ...facts, id: other.id }, replaced) : null;
    },
    registerOperator: (_, { now, account, usernameOf, actor }) => {
      if (account === null) throw new InvariantViolation('operatorSetUp: no account was sent');
      const { id, username, passwordHash } = account;
      const userFacts: UserFacts = {
        now,
        id,
        version: null,
        actor,
        change: { type: 'registrationRequested', registration: { username, passwordHash, claims: {} } },
        fields: [],
        addressesIdentify: false,
      };
      const sent: UserEvent = { type: 'registrationRequested', usernameOf, ...NO_EVENT_ELSE };
      return { lifecycle: ofUser, facts: userFacts, event: sent };
    },
    addPasskey,
  },
  violation: ({ before, after }) => {
    const isOpen = (row: OperatorSetUpRow) => row.setUps.filter(({ state }) => state === 'active').length;
    if (isOpen(after) > 1) return 'two links can be used';
    const made = after.setUps.filter(
      ({ id, state }) => state === 'used' && before.setUps.find((one) => one.id === id)?.state !== 'used',
    );
    if (made.length > 0 !== (after.user !== before.user)) return 'a link and its account are not of one step';
    const isWithoutPassword = after.user !== before.user && after.user?.passwordHash === NO_PASSWORD;
    return isWithoutPassword && newPasskeyIn(before, after) === null ? 'an account without a way to sign in' : null;
  },
  ledgerFacts: (row, facts) => {
    const { userId, endedReason } = subjectOf(row, facts);
    return {
      ...(endedReason !== null && { reason: endedReason }),
      ...(userId !== null && { userId }),
      ...(facts.actor && { actor: facts.actor }),
      ...(facts.origin && { origin: facts.origin }),
    };
  },
  commitOf: ({ before, after }, { now }, entries) => {
    const stored = new Map(before.setUps.map((one) => [one.id, one]));
    const writes = after.setUps.flatMap((one): Write[] => {
      const loaded = stored.get(one.id);
      if (loaded === one) return [];
      return [loaded ? update(OPERATOR_SET_UPS, loaded, one, ['state']) : insert(OPERATOR_SET_UPS, one, unlikeOf(one))];
    });
    const made = after.user === null || after.user === before.user ? [] : [userWrite(null, after.user, null, true)];
    const passkey = newPasskeyIn(before, after);
    const all = [...writes, ...made, ...(passkey === null ? [] : [passkeyWrite(passkey)])];
    return { now, requires: [], writes: all as [Write, ...Write[]], entries };
  },
};

/** Of links that are issued together, one is stored. */
const unlikeOf = ({ id }: OperatorSetUp): readonly Partial<OperatorSetUp>[] => [{ id }, { state: 'active' }];

type SetUpRequest<Answer> = Request<LoadedOperatorSetUp, OperatorSetUpRow, OperatorSetUpFacts, Commit, Answer>;

export type OperatorSetUpRejected = { readonly kind: 'rejected'; readonly reason: OperatorSetUpRejectReason };

const rowOf = (
  { setUps, passkeyState = 'unregistered', now }: LoadedOperatorSetUp,
  brought: NewPasskey | null = null,
): OperatorSetUpRow => ({
  setUps,
  user: null,
  passkey: brought && { ...unregistered(brought, now), state: passkeyState },
});
const factsOf = (
  { setUps: _, passkeyState: __, ...known }: LoadedOperatorSetUp,
  given: Pick<OperatorSetUpFacts, 'id' | 'declared'> & Partial<OperatorSetUpFacts>,
): OperatorSetUpFacts => ({ ...known, fresh: null, account: null, actor: undefined, origin: undefined, ...given });

/** `unchanged`: a link with this secret was issued before. */
export type SetUpIssued =
  | { readonly kind: 'issued' | 'unchanged'; readonly setUp: OperatorSetUp }
  | OperatorSetUpRejected;

export const issueSetUpRequest = (
  fresh: NewOperatorSetUp,
  declared: readonly string[],
  actor: Actor,
): SetUpRequest<SetUpIssued> => ({
  lifecycle: operatorSetUpLifecycle,
  read: (loaded) => ({
    row: rowOf(loaded),
    facts: factsOf(loaded, { id: fresh.id, fresh, declared, actor }),
    event: { type: 'requested' } satisfies OperatorSetUpEvent,
  }),
  answer: (step, _, facts) => {
    const rejected = rejectionIn<OperatorSetUpRejectReason>(step);
    if (rejected) return rejected;
    return { kind: step.after === step.before ? 'unchanged' : 'issued', setUp: subjectOf(step.after, facts) };
  },
  isIn: ({ setUps }) => setUps.some(({ id }) => id === fresh.id),
});

export type SetUpUsed = { readonly kind: 'used'; readonly at: Date; readonly user: RegisteredUser };

/** @param id of the set-up. */
export const useSetUpRequest = (
  id: string,
  account: OperatorAccount,
  declared: readonly string[],
  origin?: SignInOrigin,
): SetUpRequest<SetUpUsed | OperatorSetUpRejected> => ({
  lifecycle: operatorSetUpLifecycle,
  read: (loaded) => {
    const facts = factsOf(loaded, { id, account, declared, actor: endUser(account.id), origin });
    const { now, usernameOf } = loaded;
    const username = usernameKey(account.username);
    const row = rowOf(loaded, account.passkey);
    const made = { now: now.getTime(), username, usernameOf };
    const event: OperatorSetUpEvent =
      row.passkey === null
        ? { type: 'used', ...made }
        : { type: 'usedWithPasskey', ...made, passkey: row.passkey.state };
    return { row, facts, event };
  },
  answer: (step, _, { now }) => {
    const rejected = rejectionIn<OperatorSetUpRejectReason>(step);
    if (rejected) return rejected;
    const { user } = step.after;
    if (user === null) throw new InvariantViolation('operatorSetUp: a link was used, and there is no account');
    return { kind: 'used', at: now, user };
  },
  // No other request draws this `sub`.
  isIn: ({ setUps }) => setUps.some((one) => one.id === id && one.userId === account.id),
});

/** Ends this set-up, where operators.yaml names an operator who may sign in. The answer: whether this request did. */
export const endDeclaredRequest = (id: string, declared: readonly string[]): SetUpRequest<OperatorSetUp | null> => ({
  lifecycle: operatorSetUpLifecycle,
  read: (loaded) => ({
    row: rowOf(loaded),
    facts: factsOf(loaded, { id, declared, actor: configurationFiles }),
    event: { type: 'operatorDeclared' } satisfies OperatorSetUpEvent,
  }),
  answer: (step, _, facts) => (step.after === step.before ? null : subjectOf(step.after, facts)),
  isIn: ({ setUps }, { after }) => isDeepStrictEqual(setUps.map(stateIn), after.setUps.map(stateIn)),
});
const stateIn = ({ id, state }: OperatorSetUp) => [id, state];

export type OperatorSetUpPorts = Sleeping & { readonly setUps: OperatorSetUpStore };

/** @throws Unavailable, StoreUnavailable */
export const issueSetUp = (
  { setUps, sleep }: OperatorSetUpPorts,
  fresh: NewOperatorSetUp,
  declared: readonly string[],
  actor: Actor,
): Promise<SetUpIssued> => {
  const load = () => setUps.load({ meant: { id: fresh.id }, declared, username: null });
  return run({ load, commit: setUps.commit, sleep }, issueSetUpRequest(fresh, declared, actor));
};

/** @throws Unavailable, StoreUnavailable */
export const useSetUp = (
  { setUps, sleep }: OperatorSetUpPorts,
  id: string,
  account: OperatorAccount,
  declared: readonly string[],
  origin?: SignInOrigin,
): Promise<SetUpUsed | OperatorSetUpRejected> => {
  const credentialId = account.passkey?.credentialId;
  const load = () => setUps.load({ meant: { id }, declared, username: account.username, credentialId });
  return run({ load, commit: setUps.commit, sleep }, useSetUpRequest(id, account, declared, origin));
};

/** Each that has not ended. @returns those that ended now. @throws Unavailable, StoreUnavailable */
export async function endDeclared(
  { setUps, sleep }: OperatorSetUpPorts,
  declared: readonly string[],
): Promise<readonly OperatorSetUp[]> {
  const { setUps: open } = await setUps.load({ meant: null, declared, username: null });
  const ended: OperatorSetUp[] = [];
  for (const { id } of open) {
    const load = () => setUps.load({ meant: { id }, declared, username: null });
    const one = await run({ load, commit: setUps.commit, sleep }, endDeclaredRequest(id, declared));
    if (one !== null) ended.push(one);
  }
  return ended;
}
