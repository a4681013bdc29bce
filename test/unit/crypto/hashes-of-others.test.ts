/** Hashes that other software wrote, and their parameters at and beyond the limits. */
import { describe, expect, test } from 'vitest';
import { isOutdatedHash, matchesPassword, provesWhole } from '../../../src/crypto/password.ts';
import { hashRefusal, readHash } from '../../../src/crypto/password-formats.ts';
import { rawSecret, storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { HASHES_OF_OTHERS, PEPPER_OF_OTHERS } from '../../support/hashes-of-others.ts';

const ALL = { fast: true, peppered: true };
const FAST = HASHES_OF_OTHERS.filter(({ format }) => /SSHA|Kratos|SHA-256$/.test(format) && !/bcrypt/.test(format));

describe.each(HASHES_OF_OTHERS)('$by: $command', ({ format, password, hash, pepper }) => {
  test('is accepted, matches its password alone, and is outdated', async () => {
    const read = readHash(hash);
    expect(read).toMatchObject({ kind: 'known', format, tooCheapOrDear: null });
    expect(hashRefusal(hash, ALL)).toBeNull();
    const stored = storedPasswordHash(hash);
    const secret = pepper === undefined ? null : rawSecret(pepper);
    expect(await matchesPassword(stored, rawSecret(password), secret)).toBe(true);
    expect(await matchesPassword(stored, rawSecret(`${password}x`), secret)).toBe(false);
    expect(isOutdatedHash(stored)).toBe(true);
  });
});

describe('a salted digest', () => {
  test.each(FAST)('$format is refused by name unless the policy accepts it', ({ hash, format }) => {
    const refusal = hashRefusal(hash);
    expect(refusal?.found).toBe(
      `${format}, which is made to be fast, so that a leaked list of it is a list of passwords`,
    );
    expect(refusal?.expected).toContain('importFastHashes');
    expect(hashRefusal(hash, { fast: true, peppered: false })).toBeNull();
  });

  test('is the only kind that the policy decides about', () => {
    const slow = HASHES_OF_OTHERS.filter((one) => !FAST.includes(one));
    expect(slow.filter(({ hash }) => hashRefusal(hash, { fast: false, peppered: true }) !== null)).toEqual([]);
    expect(FAST.length).toBeGreaterThan(6);
  });
});

describe('a hash with a pepper', () => {
  const peppered = HASHES_OF_OTHERS.filter(({ pepper }) => pepper !== undefined);

  test('is refused while the server has no pepper', () => {
    for (const { hash } of peppered)
      expect(hashRefusal(hash)).toMatchObject({ found: "Devise's bcrypt without its pepper" });
  });

  test('matches with its pepper alone', async () => {
    for (const { hash, password } of peppered) {
      const stored = storedPasswordHash(hash);
      expect(await matchesPassword(stored, rawSecret(password), null)).toBe(false);
      expect(await matchesPassword(stored, rawSecret(password), rawSecret('another pepper'))).toBe(false);
      expect(await matchesPassword(stored, rawSecret(password), rawSecret(PEPPER_OF_OTHERS))).toBe(true);
    }
  });
});

test('bcrypt proves 72 bytes of a password, and a digest under bcrypt proves all of it', () => {
  const long = rawSecret('é'.repeat(37));
  const proving = (format: string) => {
    const { hash = '' } = HASHES_OF_OTHERS.find((one) => one.format === format) ?? {};
    return provesWhole(storedPasswordHash(hash), long);
  };
  for (const format of ['bcrypt', "Django's bcrypt", "Devise's bcrypt"]) expect(proving(format)).toBe(false);
  for (const format of ['a WordPress 6.8 hash', "Django's bcrypt of a SHA-256", "passlib's bcrypt of a SHA-256"])
    expect(proving(format)).toBe(true);
});

test('WordPress drops spaces around a password, and so does its hash here', async () => {
  const { hash = '', password = '' } = HASHES_OF_OTHERS.find(({ format }) => format === 'a WordPress 6.8 hash') ?? {};
  expect(await matchesPassword(storedPasswordHash(hash), rawSecret(` \0\v${password}\v \r\n\0\t`))).toBe(true);
  expect(await matchesPassword(storedPasswordHash(hash), rawSecret(`V${password}`))).toBe(false);
});

const SALT = 'c2l4dGVlbiBieXRlIHNsdA';
const KEY = 'ZFAeNh3lB/Sq5rWJ6JKBtLLOASWsrGtjjrk81BoEG/4';
const HEX = '00'.repeat(32);
const SIGNER = Buffer.alloc(64).toString('base64');
const B53 = 'abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe';
const aspNet = (iterations: number, digest = 1) => {
  const bytes = Buffer.alloc(61);
  bytes[0] = 1;
  bytes.writeUInt32BE(digest, 1);
  bytes.writeUInt32BE(iterations, 5);
  bytes.writeUInt32BE(16, 9);
  return bytes.toString('base64');
};

describe('a cost beyond its limits is named', () => {
  test.each([
    [`$argon2id$v=19$m=4194304,p=4,t=3$${SALT}$${KEY}`, 'm (KiB) 4194304, which costs too much'],
    [`argon2$argon2id$v=19$m=102400,t=200,p=8$${SALT}$${KEY}`, 't 200, which costs too much'],
    [`{argon2}$argon2id$v=19$m=16384,t=2,p=99$${SALT}$${KEY}`, 'p 99, which costs too much'],
    [`{bcrypt}$2a$31$${B53}`, 'cost 31, which costs too much'],
    [`$wp$2y$31$${B53}`, 'cost 31, which costs too much'],
    [`bcrypt_sha256$$2b$20$${B53}`, 'cost 20, which costs too much'],
    [`$bcrypt-sha256$v=2,t=2b,r=31$${B53.slice(0, 22)}$${B53.slice(22)}`, 'cost 31, which costs too much'],
    [`{devise}$2a$04$${B53}`, 'cost 4, which is too cheap'],
    [`scrypt:536870912:8:1$salty123$${HEX}`, 'ln 29, which costs too much'],
    [`scrypt:1024:8:1$salty123$${HEX}`, 'which is too cheap'],
    [`scrypt$1048576$saltsalt$8$5$${KEY}=`, '2^ln times r times p'],
    [`$scrypt$ln=1048576,r=8,p=1$${SALT}==$${KEY}=`, 'which costs too much'],
    ['{scrypt}$1e0801$YGn6C9neHutOCMQLpKYfzQ==$fl0j95ve7QlsF4wJMsz2zTYKOwJ8RvPiF5XdaXCPLOI=', 'ln 30'],
    [`$firescrypt$ln=25,r=8,p=1$sPtDhWcd1MfdAw==$${SIGNER}$Bw==$${SIGNER}`, 'ln 25, which costs too much'],
    [`pbkdf2:sha256:900000000$salty123$${HEX}`, 'iterations: 900000000, which costs too much'],
    [`pbkdf2:sha256:1000$salty123$${HEX}`, 'iterations: 1000, which is too cheap'],
    [`{PBKDF2-SHA256}900000000$${SALT}$${KEY}`, 'iterations: 900000000, which costs too much'],
    [`$pbkdf2$1000$${SALT}$${KEY}`, 'iterations: 1000, which is too cheap'],
    [aspNet(4_000_000_000), 'iterations: 4000000000, which costs too much'],
    [aspNet(250), 'iterations: 250, which is too cheap'],
    [`$6$rounds=999999999$salt$${'a'.repeat(86)}`, 'rounds: 999999999, which costs too much'],
    [`$5$rounds=1000$salt$${'a'.repeat(43)}`, 'rounds: 1000, which is too cheap'],
    ['$P$z12345678abcdefghijklmnopqrstuv', 'the logarithm of its rounds: 63, which costs too much'],
    ['$P$512345678abcdefghijklmnopqrstuv', 'the logarithm of its rounds: 7, which is too cheap'],
    [`{SSHA}${Buffer.alloc(22).toString('base64')}`, 'a salt of bytes: 2'],
  ])('%s', (hash, found) => {
    expect(hashRefusal(hash, ALL)?.found).toContain(found);
  });
});

describe('a wrong or unknown format is named, and its text is not repeated', () => {
  test.each([
    ['$wp$2y$10$abc', 'a hash that begins as a WordPress 6.8 hash'],
    ['$S$D4fgiAE2WmMdUT5oFnT5pVvcHQqQZwL7sPLHQqJRk7m0ysQ2Xn0f', 'a Drupal 7 hash'],
    ['!7oZ2YtEuQltKTISTEngIG1JcMD1mDV3nydsoDlN0', "Django's mark for a user without a usable password"],
    ['{noop}Grüße an alle 42', 'a plain password of Spring Security ({noop})'],
    ['{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'a digest of LDAP without a salt ({SHA})'],
    ['{SMD5}HzwMZMcscIyBK1paacMGyO7O5q4=', 'a hash of LDAP ({SMD5}), which is MD5'],
    ['{MD5}X03MO1qnZdYdgyfeuILPmQ==', 'a digest without a salt ({MD5})'],
    ['{mystery}abcdef', 'an unknown {scheme}'],
    ['{constructor}abcdef', 'an unknown {scheme}'],
    ['{__proto__}abcdef', 'an unknown {scheme}'],
    ['{CRYPT}$y$j9T$GDdiOCRRVHf9eDUwax8t$99th6YKjBJA', 'a hash of LDAP ({CRYPT}), with yescrypt'],
    ['{CRYPT}abJnggxhB/yWI', 'perhaps DES'],
    ['{ldap}plain', 'an unknown {scheme}'],
    ['{ldap}{ldap}{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'a digest of LDAP without a salt ({SHA})'],
    ['sha256$salty$5b11618c2e44027877d0cd0921ed166b9f176f50587fc91e7534dd2946db77d6', 'a salted digest of werkzeug'],
    ['$md5$pf=abc$abc$abc', 'a digest of Kratos'],
    ['$whirlpool$abc$def', 'a hash of an unknown kind'],
    ['$sha256$pf=c3RhdGlj$NW9wbWtnejAzcg==$0gfRVLCvtBCk20udLDEY5vNhujWx7RGjwRIS1ebMsLY=', 'without {PASSWORD}'],
    ['{pbkdf2}abcdef', "a hash that begins as Spring Security's PBKDF2"],
    [`$argon2id$v=19$m=65536,t=3,p=4,keyid=AQ$${SALT}$${KEY}`, 'with associated data or a key'],
    [`$argon2id$v=19$m=65536,t=3,p=4,p=1$${SALT}$${KEY}`, 'a hash that begins as argon2'],
    [`$argon2id$v=19$m=65536,t=3$${SALT}$${KEY}`, 'a hash that begins as argon2'],
    [`scrypt:1000:8:1$salty123$${HEX}`, 'a cost that is no power of two'],
    [`$firescrypt$ln=14,r=8,p=1$sPtDhWcd1MfdAw==$Bw==$Bw==$Bw==`, 'a signer key and a hash of 1 and 1 bytes'],
    [aspNet(100_000, 9), 'a hash that begins as an ASP.NET Core Identity hash'],
    ['my dog is called $Rex', 'perhaps a plain password'],
  ])('%s', (hash, found) => {
    const refusal = hashRefusal(hash, ALL);
    expect(refusal?.found).toContain(found);
    const secret = hash.slice(hash.lastIndexOf('$') + 1).replace(/^\{.*\}/, '');
    if (secret.length > 6) expect(JSON.stringify(refusal)).not.toContain(secret);
  });
});
