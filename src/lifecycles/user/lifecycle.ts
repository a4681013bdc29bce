/** The end-user's registration, as administrators and the end-user change it. A sign-in only reads it. */
import { isDeepStrictEqual } from 'node:util';
import type { AdministrationRejectReason } from '../../../machines/shared/facts.ts';
import type { UserContext, UserEvent, UserField, UserState } from '../../../machines/user/facts.ts';
import { userMachine } from '../../../machines/user/machine.ts';
import { type Commit, type CommitStore, insert, update, type Write } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle, Turn } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import type { Actor } from '../../model/actor.ts';
import { NO_PASSWORD, type RegisteredUser, type User, verifiedAddressKey } from '../../model/user.ts';
import type { RowVersion } from '../client/lifecycle.ts';
import { USERS } from './entity.ts';

/** A row of `users`, or its absence. */
export type UserRow = { readonly user: RegisteredUser | null };

export type LoadedUser = {
  readonly now: Date;
  readonly row: UserRow;
  readonly version: RowVersion;
  /** The end-user who has the sent username, or whom it identifies as an address; null: it is free, or none was sent. */
  readonly usernameOf: string | null;
  /** Another end-user has the sent `sub`, or had it and was deleted. Absent: none was sent. */
  readonly subIsTaken?: boolean;
  /** Verified addresses are identifiers. Absent: they are none. */
  readonly addressesIdentify?: boolean;
  /** The `id` of another end-user whom the sent address identifies, or who has it as the username. Absent: none, or none was sent. */
  readonly addressOf?: string | null;
};

export type UserStore = {
  /** @param username that was sent with the request; null: none. @param sub likewise. @param address the key of the verified address, likewise. */
  readonly load: (
    id: string,
    username: string | null,
    sub?: string | null,
    address?: string | null,
  ) => Promise<LoadedUser>;
  readonly commit: CommitStore;
};

export type UserRegistration = Pick<User, 'username' | 'claims'> & {
  /** Only for a new end-user. Null or absent: the `id`. */
  readonly sub?: User['sub'];
  /** Null: the password stays. */
  readonly passwordHash: User['passwordHash'] | null;
  /** Of `passwordHash`, where another system made it. If it was taken over before, the password stays. Absent: made here. */
  readonly importedHash?: RegisteredUser['importedHash'];
  /** Only for a new end-user, whose account another system made before. */
  readonly createdAt?: Date;
};

/** A change that an administrator or the end-user requests. */
export type AdministeredUserChange =
  | { readonly type: 'registrationRequested'; readonly registration: UserRegistration }
  /** `checked`: the hash that the password was right for. `passwordHash`: of the same password. */
  | {
      readonly type: 'passwordRehashed';
      readonly checked: User['passwordHash'];
      readonly passwordHash: User['passwordHash'];
    }
  /** The end-user has set a password. */
  | {
      readonly type: 'passwordChangeRequested';
      readonly passwordHash: User['passwordHash'];
      /** Nothing but the password was shown in this session. */
      readonly byPasswordAlone: boolean;
      /** Nothing but a code in a mail was shown in this session. Absent: something else was. */
      readonly byMailAlone?: boolean;
    }
  | { readonly type: 'disableRequested' | 'enableRequested' | 'deletionRequested' };

/** Or the change of a link in an e-mail. */
export type UserChange =
  | AdministeredUserChange
  | { readonly type: 'addressVerified' | 'addressChanged' | 'addressRestored'; readonly address: string }
  | { readonly type: 'passwordReset'; readonly passwordHash: User['passwordHash'] }
  | { readonly type: 'factorsLost' };

export type UserFacts = {
  readonly now: Date;
  readonly id: string;
  readonly version: RowVersion;
  /** Absent: the end-user. */
  readonly actor: Actor | undefined;
  readonly change: UserChange;
  /** The fields in which a registration differs from the stored one. */
  readonly fields: readonly UserField[];
  /** Verified addresses are identifiers. */
  readonly addressesIdentify: boolean;
};

export const userState = ({ user }: UserRow): UserState => {
  if (user === null) return 'unregistered';
  if (user.deletedAt !== null) return 'deleted';
  return user.disabledAt === null ? 'enabled' : 'disabled';
};

