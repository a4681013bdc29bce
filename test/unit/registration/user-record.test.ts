import { describe, expect, it } from 'vitest';
import { RESERVED_CLAIMS, STANDARD_CLAIMS } from '../../../src/oauth/claims.ts';
import { readUserRecord } from '../../../src/registration/user-record.ts';

const alice = { username: 'alice', password: 'correct horse battery' };

function refused(record: unknown): string {
  const reading = readUserRecord(record, false);
  if (reading.ok) throw new Error('was accepted');
  return reading.problems.map((one) => `${one.key}: ${one.found} / ${one.allowed}`).join('\n');
}

function accepted(record: unknown) {
  const reading = readUserRecord(record, false);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading;
}

describe('a user with the claims of OpenID Connect', () => {
  it('keeps every standard claim with its type', () => {
    const claims = {
      name: 'Alice Ångström',
      given_name: 'Alice',
      family_name: 'Ångström',
      middle_name: 'B',
      nickname: 'al',
      preferred_username: 'alice',
      profile: 'https://example.com/alice',
      picture: 'https://example.com/alice.png',
      website: 'http://alice.example',
      email: 'alice@example.com',
      email_verified: true,
      gender: 'female',
      birthdate: '1990-02-03',
      zoneinfo: 'Europe/Stockholm',
      locale: 'sv-SE',
      phone_number: '+46 8 123 456',
      phone_number_verified: false,
      address: { formatted: 'Street 1\nTown', country: 'SE' },
      updated_at: 1_700_000_000,
    };
    expect(accepted({ ...alice, ...claims })).toEqual({
      ok: true,
      warnings: [],
      value: { sub: null, username: 'alice', password: 'correct horse battery', passwordHash: null, claims },
    });
  });

  it.each(['1990', '0000-02-29', '2000-02-29', '1990-12-31'])('accepts %s as a birthdate', (birthdate) => {
    expect(accepted({ ...alice, birthdate }).value.claims).toEqual({ birthdate });
  });

  it('accepts null within an address for an omitted member', () => {
    const address = { formatted: null, street_address: 'Street 1', locality: null };
    expect(accepted({ ...alice, address }).value.claims).toEqual({ address: { street_address: 'Street 1' } });
  });

  it('accepts null for an omitted claim', () => {
    expect(accepted({ username: 'alice', password: null, email: null }).value).toEqual({
      sub: null,
      username: 'alice',
      password: null,
      passwordHash: null,
      claims: {},
    });
  });

  it('has no omitted claim', () => {
    expect(accepted({ ...alice, email: undefined, address: undefined }).value.claims).toStrictEqual({});
  });

  it.each([' padded ', '"\\\'<>', 'пароль', 'x'.repeat(1024)])('keeps the password %j verbatim', (password) => {
    expect(accepted({ ...alice, password }).value.password).toBe(password);
  });

  it.each(['', 'x'.repeat(1025), 'se\0cret', 'se\ud800cret', 4711, ['secret']])(
    'rejects the password %j without printing it',
    (password) => {
      const words = refused({ ...alice, password });
      expect(words).toMatch(/^password: .* \/ 1 to 1024 characters/);
      expect(words).not.toMatch(/cret|4711|xxx/);
    },
  );

  it('warns of doubtful values', () => {
    expect(accepted({ username: 'a', password: 'short', email_verified: true }).warnings).toEqual([
      'password: 5 characters; expected at least 15 characters in production, 3 of them different, no common password, and no name that stands beside it',
      'email_verified: has no meaning without email',
    ]);
    expect(accepted({ username: 'a', password: 'two\nlines here' }).warnings.join()).toMatch('line break');
  });

  it.each([
    ['username', ''],
    ['username', '   '],
    ['username', 'a\nb'],
    ['username', 'a\u009bb'],
    ['username', 'x'.repeat(257)],
    ['username', 5],
    ['email', 'unknown'],
    ['email', 'two@at@example.com'],
    ['email_verified', 'true'],
    ['email_verified', 1],
    ['birthdate', '3.2.1990'],
    ['birthdate', '1990-13-01'],
    ['birthdate', '1990-02-30'],
    ['birthdate', '1991-02-29'],
    ['birthdate', '1990-2-3'],
    ['email', `${'x'.repeat(309)}@example.com`],
    ['phone_number', '4'.repeat(65)],
    ['phone_number', 46_8_123],
    ['phone_number_verified', 'yes'],
    ['profile', 'alice'],
    ['profile', `https://example.com/${'x'.repeat(2000)}`],
    ['website', 'ftp://example.com'],
    ['locale', 'sv SE'],
    ['nickname', 'x'.repeat(2001)],
    ['address', { formatted: 'x'.repeat(2001) }],
    ['address', ['Street 1']],
    ['updated_at', -1],
    ['updated_at', 1e300],
    ['updated_at', '1700000000'],
    ['picture', 'javascript:alert(1)'],
    ['name', 'zero\0'],
    ['name', ['Alice']],
    ['address', 'Street 1'],
    ['address', { planet: 'Earth' }],
    ['address', { country: 7 }],
    ['updated_at', 'today'],
  ])('rejects %s = %j', (field, value) => {
    expect(refused({ ...alice, [field]: value })).toMatch(new RegExp(`^${field}`));
  });

  it.each([
    ['nickname', 'x'.repeat(2000)],
    ['nickname', 'x'],
    ['email', `${'x'.repeat(308)}@example.com`],
    ['phone_number', '4'.repeat(64)],
    ['profile', `https://example.com/${'x'.repeat(1980)}`],
    ['address', { formatted: `${'x'.repeat(1998)}\r\n` }],
    ['locale', 'en'],
    ['locale', 'zh-Hant_TW'],
    ['updated_at', 0],
    ['updated_at', 253_402_300_799],
  ])('accepts %s = %j', (field, value) => {
    expect(accepted({ ...alice, [field]: value }).value.claims).toEqual({ [field]: value });
  });

  it.each([
    ['nickname', ''],
    ['nickname', 'two\nlines'],
    ['email', '@example.com'],
    ['email', 'alice@'],
    ['email', ' alice@example.com'],
    ['email', 'alice@example.com '],
    ['email', 'al ice@example.com'],
    ['phone_number', ''],
    ['profile', 'see https://example.com'],
    ['profile', 'https://'],
    ['profile', 'javascript:alert(1)//https://example.com'],
    ['locale', 'en-'],
    ['locale', '-en'],
    ['locale', 'en--US'],
    ['locale', ''],
    ['birthdate', '01990'],
    ['birthdate', '19900'],
    ['birthdate', '1990-01'],
    ['birthdate', '1990-00-01'],
    ['birthdate', '1990-01-01T00:00'],
    ['birthdate', '-001990-01-01'],
    ['birthdate', '+012000-01-01'],
    ['updated_at', 253_402_300_800],
    ['address', { formatted: '' }],
    ['address', { formatted: 'a\0b' }],
    ['address', { formatted: '\ud83d\n\ude00' }],
    ['address', { street_address: 'a\tb' }],
    ['address', { locality: 'two\nlines' }],
    ['address', { region: '' }],
    ['address', { postal_code: 7 }],
  ])('rejects a near miss: %s = %j', (field, value) => {
    expect(refused({ ...alice, [field]: value })).toMatch(new RegExp(`^${field}`));
  });

  it.each([
    ['username', '', '1 to 256 characters without control characters, not only spaces'],
    ['nickname', '', 'a text of 1 to 2000 characters without control characters'],
    ['profile', 'x', 'an http or https address'],
    ['email', 'x', 'an address of at most 320 characters, with one "@" and without spaces'],
    ['birthdate', 'x', 'YYYY-MM-DD (0000 for an omitted year), or YYYY'],
    ['locale', '', 'a language tag such as "en" or "pt-BR"'],
    ['phone_number', '', '1 to 64 characters, best as "+1 604 555 1234"'],
    ['updated_at', -1, 'seconds since 1970 as a number'],
    ['address', 'x', 'an object of formatted, street_address, locality, region, postal_code, country, each a text'],
    ['password', '', '1 to 1024 characters without U+0000'],
  ])('describes the values that %s expects', (field, value, expected) => {
    expect(refused({ ...alice, [field]: value }).split(' / ')[1]).toBe(expected);
  });

  it('describes the expected lines of an address', () => {
    expect(refused({ ...alice, address: { formatted: '' } })).toBe(
      'address.formatted: "" / a text of 1 to 2000 characters without control characters except line breaks',
    );
  });

  it('warns of each doubtful value on its own', () => {
    const warningsOf = (change: object) => accepted({ ...alice, ...change }).warnings;
    expect(warningsOf({ email: 'a@example.com', email_verified: true })).toEqual([]);
    expect(warningsOf({ email: 'a@example.com', phone_number: '1' })).toEqual([]);
    expect(warningsOf({ phone_number_verified: false })).toEqual([
      'phone_number_verified: has no meaning without phone_number',
    ]);
    const lineBreak = 'password: has a line break, which cannot be typed into the sign-in form';
    expect(warningsOf({ password: 'correct\nhorse battery' })).toEqual([lineBreak]);
    expect(warningsOf({ password: 'correct\rhorse battery' })).toEqual([lineBreak]);
  });

  it('accepts a username of 256 characters', () => {
    expect(accepted({ ...alice, username: 'x'.repeat(256) }).value.username).toHaveLength(256);
    expect(accepted({ ...alice, username: 'x' }).value.username).toBe('x');
  });

  it('rejects unknown names, and suggests the nearest', () => {
    expect(refused({ ...alice, emailVerified: true })).toMatch('emailVerified: an unknown key');
    expect(readUserRecord({ ...alice, emailVerified: true }, false)).toMatchObject({
      problems: [{ key: 'emailVerified', nearest: 'email_verified' }],
    });
    expect(refused({ ...alice, sub: 'two words' })).toMatch('sub: "two words" / 1 to 255 printable ASCII characters');
    expect(refused(JSON.parse('{"username": "a", "password": "bcdefghi", "__proto__": {"x": 1}}'))).toMatch(
      '__proto__',
    );
    expect(refused({ ...alice, constructor: 'x' })).toMatch('constructor: an unknown key');
  });

  it.each([null, 'text', 1, [], undefined])('rejects %j as a record', (record) => {
    expect(refused(record)).toMatch('an object with username and password');
  });
});

