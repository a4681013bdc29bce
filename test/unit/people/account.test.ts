/** The account in the hands of its end-user, with stores in memory: entries, devices, identities, deletion, passwords. */
import { describe, expect, it } from 'vitest';
import type { Commit } from '../../../src/engine/commit.ts';
import type { UserStore } from '../../../src/lifecycles/user/lifecycle.ts';
import type { Session } from '../../../src/model/session.ts';
import { NO_PASSWORD, type RegisteredUser } from '../../../src/model/user.ts';
import { downloadData } from '../../../src/people/account/data.ts';
import { deleteAccount, mayNotDelete } from '../../../src/people/account/deletion.ts';
import { type DevicesDeps, endDevice, endOtherDevices } from '../../../src/people/account/devices.ts';
import { enterAccount } from '../../../src/people/account/enter.ts';
import {
  type LinkedIdentitiesDeps,
  removeOwnIdentity,
  viewIdentities,
} from '../../../src/people/account/linked-identities.ts';
import { changePassword, hasPassword, type PasswordDeps } from '../../../src/people/account/password.ts';
import { registeredUser } from '../../support/registered-user.ts';
import { COOKIE, SID, session, sessionsInMemory } from '../protocol/memory.ts';
import { at, configuration } from '../protocol/ports.ts';

const ALICE = session().userId;
const OTHER_COOKIE = Buffer.from('the hash of another cookie');
const sidOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

const managing = { operators: { operators: ['Olga'], auditors: ['ada'], clients: [] } };
const config = configuration(managing);

const user = (change: Partial<RegisteredUser> = {}) => registeredUser({ id: ALICE, username: 'alice', ...change });

function usersWith(row: RegisteredUser | null) {
  const commits: Commit[] = [];
  const users: UserStore = {
    load: async () => ({ now: at(10), row: { user: row }, version: null, usernameOf: null }),
    commit: async (commit) => commits.push(commit) > 0,
  };
  return { commits, users };
}

function sessionDeps(stored: readonly Session[], second = 10) {
  const memory = sessionsInMemory(stored, second);
  const deps = {
    configuration: () => config,
    sleep: async () => {},
    sessions: memory.sessions,
  } as unknown as DevicesDeps;
  return { ...memory, deps };
}

describe('an entry', () => {
  const asked = { section: 'devices', cookie: COOKIE, needsRecentSignIn: false, isOurForm: null };
  const recent = config.signIn.recentSignInSeconds;
  it.each<[string, object, number, object]>([
    ['without a cookie', { cookie: null }, 10, { kind: 'signInRequired' }],
    ['with another cookie', { cookie: OTHER_COOKIE }, 10, { kind: 'signInRequired' }],
    ['of a recent sign-in', {}, recent, { kind: 'entered', visit: { isRecent: true } }],
    ['of an older sign-in', {}, recent + 1, { kind: 'entered', visit: { isRecent: false } }],
    ['that needs a recent one', { needsRecentSignIn: true }, recent, { kind: 'entered', visit: { isRecent: true } }],
    ['that needs a recent one, too late', { needsRecentSignIn: true }, recent + 1, { kind: 'signInAgainRequired' }],
    ['with a form of another purpose', { isOurForm: () => false }, 10, { kind: 'formRefused' }],
    [
      'with a form of another purpose, too late',
      { isOurForm: () => false, needsRecentSignIn: true },
      recent + 1,
      { kind: 'formRefused' },
    ],
    [
      'with its form',
      { isOurForm: (purpose: string) => purpose === `devices of the account of ${SID}` },
      10,
      { kind: 'entered', visit: { formPurpose: `devices of the account of ${SID}` } },
    ],
  ])('%s', async (_, change, second, expected) => {
    const { deps } = sessionDeps([session()], second);
    const entry = await enterAccount(deps, { ...asked, ...change });
    expect(entry).toMatchObject(expected);
    if (entry.kind === 'entered') expect(entry.visit).toMatchObject({ session: { sid: SID }, now: at(second) });
    else expect(entry).toEqual(expected);
  });
});