export const userLifecycle: Lifecycle<UserRow, UserFacts, Commit> = {
  machine: userMachine,
  stateOf: userState,
  contextOf: ({ user }, { id }): UserContext => ({ id, passwordHash: user?.passwordHash ?? null }),
  answers: {},
  changes: {
    registerUser: (_, facts) => {
      const { passwordHash, importedHash = null, sub = null, ...sent } = sentRegistration(facts);
      if (passwordHash === null) throw new InvariantViolation('user: a registration needs a password');
      const begins = { id: facts.id, epoch: 0n, disabledAt: null, deletedAt: null, passwordByLinkAt: null };
      const signInAddress = signInAddressFor(null, sent, facts);
      return { user: { ...sent, sub, passwordHash, importedHash, signInAddress, ...begins } };
    },
    replaceRecord: (row, facts) => {
      const { passwordHash, importedHash, sub: _, createdAt: __, ...sent } = sentRegistration(facts);
      const isNew = passwordHash !== null && facts.fields.includes('password');
      return changed(row, (user) => ({
        ...sent,
        signInAddress: signInAddressFor(user, sent, facts),
        ...(isNew && { passwordHash, passwordByLinkAt: null, ...(importedHash && { importedHash }) }),
      }));
    },
    replacePasswordHash: (row, { change }) =>
      change.type === 'passwordRehashed' ? changed(row, () => ({ passwordHash: change.passwordHash })) : row,
    replacePassword: (row, { change, now }) => {
      if (!('passwordHash' in change)) throw new InvariantViolation('user: no password was sent');
      const { passwordHash } = change;
      return changed(row, ({ passwordByLinkAt }) => ({
        passwordHash,
        passwordByLinkAt: linkedAt(change, passwordByLinkAt, now),
      }));
    },
    writeAddress: (row, facts) => {
      const { change } = facts;
      if (!('address' in change)) throw new InvariantViolation('user: no address was sent');
      const { address } = change;
      return changed(row, (user) => {
        const claims = { ...user.claims, email: address, email_verified: true };
        return { claims, signInAddress: signInAddressFor(user, { claims }, facts) };
      });
    },
    disableUser: (row, { now }) => changed(row, () => ({ disabledAt: now })),
    enableUser: (row) => changed(row, () => ({ disabledAt: null })),
    eraseUser: (row, { now }) =>
      changed(row, ({ disabledAt }) => ({
        username: '',
        passwordHash: NO_PASSWORD,
        importedHash: null,
        passwordByLinkAt: null,
        claims: {},
        signInAddress: null,
        disabledAt: disabledAt ?? now,
        deletedAt: now,
      })),
    raiseEpoch: (row) => changed(row, ({ epoch }) => ({ epoch: epoch + 1n })),
  },
  ledgerFacts: (_, { id, actor, fields }) => ({ userId: id, fields, ...(actor && { actor }) }),
  commitOf: ({ before, after: { user } }, { now, version }, entries) => {
    if (user === null || entries.length === 0)
      throw new InvariantViolation('user: a commit needs an end-user and a ledger entry');
    const isErased = user.deletedAt !== null && before.user?.deletedAt === null;
    const writes = [userWrite(before.user, user, version)] as const;
    return { now, requires: [], writes, ...(isErased && { erases: user.id }), entries };
  },
};

/**
 * While the row is as it was loaded. @param version of the loaded row.
 * @param isDrawn the `sub` was drawn for this commit, so that no other has it.
 */
export const userWrite = (
  before: RegisteredUser | null,
  after: RegisteredUser,
  version: RowVersion,
  isDrawn = false,
): Write =>
  before === null
    ? insert(USERS, after, [...(isDrawn ? [] : [{ id: after.id }]), ...newIdentifiers(null, after)])
    : update(USERS, { ...before, version }, { ...after, version }, ['version'], {
        unlike: newIdentifiers(before, after),
      });

/** No other end-user has them. */
const newIdentifiers = (before: RegisteredUser | null, { username, signInAddress }: RegisteredUser) => [
  ...(username === (before?.username ?? null) || username === '' ? [] : [{ username }]),
  ...(signInAddress === null || signInAddress === before?.signInAddress ? [] : [{ signInAddress }]),
];

/** An address that the user keeps identifies as before: another user may have had it when addresses became identifiers. */
function signInAddressFor(
  before: RegisteredUser | null,
  after: Pick<RegisteredUser, 'claims'>,
  { addressesIdentify }: UserFacts,
): string | null {
  const key = verifiedAddressKey(after);
  if (before !== null && verifiedAddressKey(before) === key) return before.signInAddress;
  return addressesIdentify ? key : null;
}

/** A thief of the mailbox, who is signed in by the password alone, cannot turn it into a password that came without a link. */
function linkedAt(change: UserChange, before: Date | null, now: Date): Date | null {
  if (change.type === 'passwordReset' || ('byMailAlone' in change && change.byMailAlone)) return now;
  return change.type === 'passwordChangeRequested' && change.byPasswordAlone ? before : null;
}

function sentRegistration({ change }: UserFacts): UserRegistration {
  if (change.type !== 'registrationRequested') throw new InvariantViolation('user: nothing was sent to register');
  return change.registration;
}

const changed = (row: UserRow, change: (user: RegisteredUser) => Partial<RegisteredUser>): UserRow =>
  row.user === null ? row : { user: { ...row.user, ...change(row.user) } };

