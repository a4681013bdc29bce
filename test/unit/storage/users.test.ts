import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { grantState } from '../../../src/model/grant.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { findClaims, findUserForSignIn, isSub, usernameKey } from '../../../src/storage/users.ts';
import { disableUser, enableUser, insertUser, type NewUser, updateUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { listUsers } from '../../support/listed-users.ts';
import { givenGrant, givenUser, loadGrant, moveHead, nextMove, openPorts, type Ports } from './ports.ts';

const newUser = (username: string): NewUser => ({
  id: randomUUID(),
  username,
  passwordHash: storedPasswordHash('hash'),
  claims: { email: 'a@example.com' },
});

describe.each(databaseKinds)('users on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  test('an inserted one is found, with the epoch of the server', async () => {
    const user = newUser('Found');
    expect(await insertUser(ports.db, user)).toBe(true);
    const raised = await raiseServerEpoch(ports.db);
    expect(await findUserForSignIn(ports.db, 'Found')).toEqual({
      ...user,
      sub: null,
      signInAddress: null,
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
    await insertUser(ports.db, user);
    const first = await findUserForSignIn(ports.db, 'alice');
    expect((await findUserForSignIn(ports.db, spelling))?.id).toBe(first?.id);
    expect(await insertUser(ports.db, newUser(spelling))).toBe(false);
  });

  test('a name is stored as it is compared: in lower case, composed, without blanks around it', () => {
    expect(usernameKey(' STRASSE ')).toBe('strasse');
    expect(usernameKey('Stra\u00dfe')).toBe('stra\u00dfe');
    expect(usernameKey('Rene\u0301')).toBe('ren\u00e9');
  });

  test('a name composed in another way is the same name', async () => {
    const user = newUser('Ren\u00e9');
    await insertUser(ports.db, user);
    expect((await findUserForSignIn(ports.db, 'Rene\u0301'))?.id).toBe(user.id);
  });

  test('an unknown one is not found, has no claims, and is neither disabled nor enabled', async () => {
    expect(await findUserForSignIn(ports.db, 'unknown')).toBeNull();
    expect(await findClaims(ports.db, randomUUID())).toBeNull();
    expect(await disableUser(ports.db, 'unknown')).toBe(false);
    expect(await enableUser(ports.db, 'unknown')).toBe(false);
  });

  test('their claims name the username, unless they say otherwise', async () => {
    const [plain, own] = [newUser('Plain'), { ...newUser('Own'), claims: { preferred_username: 'chosen' } }];
    for (const user of [plain, own]) await insertUser(ports.db, user);
    expect(await findClaims(ports.db, plain.id)).toEqual({ preferred_username: 'Plain', email: 'a@example.com' });
    expect(await findClaims(ports.db, own.id)).toEqual({ preferred_username: 'chosen' });
  });

  test('a text is a sub when it is the whole id of a user, in letters of either case', async () => {
    const { id } = await givenUser(ports);
    for (const text of [id, id.toUpperCase()]) expect(await isSub(ports.db, text), text).toBe(true);
    for (const text of [randomUUID(), `${id}0`, `0${id}`, id.replaceAll('-', ''), 'photos', '']) {
      expect(await isSub(ports.db, text), text).toBe(false);
    }
  });

  test('they are listed by name, whatever its case', async () => {
    for (const name of ['list-B', 'LIST-a', 'list-C']) await insertUser(ports.db, newUser(name));
    const names = (await listUsers(ports.db)).map(({ username }) => username);
    expect(names.filter((name) => /^list-/i.test(name))).toEqual(['LIST-a', 'list-B', 'list-C']);
  });

  test('new claims, a new password, disabling and enabling affect no other user', async () => {
    const [one, other] = [await givenUser(ports), await givenUser(ports)];
    const before = await findUserForSignIn(ports.db, other.username);
    await updateUser(ports.db, one.id, { claims: {}, passwordHash: storedPasswordHash('new') });
    await disableUser(ports.db, one.username);
    expect(await findUserForSignIn(ports.db, other.username)).toEqual(before);
    await disableUser(ports.db, other.username);
    await enableUser(ports.db, one.username);
    expect((await findUserForSignIn(ports.db, other.username))?.disabledAt).toBeInstanceOf(Date);
  });

  test('a name in use changes nothing', async () => {
    const user = newUser('taken');
    await insertUser(ports.db, user);
    expect(await insertUser(ports.db, { ...newUser('Taken'), claims: { email: 'thief@example.com' } })).toBe(false);
    expect(await findUserForSignIn(ports.db, 'taken')).toMatchObject(user);
  });

  test('of many concurrent ones with one name, one is inserted', async () => {
    const inserted = await Promise.all(Array.from({ length: 10 }, () => insertUser(ports.db, newUser('popular'))));
    expect(inserted.filter(Boolean)).toHaveLength(1);
  });

  test('an unknown name finds no user, and disables none', async () => {
    expect(await findUserForSignIn(ports.db, "' or 1=1 --")).toBeNull();
    expect(await disableUser(ports.db, 'unknown')).toBe(false);
    expect(await enableUser(ports.db, 'unknown')).toBe(false);
  });

  test('they are listed by name', async () => {
    await insertUser(ports.db, newUser('zz-last'));
    await insertUser(ports.db, newUser('ZZ-first'));
    const listed = (await listUsers(ports.db)).map(({ username }) => username);
    expect(listed.slice(-2)).toEqual(['ZZ-first', 'zz-last']);
  });

  test('disabling ends the grants; enabling permits a sign-in again, and revives none', async () => {
    const granted = await givenGrant(ports);
    const move = nextMove(ports, await loadGrant(ports, granted));
    const { username } = granted.person;
    expect(await disableUser(ports.db, username)).toBe(true);
    expect((await findUserForSignIn(ports.db, username))?.disabledAt).toBeInstanceOf(Date);
    expect(grantState(await loadGrant(ports, granted))).toBe('revoked');
    expect(await enableUser(ports.db, username)).toBe(true);
    expect((await findUserForSignIn(ports.db, username))?.disabledAt).toBeNull();
    expect(grantState(await loadGrant(ports, granted))).toBe('revoked');
    expect(await moveHead(ports, move)).toBe(false);
  });

  test('disabling a second time keeps the time of the first', async () => {
    const { username } = await givenUser(ports);
    await disableUser(ports.db, username);
    const first = await findUserForSignIn(ports.db, username);
    await disableUser(ports.db, username);
    expect((await findUserForSignIn(ports.db, username))?.disabledAt).toEqual(first?.disabledAt);
  });

  test('a new password ends the grants; new claims do not', async () => {
    const granted = await givenGrant(ports);
    await updateUser(ports.db, granted.person.id, { claims: { name: 'New' }, passwordHash: null });
    expect(grantState(await loadGrant(ports, granted))).toBe('active');
    await updateUser(ports.db, granted.person.id, { claims: {}, passwordHash: storedPasswordHash('new') });
    expect(grantState(await loadGrant(ports, granted))).toBe('revoked');
    expect(await findUserForSignIn(ports.db, granted.person.username)).toMatchObject({
      passwordHash: 'new',
      claims: {},
    });
  });
});
