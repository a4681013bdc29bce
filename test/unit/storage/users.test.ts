import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { grantState } from '../../../src/model/grant.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { findClaims, findUserForSignIn, isSub, listUsers, usernameKey } from '../../../src/storage/users.ts';
import { disableUser, enableUser, insertUser, type NewUser, updateUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { givenGrant, givenUser, loadGrant, moveHead, nextMove, openWorld, type World } from './world.ts';

const newUser = (username: string): NewUser => ({
  id: randomUUID(),
  username,
  passwordHash: storedPasswordHash('hash'),
  claims: { email: 'a@example.com' },
});

describe.each(databaseKinds)('users on %s', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  test('an inserted one is found, with the epoch of the server', async () => {
    const user = newUser('Found');
    expect(await insertUser(world.db, user)).toBe(true);
    const raised = await raiseServerEpoch(world.db);
    expect(await findUserForSignIn(world.db, 'Found')).toEqual({
      ...user,
      epoch: 0n,
      disabledAt: null,
      serverEpoch: raised,
      usernameKey: 'found',
      passwordByLinkAt: null,
      mac: expect.any(Buffer),
      macVersion: 0n,
    });
  });

  test.each([
    ['in another case', 'ALICE'],
    ['with blanks around it', ' alice\t'],
    ['in full-width letters', 'ａｌｉｃｅ'],
  ])('one user, typed %s', async (_, spelling) => {
    const user = newUser('alice');
    await insertUser(world.db, user);
    const first = await findUserForSignIn(world.db, 'alice');
    expect((await findUserForSignIn(world.db, spelling))?.id).toBe(first?.id);
    expect(await insertUser(world.db, newUser(spelling))).toBe(false);
  });

  test('a name is stored as it is compared: in lower case, composed, without blanks around it', () => {
    expect(usernameKey(' STRASSE ')).toBe('strasse');
    expect(usernameKey('Stra\u00dfe')).toBe('stra\u00dfe');
    expect(usernameKey('Rene\u0301')).toBe('ren\u00e9');
  });

  test('a name composed in another way is the same name', async () => {
    const user = newUser('Ren\u00e9');
    await insertUser(world.db, user);
    expect((await findUserForSignIn(world.db, 'Rene\u0301'))?.id).toBe(user.id);
  });

  test('an unknown one is not found, has no claims, and is neither disabled nor enabled', async () => {
    expect(await findUserForSignIn(world.db, 'unknown')).toBeNull();
    expect(await findClaims(world.db, randomUUID())).toBeNull();
    expect(await disableUser(world.db, 'unknown')).toBe(false);
    expect(await enableUser(world.db, 'unknown')).toBe(false);
  });

  test('their claims name the username, unless they say otherwise', async () => {
    const [plain, own] = [newUser('Plain'), { ...newUser('Own'), claims: { preferred_username: 'chosen' } }];
    for (const user of [plain, own]) await insertUser(world.db, user);
    expect(await findClaims(world.db, plain.id)).toEqual({ preferred_username: 'Plain', email: 'a@example.com' });
    expect(await findClaims(world.db, own.id)).toEqual({ preferred_username: 'chosen' });
  });

  test('a text is a sub when it is the whole id of a user, in letters of either case', async () => {
    const { id } = await givenUser(world);
    for (const text of [id, id.toUpperCase()]) expect(await isSub(world.db, text), text).toBe(true);
    for (const text of [randomUUID(), `${id}0`, `0${id}`, id.replaceAll('-', ''), 'photos', '']) {
      expect(await isSub(world.db, text), text).toBe(false);
    }
  });

  test('they are listed by name, whatever its case', async () => {
    for (const name of ['list-B', 'LIST-a', 'list-C']) await insertUser(world.db, newUser(name));
    const names = (await listUsers(world.db)).map(({ username }) => username);
    expect(names.filter((name) => /^list-/i.test(name))).toEqual(['LIST-a', 'list-B', 'list-C']);
  });

  test('new claims, a new password, disabling and enabling affect no other user', async () => {
    const [one, other] = [await givenUser(world), await givenUser(world)];
    const before = await findUserForSignIn(world.db, other.username);
    await updateUser(world.db, one.id, { claims: {}, passwordHash: storedPasswordHash('new') });
    await disableUser(world.db, one.username);
    expect(await findUserForSignIn(world.db, other.username)).toEqual(before);
    await disableUser(world.db, other.username);
    await enableUser(world.db, one.username);
    expect((await findUserForSignIn(world.db, other.username))?.disabledAt).toBeInstanceOf(Date);
  });

  test('a name in use changes nothing', async () => {
    const user = newUser('taken');
    await insertUser(world.db, user);
    expect(await insertUser(world.db, { ...newUser('Taken'), claims: { email: 'thief@example.com' } })).toBe(false);
    expect(await findUserForSignIn(world.db, 'taken')).toMatchObject(user);
  });

  test('of many concurrent ones with one name, one is inserted', async () => {
    const inserted = await Promise.all(Array.from({ length: 10 }, () => insertUser(world.db, newUser('popular'))));
    expect(inserted.filter(Boolean)).toHaveLength(1);
  });

  test('an unknown name finds no user, and disables none', async () => {
    expect(await findUserForSignIn(world.db, "' or 1=1 --")).toBeNull();
    expect(await disableUser(world.db, 'unknown')).toBe(false);
    expect(await enableUser(world.db, 'unknown')).toBe(false);
  });

  test('they are listed by name', async () => {
    await insertUser(world.db, newUser('zz-last'));
    await insertUser(world.db, newUser('ZZ-first'));
    const listed = (await listUsers(world.db)).map(({ username }) => username);
    expect(listed.slice(-2)).toEqual(['ZZ-first', 'zz-last']);
  });

  test('disabling ends the grants; enabling permits a sign-in again, and revives none', async () => {
    const granted = await givenGrant(world);
    const move = nextMove(world, await loadGrant(world, granted));
    const { username } = granted.person;
    expect(await disableUser(world.db, username)).toBe(true);
    expect((await findUserForSignIn(world.db, username))?.disabledAt).toBeInstanceOf(Date);
    expect(grantState(await loadGrant(world, granted))).toBe('revoked');
    expect(await enableUser(world.db, username)).toBe(true);
    expect((await findUserForSignIn(world.db, username))?.disabledAt).toBeNull();
    expect(grantState(await loadGrant(world, granted))).toBe('revoked');
    expect(await moveHead(world, move)).toBe(false);
  });

  test('disabling a second time keeps the time of the first', async () => {
    const { username } = await givenUser(world);
    await disableUser(world.db, username);
    const first = await findUserForSignIn(world.db, username);
    await disableUser(world.db, username);
    expect((await findUserForSignIn(world.db, username))?.disabledAt).toEqual(first?.disabledAt);
  });

  test('a new password ends the grants; new claims do not', async () => {
    const granted = await givenGrant(world);
    await updateUser(world.db, granted.person.id, { claims: { name: 'New' }, passwordHash: null });
    expect(grantState(await loadGrant(world, granted))).toBe('active');
    await updateUser(world.db, granted.person.id, { claims: {}, passwordHash: storedPasswordHash('new') });
    expect(grantState(await loadGrant(world, granted))).toBe('revoked');
    expect(await findUserForSignIn(world.db, granted.person.username)).toMatchObject({
      passwordHash: 'new',
      claims: {},
    });
  });
});