describe('devices', () => {
  const own = session();
  it.each<[string, Partial<Session>, boolean, number]>([
    ['another browser', {}, true, 1],
    ['a browser that awaits its second factor', { state: 'awaitingSecondFactor' }, true, 0],
    ['a browser of a newer password', { userEpoch: 2n, liveUserEpoch: 2n }, false, 0],
    ['a browser of an older password', { userEpoch: 0n }, false, 0],
    ['a browser that has ended', { state: 'ended', endedReason: 'signed_out' }, false, 0],
    ['a browser whose time is over', { endsAt: at(9) }, false, 0],
  ])('all but this one: %s', async (_, change, isEnded, counted) => {
    const other = session({ idHash: OTHER_COOKIE, sid: sidOf(1), ...change });
    const { deps, done } = sessionDeps([own, other]);
    expect(await endOtherDevices(deps, own)).toEqual({ ended: counted });
    expect(done).toEqual(isEnded ? [`ended_by_user ${sidOf(1)}`] : []);
  });

  it('all but this one, however many the list has, and of no other end-user', async () => {
    const others = [1, 2, 3].map((n) => session({ idHash: Buffer.from(`${n}`), sid: sidOf(n) }));
    const eve = session({ idHash: Buffer.from('eve'), sid: sidOf(9), userId: sidOf(8) });
    const { deps, done, rows } = sessionDeps([own, ...others, eve]);
    const { sessions } = deps;
    const states: unknown[] = [];
    const list: typeof sessions.list = async (userId, of) => {
      states.push(of);
      const all = await sessions.list(userId);
      return { ...all, sessions: all.sessions.filter(({ state }) => state !== 'ended').slice(0, 2) };
    };
    expect(await endOtherDevices({ ...deps, sessions: { ...sessions, list } }, own)).toEqual({ ended: 3 });
    expect(done.toSorted()).toEqual([1, 2, 3].map((n) => `ended_by_user ${sidOf(n)}`));
    expect(rows.filter(({ state }) => state === 'active').map(({ sid }) => sid)).toEqual([SID, sidOf(9)]);
    expect(states).toEqual(Array(states.length).fill(['active', 'awaitingSecondFactor']));
  });

  it('one of them, by the name in the list', async () => {
    const { deps, done } = sessionDeps([own, session({ sid: sidOf(1) }), session({ sid: sidOf(9), userId: sidOf(8) })]);
    expect(await endDevice(deps, own, sidOf(1))).toEqual({ kind: 'ended', hasEnded: true });
    expect(await endDevice(deps, own, sidOf(1))).toEqual({ kind: 'ended', hasEnded: false });
    expect(await endDevice(deps, own, sidOf(9))).toEqual({ kind: 'ended', hasEnded: false });
    expect(await endDevice(deps, own, null)).toEqual({ kind: 'formRefused' });
    expect(done).toEqual([`ended_by_user ${sidOf(1)}`]);
  });
});

describe('linked identities', () => {
  const identity = (n: number, change: object = {}) => ({
    ...{ id: sidOf(n), userId: ALICE, issuer: 'https://login.example', subject: 's', provider: 'company' },
    ...{ linkedAt: at(n), state: 'active', removedAt: null, removedReason: null, ...change },
  });
  const bench = (...rows: ReturnType<typeof identity>[]) => {
    const loads: unknown[] = [];
    const deps = {
      configuration: () => ({ upstreams: [{ name: 'company', label: 'Company' }] }),
      sleep: async () => {},
      identities: {
        list: async () => rows,
        load: async (key: { id: string; userId: string }) => {
          loads.push(key);
          const found = rows.find(({ id, userId }) => id === key.id && userId === key.userId) ?? null;
          return { now: at(10), identity: found, otherWays: { password: true, passkeys: 0, identities: 0 } };
        },
        commit: async () => true,
      },
    } as unknown as LinkedIdentitiesDeps;
    return { deps, loads };
  };

  it('have the label of their provider, or the host of one that has left the file', async () => {
    const { deps } = bench(identity(1), identity(2, { provider: 'old', issuer: 'https://old.example:8443/x' }));
    expect(await viewIdentities(deps, ALICE)).toEqual({
      linked: [
        { id: sidOf(1), linkedAt: at(1), label: 'Company' },
        { id: sidOf(2), linkedAt: at(2), label: 'old.example:8443' },
      ],
      places: [{ name: 'upstream:company', label: 'Company' }],
    });
  });

  it.each([null, '', 'x', `${sidOf(1)}a`, `a${sidOf(1)}`, sidOf(1).replace('-', ''), `${sidOf(1)}\n`, 'A'.repeat(36)])(
    'are not loaded by the name %j',
    async (id) => {
      const { deps, loads } = bench(identity(1));
      expect(await removeOwnIdentity(deps, ALICE, id)).toBeNull();
      expect(loads).toEqual([]);
    },
  );

  it('are removed by their end-user, and by no other', async () => {
    const { deps, loads } = bench(identity(1));
    expect((await removeOwnIdentity(deps, ALICE, sidOf(1)))?.kind).toBe('done');
    expect((await removeOwnIdentity(deps, 'eve', sidOf(1)))?.kind).not.toBe('done');
    expect(loads).toEqual([
      { id: sidOf(1), userId: ALICE },
      { id: sidOf(1), userId: 'eve' },
    ]);
  });
});

