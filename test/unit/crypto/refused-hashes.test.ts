/** Hashes that an import refuses: the name and the expected form of each, and the limits themselves, which are accepted. */
import { describe, expect, it } from 'vitest';
import { bytesOf, sameBytes } from '../../../src/crypto/password-formats/reading.ts';
import { ACCEPTED_FORMATS, hashRefusal, readHash } from '../../../src/crypto/password-formats.ts';
import { HASHES_OF_OTHERS } from '../../support/hashes-of-others.ts';

const ALL = { fast: true, peppered: true };
const SALT = 'c2l4dGVlbiBieXRlIHNsdA';
const KEY = 'ZFAeNh3lB/Sq5rWJ6JKBtLLOASWsrGtjjrk81BoEG/4';
const HEX = '00'.repeat(32);
const B53 = 'abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe';
const ARGON2 = '$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH';
const PBKDF2 = '$pbkdf2-sha256$i=600000,l=32$SALT$HASH or $pbkdf2-sha256$600000$SALT$HASH';
const SCRYPT = '$scrypt$ln=16,r=8,p=1$SALT$HASH';
const BASE64 = 'base64 for salt and hash';
const SIGNER = Buffer.alloc(64).toString('base64');
const isFast = (name: string) =>
  `${name}, which is made to be fast, so that a leaked list of it is a list of passwords`;
const bytes = (size: number) => Buffer.alloc(size).toString('base64');

