import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import {
  endSession,
  type SessionKey,
  type SessionPorts,
  type SessionUse,
  useSession,
} from '../../../src/lifecycles/session/lifecycle.ts';
import type { SessionLifetimes } from '../../../src/model/session.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { disableUser, enableUser, updateUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import {
  givenSession,
  givenUser,
  ledgerOf,
  openPorts,
  type Person,
  type Ports,
  SESSION_LIFETIME_SECONDS,
} from './ports.ts';

const IDLE_SECONDS = 120;

describe.each(databaseKinds)('sessions on %s', (kind) => {
  let ports: Ports;
  let lifetimes: SessionLifetimes = { sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS };
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const sessionPorts = (): SessionPorts => ({
    sessions: ports.sessions,
    lifetimes: () => lifetimes,
    sleep: async () => {},
  });
  const signIn = async (person: Person) => (await givenSession(ports, person)).idHash;
  const use = (idHash: Uint8Array): Promise<SessionUse | null> => useSession(sessionPorts(), { idHash });
  const kindOf = async (idHash: Uint8Array) => {
    const used = await use(idHash);
    return used?.kind === 'rejected' ? used.reason : (used?.kind ?? null);
  };

  test('an active one names the user, with the epochs of the sign-in', async () => {
    const person = await givenUser(ports);
    const session = await givenSession(ports, person);
    expect(session).toMatchObject({ userId: person.id, username: person.username, state: 'active', endedReason: null });
    expect(await use(session.idHash)).toEqual({ kind: 'admitted', session });
  });

  test('an unknown one is not found', async () => {
    expect(await use(randomBytes(32))).toBeNull();
  });

  test('it is admitted until its last moment, and not at its end; then it has ended for good', async () => {
    const person = await givenUser(ports);
    const session = await givenSession(ports, person);
    ports.clock.advanceSeconds(SESSION_LIFETIME_SECONDS - 0.001);
    expect(await kindOf(session.idHash)).toBe('admitted');
    ports.clock.advanceSeconds(0.001);
    expect(await kindOf(session.idHash)).toBe('session_too_old');
    lifetimes = { sessionLifetimeSeconds: 10 * SESSION_LIFETIME_SECONDS };
    expect(await kindOf(session.idHash)).toBe('session_too_old');
    lifetimes = { sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS };
    expect(await ledgerOf(ports, session.sid)).toMatchObject([
      { machine: 'session', event: 'used', fromState: 'active', toState: 'ended', reason: 'session_too_old' },
    ]);
  });

  test('a shortened policy ends it immediately', async () => {
    const id = await signIn(await givenUser(ports));
    ports.clock.advanceSeconds(100);
    lifetimes = { sessionLifetimeSeconds: 100 };
    expect(await kindOf(id)).toBe('session_too_old');
    lifetimes = { sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS };
  });

  describe('with an idle lifetime', () => {
    beforeAll(() => {
      lifetimes = { sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS, sessionIdleLifetimeSeconds: IDLE_SECONDS };
    });
    afterAll(() => {
      lifetimes = { sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS };
    });

    test('it stays active while it is used, and ends when it idles', async () => {
      const session = await givenSession(ports, await givenUser(ports));
      for (const _ of [1, 2, 3]) {
        ports.clock.advanceSeconds(IDLE_SECONDS - 1);
        expect(await kindOf(session.idHash)).toBe('admitted');
      }
      ports.clock.advanceSeconds(IDLE_SECONDS);
      expect(await kindOf(session.idHash)).toBe('session_idle');
      expect(await kindOf(session.idHash)).toBe('session_idle');
      expect(await ledgerOf(ports, session.sid)).toHaveLength(1);
    });

    test('a use leaves no ledger entry, and is recorded now and then only', async () => {
      const session = await givenSession(ports, await givenUser(ports));
      const lastUse = async () => (await ports.sessions.load({ idHash: session.idHash })).session?.lastUsedAt.getTime();
      const begun = await lastUse();
      ports.clock.advanceSeconds(1);
      await use(session.idHash);
      expect(await lastUse()).toBe(begun);
      ports.clock.advanceSeconds(IDLE_SECONDS / 10);
      await use(session.idHash);
      expect(await lastUse()).toBe(ports.clock.now().getTime());
      expect(await ledgerOf(ports, session.sid)).toEqual([]);
    });

    test('it ends at its absolute lifetime, however much it is used', async () => {
      const id = await signIn(await givenUser(ports));
      for (let passed = 0; passed + 100 < SESSION_LIFETIME_SECONDS; passed += 100) {
        ports.clock.advanceSeconds(100);
        expect(await kindOf(id)).toBe('admitted');
      }
      ports.clock.advanceSeconds(100);
      expect(await kindOf(id)).toBe('session_too_old');
    });
  });

  test.each([
    ['signOutRequested', 'signed_out'],
    ['endRequested', 'ended_by_user'],
    ['signedInAgain', 'signed_in_again'],
  ] as const)('%s ends it once, with an entry; others of the same user stay', async (event, reason) => {
    const person = await givenUser(ports);
    const [gone, stays] = [await givenSession(ports, person), await givenSession(ports, person)];
    const key: SessionKey = event === 'endRequested' ? { sid: gone.sid, userId: person.id } : { idHash: gone.idHash };
    expect(await endSession(sessionPorts(), key, event)).toBe(true);
    expect(await endSession(sessionPorts(), key, 'signOutRequested')).toBe(false);
    expect(await kindOf(gone.idHash)).toBe(reason);
    expect(await kindOf(stays.idHash)).toBe('admitted');
    expect(await ledgerOf(ports, gone.sid)).toMatchObject([
      { machine: 'session', event, fromState: 'active', toState: 'ended', reason, sessionId: gone.sid },
    ]);
    const { sessions } = await ports.sessions.list(person.id);
    expect(sessions.map(({ sid }) => sid)).toEqual([stays.sid]);
  });

  test('its id finds it among those of its user only', async () => {
    const session = await givenSession(ports, await givenUser(ports));
    const another = await givenUser(ports);
    expect(await endSession(sessionPorts(), { sid: session.sid, userId: another.id }, 'endRequested')).toBe(false);
    expect(await kindOf(session.idHash)).toBe('admitted');
  });

  test('two concurrent ends: one of them ended it, and one entry is written', async () => {
    const session = await givenSession(ports, await givenUser(ports));
    const ends = [1, 2, 3].map(() => endSession(sessionPorts(), { idHash: session.idHash }, 'signOutRequested'));
    expect((await Promise.all(ends)).filter(Boolean)).toHaveLength(1);
    expect(await ledgerOf(ports, session.sid)).toHaveLength(1);
  });

  test('disabling the user ends it, and enabling them revives nothing', async () => {
    const person = await givenUser(ports);
    const id = await signIn(person);
    await disableUser(ports.db, person.username);
    expect(await kindOf(id)).toBe('user_ended');
    await enableUser(ports.db, person.username);
    expect(await kindOf(id)).toBe('user_ended');
    expect(await kindOf(await signIn(person))).toBe('admitted');
  });

  test('a new password ends it; new claims do not', async () => {
    const person = await givenUser(ports);
    const id = await signIn(person);
    await updateUser(ports.db, person.id, { claims: { name: 'New' }, passwordHash: null });
    expect(await kindOf(id)).toBe('admitted');
    await updateUser(ports.db, person.id, { claims: {}, passwordHash: storedPasswordHash('other') });
    expect(await kindOf(id)).toBe('user_ended');
  });

  test('one that was begun under an older epoch of the user is not stored', async () => {
    const person = await givenUser(ports);
    const { userId, userEpoch, serverEpoch } = await givenSession(ports, person);
    await disableUser(ports.db, person.username);
    await enableUser(ports.db, person.username);
    const idHash = randomBytes(32);
    const sid = crypto.randomUUID();
    const stored = await ports.sessions.insert({
      idHash,
      sid,
      userId,
      userEpoch,
      serverEpoch,
      amr: ['pwd'],
      state: 'active',
      userAgent: null,
      lifetimeSeconds: SESSION_LIFETIME_SECONDS,
    });
    expect([stored, await kindOf(idHash)]).toEqual([null, null]);
  });

  test('the server can end all of them', async () => {
    const id = await signIn(await givenUser(ports));
    await raiseServerEpoch(ports.db);
    expect(await kindOf(id)).toBe('server_epoch_raised');
  });
});