describe('the deletion', () => {
  const deletion = (row: RegisteredUser | null, typed: string | null, change: Partial<Session> = {}) => {
    const { users, commits } = usersWith(row);
    const deps = { configuration: () => config, users, sleep: async () => {} };
    return deleteAccount(deps, session(change), typed).then((outcome) => ({ outcome, commits }));
  };
  const DIFFERS = { kind: 'refused', reason: 'username_differs' };
  it.each<[string | null, object]>([
    ['alice', { kind: 'deleted' }],
    [' ALICE ', { kind: 'deleted' }],
    ['\uff41lice', { kind: 'deleted' }],
    [null, DIFFERS],
    ['', DIFFERS],
    ['alic', DIFFERS],
    ['alice2', DIFFERS],
    ['bob', DIFFERS],
  ])('with the username %j is %j', async (typed, expected) => {
    const { outcome, commits } = await deletion(user(), typed);
    expect(outcome).toEqual(expected);
    expect(commits).toHaveLength(expected === DIFFERS ? 0 : 1);
  });

  it.each([
    ['olga', true],
    ['OLGA', true],
    ['ada', true],
    ['olga2', false],
    ['alice', false],
  ])('of %s is refused for a role: %j', async (username, isRefused) => {
    const { outcome } = await deletion(user({ username }), username, { username });
    expect(outcome).toEqual(isRefused ? { kind: 'refused', reason: 'is_administrator' } : { kind: 'deleted' });
    const { users } = usersWith(null);
    const deps = { configuration: () => config, users, sleep: async () => {} };
    expect(mayNotDelete(deps, session({ username }))).toBe(isRefused);
  });

  it.each([
    ['of a later epoch', user({ epoch: 2n })],
    ['that is gone', null],
  ])('of an account %s needs a sign-in', async (_, row) => {
    const { outcome, commits } = await deletion(row, 'alice');
    expect([outcome, commits]).toEqual([{ kind: 'signInRequired' }, []]);
  });
});

it('a download has every list, and names those that end before the oldest row', async () => {
  const tables = {
    sessions: { rows: [{ id: 1, epoch: 2n ** 60n }], more: false },
    grants: { rows: [], more: true },
    mails: { rows: [], more: true },
  };
  const asked: string[] = [];
  const personalDataOf = async (userId: string) => {
    asked.push(userId);
    return { account: { username: 'alice' }, tables };
  };
  const text = await downloadData({ issuer: 'https://as.test', personalDataOf }, session(), at(10));
  expect(text?.endsWith('}\n')).toBe(true);
  expect(text).toContain('\n  "issuer": "https://as.test"');
  expect(JSON.parse(text ?? '')).toEqual({
    issuer: 'https://as.test',
    made_at: at(10).toISOString(),
    account: { username: 'alice' },
    sessions: [{ id: 1, epoch: '1152921504606846976' }],
    grants: [],
    mails: [],
    incomplete: ['grants', 'mails'],
  });
  expect(asked).toEqual([ALICE]);
  expect(await downloadData({ issuer: '', personalDataOf: async () => null }, session(), at(10))).toBeNull();
});