describe('a hash that begins as a known format and continues differently', () => {
  it.each([
    ['$argon2id$x', 'argon2', ARGON2],
    [`$argon2id$v=19$m=19456,t=2,x=1$${SALT}$${KEY}`, 'argon2', ARGON2],
    [`$argon2id$v=19$m=19456,t=2,p=1,x=1$${SALT}$${KEY}`, 'argon2', ARGON2],
    [`$argon2id$v=19$m=19456,t=2$${SALT}$${KEY}`, 'argon2', ARGON2],
    [`$argon2id$v=19$m=19456,t=2,p=x$${SALT}$${KEY}`, 'argon2', ARGON2],
    [`$argon2id$v=19$m=19456,t=2,p=1x$${SALT}$${KEY}`, 'argon2', ARGON2],
    [`$argon2id$v=19$m=19456,t=2,p=x1$${SALT}$${KEY}`, 'argon2', ARGON2],
    [`$argon2id$v=19$m=1234567890,t=2,p=1$${SALT}$${KEY}`, 'argon2', ARGON2],
    [`$argon2id$v=19$m=19456,t=2,p=1$A$${KEY}`, 'argon2id', BASE64],
    [`$argon2i$v=19$m=19456,t=2,p=1$${SALT}$A`, 'argon2i', BASE64],
    ['$2b$12$x', 'bcrypt', '$2b$12$ and 53 characters'],
    [`$2b$1$${B53}`, 'bcrypt', '$2b$12$ and 53 characters'],
    [`$2b$12$${B53.slice(1)}`, 'bcrypt', '$2b$12$ and 53 characters'],
    ['{devise}x', "Devise's bcrypt", '{devise}$2b$12$ and 53 characters'],
    ['bcrypt$x', "Django's bcrypt", 'bcrypt$$2b$12$ and 53 characters'],
    ['bcrypt_sha256$x', "Django's bcrypt of a SHA-256", 'bcrypt_sha256$$2b$12$ and 53 characters'],
    ['$bcrypt-sha256$x', "passlib's bcrypt of a SHA-256", '$bcrypt-sha256$v=2,t=2b,r=12$SALT$HASH'],
    ['$wp$x', 'a WordPress 6.8 hash', '$wp$2b$12$ and 53 characters'],
    ['$5$x$y', 'SHA-crypt', '$6$SALT$HASH or $6$rounds=5000$SALT$HASH'],
    [`$5$salt$${'a'.repeat(86)}`, 'SHA-crypt', '$6$SALT$HASH or $6$rounds=5000$SALT$HASH'],
    [`$6$salt$${'a'.repeat(43)}`, 'SHA-crypt', '$6$SALT$HASH or $6$rounds=5000$SALT$HASH'],
    [`$6$${'a'.repeat(17)}$${'a'.repeat(86)}`, 'SHA-crypt', '$6$SALT$HASH or $6$rounds=5000$SALT$HASH'],
    ['$P$x', 'phpass (WordPress before 6.8, phpBB)', '$P$B and 30 characters'],
    ['$pbkdf2$x', 'PBKDF2', PBKDF2],
    [`$pbkdf2-sha256$i=10000,l=31$${SALT}$${KEY}`, 'PBKDF2', PBKDF2],
    [`$pbkdf2-sha256$10000$A$${KEY}`, 'PBKDF2 (sha256)', BASE64],
    [`$pbkdf2-sha256$10000$${SALT}$A`, 'PBKDF2 (sha256)', BASE64],
    [`$pbkdf2-sha256$i=10000,l=32$${SALT}$A`, 'PBKDF2', PBKDF2],
    [`AA${'A'.repeat(63)}B==`, 'an ASP.NET Identity hash (version 2)', 'the base64 of PasswordHash'],
    ['{pbkdf2-sha1}x', 'PBKDF2 (sha1) of LDAP', '{PBKDF2-SHA256}10000$SALT$HASH'],
    ['{pbkdf2-sha256}x', 'PBKDF2 (sha256) of LDAP', '{PBKDF2-SHA256}10000$SALT$HASH'],
    ['{pbkdf2-sha512}x', 'PBKDF2 (sha512) of LDAP', '{PBKDF2-SHA256}10000$SALT$HASH'],
    ['{pbkdf2}x$', 'PBKDF2 (sha1) of LDAP', '{PBKDF2-SHA256}10000$SALT$HASH'],
    ['pbkdf2_sha256$x', "Django's PBKDF2", 'pbkdf2_sha256$600000$SALT$HASH'],
    ['pbkdf2_sha1$x', "Django's PBKDF2 with SHA-1", 'pbkdf2_sha1$600000$SALT$HASH'],
    ['pbkdf2:x', "werkzeug's PBKDF2", 'pbkdf2:sha256:600000$SALT$HASH'],
    ['{pbkdf2}00', "Spring Security's PBKDF2", '{pbkdf2} and 40 bytes in hexadecimal (its default settings)'],
    [
      `{pbkdf2}${'0'.repeat(81)}`,
      "Spring Security's PBKDF2",
      '{pbkdf2} and 40 bytes in hexadecimal (its default settings)',
    ],
    [
      '{pbkdf2@SpringSecurity_v5_8}00',
      "Spring Security's PBKDF2",
      '{pbkdf2} and 48 bytes in hexadecimal (its default settings)',
    ],
    [`AQAAAA${'B'.repeat(41)}`, 'an ASP.NET Core Identity hash (version 3)', 'the base64 of PasswordHash'],
    [aspNet({ digest: 3 }), 'an ASP.NET Core Identity hash (version 3)', 'SHA-1, SHA-256 or SHA-512'],
    [aspNet({ saltLength: 49 }), 'an ASP.NET Core Identity hash (version 3)', 'SHA-1, SHA-256 or SHA-512'],
    ['{SSHA}AAAA', 'a hash of LDAP ({SSHA})', '{SSHA} and base64'],
    [`{SSHA}${bytes(20)}`, 'a hash of LDAP ({SSHA})', '{SSHA} and base64'],
    [`{SSHA256}${bytes(32)}`, 'a hash of LDAP ({SSHA256})', '{SSHA256} and base64'],
    [`{SSHA384}${bytes(48)}`, 'a hash of LDAP ({SSHA384})', '{SSHA384} and base64'],
    [`{SSHA512}${bytes(64)}`, 'a hash of LDAP ({SSHA512})', '{SSHA512} and base64'],
    ['{SSHA}!', 'a hash of LDAP ({SSHA})', '{SSHA} and base64'],
    ['{sha256}00', "Spring Security's SHA-256", '{sha256} and 40 bytes in hexadecimal'],
    [`{sha256}${'0'.repeat(81)}`, "Spring Security's SHA-256", '{sha256} and 40 bytes in hexadecimal'],
    ['$sha256$x', 'a salted digest of Kratos', '$sha256$pf=FORMAT$SALT$HASH'],
    ['$sha256$pf=A$QUJD$QUJD', 'a salted digest of Kratos', BASE64],
    ['$sha256$pf=QUJD$A$QUJD', 'a salted digest of Kratos', BASE64],
    ['$sha256$pf=QUJD$QUJD$A', 'a salted digest of Kratos', BASE64],
    ['$scrypt$x', 'scrypt', SCRYPT],
    [`$scrypt$ln=14,r=8,p=1$A$${KEY}`, 'scrypt', BASE64],
    [`$scrypt$ln=14,r=8,p=1$${SALT}$A`, 'scrypt', BASE64],
    ['scrypt$x', "Django's scrypt", 'scrypt$16384$SALT$8$5$HASH'],
    ['scrypt:x', "werkzeug's scrypt", 'scrypt:32768:8:1$SALT$HASH'],
    ['{scrypt}x', "Spring Security's scrypt", '{scrypt}$100801$SALT$HASH'],
    ['$firescrypt$x', "Firebase's scrypt", '$firescrypt$ln=14,r=8,p=1$SALT$HASH$SEPARATOR$SIGNERKEY'],
    [`$firescrypt$ln=14,r=8,p=1$A$${bytes(64)}$Bw==$${bytes(64)}`, "Firebase's scrypt", BASE64],
    [`$firescrypt$ln=14,r=8,p=1$${SALT}$A$Bw==$${bytes(64)}`, "Firebase's scrypt", BASE64],
    [`$firescrypt$ln=14,r=8,p=1$${SALT}$${bytes(64)}$A$${bytes(64)}`, "Firebase's scrypt", BASE64],
    [`$firescrypt$ln=14,r=8,p=1$${SALT}$${bytes(64)}$Bw==$A`, "Firebase's scrypt", BASE64],
  ])('%s', (hash, format, expected) => {
    const found = `a hash that begins as ${format} and continues differently`;
    expect(hashRefusal(hash, ALL)).toEqual({ found, expected });
  });
});