describe('custom claims', () => {
  const claims = (given: unknown) => ({ ...alice, claims: given });
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, 1]));

  it('are kept beside the standard claims, as any JSON', () => {
    const given = {
      groups: ['staff', 'admins'],
      roles: { shop: ['buyer'], 'https://example.com/x': null },
      level: 3.5,
      active_member: true,
      'https://example.com/claims/team': 'blue',
    };
    const { value, warnings } = accepted({ ...alice, email: 'a@example.com', claims: { ...given, gone: null } });
    expect(value.claims).toEqual({ email: 'a@example.com', ...given });
    expect(warnings).toEqual([]);
  });

  it.each(RESERVED_CLAIMS)('reject the reserved name %s', (name) => {
    expect(refused(claims({ [name]: 'x' }))).toBe(
      `claims.${name}: a reserved name / a name without another meaning in tokens`,
    );
  });

  it.each(STANDARD_CLAIMS)('reject the standard claim %s, which has its own place', (name) => {
    expect(refused(claims({ [name]: 'x' }))).toMatch(/^claims\.\w+: a claim of OpenID Connect \/ it beside "claims"/);
  });

  it.each([
    [['staff'], 'claims: a list of 1 / an object of custom claims, by name'],
    ['staff', 'claims: "staff" / an object of custom claims, by name'],
    [{ '': 1 }, 'claims: the name ""'],
    [{ _groups: 1 }, 'claims: the name "_groups" / a letter'],
    [{ 'my groups': 1 }, 'claims: the name "my groups" / a letter'],
    [{ ['g'.repeat(101)]: 1 }, 'claims: the name "ggg'],
    [{ groups: 'a\u0000b' }, 'claims.groups: something else / JSON whose texts'],
    [{ groups: ['a', { b: 'c\ud800' }] }, 'claims.groups: something else'],
    [{ groups: { 'a\nb': 1 } }, 'claims.groups: something else'],
    [{ groups: { fine: 1, b: 'c\n' } }, 'claims.groups: something else'],
    [{ groups: [undefined] }, 'claims.groups: something else'],
    [{ groups: Number.POSITIVE_INFINITY }, 'claims.groups: something else'],
    [{ groups: 'x'.repeat(4095) }, 'claims.groups: 4097 bytes / at most 4096 bytes of JSON'],
    [{ a: 'x'.repeat(4000), b: 'x'.repeat(4000), c: 'x'.repeat(200) }, 'at most 8192 bytes of JSON'],
    [many(51), 'claims: 51 / at most 50 custom claims'],
  ])('reject %j', (given, words) => {
    expect(refused(claims(given))).toContain(words);
  });

  it('may be 50, and 8192 bytes of JSON together', () => {
    const bytes = (count: number) => ({ a: 'x'.repeat(4000), b: 'x'.repeat(4000), c: 'x'.repeat(count - 8022) });
    expect(Object.keys(accepted(claims(many(50))).value.claims)).toHaveLength(50);
    expect(accepted(claims(bytes(8192))).value.claims).toEqual(bytes(8192));
    expect(refused(claims(bytes(8193)))).toBe(
      'claims: 8193 bytes / at most 8192 bytes of JSON, all custom claims together',
    );
    // A problem is reported once.
    expect(refused(claims({ a: 'x'.repeat(9000) }))).toBe('claims.a: 9002 bytes / at most 4096 bytes of JSON');
  });

  it('may have 4096 bytes each, and are reported with every other error', () => {
    expect(accepted(claims({ groups: 'x'.repeat(4094) })).value.claims).toHaveProperty('groups');
    const words = refused({ username: '', claims: { sub: 'me' }, emial: 'x' });
    expect(words).toContain('username:');
    expect(words).toContain('claims.sub:');
    expect(words).toContain('emial: an unknown key');
  });

  it('lead to a warning for a name that is nearly that of a standard claim, and for no other', () => {
    expect(accepted(claims({ emial: 'x', role: 'x', site: 'x', base: 'x', roles: [], groups: [] })).warnings).toEqual([
      'claims.emial: is not a claim of OpenID Connect. Did you mean "email"?',
    ]);
  });
});

describe('a password_hash in a record', () => {
  const HASH = '$2b$12$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe';
  it.each([
    [{ password_hash: '' }, 'password_hash: nothing / a hash'],
    [
      { password: 'correct horse battery', password_hash: HASH },
      'password_hash: password beside it / either password or password_hash',
    ],
    [
      { password_hash: '!x' },
      "password_hash: Django's mark for a user without a usable password / no password_hash for this user",
    ],
  ])('is refused: %j', (record, problem) => {
    expect(refused({ username: 'alice', ...record })).toBe(problem);
  });

  it('is stored as it is', () => {
    expect(accepted({ username: 'alice', password_hash: HASH }).value).toMatchObject({
      password: null,
      passwordHash: HASH,
    });
    expect(accepted(alice).value).toMatchObject({ passwordHash: null });
  });
});