describe('a new password', () => {
  const bench = (row: RegisteredUser | null) => {
    const { users, commits } = usersWith(row);
    const told: unknown[] = [];
    const tried: unknown[] = [];
    const deps = {
      issuer: 'https://as.test',
      configuration: () => config,
      sleep: async () => {},
      users: { ...users, keyOf: (name: string) => name, findForSignIn: async () => null },
      isBreached: async () => false,
      factorsOf: async () => ({ hasApp: false, hasPasskey: false, hasPassword: false }),
      signInCapacity: { hashes: { run: async (place: unknown) => ({ kind: 'full', tried: tried.push(place) }) } },
      tell: async (...given: unknown[]) => void told.push(given),
    } as unknown as PasswordDeps;
    return { deps, commits, told, tried };
  };
  const form = {
    ...{ current: 'the current one', chosen: 'x', repeated: 'x', address: 'n', userAgent: null, device: null },
    ...{ cookie: { new: COOKIE, browser: null }, gone: new AbortController().signal },
  } as unknown as Parameters<typeof changePassword>[2];
  const change = async (
    row: RegisteredUser | null,
    given: Partial<typeof form>,
    isRecent = true,
    signedIn: Partial<Session> = {},
  ) => {
    const made = bench(row);
    const visit = { session: session(signedIn), isRecent };
    return { ...made, outcome: await changePassword(made.deps, visit, { ...form, ...given }) };
  };
  const refused = (reason: string) => ({ kind: 'refused', reason });
  const WITHOUT = user({ passwordHash: NO_PASSWORD });

  it.each<[string, RegisteredUser | null, Partial<typeof form>, boolean, object]>([
    ['needs the current one', user(), { current: null }, true, refused('form_incomplete')],
    ['needs the current one, not empty', user(), { current: '' }, true, refused('form_incomplete')],
    ['needs a new one', user(), { chosen: null, repeated: null }, true, refused('form_incomplete')],
    ['needs a new one, not empty', user(), { chosen: '', repeated: '' }, true, refused('form_incomplete')],
    ['is repeated', user(), { repeated: 'y' }, true, refused('repetition_differs')],
    ['is repeated to the last letter', user(), { repeated: 'X' }, true, refused('repetition_differs')],
    ['differs from the current one', user(), { current: 'x' }, true, refused('same_as_before')],
    ['needs a recent sign-in without a current one', WITHOUT, {}, false, { kind: 'signInAgainRequired' }],
    ['needs a recent sign-in of no account', null, {}, false, { kind: 'signInAgainRequired' }],
    ['needs no current one where there is none', WITHOUT, { current: null }, true, { kind: 'problem' }],
    ['may be the text beside no current one', WITHOUT, { current: 'x' }, true, { kind: 'problem' }],
    ['needs no recent sign-in beside the current one', user(), {}, false, { kind: 'problem' }],
  ])('%s', async (_, row, given, isRecent, expected) => {
    const { outcome, commits, told } = await change(row, given, isRecent);
    expect(outcome).toMatchObject(expected);
    expect([commits, told]).toEqual([[], []]);
    expect(await hasPassword(bench(row).deps, session())).toBe(row !== null && row !== WITHOUT);
  });

  it.each<[string, string, unknown, object]>([
    ['its address', 'winter.morning@wonderland', 'winter.morning@wonderland', { reason: 'names_the_user' }],
    ['parts of its address', 'morningwinter2031', 'winter.morning@wonderland', { reason: 'names_the_user' }],
    ['its username', 'alicealicealice', undefined, { reason: 'names_the_user' }],
    ['the service', 'statehouse statehouse', undefined, { reason: 'names_the_service' }],
    ['few characters', 'short', 7, { reason: 'too_short', characters: 5, atLeast: 15 }],
  ])('is not made of %s', async (_, chosen, email, problem) => {
    const { outcome } = await change(user({ claims: { email } }), { chosen, repeated: chosen });
    expect(outcome).toEqual({ kind: 'problem', problem });
  });

  it('is hashed while there is room', async () => {
    const chosen = 'Tn7 vq2 Zr9 kx4 Lw6';
    const { outcome, tried, commits, told } = await change(WITHOUT, { chosen, repeated: chosen, current: null });
    expect(outcome).toEqual({ kind: 'signInRefused', reason: 'busy', retryAfterSeconds: 2 });
    expect(tried).toEqual([{ line: 'n', ticket: 'n', signal: form.gone }]);
    expect([commits, told]).toEqual([[], []]);
  });
});
