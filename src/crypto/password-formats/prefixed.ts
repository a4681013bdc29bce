/** `{scheme}` in front of a hash: Spring Security's DelegatingPasswordEncoder, LDAP directories, and Devise's here. */
import { readArgon2 } from './argon2.ts';
import { readBcrypt } from './bcrypt.ts';
import { readLdapPbkdf2, readSpringPbkdf2 } from './pbkdf2.ts';
import { type HashReader, type ReadHash, refused } from './reading.ts';
import { readSaltedSha, readSpringSha256 } from './salted-digests.ts';
import { readSpringScrypt } from './scrypt.ts';

/** Salt and key only: Spring Security 5.5 and older, and 5.8 and newer. */
const SPRING_5_5 = readSpringPbkdf2({ digest: 'sha1', iterations: 185_000, saltBytes: 8 });
const SPRING_5_8 = readSpringPbkdf2({ digest: 'sha256', iterations: 310_000, saltBytes: 16 });

/** In lower case: directories write them in any. */
const SCHEMES: Readonly<Record<string, HashReader>> = {
  bcrypt: readBcrypt,
  argon2: readArgon2,
  'argon2@springsecurity_v5_8': readArgon2,
  scrypt: readSpringScrypt,
  'scrypt@springsecurity_v5_8': readSpringScrypt,
  pbkdf2: (hash) => (hash.includes('$') ? readLdapPbkdf2('sha1')(hash) : SPRING_5_5(hash)),
  'pbkdf2@springsecurity_v5_8': SPRING_5_8,
  'pbkdf2-sha1': readLdapPbkdf2('sha1'),
  'pbkdf2-sha256': readLdapPbkdf2('sha256'),
  'pbkdf2-sha512': readLdapPbkdf2('sha512'),
  sha256: readSpringSha256,
  ssha: readSaltedSha('SSHA', 'sha1', 20),
  ssha256: readSaltedSha('SSHA256', 'sha256', 32),
  ssha384: readSaltedSha('SSHA384', 'sha384', 48),
  ssha512: readSaltedSha('SSHA512', 'sha512', 64),
};

/** Without a salt, with MD5, or in plain text: no policy accepts them. */
const NEVER: Readonly<Record<string, string>> = {
  noop: 'a plain password of Spring Security ({noop})',
  cleartext: 'a plain password of LDAP ({CLEARTEXT})',
  sha: 'a digest of LDAP without a salt ({SHA})',
  'sha-1': 'a digest of Spring Security ({SHA-1})',
  'sha-256': 'a digest of Spring Security ({SHA-256})',
  md4: 'a digest of Spring Security ({MD4})',
  md5: 'a digest without a salt ({MD5})',
  smd5: 'a hash of LDAP ({SMD5}), which is MD5',
};

/** @param readCrypt reads what a directory hands to crypt. */
export const readPrefixed =
  (readCrypt: HashReader, expected: string): HashReader =>
  (hash) => {
    const scheme = /^\{([^}]*)\}/.exec(hash)?.[1] ?? '';
    const [key, rest] = [scheme.toLowerCase(), hash.slice(scheme.length + 2)];
    // Spring Security writes {ldap} in front of the scheme of the directory.
    if (key === 'ldap') return readPrefixed(readCrypt, expected)(rest);
    if (key === 'crypt') return named(readCrypt(rest), 'a hash of LDAP ({CRYPT})');
    const reader = own(SCHEMES, key);
    if (reader) return reader(rest);
    return refused(own(NEVER, key) ?? 'a hash of LDAP or Spring Security with an unknown {scheme} in front', expected);
  };

/** The scheme is a text of others, such as `constructor`. */
const own = <Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

const named = (read: ReadHash, name: string): ReadHash =>
  read.kind === 'unknown' ? refused(`${name}, with ${read.found}`, read.expected) : read;