describe('a hash of a kind that no import accepts', () => {
  it.each([
    [`$argon2id$v=18$m=19456,t=2,p=1$${SALT}$${KEY}`, 'argon2id of version 18', 'argon2id of version 19 or 16'],
    [
      `$argon2i$v=19$m=19456,t=2,p=1,data=x$${SALT}$${KEY}`,
      'argon2i with associated data or a key',
      'argon2i with m, t and p alone',
    ],
    [
      `$argon2id$v=19$m=19456,t=2,p=1,keyid=x$${SALT}$${KEY}`,
      'argon2id with associated data or a key',
      'argon2id with m, t and p alone',
    ],
    ['$argon2d$x', 'argon2d, whose time depends on the password', 'argon2id or argon2i'],
    [`$pbkdf2-sha256$0$${SALT}$${KEY}`, 'PBKDF2 (sha256) without iterations', PBKDF2],
    [`scrypt:1000:8:1$salty123$${HEX}`, "werkzeug's scrypt with a cost that is no power of two", SCRYPT],
    [`scrypt$1000$saltsalt$8$1$${KEY}=`, "Django's scrypt with a cost that is no power of two", SCRYPT],
    [
      `$firescrypt$ln=14,r=8,p=1$${SALT}$${bytes(64)}$Bw==$${bytes(63)}`,
      "Firebase's scrypt with a signer key and a hash of 63 and 64 bytes",
      '64 bytes each: the parameters of the project stand in the Firebase console',
    ],
    [
      `$firescrypt$ln=14,r=8,p=1$${SALT}$${bytes(63)}$Bw==$${bytes(64)}`,
      "Firebase's scrypt with a signer key and a hash of 64 and 63 bytes",
      '64 bytes each: the parameters of the project stand in the Firebase console',
    ],
    [
      `$sha256$pf=${Buffer.from('{SALT}').toString('base64')}$QUJD$QUJD`,
      'a salted digest of Kratos without {PASSWORD} and {SALT} in its format',
      'both in the format',
    ],
    [
      `$sha256$pf=${Buffer.from('{PASSWORD}').toString('base64')}$QUJD$QUJD`,
      'a salted digest of Kratos without {PASSWORD} and {SALT} in its format',
      'both in the format',
    ],
    ['{noop}x', 'a plain password of Spring Security ({noop})', ACCEPTED_FORMATS],
    ['{CLEARTEXT}x', 'a plain password of LDAP ({CLEARTEXT})', ACCEPTED_FORMATS],
    ['{SHA}x', 'a digest of LDAP without a salt ({SHA})', ACCEPTED_FORMATS],
    ['{SHA-1}x', 'a digest of Spring Security ({SHA-1})', ACCEPTED_FORMATS],
    ['{SHA-256}x', 'a digest of Spring Security ({SHA-256})', ACCEPTED_FORMATS],
    ['{MD4}x', 'a digest of Spring Security ({MD4})', ACCEPTED_FORMATS],
    ['{MD5}x', 'a digest without a salt ({MD5})', ACCEPTED_FORMATS],
    ['{SMD5}x', 'a hash of LDAP ({SMD5}), which is MD5', ACCEPTED_FORMATS],
    ['{x}y', 'a hash of LDAP or Spring Security with an unknown {scheme} in front', ACCEPTED_FORMATS],
    ['{ldap}x{noop}y', 'a hash of LDAP or Spring Security with an unknown {scheme} in front', ACCEPTED_FORMATS],
    ['{ldap}x', 'a hash of LDAP or Spring Security with an unknown {scheme} in front', ACCEPTED_FORMATS],
    ['{', 'a hash of LDAP or Spring Security with an unknown {scheme} in front', ACCEPTED_FORMATS],
    ['{crypt}x', 'a hash of LDAP ({CRYPT}), with a crypt of an unknown kind, perhaps DES', ACCEPTED_FORMATS],
    ['{crypt}$1$x$y', `a hash of LDAP ({CRYPT}), with ${isFast('MD5-crypt')}`, ACCEPTED_FORMATS],
    ['$y$x', 'yescrypt', ACCEPTED_FORMATS],
    ['$7$x', 'scrypt as crypt writes it ($7$)', `scrypt as a PHC string, ${SCRYPT}`],
    ['$2x$x', 'bcrypt $2x$ or $2$, which old faults have made ambiguous', 'bcrypt as $2a$, $2b$ or $2y$'],
    ['$2$x', 'bcrypt $2x$ or $2$, which old faults have made ambiguous', 'bcrypt as $2a$, $2b$ or $2y$'],
    ['$1$x', isFast('MD5-crypt'), ACCEPTED_FORMATS],
    ['$apr1$x', isFast('MD5-crypt'), ACCEPTED_FORMATS],
    ['$md5-crypt$x', isFast('MD5-crypt'), ACCEPTED_FORMATS],
    ['!x', "Django's mark for a user without a usable password", 'no password_hash for this user'],
    ['sha256$salt$ab', isFast('a salted digest of werkzeug'), ACCEPTED_FORMATS],
    ['sha512$salt$AB', isFast('a salted digest of werkzeug'), ACCEPTED_FORMATS],
    ['md5$x', isFast('a salted MD5 or SHA-1 of Django'), ACCEPTED_FORMATS],
    ['sha1$x', isFast('a salted MD5 or SHA-1 of Django'), ACCEPTED_FORMATS],
    ['unsalted_md5$x', isFast('a salted MD5 or SHA-1 of Django'), ACCEPTED_FORMATS],
    ['unsalted_sha1$x', isFast('a salted MD5 or SHA-1 of Django'), ACCEPTED_FORMATS],
    ['$S$x', 'a Drupal 7 hash', ACCEPTED_FORMATS],
    ['$md5$x', isFast('a digest of Kratos ($md5$, $hmac-…$)'), ACCEPTED_FORMATS],
    ['$hmac-sha256$x', isFast('a digest of Kratos ($md5$, $hmac-…$)'), ACCEPTED_FORMATS],
    ...[32, 40, 56, 64, 96, 128].map((size) => [
      'aB'.repeat(size / 2),
      isFast('a bare digest in hexadecimal'),
      ACCEPTED_FORMATS,
    ]),
    ['$x$y$z', 'a hash of an unknown kind: it begins with "$", as hashes do', ACCEPTED_FORMATS],
    ['$x$\n$', 'a hash of an unknown kind: it begins with "$", as hashes do', ACCEPTED_FORMATS],
    ['x'.repeat(1025), '1025 characters', 'at most 1024 characters'],
  ])('%s', (hash, found, expected) => {
    expect(hashRefusal(hash as string, ALL)).toEqual({ found, expected });
  });
});

