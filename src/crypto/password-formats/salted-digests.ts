/**
 * One salted digest of the password: a graphics card tries billions a second. An import takes them over only where the
 * policy says so, and the first sign-in replaces them.
 */
import { createHash } from 'node:crypto';
import { BASE64, bytesOf, garbled, outside, type ReadHash, refused, sameBytes } from './reading.ts';

/** OpenLDAP salted with 4 bytes for years. */
const SALT_BYTES = [4, 64] as const;

const digestOf = (algorithm: string, ...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const fast = (format: string, salt: Buffer, verify: (password: string) => boolean): ReadHash => ({
  kind: 'known',
  format,
  isFast: true,
  tooCheapOrDear: outside(format, [['a salt of bytes:', salt.length, SALT_BYTES]]),
  verify: async (password) => verify(password),
});

/** `{SSHA}`, `{SSHA256}`, `{SSHA384}`, `{SSHA512}`: the digest, then the salt. */
export const readSaltedSha =
  (scheme: string, algorithm: string, digestBytes: number) =>
  (hash: string): ReadHash => {
    const name = `a hash of LDAP ({${scheme}})`;
    const bytes = bytesOf(hash);
    if (bytes === null || bytes.length <= digestBytes) return garbled(name, `{${scheme}} and base64`);
    const [key, salt] = [bytes.subarray(0, digestBytes), bytes.subarray(digestBytes)];
    return fast(name, salt, (password) => sameBytes(digestOf(algorithm, password, salt), key));
  };

/** Spring Security's StandardPasswordEncoder: 1024 rounds of SHA-256. */
const SPRING_ROUNDS = 1024;
const [SPRING_SALT_BYTES, SHA256_BYTES] = [8, 32];

export function readSpringSha256(hash: string): ReadHash {
  const name = "Spring Security's SHA-256";
  const bytes = /^(?:[0-9a-f]{2})+$/.test(hash) ? Buffer.from(hash, 'hex') : Buffer.alloc(0);
  if (bytes.length !== SPRING_SALT_BYTES + SHA256_BYTES) return garbled(name, '{sha256} and 40 bytes in hexadecimal');
  const [salt, key] = [bytes.subarray(0, SPRING_SALT_BYTES), bytes.subarray(SPRING_SALT_BYTES)];
  return fast(name, salt, (password) => {
    let digest = digestOf('sha256', salt, password);
    for (let round = 1; round < SPRING_ROUNDS; round += 1) digest = digestOf('sha256', digest);
    return sameBytes(digest, key);
  });
}

/** Kratos: `$sha256$pf=FORMAT$SALT$HASH`, where the format says how password and salt stand together. */
export function readKratosSha(hash: string): ReadHash {
  const parts =
    /^\$(sha1|sha256|sha512)\$pf=([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]+={0,2})$/.exec(hash);
  const name = 'a salted digest of Kratos';
  if (parts === null) return garbled(name, '$sha256$pf=FORMAT$SALT$HASH');
  const [form, salt, key] = parts.slice(2).map(bytesOf);
  if (!form || !salt || !key) return garbled(name, BASE64);
  const text = form.toString();
  if (!text.includes('{PASSWORD}') || !text.includes('{SALT}'))
    return refused(`${name} without {PASSWORD} and {SALT} in its format`, 'both in the format');
  // In one pass, as Kratos: a password that has {SALT} in it stays as it is.
  const filled = (password: string) =>
    text
      .split(/(\{PASSWORD\}|\{SALT\})/)
      .map((part) => (part === '{PASSWORD}' ? password : part === '{SALT}' ? salt : part));
  return fast(name, salt, (password) => sameBytes(digestOf(parts[1] ?? '', ...filled(password)), key));
}
