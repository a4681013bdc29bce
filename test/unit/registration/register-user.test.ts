import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchesPassword } from '../../../src/crypto/password.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { applyUserPlan, PasswordMissing, planUser, registerUser } from '../../../src/registration/register-user.ts';
import { readUserRecord } from '../../../src/registration/user-record.ts';
import { findUserForSignIn } from '../../../src/storage/users.ts';
import { disableUser } from '../../support/administration.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase(anyDatabase);
});
afterAll(() => test.close());

function register(record: object) {
  const reading = readUserRecord(record, false);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return registerUser(
    { db: test.database.drizzle, actor: commandLine, random: systemRandom, macs: testMacs },
    reading.value,
  );
}

async function stored(username: string) {
  const user = await findUserForSignIn(test.database.drizzle, username);
  if (!user) throw new Error(`unknown user: ${username}`);
  return user;
}

describe('the registration of a user', () => {
  it('creates the user with a random sub, never the username', async () => {
    const plan = await register({ username: 'alice', password: 'correct horse', email: 'a@example.com' });
    expect(plan).toMatchObject({ outcome: 'created', username: 'alice', changed: [], disabled: false });
    const { id } = plan;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await stored('alice')).toMatchObject({ id, claims: { email: 'a@example.com' } });
  });

  it.each([' padded ', `~!@ #$%^&*()+=:;"'<>?/\\|`])('accepts the password %j verbatim', async (password) => {
    await register({ username: `with ${password}`, password });
    const { passwordHash } = await stored(`with ${password}`);
    expect(await matchesPassword(passwordHash, rawSecret(password))).toBe(true);
    expect(await matchesPassword(passwordHash, rawSecret(password.trim()))).toBe(password.trim() === password);
  });

  it('changes nothing and ends no session when the record is the same', async () => {
    const record = {
      username: 'bob',
      password: 'correct horse',
      address: { country: 'SE', region: 'Skåne' },
      name: 'Bob',
    };
    await register(record);
    const before = await stored('bob');
    // Another order, another spelling of the same name.
    const again = {
      name: 'Bob',
      address: { region: 'Skåne', country: 'SE' },
      password: 'correct horse',
      username: ' BOB',
    };
    expect(await register(again)).toEqual({
      outcome: 'unchanged',
      id: before.id,
      sub: null,
      username: 'bob',
      passwordHash: null,
      importedHash: null,
      claims: { name: 'Bob', address: { country: 'SE', region: 'Skåne' } },
      changed: [],
      disabled: false,
    });
    expect(await stored('bob')).toEqual(before);
  });

  it('replaces claims without ending sessions', async () => {
    await register({ username: 'carol', password: 'correct horse', email: 'c@example.com' });
    const before = await stored('carol');
    expect(await register({ username: 'carol', name: 'Carol' })).toMatchObject({
      outcome: 'updated',
      changed: ['claims'],
    });
    const after = await stored('carol');
    expect(after).toEqual({ ...before, mac: after.mac, macVersion: 1n, claims: { name: 'Carol' } });
  });

  it('replaces the password, which ends every session', async () => {
    await register({ username: 'dora', password: 'correct horse' });
    const before = await stored('dora');
    expect(await register({ username: 'dora', password: 'battery staple' })).toMatchObject({ changed: ['password'] });
    const after = await stored('dora');
    expect(after.epoch).toBe(before.epoch + 1n);
    expect(await matchesPassword(after.passwordHash, rawSecret('battery staple'))).toBe(true);
  });

  it('keeps custom claims verbatim, is unchanged by the same again, and replaces them without ending a session', async () => {
    const claims = { groups: ['staff', 'admins'], nested: { b: [1.5, -0, null], a: 'ü' } };
    await register({ username: 'gina', password: 'correct horse', claims });
    const before = await stored('gina');
    expect(before.claims).toEqual({ groups: ['staff', 'admins'], nested: { a: 'ü', b: [1.5, 0, null] } });
    expect(await register({ username: 'gina', claims })).toMatchObject({ outcome: 'unchanged' });
    const change = { username: 'gina', claims: { groups: ['staff'] } };
    expect(await register(change)).toMatchObject({ outcome: 'updated', changed: ['claims'] });
    const after = await stored('gina');
    expect(after.claims).toEqual({ groups: ['staff'] });
    expect(after.epoch).toBe(before.epoch);
  });

  it('requires a password for a new user', async () => {
    await expect(register({ username: 'eve' })).rejects.toThrow(PasswordMissing);
    expect(new PasswordMissing()).toMatchObject({
      name: 'PasswordMissing',
      message: 'password: Expected 1 to 1024 characters for a new user, found nothing.',
    });
  });

  it('changes no row by a plan, nor when it is called as a plan', async () => {
    const deps = { db: test.database.drizzle, actor: commandLine, random: systemRandom, macs: testMacs };
    await register({ username: 'ida', password: 'correct horse' });
    const before = await stored('ida');
    const record = {
      username: 'ida',
      sub: null,
      password: rawSecret('another horse'),
      passwordHash: null,
      claims: { name: 'Ida' },
    };
    const plan = await planUser(deps, record);
    expect(plan).toMatchObject({ outcome: 'updated', changed: ['password', 'claims'] });
    await applyUserPlan(deps, { ...plan, outcome: 'unchanged' });
    expect(await stored('ida')).toEqual(before);
    await applyUserPlan(deps, plan);
    expect(await stored('ida')).toMatchObject({ claims: { name: 'Ida' }, epoch: before.epoch + 1n });
  });

  it('reports that another process registered the username first', async () => {
    const deps = { db: test.database.drizzle, actor: commandLine, random: systemRandom, macs: testMacs };
    const plan = await planUser(deps, {
      username: 'hanna',
      sub: null,
      password: rawSecret('correct horse'),
      passwordHash: null,
      claims: {},
    });
    await expect(applyUserPlan(deps, { ...plan, passwordHash: null })).rejects.toThrow(PasswordMissing);
    await applyUserPlan(deps, plan);
    await expect(applyUserPlan(deps, { ...plan, id: systemRandom.uuid() })).rejects.toThrow(
      'Another end-user has this username, or signs in by it as the verified address. Nothing was changed.',
    );
    expect((await stored('hanna')).id).toBe(plan.id);
  });

  it('leaves a disabled user disabled', async () => {
    await register({ username: 'fred', password: 'correct horse' });
    await disableUser(test.database.drizzle, 'fred');
    expect(await register({ username: 'fred', password: 'correct horse' })).toMatchObject({
      outcome: 'unchanged',
      disabled: true,
    });
    expect((await stored('fred')).disabledAt).not.toBeNull();
  });
});
