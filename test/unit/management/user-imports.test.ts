/** `POST /user-imports`: each record is stored whole, or refused with its reasons. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { users } from '../../../src/storage/schema.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const HASH = '$2b$10$moJWuUvrSpSpe9NqGP0EyuZe6amh4FIE85vZbUs94LVRpDfnsjsUa';
const SALTED = '{SSHA}MTIzNDU2Nzg5MDEyMzQ1Njc4OTBzYWx0';

describe('the import of end-users over the management API', () => {
  let scene: Scene;
  let call: Caller;
  let serial = 0;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withBot() });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
  });
  afterAll(() => scene.close());

  const person = (change: object = {}) => ({ username: `moved${++serial}`, password_hash: HASH, ...change });
  const sent = async (records: readonly object[], dry_run = false) => {
    const answer = await call('POST', '/user-imports', { body: { records, dry_run } });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json().results as readonly { readonly outcome: string; readonly reasons: readonly string[] }[];
  };
  const stored = async () => (await scene.database.drizzle.select().from(users)).length;

  it('answers for each record in its place, and a repeated request changes nothing', async () => {
    const records = [person(), { username: '' }, person({ sub: 'auth0|7', disabled: true })];
    const before = await stored();
    expect((await sent(records, true)).map(({ outcome }) => outcome)).toEqual(['new', 'refused', 'new']);
    expect(await stored()).toBe(before);
    expect(await sent(records)).toMatchObject([
      { outcome: 'created', username: records[0]?.username, disabled: false, operator: false, notes: [], reasons: [] },
      { outcome: 'refused', username: '', sub: null, reasons: [expect.stringContaining('username: Expected')] },
      { outcome: 'created', sub: 'auth0|7' },
    ]);
    expect((await sent(records)).map(({ outcome }) => outcome)).toEqual(['unchanged', 'refused', 'unchanged']);
    expect((await sent(records, true)).map(({ outcome }) => outcome)).toEqual(['known', 'refused', 'known']);
  });

  it.each([true, false])('refuses the second record of one user (dry run: %s)', async (isDry) => {
    const record = person();
    const twin = { ...record, username: record.username.toUpperCase() };
    expect((await sent([record, twin], isDry))[1]).toMatchObject({
      outcome: 'refused',
      reasons: [expect.stringMatching(/^username: /)],
    });
  });

  it.each([
    ['a salted digest that the policy does not accept', { password_hash: SALTED }, 'password_hash'],
    ['a new user without a password', { password_hash: undefined }, 'password'],
    ['a member that is unknown', { role: 'operator' }, 'role'],
  ])('refuses %s', async (_, change, field) => {
    const [one] = await sent([person(change)]);
    expect(one).toMatchObject({ outcome: 'refused', reasons: [expect.stringContaining(field)] });
  });

  it('says whether the username has a role', async () => {
    expect(await sent([{ username: 'OLGA', without_password: true }], true)).toMatchObject([{ operator: true }]);
  });

  it.each(['password', 'qwertyuiopasdfghjkl'])('refuses the password %j, as a registration does', async (password) => {
    const [one] = await sent([person({ password_hash: undefined, password })]);
    expect(one).toMatchObject({ outcome: 'refused', reasons: [expect.stringMatching(/^password: /)] });
    expect(JSON.stringify(one)).not.toContain(password === 'password' ? '"password"' : password);
  });

  it.each([[[]], [Array.from({ length: 101 }, () => person())], [['text']]])(
    'refuses other bodies',
    async (records) => {
      expect((await call('POST', '/user-imports', { body: { records } })).statusCode).toBe(422);
    },
  );

  it('says its rules', async () => {
    expect((await call('GET', '/user-imports')).json()).toEqual({
      rp_id: 'as.test',
      fast_hashes: false,
      password_pepper: false,
    });
  });
});
