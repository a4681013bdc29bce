import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import {
  endSession,
  type SessionKey,
  type SessionUse,
  type SessionWorld,
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
  openWorld,
  type Person,
  SESSION_LIFETIME_SECONDS,
  type World,
} from './world.ts';

const IDLE_SECONDS = 120;

describe.each(databaseKinds)('sessions on %s', (kind) => {
  let world: World;
  let lifetimes: SessionLifetimes = { sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS };
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  const sessionWorld = (): SessionWorld => ({
    sessions: world.sessions,
    lifetimes: () => lifetimes,
    sleep: async () => {},
  });
  const signIn = async (person: Person) => (await givenSession(world, person)).idHash;
  const use = (idHash: Uint8Array): Promise<SessionUse | null> => useSession(sessionWorld(), { idHash });
  const kindOf = async (idHash: Uint8Array) => {
    const used = await use(idHash);
    return used?.kind === 'rejected' ? used.reason : (used?.kind ?? null);
  };

  test('an active one names the user, with the epochs of the sign-in', async () => {
    const person = await givenUser(world);
    const session = await givenSession(world, person);
    expect(session).toMatchObject({ userId: person.id, username: person.username, state: 'active', endedReason: null });
    expect(await use(session.idHash)).toEqual({ kind: 'admitted', session });
  });

  test('an unknown one is not found', async () => {
    expect(await use(randomBytes(32))).toBeNull();
  });

  test('it is admitted until its last moment, and not at its end; then it has ended for good', async () => {
    const person = await givenUser(world);
    const session = await givenSession(world, person);
    world.clock.advanceSeconds(SESSION_LIFETIME_SECONDS - 0.001);
    expect(await kindOf(session.idHash)).toBe('admitted');
    world.clock.advanceSeconds(0.001);
    expect(await kindOf(session.idHash)).toBe('session_too_old');
    lifetimes = { sessionLifetimeSeconds: 10 * SESSION_LIFETIME_SECONDS };
    expect(await kindOf(session.idHash)).toBe('session_too_old');
    lifetimes = { sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS };
    expect(await ledgerOf(world, session.sid)).toMatchObject([
      { machine: 'session', event: 'used', fromState: 'active', toState: 'ended', reason: 'session_too_old' },
    ]);
  });

  test('a shortened policy ends it immediately', async () => {
    const id = await signIn(await givenUser(world));
    world.clock.advanceSeconds(100);
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
      const session = await givenSession(world, await givenUser(world));
      for (const _ of [1, 2, 3]) {
        world.clock.advanceSeconds(IDLE_SECONDS - 1);
        expect(await kindOf(session.idHash)).toBe('admitted');
      }
      world.clock.advanceSeconds(IDLE_SECONDS);
      expect(await kindOf(session.idHash)).toBe('session_idle');
      expect(await kindOf(session.idHash)).toBe('session_idle');
      expect(await ledgerOf(world, session.sid)).toHaveLength(1);
    });

    test('a use leaves no ledger entry, and is recorded now and then only', async () => {
      const session = await givenSession(world, await givenUser(world));
      const lastUse = async () => (await world.sessions.load({ idHash: session.idHash })).session?.lastUsedAt.getTime();
      const begun = await lastUse();
      world.clock.advanceSeconds(1);
      await use(session.idHash);
      expect(await lastUse()).toBe(begun);
      world.clock.advanceSeconds(IDLE_SECONDS / 10);
      await use(session.idHash);
      expect(await lastUse()).toBe(world.clock.now().getTime());
      expect(await ledgerOf(world, session.sid)).toEqual([]);
    });

    test('it ends at its absolute lifetime, however much it is used', async () => {
      const id = await signIn(await givenUser(world));
      for (let passed = 0; passed + 100 < SESSION_LIFETIME_SECONDS; passed += 100) {
        world.clock.advanceSeconds(100);
        expect(await kindOf(id)).toBe('admitted');
      }
      world.clock.advanceSeconds(100);
      expect(await kindOf(id)).toBe('session_too_old');
    });
  });

  test.each([
    ['signOutRequested', 'signed_out'],
    ['endRequested', 'ended_by_user'],
    ['signedInAgain', 'signed_in_again'],
  ] as const)('%s ends it once, with an entry; others of the same user stay', async (event, reason) => {
    const person = await givenUser(world);
    const [gone, stays] = [await givenSession(world, person), await givenSession(world, person)];
    const key: SessionKey = event === 'endRequested' ? { sid: gone.sid, userId: person.id } : { idHash: gone.idHash };
    expect(await endSession(sessionWorld(), key, event)).toBe(true);
    expect(await endSession(sessionWorld(), key, 'signOutRequested')).toBe(false);
    expect(await kindOf(gone.idHash)).toBe(reason);
    expect(await kindOf(stays.idHash)).toBe('admitted');
    expect(await ledgerOf(world, gone.sid)).toMatchObject([
      { machine: 'session', event, fromState: 'active', toState: 'ended', reason, sessionId: gone.sid },
    ]);
    const { sessions } = await world.sessions.list(person.id);
    expect(sessions.map(({ sid }) => sid)).toEqual([stays.sid]);
  });

  test('its id finds it among those of its user only', async () => {
    const session = await givenSession(world, await givenUser(world));
    const another = await givenUser(world);
    expect(await endSession(sessionWorld(), { sid: session.sid, userId: another.id }, 'endRequested')).toBe(false);
    expect(await kindOf(session.idHash)).toBe('admitted');
  });

  test('two concurrent ends: one of them ended it, and one entry is written', async () => {
    const session = await givenSession(world, await givenUser(world));
    const ends = [1, 2, 3].map(() => endSession(sessionWorld(), { idHash: session.idHash }, 'signOutRequested'));
    expect((await Promise.all(ends)).filter(Boolean)).toHaveLength(1);
    expect(await ledgerOf(world, session.sid)).toHaveLength(1);
  });

  test('disabling the user ends it, and enabling them revives nothing', async () => {
    const person = await givenUser(world);
    const id = await signIn(person);
    await disableUser(world.db, person.username);
    expect(await kindOf(id)).toBe('user_ended');
    await enableUser(world.db, person.username);
    expect(await kindOf(id)).toBe('user_ended');
    expect(await kindOf(await signIn(person))).toBe('admitted');
  });

  test('a new password ends it; new claims do not', async () => {
    const person = await givenUser(world);
    const id = await signIn(person);
    await updateUser(world.db, person.id, { claims: { name: 'New' }, passwordHash: null });
    expect(await kindOf(id)).toBe('admitted');
    await updateUser(world.db, person.id, { claims: {}, passwordHash: storedPasswordHash('other') });
    expect(await kindOf(id)).toBe('user_ended');
  });

  test('one that was begun under an older epoch of the user is never active', async () => {
    const person = await givenUser(world);
    const { userId, userEpoch, serverEpoch } = await givenSession(world, person);
    await disableUser(world.db, person.username);
    await enableUser(world.db, person.username);
    const idHash = randomBytes(32);
    const sid = crypto.randomUUID();
    await world.sessions.insert({
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
    expect(await kindOf(idHash)).toBe('user_ended');
  });

  test('the server can end all of them', async () => {
    const id = await signIn(await givenUser(world));
    await raiseServerEpoch(world.db);
    expect(await kindOf(id)).toBe('server_epoch_raised');
  });
});
