import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { sessionStore } from '../../../src/storage/sessions.ts';
import { disableUser, enableUser, updateUser } from '../../../src/storage/users.ts';
import { databaseKinds } from '../../support/database.ts';
import { givenSession, givenUser, openWorld, type Person, type World } from './world.ts';

const LIFETIME_SECONDS = 600;

describe.each(databaseKinds)('sessions on %s', (kind) => {
  let world: World;
  let sessions: ReturnType<typeof sessionStore>;
  beforeAll(async () => {
    world = await openWorld(kind);
    sessions = sessionStore(world.db, world.clock);
  });
  afterAll(() => world.close());

  async function signIn(person: Person): Promise<Buffer> {
    const idHash = randomBytes(32);
    const { sid, userId, userEpoch, serverEpoch } = await givenSession(world, person);
    await sessions.insert({ idHash, sid, userId, userEpoch, serverEpoch, lifetimeSeconds: LIFETIME_SECONDS });
    return idHash;
  }

  test('a live one names the person, with the epochs of their sign-in', async () => {
    const person = await givenUser(world);
    const expected = await givenSession(world, person);
    expect(await sessions.find(await signIn(person))).toEqual({
      ...expected,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('an unknown one is not found', async () => {
    expect(await sessions.find(randomBytes(32))).toBeNull();
  });

  test('it is found until its last moment, and not at its end', async () => {
    const id = await signIn(await givenUser(world));
    world.clock.advanceSeconds(LIFETIME_SECONDS - 0.001);
    expect(await sessions.find(id)).not.toBeNull();
    world.clock.advanceSeconds(0.001);
    expect(await sessions.find(id)).toBeNull();
  });

  test('a removed one is not found; others of the same person stay', async () => {
    const person = await givenUser(world);
    const [gone, stays] = [await signIn(person), await signIn(person)];
    await sessions.remove(gone);
    expect(await sessions.find(gone)).toBeNull();
    expect(await sessions.find(stays)).not.toBeNull();
  });

  test('disabling the person ends it, and enabling them revives nothing', async () => {
    const person = await givenUser(world);
    const id = await signIn(person);
    await disableUser(world.db, person.username);
    expect(await sessions.find(id)).toBeNull();
    await enableUser(world.db, person.username);
    expect(await sessions.find(id)).toBeNull();
    expect(await sessions.find(await signIn(person))).not.toBeNull();
  });

  test('a new password ends it; new claims do not', async () => {
    const person = await givenUser(world);
    const id = await signIn(person);
    await updateUser(world.db, person.id, { claims: { name: 'New' }, passwordHash: null });
    expect(await sessions.find(id)).not.toBeNull();
    await updateUser(world.db, person.id, { claims: {}, passwordHash: storedPasswordHash('other') });
    expect(await sessions.find(id)).toBeNull();
  });

  test('one that was begun under an older epoch of the person never lives', async () => {
    const person = await givenUser(world);
    const { sid, userId, userEpoch, serverEpoch } = await givenSession(world, person);
    await disableUser(world.db, person.username);
    await enableUser(world.db, person.username);
    const idHash = randomBytes(32);
    await sessions.insert({ idHash, sid, userId, userEpoch, serverEpoch, lifetimeSeconds: LIFETIME_SECONDS });
    expect(await sessions.find(idHash)).toBeNull();
  });

  test('the server can end all of them', async () => {
    const id = await signIn(await givenUser(world));
    await raiseServerEpoch(world.db);
    expect(await sessions.find(id)).toBeNull();
  });
});