const differingFields = (
  user: RegisteredUser,
  { username, passwordHash, importedHash = null, claims }: UserRegistration,
): readonly UserField[] => [
  ...(user.username === username ? [] : (['username'] as const)),
  ...(passwordHash === null || passwordHash === user.passwordHash || isTakenOver(user, importedHash)
    ? []
    : (['password'] as const)),
  ...(isDeepStrictEqual(user.claims, claims) ? [] : (['claims'] as const)),
];

/** Since then the end-user may have got another hash, or another password. */
const isTakenOver = (user: RegisteredUser, importedHash: RegisteredUser['importedHash']): boolean =>
  importedHash !== null && importedHash === user.importedHash;
/** The fields that an event changes by itself; a registration names them. */
export const FIELDS: Readonly<Record<UserChange['type'], readonly UserField[]>> = {
  registrationRequested: [],
  passwordChangeRequested: ['password'],
  disableRequested: [],
  enableRequested: [],
  deletionRequested: [],
  addressVerified: ['claims'],
  addressChanged: ['claims'],
  addressRestored: ['claims'],
  passwordReset: ['password'],
  factorsLost: [],
  passwordRehashed: [],
};

export type UserAsked = {
  readonly id: string;
  readonly actor: Actor;
  readonly change: UserChange;
  /** Another change by the same request: both are made, or none. */
  readonly next?: UserChange | undefined;
  /** Whether the stored user is the one that the request expects. Absent: the request accepts any. */
  readonly expects?: (row: UserRow) => boolean;
};

export type UserChanged =
  /** `user`: as stored now. `before`: as stored before; null: not registered. `fields`: those that a registration changed. */
  | {
      readonly kind: 'done';
      readonly user: RegisteredUser;
      readonly before: RegisteredUser | null;
      readonly fields: readonly string[];
    }
  | { readonly kind: 'rejected'; readonly reason: AdministrationRejectReason };

function turnOf(
  { id, actor, change }: Pick<UserAsked, 'id' | 'actor' | 'change'>,
  { now, row, version, usernameOf, subIsTaken = false, addressesIdentify = false, addressOf = null }: LoadedUser,
  expectationHolds: boolean,
): Turn<UserRow, UserFacts> {
  const isChange = change.type === 'registrationRequested' && row.user !== null;
  const fields = isChange ? differingFields(row.user, change.registration) : FIELDS[change.type];
  return { facts: { now, id, version, actor, change, fields, addressesIdentify }, event: event() };

  function event(): UserEvent {
    switch (change.type) {
      case 'registrationRequested':
        return {
          type: change.type,
          // A registration with a `sub` expects that no other end-user ever had it.
          expectationHolds: expectationHolds && !subIsTaken,
          usernameOf,
          addressOf:
            row.user !== null && verifiedAddressKey(row.user) === verifiedAddressKey(change.registration)
              ? null
              : addressOf,
          differing: fields,
        };
      case 'passwordChangeRequested':
      case 'disableRequested':
      case 'enableRequested':
      case 'deletionRequested':
        return { type: change.type, expectationHolds };
      case 'passwordRehashed':
        return { type: change.type, checkedHash: change.checked };
      default:
        return { type: change.type };
    }
  }
}

export const userRequest = ({
  id,
  actor,
  change,
  next,
  expects = () => true,
}: UserAsked): Request<LoadedUser, UserRow, UserFacts, Commit, UserChanged> => ({
  lifecycle: userLifecycle,
  read: (loaded) => ({
    row: loaded.row,
    ...turnOf({ id, actor, change }, loaded, expects(loaded.row)),
    // The administrator has seen the row before both changes.
    next: next && ((row) => turnOf({ id, actor, change: next }, { ...loaded, row }, true)),
  }),
  answer: (step, _, { fields }) => {
    const rejected = rejectionIn<AdministrationRejectReason>(step);
    if (rejected) return rejected;
    const {
      before,
      after: { user },
    } = step;
    if (user === null) throw new InvariantViolation('user: a request that was not rejected left no end-user');
    return { kind: 'done', user, before: before.user, fields };
  },
  isIn: ({ row: { user } }, { after }) => isDeepStrictEqual(user, after.user && asLoaded(after.user)),
});

/** No decision depends on the instant, so no load brings it. */
const asLoaded = ({ createdAt: _, ...user }: RegisteredUser): RegisteredUser => user;

export type UserPorts = Sleeping & {
  readonly users: UserStore;
};

const NOTHING_SENT = { username: null, sub: null, claims: {} };

/** @throws Unavailable */
export function changeUser({ users, sleep }: UserPorts, asked: UserAsked): Promise<UserChanged> {
  const { id, change } = asked;
  const sent = change.type === 'registrationRequested' ? change.registration : NOTHING_SENT;
  const { username, sub = null } = sent;
  const load = () => users.load(id, username, sub, verifiedAddressKey(sent));
  return run({ load, commit: users.commit, sleep }, userRequest(asked));
}
