/** `POST /user-imports`: each record is stored whole, or refused with its reasons. */
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import fastify, { type FastifyError } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { sendFailure } from '../../../src/management/api.ts';
import { inParts } from '../../../src/management/partly-stored.ts';
import { coseKeyOf } from '../../../src/review/simulation/devices/passkey.ts';
import { users } from '../../../src/storage/schema.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails } from '../../support/mails.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const HASH = '$2b$10$moJWuUvrSpSpe9NqGP0EyuZe6amh4FIE85vZbUs94LVRpDfnsjsUa';
const SALTED = '{SSHA}MTIzNDU2Nzg5MDEyMzQ1Njc4OTBzYWx0';

describe('the import of end-users over the management API', () => {
  const mails = keptMails();
  let scene: Scene;
  let call: Caller;
  let serial = 0;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withBot(), mail: mails });
    mails.of(scene);
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

  it('refuses a name of another end-user in a dry run too, and keeps the names of each', async () => {
    const withAddress = (email: string, username?: string) => ({
      ...person(username === undefined ? {} : { username }),
      ...{ email, email_verified: true },
    });
    const own = withAddress('own@moved.example');
    const named = withAddress('another@moved.example', 'named@moved.example');
    await sent([own, named]);
    const ofAnother = [
      [withAddress('OWN@moved.example'), 'signs in by this verified address'],
      [withAddress('named@moved.example'), 'signs in by this verified address'],
      [person({ username: 'own@moved.example' }), 'has this username'],
      [{ ...named, email: own.email }, 'signs in by this verified address'],
    ] as const;
    for (const isDry of [true, false]) {
      for (const [record, words] of ofAnother)
        expect(await sent([record], isDry)).toMatchObject([
          { outcome: 'refused', reasons: [expect.stringContaining(words)] },
        ]);
      const same = await sent([own, named], isDry);
      expect(same.map(({ outcome }) => outcome)).toEqual(Array(2).fill(isDry ? 'known' : 'unchanged'));
    }
    const unproven = person({ email: own.email });
    expect(await sent([unproven], true)).toMatchObject([{ outcome: 'new' }]);
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

  const publicKey = coseKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey).toString('base64url');
  const passkey = (change: object = {}) => ({
    credential_id: randomBytes(16).toString('base64url'),
    public_key: publicKey,
    user_handle: 'aGFuZGxl',
    rp_id: 'as.test',
    ...change,
  });

  it.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00'])(
    'refuses the instant %s, and that record alone',
    async (created_at) => {
      const answer = await sent([
        person({ created_at }),
        person({ passkeys: [passkey({ created_at })] }),
        person({ created_at: '0001-01-01T00:00:00Z' }),
      ]);
      expect(answer).toMatchObject([
        { outcome: 'refused', reasons: [expect.stringContaining('created_at')] },
        { outcome: 'refused', reasons: [expect.stringContaining('passkeys.0.created_at')] },
        { outcome: 'created' },
      ]);
    },
  );

  it('refuses the second record with the `sub` or the credential id of another, and that record alone', async () => {
    const credential_id = randomBytes(16).toString('base64url');
    const sub = `auth0|${randomBytes(8).toString('hex')}`;
    for (const isDry of [true, false]) {
      const records = [
        person({ sub, passkeys: [passkey({ credential_id })] }),
        person({ sub }),
        person({ passkeys: [passkey(), passkey({ credential_id })] }),
        person(),
      ];
      expect(await sent(records, isDry)).toMatchObject([
        { outcome: isDry ? 'new' : 'created' },
        { outcome: 'refused', reasons: ['sub: Expected a value that no other record has.'] },
        { outcome: 'refused', reasons: ['passkeys.1.credential_id: Expected a value that no other record has.'] },
        { outcome: isDry ? 'new' : 'created' },
      ]);
    }
  });

  it('refuses the second record whose `sub` is the UUID of another in another case', async () => {
    const sub = randomUUID();
    const outcomes = (await sent([person({ sub: sub.toUpperCase() }), person({ sub })])).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['created', 'refused']);
  });

  it('says after a failure between its statements that some records may be stored', async () => {
    const error = new StoreUnavailable(false);
    await expect(inParts(() => Promise.reject(error))).rejects.toBe(error);
    const answers: unknown[] = [];
    const app = fastify();
    app.get('/:kind', async (request) => {
      throw (request.params as { kind: string }).kind === 'parts' ? error : new StoreUnavailable(false);
    });
    app.setErrorHandler((failed: FastifyError, request, reply) =>
      sendFailure(failed, request, reply, 'https://as.test'),
    );
    for (const kind of ['parts', 'whole']) answers.push((await app.inject(`/${kind}`)).json().detail);
    await app.close();
    expect(answers).toEqual([
      expect.stringContaining('Some records may be stored'),
      expect.stringContaining('Nothing was changed'),
    ]);
  });

  it('links an account at a provider that two records have to the first', async () => {
    const identities = [{ provider: 'google', issuer: 'https://accounts.example', sub: '7' }];
    const records = [person({ identities }), person({ identities }), person()];
    const notes = ['google: another end-user signs in with this account'];
    expect(await sent(records)).toMatchObject([{ notes: [] }, { outcome: 'created', notes }, { outcome: 'created' }]);
    expect(await sent(records)).toMatchObject([{ outcome: 'unchanged' }, { notes }, { outcome: 'unchanged' }]);
  });

  it('stores a recovery code that a record has twice once', async () => {
    const code = `$sha512$${createHash('sha512').update('code').digest('base64')}`;
    const record = person({ passkeys: [passkey()], recovery_codes: [code, code] });
    expect(await sent([record])).toMatchObject([{ outcome: 'created', notes: [] }]);
    expect(await sent([record])).toMatchObject([{ outcome: 'unchanged', notes: [] }]);
  });

  it('tells the owner of an account about a passkey that it adds, and sends no mail to a new account', async () => {
    const email = `owner${++serial}@example.com`;
    const record = person({ email, email_verified: true });
    const withKey = (key: object) => ({ ...record, passkeys: [key] });
    const key = passkey();
    expect(await sent([withKey(key)])).toMatchObject([{ outcome: 'created', notes: [] }]);
    expect(await mails.to(email)).toEqual([]);
    expect(await sent([{ ...record, passkeys: [key, passkey()] }])).toMatchObject([{ outcome: 'updated' }]);
    expect((await mails.to(email)).map(({ subject }) => subject)).toEqual([expect.stringContaining('passkey')]);
    await sent([{ ...record, passkeys: [key] }]);
    expect(await mails.to(email)).toHaveLength(1);
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
      addresses_identify: true,
    });
  });
});
