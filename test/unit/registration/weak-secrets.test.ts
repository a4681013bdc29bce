/** Guessable client secrets and passwords: an error in production, and a warning otherwise. */
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';
import { ConfigurationError } from '../../../src/config/problem.ts';
import { readClientMetadata } from '../../../src/registration/client-metadata.ts';
import { readDeclaredClients } from '../../../src/registration/declared-clients.ts';
import { readUserRecord } from '../../../src/registration/user-record.ts';

const configuration = loadConfiguration(new URL('../../../policies', import.meta.url).pathname, 'https://as.test');
const RANDOM_22 = 'Zr3-kW9_pQx7LmB2vT8sYc';
const WEAK_SECRETS: readonly (readonly [string, string, string])[] = [
  ['one character', 'x', '1 character'],
  ['one character too few', RANDOM_22.slice(1), '21 characters'],
  ['one character many times', 'a'.repeat(64), '1 different character'],
  ['seven different ones', 'abcdefg'.repeat(8), '7 different characters'],
];
const WEAK_PASSWORDS: readonly (readonly [string, string, string])[] = [
  ['one character', 'x', '1 character'],
  ['seven', 'correct', '7 characters'],
  // Sixteen UTF-16 units, and as many bytes again.
  ['four code points that are eight units', '😀😁😂🤣', '4 characters'],
  ['eight that compose to four', 'a\u0308o\u0308u\u0308e\u0308', '4 characters'],
  ['fourteen', 'correct horse ', '14 characters'],
  ['the same again and again', 'abababababababab', '2 different characters'],
  ['a list', 'PasswordPassword', 'one of the most common passwords'],
  ['the service', 'statehouse-2026!', 'the name of the service'],
  ['the username', 'Alice.Example', 'the username'],
  ['the username in other letters', 'alice.EXAMPLE', 'the username'],
];

describe('a client secret', () => {
  const web = { client_id: 'shop', redirect_uris: ['https://shop.example/cb'] };
  const read = (client_secret: string, production: boolean) =>
    readClientMetadata({ ...web, client_secret }, configuration, production);
  const declared = (secret: string, production: boolean) =>
    readDeclaredClients(
      {
        ...configuration,
        declaredClients: [
          { record: { ...web, client_secret_environment: ['SHOP_SECRET'] }, path: 'clients.0', lineOf: () => 3 },
        ],
      },
      { SHOP_SECRET: secret },
      'policies',
      production,
    );

  describe.each(WEAK_SECRETS)('of %s', (_, secret, found) => {
    it('is rejected in production, with the reason and without the secret', () => {
      const reading = read(secret, true);
      if (reading.ok) throw new Error('accepted');
      expect(reading.problems).toEqual([
        {
          key: 'client_secret',
          found,
          allowed: expect.stringContaining('at least 22 random characters'),
          nearest: null,
        },
      ]);
    });
    it('is a warning outside production', () => {
      const reading = read(secret, false);
      if (!reading.ok) throw new Error('refused');
      expect(reading.warnings).toEqual([expect.stringMatching(`^client_secret: ${found}; expected at least 22`)]);
    });
    it('gets the same answer in a declaration', () => {
      expect(() => declared(secret, true)).toThrow(ConfigurationError);
      expect(() => declared(secret, true)).toThrow(`SHOP_SECRET, with ${found}`);
      expect(declared(secret, false)[0]?.warnings.join()).toContain(`SHOP_SECRET, with ${found}`);
    });
  });

  it.each([RANDOM_22, 'abcdefgh'.repeat(3), '0123456789abcdef0123456789abcdef', '  spaces count, as they are used  '])(
    'that is long enough is accepted in production: %j',
    (secret) => {
      expect(read(secret, true).ok).toBe(true);
      expect(declared(secret, true)).toHaveLength(1);
    },
  );

  it('is in no error text', () => {
    const secret = 'hunter2-hunter2';
    expect(JSON.stringify(read(secret, true))).not.toContain(secret);
    expect(() => declared(secret, true)).not.toThrow(secret);
  });
});

describe('a password', () => {
  const read = (password: string, production: boolean) =>
    readUserRecord({ username: 'alice.example', password }, production);

  it.each(WEAK_PASSWORDS)('of %s is rejected in production, and a warning otherwise', (_, password, found) => {
    expect(read(password, true)).toEqual({
      ok: false,
      problems: [
        {
          key: 'password',
          found,
          allowed: expect.stringContaining('at least 15 characters in production, 3 of them different'),
          nearest: null,
        },
      ],
    });
    const elsewhere = read(password, false);
    if (!elsewhere.ok) throw new Error('refused');
    expect(elsewhere.warnings).toEqual([expect.stringMatching(`^password: ${found}; expected at least 15`)]);
  });

  it.each(['correct horse battery', 'only letters are fine', '😀😁😂🤣😅😆😇😉😀😁😂🤣😅😆😇'])(
    'of fifteen characters or more is accepted: %j',
    (password) => {
      expect(read(password, true)).toMatchObject({ ok: true, warnings: [] });
    },
  );

  it('may have to be longer by policy', () => {
    const policy = { passwordMinimumCharacters: 30, passwordMinimumCharactersWithSecondFactor: 8 };
    const reading = readUserRecord({ username: 'alice', password: 'correct horse battery' }, true, { policy });
    if (reading.ok) throw new Error('accepted');
    expect(reading.problems).toMatchObject([
      { found: '21 characters', allowed: expect.stringContaining('at least 30') },
    ]);
  });

  it("that is the user's e-mail address is rejected", () => {
    const record = { username: 'alice', email: 'alice.long.name@example.com', password: 'alice.long.name@example.com' };
    expect(readUserRecord(record, true)).toMatchObject({ ok: false, problems: [{ found: 'the username' }] });
  });

  it('that another system has hashed cannot be judged', () => {
    const password_hash = '$2b$10$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe';
    expect(readUserRecord({ username: 'alice', password_hash }, true)).toMatchObject({ ok: true, warnings: [] });
  });

  it('that is omitted is not weak: the stored one stays', () => {
    expect(readUserRecord({ username: 'alice' }, true)).toMatchObject({ ok: true, warnings: [] });
  });
});
