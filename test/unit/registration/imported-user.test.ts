/** The record of an end-user from another system: the members that only an import brings, their bounds, and the record made again. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MAX_PASSKEYS } from '../../../src/lifecycles/passkey/entity.ts';
import { importRecord } from '../../../src/registration/import-record.ts';
import { passkeyHost } from '../../../src/registration/imported-passkey.ts';
import { readImportedUser } from '../../../src/registration/imported-user.ts';
import { coseKeyOf } from '../../../src/review/simulation/devices/passkey.ts';

const HASH = '$2b$12$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe';
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const COSE = coseKeyOf(publicKey);
const PASSKEY = { credential_id: 'AQ', public_key: text(COSE), user_handle: 'Ag', rp_id: 'as.test' };
const IDENTITY = { provider: 'work', issuer: 'https://work.test', sub: '7' };
const CODE = `$sha512$${Buffer.alloc(64, 1).toString('base64')}`;

const read = (record: object, rules = {}) => readImportedUser({ username: 'ada', ...record }, true, rules);
const userIn = (record: object, rules = {}) => {
  const reading = read(record, rules);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.value;
};
const problemsOf = (record: object, rules = {}) => {
  const reading = read(record, rules);
  return reading.ok ? [] : reading.problems.map(({ key, allowed }) => `${key}: ${allowed}`);
};

describe('an imported end-user', () => {
  it('has none of these members where the record has none', () => {
    expect(userIn({})).toMatchObject({
      ...{ withoutPassword: false, disabled: false, createdAt: null, identities: [], totpSecrets: [], passkeys: [] },
      recoveryCodes: [],
    });
    expect(userIn({ disabled: null, identities: null }).identities).toEqual([]);
  });

  it('has each of them', () => {
    const record = {
      ...{ without_password: true, disabled: true, created_at: '2024-01-02T03:04:05+02:00', identities: [IDENTITY] },
      ...{ totp: ['A'.repeat(16)], recovery_codes: [CODE], email: 'a@b.c' },
    };
    expect(userIn(record)).toMatchObject({
      ...{ withoutPassword: true, disabled: true, createdAt: new Date('2024-01-02T01:04:05Z') },
      identities: [{ provider: 'work', issuer: 'https://work.test', subject: '7' }],
      ...{ totpSecrets: ['A'.repeat(16)], recoveryCodes: [Buffer.alloc(64, 1)], claims: { email: 'a@b.c' } },
    });
  });

  it('is refused with all problems, of both parts of the record', () => {
    expect(problemsOf({ email: 'none', disabled: 'yes' }).map((words) => words.split(':')[0])).toEqual([
      ...['email', 'disabled'],
    ]);
    expect(readImportedUser('a text', true).ok).toBe(false);
    expect(readImportedUser([], true).ok).toBe(false);
  });

  it.each([{ password: 'correct horse battery staple' }, { password_hash: HASH }])(
    'is refused without a password beside %j',
    (password) => {
      expect(read({ ...password, without_password: true })).toEqual({
        ok: false,
        problems: [
          { key: 'without_password', found: 'true beside a password', allowed: 'one of the two', nearest: null },
        ],
      });
      expect(read(password).ok).toBe(true);
    },
  );

  const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one);
  it.each<[string, unknown, string | null]>([
    ['identities', many(20, IDENTITY), null],
    ['identities', many(21, IDENTITY), 'identities: a list of at most 20'],
    ['identities', [{ ...IDENTITY, provider: 'Work' }], 'identities.0.provider: lower-case letters, digits and "-"'],
    ['identities', [{ ...IDENTITY, provider: '-work' }], 'identities.0.provider: lower-case letters, digits and "-"'],
    ['identities', [{ ...IDENTITY, provider: 'x'.repeat(40) }], null],
    [
      'identities',
      [{ ...IDENTITY, provider: 'x'.repeat(41) }],
      'identities.0.provider: lower-case letters, digits and "-"',
    ],
    ['identities', [{ ...IDENTITY, issuer: 'http://work.test' }], null],
    [
      'identities',
      [{ ...IDENTITY, issuer: 'ftp://work.test' }],
      'identities.0.issuer: the https address of the issuer',
    ],
    [
      'identities',
      [{ ...IDENTITY, issuer: 'x https://work.test' }],
      'identities.0.issuer: the https address of the issuer',
    ],
    ['identities', [{ ...IDENTITY, issuer: 'https://' }], 'identities.0.issuer: the https address of the issuer'],
    ['identities', [{ ...IDENTITY, issuer: `https://w.test/${'x'.repeat(497)}` }], null],
    [
      'identities',
      [{ ...IDENTITY, issuer: `https://w.test/${'x'.repeat(498)}` }],
      'identities.0.issuer: the https address of the issuer',
    ],
    ['identities', [{ ...IDENTITY, sub: 'x'.repeat(255) }], null],
    [
      'identities',
      [{ ...IDENTITY, sub: 'x'.repeat(256) }],
      'identities.0.sub: 1 to 255 characters without control characters',
    ],
    ['identities', [{ ...IDENTITY, sub: '' }], 'identities.0.sub: 1 to 255 characters without control characters'],
    [
      'identities',
      [{ ...IDENTITY, sub: 'a\u0000' }],
      'identities.0.sub: 1 to 255 characters without control characters',
    ],
    ['totp', many(10, 'A'.repeat(16)), null],
    ['totp', ['short'], 'totp.0: a secret of 10 to 128 bytes in base32'],
    ['recovery_codes', many(30, CODE), null],
    ['recovery_codes', [`${CODE}x`], 'recovery_codes.0: "$sha512$", and the SHA-512 of the code in base64'],
    ['recovery_codes', [`x${CODE}`], 'recovery_codes.0: "$sha512$", and the SHA-512 of the code in base64'],
    ['passkeys', many(MAX_PASSKEYS, PASSKEY), null],
    ['passkeys', many(MAX_PASSKEYS + 1, PASSKEY), `passkeys: a list of at most ${MAX_PASSKEYS}`],
    ['created_at', '0001-01-01T00:00:00Z', null],
    ['created_at', '9999-12-31T23:59:59Z', null],
    ['created_at', '0000-12-31T23:59:59Z', 'created_at: an instant such as "2026-01-31T12:00:00Z"'],
    ['created_at', '9999-12-31T23:59:59-01:00', 'created_at: an instant such as "2026-01-31T12:00:00Z"'],
    ['created_at', '2024-01-01', 'created_at: an instant such as "2026-01-31T12:00:00Z"'],
  ])('with %s has this problem, or none (%#)', (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual(problem === null ? [] : [problem]);
  });

  it.each(['totp', 'recovery_codes'])('is refused with too many %s, and prints none', (name) => {
    const [one, most] = name === 'totp' ? ['A'.repeat(16), 10] : [CODE, 30];
    const reading = read({ [name]: many(most + 1, one) });
    expect(reading).toMatchObject({ ok: false, problems: [{ key: name }] });
    expect(JSON.stringify(reading)).not.toContain(one);
  });
});

describe('an imported passkey', () => {
  const passkey = (change: object) => userIn({ passkeys: [{ ...PASSKEY, ...change }] }).passkeys[0];
  const problem = (change: object) => problemsOf({ passkeys: [{ ...PASSKEY, ...change }] });

  it('has careful values where the record does not say them', () => {
    expect(passkey({})).toEqual({
      ...{ credentialId: Buffer.of(1), publicKey: COSE, userHandle: Buffer.of(2), counter: 0, transports: [] },
      ...{ backupEligible: true, isSecondFactorOnly: false, name: null, createdAt: null, rpId: 'as.test' },
    });
  });

  it('has those that the record says', () => {
    const said = {
      ...{ algorithm: -7, counter: 7, transports: ['usb'], backup_eligible: false, backup_state: true, name: 'key' },
      ...{ discoverable: true, user_verified: true, created_at: '2024-01-01T00:00:00Z', rp_id: 'b.test' },
    };
    expect(passkey(said)).toMatchObject({
      ...{
        counter: 7,
        transports: ['usb'],
        backupEligible: false,
        isSecondFactorOnly: false,
        name: 'key',
        rpId: 'b.test',
      },
      createdAt: new Date('2024-01-01T00:00:00Z'),
    });
    expect(passkey({ name: null, created_at: null })).toMatchObject({ name: null, createdAt: null });
  });

  it.each<[object, boolean]>([
    [{ second_factor_only: true }, true],
    [{ second_factor_only: false }, false],
    [{ discoverable: false }, true],
    [{ user_verified: false }, true],
    [{ discoverable: true, user_verified: true }, false],
  ])('with %j is a second factor only: %s', (change, isSecond) => {
    expect(passkey(change)?.isSecondFactorOnly).toBe(isSecond);
  });

  it.each<[object, string | null]>([
    [{ credential_id: text(Buffer.alloc(1023, 1)) }, null],
    [{ credential_id: text(Buffer.alloc(1024, 1)) }, 'credential_id: 1 to 1023 bytes in base64url without padding'],
    [{ credential_id: '' }, 'credential_id: 1 to 1023 bytes in base64url without padding'],
    [{ credential_id: 'AQ==' }, 'credential_id: 1 to 1023 bytes in base64url without padding'],
    [{ user_handle: text(Buffer.alloc(64, 1)) }, null],
    [{ user_handle: text(Buffer.alloc(65, 1)) }, 'user_handle: 1 to 64 bytes in base64url without padding'],
    [{ user_handle: '' }, 'user_handle: 1 to 64 bytes in base64url without padding'],
    [
      { public_key: 'AQ' },
      'public_key: a COSE public key of ES256, ES384, ES512, EdDSA, RS256 or PS256, in base64url without padding',
    ],
    [
      { public_key: `${text(COSE)}=` },
      'public_key: a COSE public key of ES256, ES384, ES512, EdDSA, RS256 or PS256, in base64url without padding',
    ],
    [{ algorithm: -7 }, null],
    [{ algorithm: -8 }, 'algorithm: the algorithm of the public key'],
    [{ counter: 2 ** 32 - 1 }, null],
    [{ counter: 2 ** 32 }, 'counter: a number from 0 to 4294967295'],
    [{ counter: -1 }, 'counter: a number from 0 to 4294967295'],
    [{ transports: Array(10).fill('usb') }, null],
    [{ transports: Array(11).fill('usb') }, 'transports: names such as "internal"'],
    [{ name: 'x'.repeat(200) }, null],
    [{ name: 'x'.repeat(201) }, 'name: at most 200 characters'],
    [{ rp_id: 'x'.repeat(253) }, null],
    [{ rp_id: 'x'.repeat(254) }, 'rp_id: a host name'],
    [{ rp_id: 'AS.test' }, 'rp_id: a host name'],
    [{ rp_id: 'as.test:8443' }, 'rp_id: a host name'],
    [{ created_at: 'yesterday' }, 'created_at: '],
  ])('with %j has the problem %j', (change, expected) => {
    expect(problem(change)).toEqual(expected === null ? [] : [expect.stringContaining(`passkeys.0.${expected}`)]);
  });

  it.each(['usb ', 'USB', '', 'x'.repeat(21)])('has no transport %j', (name) => {
    expect(problem({ transports: [name] })).toHaveLength(1);
  });

  it('works for the host name of this server alone', () => {
    const passkeys = [PASSKEY, { ...PASSKEY, rp_id: 'b.test' }];
    expect(read({ passkeys }, { rpId: 'as.test' })).toEqual({
      ok: false,
      problems: [
        {
          ...{ key: 'passkeys.1.rp_id', found: '"b.test"', nearest: null },
          allowed: '"as.test", the host name of this server: a passkey works for no other',
        },
      ],
    });
    expect(read({ passkeys: [PASSKEY] }, { rpId: null })).toEqual({
      ok: false,
      problems: [
        {
          ...{ key: 'passkeys.0.rp_id', found: 'a server without a host name', nearest: null },
          allowed: 'at a server with a host name',
        },
      ],
    });
    expect(read({ passkeys }).ok).toBe(true);
    expect(read({ passkeys: [PASSKEY] }, { rpId: 'as.test' }).ok).toBe(true);
  });

  it('has the host name of the issuer, which an address does not have', () => {
    expect([passkeyHost('https://as.test:8443/x'), passkeyHost('https://192.0.2.1')]).toEqual(['as.test', null]);
  });
});

describe('an imported end-user as a record again', () => {
  it('is read as the same end-user', () => {
    const record = {
      ...{ sub: 'a-sub', password_hash: HASH, disabled: true, created_at: '2024-01-01T00:00:00Z', email: 'a@b.c' },
      ...{ identities: [IDENTITY], totp: ['A'.repeat(16)], recovery_codes: [CODE], claims: { team: 'x' } },
      passkeys: [{ ...PASSKEY, counter: 7, transports: ['usb'], backup_eligible: false, name: 'key' }],
    };
    const user = userIn(record);
    expect(importRecord(user)).toEqual({
      ...{ username: 'ada', ...record, created_at: '2024-01-01T00:00:00.000Z' },
      passkeys: [{ ...record.passkeys[0], second_factor_only: false, created_at: null }],
    });
    expect(userIn(importRecord(user))).toEqual(user);
  });

  it('has its password, and that it has none', () => {
    const typed = userIn({ password: 'correct horse battery staple' });
    expect(importRecord(typed)).toStrictEqual({
      ...{ username: 'ada', password: 'correct horse battery staple', claims: {}, identities: [], totp: [] },
      ...{ passkeys: [], recovery_codes: [] },
    });
    expect(importRecord(userIn({ without_password: true }))).toMatchObject({ without_password: true });
    const dated = userIn({ passkeys: [{ ...PASSKEY, created_at: '2024-01-01T00:00:00Z', discoverable: false }] });
    expect(importRecord(dated)).toMatchObject({
      passkeys: [{ created_at: '2024-01-01T00:00:00.000Z', second_factor_only: true }],
    });
  });
});
