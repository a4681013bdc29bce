import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNREADABLE } from '../../../src/cli/records-file.ts';
import { readHash } from '../../../src/crypto/password-formats.ts';
import { readImportedUser } from '../../../src/registration/imported-user.ts';
import { SOURCES } from '../../../src/registration/sources/all.ts';
import { settled } from '../../../src/registration/sources/settle.ts';
import { EXPORTS, exportFile, FIREBASE_HASH, recordsOf, shownRecords } from '../../support/exports.ts';

const expected = JSON.parse(readFileSync(exportFile('records.json'), 'utf8')) as Record<string, unknown>;
const folder = mkdtempSync(join(tmpdir(), 'statehouse-exports-'));
const written = (name: string, text: string | Uint8Array): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const read = (input: unknown) => readImportedUser(input, true, { hashes: { fast: false, peppered: true } });
const recordsIn = (from: string, text: string | Uint8Array, options = {}) =>
  recordsOf({ from, files: [written(`${from}.txt`, text)], options });

describe('an export', () => {
  it.each(Object.entries(EXPORTS))('%s becomes these records', async (name, one) => {
    const records = await recordsOf({ ...one, files: one.files.map(exportFile) });
    expect(shownRecords(records)).toEqual(expected[name]);
    for (const { value } of records) {
      if (typeof value === 'symbol') continue;
      const { reading, leftOut } = settled(read, value);
      expect(reading.ok ? [] : reading.problems).toEqual([]);
      expect(leftOut).toEqual([]);
    }
  });

  it('of each format is among them', () => {
    const tried = new Set(Object.values(EXPORTS).map(({ from }) => from));
    expect(SOURCES.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
    expect(Object.keys(expected)).toEqual(Object.keys(EXPORTS));
  });

  it.each([
    ['keycloak', 0, 'iceberg'],
    ['keycloak', 1, 'password'],
    ['keycloak', 2, 'password'],
    ['firebase', 0, 'user1password'],
    ['auth0', 0, 'Grüße an alle 42'],
    ['django', 0, 'Grüße an alle 42'],
    ['wordpress', 0, 'Grüße an alle 42'],
    ['ldif', 0, 'Grüße an alle 42'],
  ])('of %s has hashes that verify (record %i)', async (name, place, password) => {
    const [records] = [expected[name] as { value: { password_hash: string } }[]];
    const hash = readHash(records[place]?.value.password_hash ?? '');
    if (hash.kind !== 'known') throw new Error(hash.found);
    expect(await hash.verify(password, null)).toBe(true);
    expect(await hash.verify(`${password}!`, null)).toBe(false);
  });

  it('gets new identifiers on request', async () => {
    const [first] = await recordsOf({
      from: 'okta',
      files: [exportFile('okta-users.json')],
      options: { keepsSub: false },
    });
    expect(first?.value).not.toHaveProperty('sub');
  });

  it('takes the issuer of a provider from the option before that of the file', async () => {
    const issuers = new Map([
      ['company', 'https://new.example'],
      ['facebook', 'https://facebook.example'],
    ]);
    const records = await recordsOf({
      from: 'keycloak',
      files: [exportFile('keycloak-realm.json')],
      options: { issuers },
    });
    expect(records[3]).toMatchObject({
      value: { identities: [{ issuer: 'https://new.example' }, { issuer: 'https://facebook.example', sub: '12345' }] },
      leftOut: [],
    });
  });

  it.each([
    ['"required"', undefined],
    ['"discouraged"', false],
  ])('of a realm that has %s for the owner of a passkey says so of the passkey', async (requirement, userVerified) => {
    const text = readFileSync(exportFile('keycloak-realm.json'), 'utf8').replace(
      /("webAuthnPolicyPasswordlessUserVerificationRequirement": )"required"/,
      `$1${requirement}`,
    );
    const records = await recordsIn('keycloak', text, { rpId: 'login.acme.example' });
    const keys = records.flatMap(
      ({ value }) => (value as { passkeys?: { name: string; user_verified?: boolean }[] }).passkeys ?? [],
    );
    expect(keys.find(({ name }) => name === 'Laptop')?.user_verified).toBe(userVerified);
  });

  it('knows the issuer of a social provider by its kind, under any alias', async () => {
    const user = { id: '1', username: 'a', federatedIdentities: [{ identityProvider: 'our-login', userId: '42' }] };
    const identityProviders = [{ alias: 'our-login', providerId: 'github', config: {} }];
    const [one] = await recordsIn('keycloak', JSON.stringify({ users: [user], identityProviders }));
    expect(one?.value).toMatchObject({
      identities: [{ provider: 'our-login', issuer: 'https://github.com', sub: '42' }],
    });
  });

  it('of several realms in one file brings the users of all', async () => {
    const realm = { realm: 'one', users: [{ id: 'a', username: 'a' }] };
    const records = await recordsIn(
      'keycloak',
      JSON.stringify([realm, { realm: 'two', users: [{ id: 'b', username: 'b' }] }]),
    );
    expect(records.map(({ value }) => (value as { sub?: string }).sub)).toEqual(['a', 'b']);
  });
});

const HASH = '$2b$10$moJWuUvrSpSpe9NqGP0EyuZe6amh4FIE85vZbUs94LVRpDfnsjsUa';

describe('hostile and broken input', () => {
  const MEGABYTES = 'x'.repeat(10 * 1024 * 1024);

  it.each(SOURCES.map(({ name }) => name))(
    'of %s: JSON of other types becomes refusals, never an exception',
    async (from) => {
      const odd = [
        null,
        1,
        'text',
        [],
        {},
        { id: {} },
        { users: 'none' },
        { username: ['a'] },
        { fields: 7, pk: null },
      ];
      const text = from === 'ldif' ? odd.map((one) => JSON.stringify(one)).join('\n\n') : JSON.stringify(odd);
      for (const { value, reasons } of await recordsIn(from, text)) {
        if (value === UNREADABLE) expect(reasons?.join('')).toMatch(/^(Expected|It has no)/);
      }
    },
  );

  it.each([
    [
      'auth0',
      (long: string) =>
        `{"user_id":"auth0|1","email":"a@example.com","name":"${long}"}\n{"user_id":"auth0|2","email":"b@example.com"}`,
    ],
    ['csv', (long: string) => `username,email\n${long},a@example.com\nb,b@example.com`],
    [
      'ldif',
      (long: string) =>
        `dn: uid=a\nobjectClass: person\nuid: a\ncn: ${long}\n\ndn: uid=b\nobjectClass: person\nuid: b\n`,
    ],
  ])('a line of 10 MB in %s is refused, without its text', async (from, textOf) => {
    const outcome = await recordsIn(from, textOf(MEGABYTES)).catch((error: Error) => error);
    if (outcome instanceof Error) {
      expect(outcome.message).toMatch(/is not CSV: CSV_MAX_RECORD_SIZE/);
      expect(outcome.message.length).toBeLessThan(300);
      return;
    }
    expect(outcome).toHaveLength(2);
    expect(outcome[0]?.reasons?.[0]).toMatch(/^Expected a record of at most/);
    expect(outcome[1]?.value).toMatchObject({ username: expect.stringMatching(/^b/) });
  });

  it('a member of 10 MB in a JSON list is refused by the rules of the member', async () => {
    const [one] = await recordsIn('okta', JSON.stringify([{ id: '1', profile: { login: MEGABYTES } }]));
    const { reading } = settled(read, one?.value);
    expect(reading).toMatchObject({ ok: false, problems: [{ key: 'username' }] });
  });

  it.each([
    '{"users":[{"id":"1","username":"a","__proto__":{"email":"x@example.com"},"constructor":{"prototype":{"polluted":true}}}]}',
  ])('names such as __proto__ are names like any other: %s', async (text) => {
    const [one] = await recordsIn('keycloak', text);
    expect(one?.value).toEqual({ username: 'a', sub: '1', without_password: true });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const [row] = await recordsIn('csv', 'username,__proto__,constructor\na,b,c');
    expect(row?.value).toEqual({ username: 'a', without_password: true });
    expect(row?.leftOut).toEqual(['column "__proto__": add --map for it', 'column "constructor": add --map for it']);
  });

  it.each([
    ['keycloak', `{"users": [{"username": "a", "secret": "${HASH}" oops]}`, /is not JSON: it breaks at line 1/],
    ['keycloak', `{"users": [{"username": "a"}`, /is not JSON: it ends too early/],
    ['auth0', Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), /is not UTF-8 text/],
    ['csv', Buffer.from('username\na', 'utf16le'), /is UTF-16 text/],
    ['okta', '', /is empty/],
  ])('%s: %s stops the import, without the text', async (from, text, message) => {
    const outcome = await recordsIn(from, text).catch((error: Error) => error);
    expect(outcome).toBeInstanceOf(Error);
    expect((outcome as Error).message).toMatch(message);
    expect((outcome as Error).message).not.toContain(HASH);
  });

  it('a broken line of JSON lines is refused by itself', async () => {
    const records = await recordsIn('auth0', `{"user_id":"auth0|1"}\n{"user_id": ${HASH}\n{"user_id":"auth0|3"}`);
    expect(records.map(({ line, reasons }) => [line, reasons])).toEqual([
      [1, undefined],
      [2, ['Expected a JSON object, found a line that is not JSON.']],
      [3, undefined],
    ]);
  });

  it('a row with more columns than the header is refused by itself', async () => {
    const records = await recordsIn('csv', 'username,email\na,a@example.com,more\nb,b@example.com');
    expect(records[0]).toMatchObject({ line: 2, reasons: ['Expected 2 columns, found 3.'] });
    expect(records[1]).toMatchObject({ value: { username: 'b' } });
  });

  it.each([
    ['not the parameters', 'hello'],
    ['one is missing', FIREBASE_HASH.replace('rounds: 8,', '')],
  ])('parameters of Firebase: %s', async (_, firebaseHash) => {
    const outcome = await recordsIn('firebase', '{"users":[]}', { firebaseHash }).catch((error: Error) => error);
    expect(String(outcome)).toContain('STATEHOUSE_FIREBASE_HASH: Expected the hash parameters');
    expect(String(outcome)).not.toContain(
      'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA',
    );
  });

  it('a member of --map that does not exist is named', async () => {
    const outcome = recordsIn('csv', 'a\nb', { columns: new Map([['a', 'emial']]) });
    await expect(outcome).rejects.toThrow('--map a=emial: Expected one of username, sub,');
  });
});