describe('a text in none of the known formats', () => {
  it.each([
    'plain',
    '',
    'x'.repeat(1024),
    `x$argon2id$v=19$m=19456,t=2,p=1$${SALT}$${KEY}`,
    `x$2b$12$${B53}`,
    'x$1$y',
    'x$y$z$',
    'x!',
    'x{noop}y',
    `x${'a'.repeat(32)}`,
    `${'a'.repeat(32)}x`,
    `${'a'.repeat(32)}:${'a'.repeat(127)}`,
    `${'a'.repeat(31)}:${'a'.repeat(128)}`,
    `x${'a'.repeat(32)}:${'a'.repeat(128)}`,
    `${'a'.repeat(32)}:${'a'.repeat(128)}x`,
    `xAA${'A'.repeat(64)}==`,
    `AA${'A'.repeat(64)}==x`,
    `AQAAAA${'A'.repeat(39)}`,
    `xAQAAAA${'A'.repeat(40)}`,
    'xsha256$salt$ab',
    'sha256$salt$xyz',
    'xmd5$y',
    'xscrypt:y',
    'xscrypt$y',
    'xpbkdf2:y',
    'xpbkdf2_sha256$y',
    'xbcrypt$y',
    'xargon2$y',
  ])('%s', (hash) => {
    const found = 'a text in none of the known formats, perhaps a plain password';
    expect(hashRefusal(hash, ALL)).toEqual({ found, expected: ACCEPTED_FORMATS });
  });
});

