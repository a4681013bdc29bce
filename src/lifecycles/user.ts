/** The end-user's registration, as administrators change it. A sign-in only reads it. */
import { isDeepStrictEqual } from 'node:util';
import { userMachine } from '../../machines/user.machine.ts';
import type { AdministrationRejectReason, UserEvent, UserState } from '../../machines/vocabulary.ts';
import { effectOf } from '../engine/decide.ts';
import { InvariantViolation } from '../engine/errors.ts';
import type { Lifecycle } from '../engine/lifecycle.ts';
import { type Request, run } from '../engine/run.ts';
import type { Actor } from '../model/actor.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import type { RegisteredUser, User } from '../model/user.ts';
import type { RowVersion } from './client.ts';

/** A row of `users`, or its absence. */
export type UserRow = { readonly user: RegisteredUser | null };

export type LoadedUser = {
  readonly now: Date;
  readonly row: UserRow;
  readonly version: RowVersion;
  /** The `sub` of the end-user who has the username that was sent; null: nobody, or no username was sent. */
  readonly usernameOf: string | null;
};

/** One guarded statement: it commits while the row is as it was loaded, and writes its line of the ledger. */
export type UserCommit = {
  readonly version: RowVersion;
  readonly after: RegisteredUser;
  readonly entry: LedgerEntry;
  readonly now: Date;
};

export type UserStore = {
  /** @param username that was sent with the request; null: none. */
  readonly load: (id: string, username: string | null) => Promise<LoadedUser>;
  /** False: the row is not as it was loaded any more, or the username was taken meanwhile, and nothing changed. */
  readonly commit: (commit: UserCommit) => Promise<boolean>;
};

export type UserRegistration = Pick<User, 'username' | 'claims'> & {
  /** Null: the password stays. */
  readonly passwordHash: User['passwordHash'] | null;
};

/** What an administrator asks for. */
export type UserChange =
  | { readonly type: 'registrationRequested'; readonly registration: UserRegistration }
  | { readonly type: 'disableRequested' | 'enableRequested' | 'deletionRequested' };

type Field = 'username' | 'password' | 'claims';

export type UserFacts = {
  readonly now: Date;
  readonly id: string;
  readonly version: RowVersion;
  readonly actor: Actor;
  readonly change: UserChange;
  /** In what a registration differs from what is stored. */
  readonly fields: readonly Field[];
};

export const userState = ({ user }: UserRow): UserState => {
  if (user === null) return 'unregistered';
  if (user.deletedAt !== null) return 'deleted';
  return user.disabledAt === null ? 'enabled' : 'disabled';
};

export const userLifecycle: Lifecycle<UserRow, UserFacts, UserCommit> = {
  machine: userMachine,
  stateOf: userState,
  contextOf: () => ({}),
  answers: {},
  changes: {
    registerUser: (_, facts) => {
      const { passwordHash, ...sent } = sentRegistration(facts);
      if (passwordHash === null) throw new InvariantViolation('user: nobody is registered without a password');
      return { user: { ...sent, passwordHash, id: facts.id, epoch: 0n, disabledAt: null, deletedAt: null } };
    },
    replaceRecord: (row, facts) => {
      const { passwordHash, ...sent } = sentRegistration(facts);
      return changed(row, () => ({ ...sent, ...(passwordHash !== null && { passwordHash }) }));
    },
    disableUser: (row, { now }) => changed(row, () => ({ disabledAt: now })),
    enableUser: (row) => changed(row, () => ({ disabledAt: null })),
    eraseUser: (row, { now }) =>
      changed(row, ({ disabledAt }) => ({
        username: '',
        passwordHash: NO_PASSWORD,
        claims: {},
        disabledAt: disabledAt ?? now,
        deletedAt: now,
      })),
    raiseEpoch: (row) => changed(row, ({ epoch }) => ({ epoch: epoch + 1n })),
  },
  ledgerFacts: (_, { id, actor, fields }) => ({ userId: id, actor, fields }),
  commitOf: ({ after: { user } }, { now, version }, [entry]) => {
    if (user === null || !entry) throw new InvariantViolation('user: a commit needs an end-user and a line');
    return { version, after: user, entry, now };
  },
};

/** The hash of no password. */
const NO_PASSWORD = '' as User['passwordHash'];

function sentRegistration({ change }: UserFacts): UserRegistration {
  if (change.type !== 'registrationRequested') throw new InvariantViolation('user: nothing was sent to register');
  return change.registration;
}

const changed = (row: UserRow, change: (user: RegisteredUser) => Partial<RegisteredUser>): UserRow =>
  row.user === null ? row : { user: { ...row.user, ...change(row.user) } };

const differingFields = (
  user: RegisteredUser,
  { username, passwordHash, claims }: UserRegistration,
): readonly Field[] => [
  ...(user.username === username ? [] : (['username'] as const)),
  ...(passwordHash === null || passwordHash === user.passwordHash ? [] : (['password'] as const)),
  ...(isDeepStrictEqual(user.claims, claims) ? [] : (['claims'] as const)),
];

export type UserAsked = {
  readonly id: string;
  readonly actor: Actor;
  readonly change: UserChange;
  /** Whether what is stored is what the request is meant for. Absent: whatever is stored. */
  readonly expects?: (row: UserRow) => boolean;
};

export type UserChanged =
  /** `user`: as stored now. `before`: as stored before; null: not registered. `fields`: what a registration changed. */
  | {
      readonly kind: 'done';
      readonly user: RegisteredUser;
      readonly before: RegisteredUser | null;
      readonly fields: readonly string[];
    }
  | { readonly kind: 'rejected'; readonly reason: AdministrationRejectReason };

export const userRequest = ({
  id,
  actor,
  change,
  expects = () => true,
}: UserAsked): Request<LoadedUser, UserRow, UserFacts, UserCommit, UserChanged> => ({
  lifecycle: userLifecycle,
  read: ({ now, row, version, usernameOf }) => {
    const isChange = change.type === 'registrationRequested' && row.user !== null;
    const fields = isChange ? differingFields(row.user, change.registration) : [];
    const event: UserEvent = {
      type: change.type,
      expectationHolds: expects(row),
      usernameIsTaken: usernameOf !== null && usernameOf !== id,
      differs: fields.length > 0,
      passwordDiffers: fields.includes('password'),
    };
    return { row, facts: { now, id, version, actor, change, fields }, event };
  },
  answer: ({ before, after: { user }, decisions: [decision] }, _, { fields }) => {
    const rejected = decision && effectOf(decision, 'reject');
    if (rejected) return { kind: 'rejected', reason: rejected.params.reason as AdministrationRejectReason };
    if (user === null) throw new InvariantViolation('user: a request that was not rejected left no end-user');
    return { kind: 'done', user, before: before.user, fields };
  },
  isIn: ({ row: { user } }, { after }) => isDeepStrictEqual(user, after.user),
});

export type UserWorld = {
  readonly users: UserStore;
  /** Milliseconds; waits between reloads after a lost commit. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** @throws Unavailable */
export function changeUser({ users, sleep }: UserWorld, asked: UserAsked): Promise<UserChanged> {
  const { id, change } = asked;
  const username = change.type === 'registrationRequested' ? change.registration.username : null;
  return run({ load: () => users.load(id, username), commit: users.commit, sleep }, userRequest(asked));
}