describe('a part of a record that the rules refuse', () => {
  it.each([
    [
      'email',
      { email: 'no address' },
      'email: it is not an address of at most 320 characters, with one "@" and without spaces',
    ],
    ['a claim', { claims: { 'a.b': 'x\u0000' } }, 'claims.a.b: it is not JSON whose texts have no control characters'],
    [
      'a hash',
      { password_hash: '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/' },
      'password: MD5-crypt, which is made to be fast, so that a leaked list of it is a list of passwords',
    ],
    ['a secret', { totp: ['short'] }, 'totp: it is not a secret of 10 to 128 bytes in base32'],
    [
      'an identity',
      { identities: [{ provider: 'a', issuer: 'a', sub: 'b' }] },
      'identities.issuer: it is not the https address of the issuer',
    ],
    ['a date', { created_at: 'yesterday' }, 'created_at: it is not an instant such as "2026-01-31T12:00:00Z"'],
  ])('stays behind: %s', (_, part, words) => {
    const { reading, leftOut } = settled(read, { username: 'ada', ...part });
    expect(reading).toMatchObject({
      ok: true,
      value: { username: 'ada', passwordHash: null, identities: [], totpSecrets: [] },
    });
    expect(leftOut).toEqual([words]);
  });

  it.each([[{ username: '' }], [{ username: 'ada', sub: 'a b' }], [{ username: 'ada', password: '' }], [7]])(
    'refuses the record: %j',
    (record) => {
      expect(settled(read, record).reading.ok).toBe(false);
    },
  );
});