function aspNet({ digest = 1, saltLength = 16, iterations = 10_000 }: { [name: string]: number }): string {
  const hash = Buffer.alloc(61);
  hash[0] = 1;
  hash.writeUInt32BE(digest, 1);
  hash.writeUInt32BE(iterations, 5);
  hash.writeUInt32BE(saltLength, 9);
  return hash.toString('base64');
}

describe('a hash at a limit', () => {
  const argon2 = (parameters: string) => `$argon2id$v=19$${parameters}$${SALT}$${KEY}`;
  const scrypt = (ln: number, r: number, p: number) => `$scrypt$ln=${ln},r=${r},p=${p}$${SALT}$${KEY}`;
  const pbkdf2 = (salt: number, key: number) => `$pbkdf2-sha256$10000$${bytes(salt)}$${bytes(key)}`.replaceAll('=', '');
  it.each([
    argon2('m=512,t=2,p=1'),
    argon2('m=262144,t=4,p=16'),
    argon2('m=1024,t=1,p=1'),
    argon2('m=52428,t=20,p=1'),
    `$argon2i$v=16$m=19456,t=2,p=1$${SALT}$${KEY}`,
    `$argon2i$m=19456,t=2,p=1$${SALT}$${KEY}`,
    `$2b$08$${B53}`,
    `$2b$14$${B53}`,
    `$bcrypt-sha256$v=2,t=2b,r=8$${B53.slice(0, 22)}$${B53.slice(22)}`,
    `pbkdf2_sha256$10000$saltsalt$${KEY}`,
    `scrypt$8192$saltsalt$16$10$${KEY}`,
    `scrypt:8192:16:10$saltsalt$${HEX}`,
    `{scrypt}$d100a$${SALT}$${KEY}`,
    `$firescrypt$ln=13,r=16,p=10$${SALT}$${SIGNER}$Bw$${SIGNER}`,
    scrypt(10, 32, 1),
    scrypt(15, 1, 1),
    scrypt(16, 32, 1),
    scrypt(17, 1, 16),
    scrypt(20, 2, 1),
    `$scrypt$ln=1024,r=32,p=1$${SALT}==$${KEY}=`,
    `$pbkdf2-sha256$10000$${SALT}$${KEY}`,
    `$pbkdf2-sha256$i=2000000,l=32$${SALT}$${KEY}`,
    `$pbkdf2$10000$${SALT}$${KEY}`,
    pbkdf2(8, 16),
    pbkdf2(64, 64),
    `$6$rounds=5000$s$${'a'.repeat(86)}`,
    `$5$rounds=1000000$${'s'.repeat(16)}$${'a'.repeat(43)}`,
    '$P$912345678abcdefghijklmnopqrstuv',
    '$H$I12345678abcdefghijklmnopqrstuv',
    `{SSHA}${bytes(24)}`,
    `{SSHA}${bytes(84)}`,
    aspNet({ digest: 0 }),
    aspNet({ digest: 2 }),
    aspNet({ saltLength: 8 }),
    aspNet({ saltLength: 32 }),
  ])('%s', (hash) => {
    expect(hashRefusal(hash, ALL)).toBeNull();
  });

  it.each([
    [pbkdf2(7, 32), 'a salt of bytes: 7, which is too cheap to guess', 'a salt of bytes: from 8 to 64'],
    [pbkdf2(65, 32), 'a salt of bytes: 65, which costs too much at every sign-in', 'a salt of bytes: from 8 to 64'],
    [pbkdf2(16, 15), 'a hash of bytes: 15, which is too cheap to guess', 'a hash of bytes: from 16 to 64'],
    [pbkdf2(16, 65), 'a hash of bytes: 65, which costs too much at every sign-in', 'a hash of bytes: from 16 to 64'],
  ])('and beyond it is not: %s', (hash, found, expected) => {
    expect(hashRefusal(hash)).toEqual({
      found: `PBKDF2 (sha256) with ${found}`,
      expected: `PBKDF2 (sha256) with ${expected}`,
    });
  });

  it.each([
    [argon2('m=1048576,t=0,p=1'), 'm (KiB) 1048576'],
    [argon2('m=19456,t=0,p=1'), 't 0'],
    [argon2('m=19456,t=2,p=0'), 'p 0'],
    [argon2('m=52429,t=20,p=1'), 'm times t 1048580'],
    [scrypt(9, 32, 16), 'ln 9'],
    [scrypt(15, 0, 1), 'r 0'],
    [scrypt(15, 33, 1), 'r 33'],
    [scrypt(15, 8, 0), 'p 0'],
    [scrypt(15, 1, 17), 'p 17'],
    [scrypt(14, 1, 1), '2^ln times r times p 16384'],
    [scrypt(18, 9, 1), '2^ln times r times p 2359296'],
    [aspNet({ saltLength: 48 }), 'a hash of bytes: 0'],
    [`{SSHA}${bytes(23)}`, 'a salt of bytes: 3'],
    [`{SSHA}${bytes(85)}`, 'a salt of bytes: 65'],
    [`$6$rounds=4999$s$${'a'.repeat(86)}`, 'rounds: 4999'],
    [`$6$rounds=1000001$s$${'a'.repeat(86)}`, 'rounds: 1000001'],
    ['$P$812345678abcdefghijklmnopqrstuv', 'the logarithm of its rounds: 10'],
    ['$P$J12345678abcdefghijklmnopqrstuv', 'the logarithm of its rounds: 21'],
  ])('and beyond it is named: %s', (hash, found) => {
    expect(hashRefusal(hash, ALL)?.found).toContain(` with ${found}, which `);
  });
});

