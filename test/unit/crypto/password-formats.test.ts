/** Hashes that other systems made: which are verified, and which are refused, with the reason. */
import { scryptSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  hashPassword,
  importedHashOf,
  isOutdatedHash,
  matchesPassword,
  provesWhole,
} from '../../../src/crypto/password.ts';
import { resultOf } from '../../../src/crypto/password-formats/rounds.ts';
import { hashRefusal, readHash } from '../../../src/crypto/password-formats.ts';
import { rawSecret, storedPasswordHash } from '../../../src/crypto/secret-types.ts';

/**
 * Made by other programs: argon2 by the reference implementation (its test.c), bcrypt by the crypt of glibc, PBKDF2 and scrypt by Python's
 * hashlib.
 */
const MADE_BY_OTHERS: readonly (readonly [string, string, string])[] = [
  ['argon2id', 'password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
  ['argon2i', 'password', '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA'],
  ['argon2i', 'password', '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ'],
  ['bcrypt', 'correct horse', '$2b$08$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe'],
  ['bcrypt', 'correct horse', '$2a$08$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe'],
  ['bcrypt', 'correct horse', '$2y$08$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe'],
  [
    'scrypt',
    'correct horse',
    '$scrypt$ln=12,r=8,p=1$c2l4dGVlbiBieXRlIHNsdA$9nLnQYAog+PaC+myc16bm5ZJK6ULE/Z0XkiU4oMsufY',
  ],
  [
    'PBKDF2 (sha256)',
    'correct horse',
    '$pbkdf2-sha256$i=10000,l=32$c2l4dGVlbiBieXRlIHNsdA$ZFAeNh3lB/Sq5rWJ6JKBtLLOASWsrGtjjrk81BoEG/4',
  ],
  [
    'PBKDF2 (sha256)',
    'correct horse',
    '$pbkdf2-sha256$10000$c2l4dGVlbiBieXRlIHNsdA$ZFAeNh3lB/Sq5rWJ6JKBtLLOASWsrGtjjrk81BoEG/4',
  ],
  [
    'PBKDF2 (sha512)',
    'correct horse',
    '$pbkdf2-sha512$i=10000$c2l4dGVlbiBieXRlIHNsdA$Yas03sEXqmV4mGc7Cyi8EtIOR3Vt4rD7LpfCjTqaUuTKJekrXkNvqNLT7ylj2sSHSjD7hWX8U6jRTvBZimmC9g',
  ],
  [
    'PBKDF2 (sha512)',
    'correct horse',
    '$pbkdf2-sha512$10000$c2l4dGVlbiBieXRlIHNsdA$Yas03sEXqmV4mGc7Cyi8EtIOR3Vt4rD7LpfCjTqaUuTKJekrXkNvqNLT7ylj2sSHSjD7hWX8U6jRTvBZimmC9g',
  ],
  [
    "Django's PBKDF2",
    'correct horse',
    'pbkdf2_sha256$10000$seasalt2Django$y3bQmeKsE90wOmjNWJlrqGmRlB65zsC40OO2y72xKyM=',
  ],
];

describe.each(MADE_BY_OTHERS)('%s', (format, password, hash) => {
  test(`${hash.slice(0, 16)}… is accepted, matches its password alone, and is outdated`, async () => {
    expect(readHash(hash)).toMatchObject({ kind: 'known', format, tooCheapOrDear: null });
    expect(hashRefusal(hash)).toBeNull();
    const stored = storedPasswordHash(hash);
    expect(await matchesPassword(stored, rawSecret(password))).toBe(true);
    for (const wrong of [`${password} `, password.toUpperCase(), ''])
      expect(await matchesPassword(stored, rawSecret(wrong))).toBe(false);
    expect(isOutdatedHash(stored)).toBe(true);
  });

  test(`${hash.slice(0, 16)}… with another hash does not match`, async () => {
    const tail = hash.endsWith('=') ? hash.length - 6 : hash.length - 5;
    const other = hash.slice(0, tail) + (hash[tail] === 'A' ? 'B' : 'A') + hash.slice(tail + 1);
    expect(await matchesPassword(storedPasswordHash(other), rawSecret(password))).toBe(false);
  });
});

const SALT = 'c2l4dGVlbiBieXRlIHNsdA';
const KEY = 'ZFAeNh3lB/Sq5rWJ6JKBtLLOASWsrGtjjrk81BoEG/4';
const BCRYPT = 'abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe';

describe('a rejected hash', () => {
  test.each([
    ['$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/', 'MD5-crypt, which is made to be fast'],
    ['$apr1$saltsalt$qjXMvbEw8oaL.CzflDtaK/', 'MD5-crypt, which is made to be fast'],
    ['$5$rounds=5000$salt$hash', 'SHA-crypt'],
    ['$6$salt$hash', 'SHA-crypt'],
    ['$y$j9T$salt$hash', 'yescrypt'],
    ['$7$CU..../....salt$hash', 'scrypt as crypt writes it ($7$)'],
    ['{SSHA}DkMTwBl+a/3DQTxCYEApdUtNXGgdUac3', 'a hash of LDAP'],
    ['{CRYPT}$6$salt$hash', 'a hash of LDAP'],
    [`$argon2d$v=19$m=19456,t=2,p=1$${SALT}$${KEY}`, 'argon2d, whose time depends on the password'],
    [`$2x$12$${BCRYPT}`, 'bcrypt $2x$ or $2$'],
    [`$2$12$${BCRYPT}`, 'bcrypt $2x$ or $2$'],
    ['pbkdf2_sha1$29000$salt$hash', "Django's PBKDF2 with SHA-1"],
    ['bcrypt_sha256$$2b$12$x', "Django's bcrypt of a SHA-256"],
    ['5f4dcc3b5aa765d61d8327deb882cf99', 'a bare digest in hexadecimal'],
    ['md5$salt$5f4dcc3b5aa765d61d8327deb882cf99', 'a salted MD5 or SHA-1 of Django'],
    ['hunter2', 'a text in none of the known formats, perhaps a plain password'],
    ['', 'a text in none of the known formats, perhaps a plain password'],
    [`$argon2id$${'x'.repeat(1100)}`, '1110 characters'],
  ])('%j is named', (hash, found) => {
    const read = hashRefusal(hash);
    if (read === null) throw new Error('accepted');
    expect(read.found).toContain(found);
    expect(read.expected).not.toBe('');
  });

  test.each([
    [`$argon2id$v=19$m=511,t=4,p=1$${SALT}$${KEY}`, 'm (KiB) 511, which is too cheap', 'from 512 to 262144'],
    [`$argon2id$v=19$m=512,t=1,p=1$${SALT}$${KEY}`, 'm times t 512, which is too cheap', 'from 1024 to 1048576'],
    [`$argon2id$v=19$m=262145,t=1,p=1$${SALT}$${KEY}`, 'm (KiB) 262145, which costs too much', 'from 512 to 262144'],
    [`$argon2i$v=19$m=262144,t=5,p=1$${SALT}$${KEY}`, 'm times t 1310720, which costs too much', '1048576'],
    [`$argon2id$v=19$m=4096,t=21,p=1$${SALT}$${KEY}`, 't 21, which costs too much', 'from 1 to 20'],
    [`$argon2id$v=19$m=4096,t=2,p=17$${SALT}$${KEY}`, 'p 17, which costs too much', 'from 1 to 16'],
    [`$2b$07$${BCRYPT}`, 'cost 7, which is too cheap', 'from 8 to 14'],
    [`$2b$15$${BCRYPT}`, 'cost 15, which costs too much', 'from 8 to 14'],
    [`$scrypt$ln=11,r=8,p=1$${SALT}$${KEY}`, 'too cheap', 'from 32768 to 2097152'],
    [`$scrypt$ln=20,r=8,p=1$${SALT}$${KEY}`, 'costs too much', 'from 32768 to 2097152'],
    [`$scrypt$ln=31,r=8,p=1$${SALT}$${KEY}`, 'ln 31, which costs too much', 'from 10 to 20'],
    [`$pbkdf2-sha256$i=9999$${SALT}$${KEY}`, 'iterations: 9999, which is too cheap', 'from 10000 to 2000000'],
    [`$pbkdf2-sha256$i=2000001$${SALT}$${KEY}`, 'iterations: 2000001, which costs too much', 'to 2000000'],
    [`pbkdf2_sha256$1$saltsalt$${KEY}=`, 'iterations: 1, which is too cheap', 'from 10000'],
    [`pbkdf2_sha256$10000$salt$${KEY}=`, 'a salt of bytes: 4', 'from 8 to 64'],
    [`$pbkdf2-sha256$i=10000$${SALT}$QUJD`, 'a hash of bytes: 3', 'from 16 to 64'],
  ])('%j: its cost is named, with the limits', (hash, found, expected) => {
    const read = hashRefusal(hash);
    if (read === null) throw new Error('accepted');
    expect(read.found).toContain(found);
    expect(read.expected).toContain(expected);
  });

  test.each([
    '$argon2id$v=19$m=19456,t=2,p=1$$',
    `$argon2id$v=18$m=19456,t=2,p=1$${SALT}$${KEY}`,
    `$argon2id$v=19$m=19456,t=2,p=1$${SALT}`,
    '$2b$12$short',
    `$2b$12$${BCRYPT}x`,
    `$scrypt$ln=12,r=8$${SALT}$${KEY}`,
    `$pbkdf2-sha256$i=10000,l=31$${SALT}$${KEY}`,
    `$pbkdf2-sha256$i=10000$${SALT}$${KEY}\n`,
    'pbkdf2_sha256$10000$saltsalt$!',
  ])('%j is garbled, and its text is not repeated', (hash) => {
    const read = hashRefusal(hash);
    if (read === null) throw new Error('accepted');
    expect(read.found).not.toContain(SALT);
    expect(read.found).not.toContain('saltsalt');
  });
});

test('a password that another system hashed without normalization still matches', async () => {
  const decomposed = 'passe\u0301';
  const { hash } = await import('@node-rs/bcrypt');
  const stored = storedPasswordHash(await hash(decomposed, 8));
  expect(await matchesPassword(stored, rawSecret(decomposed))).toBe(true);
  expect(await matchesPassword(stored, rawSecret('passe'))).toBe(false);
});

test('a stored hash is verified at any cost: only an import checks the cost', async () => {
  const { hash } = await import('@node-rs/argon2');
  const stored = storedPasswordHash(await hash('cheap', { memoryCost: 64, timeCost: 1 }));
  expect(hashRefusal(stored)).not.toBeNull();
  expect(await matchesPassword(stored, rawSecret('cheap'))).toBe(true);
  expect(await matchesPassword(stored, rawSecret('dear'))).toBe(false);
});

test('the hash of no password matches nothing', async () => {
  for (const password of ['', 'a password of no account'])
    expect(await matchesPassword(storedPasswordHash(''), rawSecret(password))).toBe(false);
});

test('a new hash is not outdated', async () => {
  expect(isOutdatedHash(await hashPassword(rawSecret('correct horse')))).toBe(false);
});

test('the fingerprint of an imported hash is the same for the same hash, and contains no part of it', () => {
  const [, , hash = ''] = MADE_BY_OTHERS[3] ?? [];
  const kept = importedHashOf(storedPasswordHash(hash));
  expect(kept).toBe(importedHashOf(storedPasswordHash(hash)));
  expect(kept).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(kept).not.toBe(importedHashOf(storedPasswordHash(`${hash}x`)));
});

describe('a hash whose rounds read the whole password', () => {
  const password = 'x'.repeat(1024);
  test.each([
    ['as WordPress makes it', 13, true],
    ['with as many rounds as a password of 20 characters may have', 19, false],
  ])('%s takes a password of 1024 characters: %s', async (_, log2, isTaken) => {
    const digit = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'[log2];
    const checksum = resultOf({ kind: 'phpass', rounds: 2 ** log2, salt: 'saltsalt', password });
    const stored = storedPasswordHash(`$P$${digit}saltsalt${checksum}`);
    expect(await matchesPassword(stored, rawSecret(password))).toBe(isTaken);
  });
});

// Made by the crypt of glibc. The passwords are shorter and longer than a digest.
test.each([
  ['sha256', 'a', 1000, 'PUh3dLhrRUf5DImijCTHA/6RNalgRtHHx.PjXg80gE2'],
  ['sha512', 'a', 1000, 'RrPGXWEiJKglBQ7c4Z7ubMQSfj96YZui3FKtC93SVTqGfF2ex1C1SYjoBtBB4ba3rt/BD7RfAsnl9LRml0K1.0'],
  ['sha256', 'Hello world! '.repeat(6), 1001, 'PT8vw2/4yj6CSKp.nEJgXdRL/NhkgFLjVE5df8bSNJ.'],
  [
    'sha512',
    'Hello world! '.repeat(12),
    1006,
    'faxpFI1cukNqusFrbzN0VVnMfSt1vo36QZSp9HBy08otjfRQQp6uhiQDkBfx/HvNqQC6nJZMHuLgyXcULowwC1',
  ],
] as const)('SHA-crypt of %s and %j in %d rounds has its checksum', (algorithm, password, rounds, checksum) => {
  expect(resultOf({ kind: 'sha-crypt', algorithm, rounds, salt: 'saltstring', password })).toBe(checksum);
});

test('the most memory that a limit allows suffices for scrypt', async () => {
  const key = scryptSync('a password', 'sixteen byte slt', 32, { N: 1024, r: 32, p: 16, maxmem: 2 ** 26 });
  const stored = storedPasswordHash(`$scrypt$ln=10,r=32,p=16$c2l4dGVlbiBieXRlIHNsdA$${key.toString('base64')}`);
  expect(await matchesPassword(stored, rawSecret('a password'))).toBe(true);
});

test('a hash of Devise without a pepper matches without one', async () => {
  const { hash } = await import('@node-rs/bcrypt');
  const stored = storedPasswordHash(`{devise}${await hash('correct horse', 4)}`);
  expect(await matchesPassword(stored, rawSecret('correct horse'))).toBe(true);
});

test.each([
  ['a'.repeat(72), true],
  ['a'.repeat(73), false],
  // 72 bytes composed, and 73 as typed.
  [`${'a'.repeat(70)}e\u0301`, false],
])('bcrypt proves all of %j: %s', (password, isWhole) => {
  expect(provesWhole(storedPasswordHash(`$2b$08$${BCRYPT}`), rawSecret(password))).toBe(isWhole);
});
