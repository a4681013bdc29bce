/** Administration of an end-user, over one row in memory. */
import { describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { InvariantViolation, StoreUnavailable } from '../../../src/engine/errors.ts';
import { run } from '../../../src/engine/run.ts';
import {
  changeUser,
  type UserAsked,
  type UserChange,
  type UserFacts,
  type UserRegistration,
  type UserRow,
  userLifecycle,
  userRequest,
} from '../../../src/lifecycles/user/lifecycle.ts';
import { type Actor, commandLine } from '../../../src/model/actor.ts';
import type { RegisteredUser } from '../../../src/model/user.ts';
import { machineAnswering, NOW, seconds } from './given.ts';
import { type Fate, oneRow } from './one-row.ts';

const OPERATOR: Actor = { kind: 'operator', id: 'a-sub', addressHash: 'hashed' };
const ID = '33333333-3333-4333-8333-333333333333';
const SENT = { username: 'mira', claims: { name: 'Mira' }, passwordHash: storedPasswordHash('a hash') };
const OTHER_PASSWORD = storedPasswordHash('another hash');

const BEGUN = {
  id: ID,
  epoch: 4n,
  importedHash: null,
  sub: null,
  signInAddress: null,
  passwordByLinkAt: null,
  disabledAt: null,
  deletedAt: null,
};
const ENABLED: RegisteredUser = { ...SENT, ...BEGUN };
const DISABLED: RegisteredUser = { ...ENABLED, disabledAt: seconds(-60) };
const ERASED = {
  id: ID,
  username: '',
  claims: {},
  passwordHash: '' as RegisteredUser['passwordHash'],
  importedHash: null,
  sub: null,
  signInAddress: null,
  passwordByLinkAt: null,
  epoch: 5n,
};
const DELETED: RegisteredUser = { ...ERASED, disabledAt: NOW, deletedAt: NOW };

const registering = (change: Partial<UserRegistration> = {}): UserChange => ({
  type: 'registrationRequested',
  registration: { ...SENT, ...change },
});
const DISABLING: UserChange = { type: 'disableRequested' };
const ENABLING: UserChange = { type: 'enableRequested' };
const DELETION: UserChange = { type: 'deletionRequested' };
const NEW_PASSWORD: UserChange = {
  type: 'passwordChangeRequested',
  passwordHash: OTHER_PASSWORD,
  byPasswordAlone: false,
};

/** @param usernameOf the owner of the sent username. */
function bench(
  stored: RegisteredUser | null,
  fates: readonly Fate<RegisteredUser | null>[] = [],
  usernameOf: () => string | null = () => null,
) {
  const store = oneRow<RegisteredUser>(stored, fates);
  const loads: unknown[] = [];
  const load = async (...named: [id: string, username: string | null]) => {
    loads.push(named);
    const { row: user, version } = store.current();
    return { now: NOW, row: { user }, version, usernameOf: usernameOf() };
  };
  const ports = { users: { load, commit: store.commit }, sleep: store.sleep };
  const ask = (change: UserChange, others: Partial<UserAsked> = {}) =>
    changeUser(ports, { id: ID, actor: OPERATOR, change, ...others });
  return { ...store, loads, ports, ask };
}

const line = (event: string, from: string, to: string, fields: readonly string[] = []) => ({
  machine: 'user',
  event,
  from,
  to,
  reason: null,
  generation: null,
  userId: ID,
  actor: OPERATOR,
  fields,
});

describe('a committed change', () => {
  test.each<[string, RegisteredUser | null, UserChange, RegisteredUser, string, string]>([
    ['a registration', null, registering(), { ...ENABLED, epoch: 0n }, 'unregistered', 'enabled'],
    ['disabling', ENABLED, DISABLING, { ...ENABLED, disabledAt: NOW, epoch: 5n }, 'enabled', 'disabled'],
    ['enabling', DISABLED, ENABLING, ENABLED, 'disabled', 'enabled'],
    ['a deletion', ENABLED, DELETION, DELETED, 'enabled', 'deleted'],
    [
      'a deletion of a disabled end-user',
      DISABLED,
      DELETION,
      { ...DELETED, disabledAt: DISABLED.disabledAt },
      'disabled',
      'deleted',
    ],
  ])('%s is committed against the loaded row, with its entry', async (_, stored, change, after, from, to) => {
    const { ask, commits, current } = bench(stored);
    const { version } = current();
    expect(await ask(change)).toEqual({ kind: 'done', user: after, before: stored, fields: [] });
    expect(commits).toEqual([{ version, after, now: NOW, entries: [line(change.type, from, to)] }]);
    expect(current().row).toEqual(after);
  });

  test.each<[string, Partial<UserRegistration>, Partial<RegisteredUser>, readonly string[]]>([
    ['a username', { username: 'Mira' }, { username: 'Mira' }, ['username']],
    ['claims', { claims: { name: 'M.' } }, { claims: { name: 'M.' } }, ['claims']],
    ['claims, without a password', { claims: {}, passwordHash: null }, { claims: {} }, ['claims']],
    ['a password', { passwordHash: OTHER_PASSWORD }, { passwordHash: OTHER_PASSWORD, epoch: 5n }, ['password']],
    [
      'all of it',
      { username: 'm', claims: {}, passwordHash: OTHER_PASSWORD },
      { username: 'm', claims: {}, passwordHash: OTHER_PASSWORD, epoch: 5n },
      ['username', 'password', 'claims'],
    ],
  ])('%s: the fields are named, and only a new password ends sessions', async (_, sent, change, fields) => {
    for (const [state, stored] of [
      ['enabled', ENABLED],
      ['disabled', DISABLED],
    ] as const) {
      const { ask, commits } = bench(stored);
      const user = { ...stored, ...change };
      expect(await ask(registering(sent))).toEqual({ kind: 'done', user, before: stored, fields });
      const entry = line('registrationRequested', state, state, fields);
      expect(commits).toEqual([{ version: 'version 0', after: user, now: NOW, entries: [entry] }]);
    }
  });
});

describe('a hash of another system', () => {
  const HASH = storedPasswordHash('a hash of another system');
  const KEPT = 'of that hash' as NonNullable<RegisteredUser['importedHash']>;
  const IMPORTING = { passwordHash: HASH, importedHash: KEPT };
  const IMPORTED: RegisteredUser = { ...ENABLED, ...IMPORTING };
  const rehashing = (checked: RegisteredUser['passwordHash']): UserChange => ({
    type: 'passwordRehashed',
    checked,
    passwordHash: OTHER_PASSWORD,
  });

  test('is registered, and replaces another password, which ends sessions', async () => {
    expect(await bench(null).ask(registering(IMPORTING))).toMatchObject({ user: { ...IMPORTED, epoch: 0n } });
    const { ask, current } = bench(ENABLED);
    expect(await ask(registering(IMPORTING))).toMatchObject({ kind: 'done', fields: ['password'] });
    expect(current().row).toEqual({ ...IMPORTED, epoch: 5n });
  });

  test('that was imported already changes nothing, whatever the password is now; new claims beside it do', async () => {
    for (const passwordHash of [HASH, OTHER_PASSWORD]) {
      const stored = { ...IMPORTED, passwordHash };
      const { ask, commits, current } = bench(stored);
      expect(await ask(registering(IMPORTING))).toEqual({ kind: 'done', user: stored, before: stored, fields: [] });
      expect(commits).toEqual([]);
      expect(await ask(registering({ ...IMPORTING, claims: {} }))).toMatchObject({ fields: ['claims'] });
      expect(current().row).toEqual({ ...stored, claims: {} });
    }
  });

  test('is remembered when the end-user gets another password', async () => {
    const { ask, current } = bench(IMPORTED);
    expect(await ask(registering({ passwordHash: OTHER_PASSWORD }))).toMatchObject({ fields: ['password'] });
    expect(current().row).toEqual({ ...IMPORTED, passwordHash: OTHER_PASSWORD, epoch: 5n });
    expect(await ask(registering(IMPORTING))).toMatchObject({ fields: [] });
  });

  test('is replaced by a hash of the same password, and no session ends', async () => {
    const { ask, commits } = bench(IMPORTED);
    const user = { ...IMPORTED, passwordHash: OTHER_PASSWORD };
    expect(await ask(rehashing(HASH))).toEqual({ kind: 'done', user, before: IMPORTED, fields: [] });
    const entry = line('passwordRehashed', 'enabled', 'enabled');
    expect(commits).toEqual([{ version: 'version 0', after: user, now: NOW, entries: [entry] }]);
  });

  test('is not replaced where the password was changed, before or meanwhile, or where no sign-in is possible', async () => {
    const NEWER = storedPasswordHash('the hash of a newer password');
    const changedBefore = bench({ ...IMPORTED, passwordHash: NEWER });
    expect(await changedBefore.ask(rehashing(HASH))).toMatchObject({ kind: 'done' });
    expect(changedBefore.commits).toEqual([]);
    const meanwhile = bench(IMPORTED, [(user) => user && { ...user, passwordHash: NEWER, epoch: 5n }]);
    expect(await meanwhile.ask(rehashing(HASH))).toMatchObject({ kind: 'done', user: { passwordHash: NEWER } });
    expect(meanwhile.current().row).toMatchObject({ passwordHash: NEWER, epoch: 5n });
    const disabled = bench({ ...DISABLED, passwordHash: HASH });
    expect(await disabled.ask(rehashing(HASH))).toMatchObject({ kind: 'done' });
    expect(disabled.commits).toEqual([]);
    for (const noUser of [null, DELETED])
      expect(await bench(noUser).ask(rehashing(HASH))).toEqual({ kind: 'rejected', reason: 'user_unknown' });
  });
});

test('the end-user sets a password: it is replaced, the epoch raised, and the entry names the field', async () => {
  const { ask, commits } = bench(ENABLED);
  const user = { ...ENABLED, passwordHash: OTHER_PASSWORD, epoch: 5n };
  expect(await ask(NEW_PASSWORD)).toEqual({ kind: 'done', user, before: ENABLED, fields: ['password'] });
  const entry = line('passwordChangeRequested', 'enabled', 'enabled', ['password']);
  expect(commits).toEqual([{ version: 'version 0', after: user, now: NOW, entries: [entry] }]);
});

test('a disabled user cannot set a password', async () => {
  const { ask, commits } = bench(DISABLED);
  expect(await ask(NEW_PASSWORD)).toEqual({ kind: 'rejected', reason: 'changed_meanwhile' });
  expect(commits).toEqual([]);
});

test.each<[string, RegisteredUser, UserChange]>([
  ['the stored record', ENABLED, registering()],
  ['the stored record, without a password', DISABLED, registering({ passwordHash: null })],
  ['enabling the enabled', ENABLED, ENABLING],
  ['disabling the disabled', DISABLED, DISABLING],
])('%s changes nothing', async (_, stored, change) => {
  const { ask, commits } = bench(stored);
  expect(await ask(change)).toEqual({ kind: 'done', user: stored, before: stored, fields: [] });
  expect(commits).toEqual([]);
});

describe('a rejected change commits nothing', () => {
  test.each<[string, RegisteredUser | null, readonly UserChange[]]>([
    ['an unknown user', null, [NEW_PASSWORD, DISABLING, ENABLING, DELETION]],
    ['a deleted end-user', DELETED, [registering(), NEW_PASSWORD, DISABLING, ENABLING, DELETION]],
  ])('of %s', async (_, stored, changes) => {
    for (const change of changes) {
      const { ask, commits } = bench(stored);
      expect(await ask(change)).toEqual({ kind: 'rejected', reason: 'user_unknown' });
      expect(commits).toEqual([]);
    }
  });

  test.each([
    ['an unknown user', null],
    ['the enabled', ENABLED],
    ['the disabled', DISABLED],
  ])('that was meant for another row than that of %s', async (_, stored) => {
    const { ask, commits } = bench(stored);
    const rows: UserRow[] = [];
    const expects = (row: UserRow) => rows.push(row) === 0;
    expect(await ask(registering(), { expects })).toEqual({ kind: 'rejected', reason: 'changed_meanwhile' });
    expect(rows).toEqual([{ user: stored }]);
    expect(commits).toEqual([]);
  });

  test('that sends the username of another end-user; an unchanged one is accepted', async () => {
    for (const stored of [null, ENABLED]) {
      const taken = bench(stored, [], () => 'another sub');
      expect(await taken.ask(registering({ claims: {} }))).toEqual({ kind: 'rejected', reason: 'username_taken' });
      expect(taken.commits).toEqual([]);
    }
    const own = bench(ENABLED, [], () => ID);
    expect(await own.ask(registering({ claims: {} }))).toMatchObject({ kind: 'done' });
    expect(own.loads).toEqual([[ID, 'mira', null, null]]);
  });

  test('looks up no username where none is sent', async () => {
    const { ask, loads } = bench(ENABLED);
    await ask(DISABLING);
    expect(loads).toEqual([[ID, null, null, null]]);
  });
});

describe('a concurrent change of another writer', () => {
  const theirs = (user: RegisteredUser | null) => user && { ...user, claims: { name: 'Theirs' } };

  test('is followed by another decision, and kept', async () => {
    const { ask, commits, current } = bench(ENABLED, [theirs]);
    expect(await ask(DISABLING)).toMatchObject({ kind: 'done', before: { claims: { name: 'Theirs' } } });
    expect(commits.map(({ version }) => version)).toEqual(['version 0', 'version 1']);
    expect(current().row).toMatchObject({ claims: { name: 'Theirs' }, disabledAt: NOW });
  });

  test('may be the username', async () => {
    let owner: string | null = null;
    const takes = (user: RegisteredUser | null) => {
      owner = 'another sub';
      return user;
    };
    const { ask, commits } = bench(ENABLED, [takes], () => owner);
    expect(await ask(registering({ username: 'taken' }))).toEqual({ kind: 'rejected', reason: 'username_taken' });
    expect(commits).toHaveLength(1);
  });

  test('may be the deletion', async () => {
    const { ask, current } = bench(ENABLED, [() => DELETED]);
    expect(await ask(DISABLING)).toEqual({ kind: 'rejected', reason: 'user_unknown' });
    expect(current().row).toEqual(DELETED);
  });
});

describe('a commit whose answer is lost', () => {
  test.each<[string, RegisteredUser | null, UserChange]>([
    ['a registration', null, registering()],
    ['a new password', ENABLED, registering({ passwordHash: OTHER_PASSWORD })],
    ['a deletion', ENABLED, DELETION],
  ])('was made, if %s is in the row: it is not repeated', async (_, stored, change) => {
    const usual = bench(stored);
    const { ask, commits, current } = bench(stored, ['lostAfter']);
    expect(await ask(change)).toEqual(await usual.ask(change));
    expect(commits).toHaveLength(1);
    expect(current().row).toEqual(usual.current().row);
  });

  test('is repeated, if it is not in the row', async () => {
    const { ask, commits, current } = bench(ENABLED, ['lostBefore']);
    expect(await ask(DISABLING)).toMatchObject({ kind: 'done' });
    expect(commits).toHaveLength(2);
    expect(current().row).toEqual({ ...ENABLED, disabledAt: NOW, epoch: 5n });
  });

  test('is unknown, if the row cannot be read any longer', async () => {
    const { ports, waits } = bench(ENABLED, ['lostAfter']);
    let loads = 0;
    const load = (id: string, username: string | null) => {
      if (loads++ > 0) throw new StoreUnavailable(false);
      return ports.users.load(id, username);
    };
    const away = { ...ports, users: { ...ports.users, load } };
    const answer = changeUser(away, { id: ID, actor: commandLine, change: DISABLING });
    await expect(answer).rejects.toMatchObject({ reason: 'commit_unknown' });
    expect(waits).toEqual([200, 1000]);
  });
});

describe('no user', () => {
  const facts: UserFacts = {
    now: NOW,
    id: ID,
    version: null,
    actor: commandLine,
    change: DELETION,
    fields: [],
    addressesIdentify: false,
  };
  const noUser: UserRow = { user: null };
  const { changes } = userLifecycle;

  test('is registered without a password', async () => {
    const { ask, commits } = bench(null);
    const answer = ask(registering({ passwordHash: null }));
    await expect(answer).rejects.toThrow(new InvariantViolation('user: a registration needs a password'));
    expect(commits).toEqual([]);
  });

  test('is registered by a wrong machine where no record was sent', () => {
    const act = () => changes.registerUser?.(noUser, facts, undefined);
    expect(act).toThrow(new InvariantViolation('user: nothing was sent to register'));
  });

  test('is changed by a wrong machine, if no user exists', () => {
    expect(changes.raiseEpoch?.(noUser, facts, { of: 'user' })).toBe(noUser);
  });

  test.each([
    ['an end-user', null, [line('deletionRequested', 'enabled', 'deleted')]],
    ['a line', ENABLED, []],
  ])('is committed: a commit without %s', (_, user, entries) => {
    const step = { before: { user }, after: { user }, decisions: [], entries };
    const act = () => userLifecycle.commitOf(step, facts, entries);
    expect(act).toThrow(new InvariantViolation('user: a commit needs an end-user and a ledger entry'));
  });

  test('is the answer of a machine that accepts a change of a missing user', async () => {
    const machine = machineAnswering(['unregistered'], 'deletionRequested', 'unregistered', []);
    const request = userRequest({ id: ID, actor: commandLine, change: DELETION });
    const { users, sleep } = bench(null).ports;
    const answer = run(
      { load: () => users.load(ID, null), commit: users.commit, sleep },
      { ...request, lifecycle: { ...userLifecycle, machine } },
    );
    await expect(answer).rejects.toThrow(
      new InvariantViolation('user: a request that was not rejected left no end-user'),
    );
  });
});