it('a hash without its salted digests or pepper allowed says which setting allows it', () => {
  const digest = `{SSHA}${bytes(24)}`;
  expect(hashRefusal(digest)).toEqual({
    found: isFast('a hash of LDAP ({SSHA})'),
    expected: `${ACCEPTED_FORMATS}. With importFastHashes in sign-in.yaml it is verified once, and replaced`,
  });
  expect(hashRefusal(`{devise}$2a$12$${B53}`)).toEqual({
    found: "Devise's bcrypt without its pepper",
    expected: 'a server with the pepper of the application in STATEHOUSE_PASSWORD_PEPPER',
  });
  expect(readHash(digest)).toMatchObject({ isFast: true });
});

describe.each(HASHES_OF_OTHERS)('a hash of $by ($command)', ({ hash }) => {
  it('is refused with a text behind it, and behind its own beginning', () => {
    const [beginning = ''] = /^(\$[\w-]+\$|\{[^}]*\}|\w+[$:])?/.exec(hash) ?? [];
    const others = [`${hash} `, `${hash}\n`, `${beginning}!${hash}`, `${beginning}!${hash.slice(beginning.length)}`];
    for (const other of others) expect(readHash(other).kind, other).toBe('unknown');
  });
});

describe('the parts of hashes', () => {
  it.each([
    ['QUJD', 'ABC'],
    ['QUI=', 'AB'],
    ['QUI', 'AB'],
    ['QQ==', 'A'],
    ['QUJD=QUJD', null],
    ['QR==', null],
    ['Q', null],
    ['QU-D', null],
  ])('%s has the bytes %j', (text, expected) => {
    expect(bytesOf(text)?.toString() ?? null).toBe(expected);
  });

  it('may have "." for "+", as passlib writes them', () => {
    expect(bytesOf('..//')).toEqual(bytesOf('++//'));
  });

  it('are the same in equal length and content alone', () => {
    expect(sameBytes(Buffer.from('ab'), Buffer.from('ab'))).toBe(true);
    expect(sameBytes(Buffer.from('ab'), Buffer.from('ac'))).toBe(false);
    expect(sameBytes(Buffer.from('ab'), Buffer.from('abc'))).toBe(false);
  });
});
