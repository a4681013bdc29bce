/** PBKDF2: as PHC and passlib, OpenLDAP, Django, werkzeug, Spring Security and ASP.NET Identity write it. */
import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import {
  BASE64,
  bytesOf,
  garbled,
  HASH_LIMITS,
  lengths,
  outside,
  type ReadHash,
  refused,
  sameBytes,
} from './reading.ts';

const deriveKey = promisify(pbkdf2);

type Pbkdf2 = {
  readonly digest: string;
  readonly iterations: number;
  readonly salt: Buffer | null;
  readonly key: Buffer | null;
};

const SHAPE = '$pbkdf2-sha256$i=600000,l=32$SALT$HASH or $pbkdf2-sha256$600000$SALT$HASH';

/** Both spellings: with named parameters (PHC), and with passlib's bare count. Without a digest, passlib means SHA-1. */
export function readPbkdf2(hash: string): ReadHash {
  const parts =
    /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,9})(?:,l=(\d{1,9}))?\$([A-Za-z0-9+/.]+)\$([A-Za-z0-9+/.]+)$/.exec(
      hash,
    );
  if (parts === null) return garbled('PBKDF2', SHAPE);
  const [, digest = 'sha1', iterations, length, salt = '', checksum = ''] = parts;
  const key = bytesOf(checksum);
  if (length !== undefined && Number(length) !== key?.length) return garbled('PBKDF2', SHAPE);
  return pbkdf2Hash(`PBKDF2 (${digest})`, { digest, iterations: Number(iterations), salt: bytesOf(salt), key });
}

/** OpenLDAP's module pw-pbkdf2, and passlib: `{PBKDF2-SHA256}10000$SALT$HASH`. */
export const readLdapPbkdf2 =
  (digest: string) =>
  (hash: string): ReadHash => {
    const name = `PBKDF2 (${digest}) of LDAP`;
    const parts = /^(\d{1,9})\$([A-Za-z0-9+/.]+)\$([A-Za-z0-9+/.]+)$/.exec(hash);
    if (parts === null) return garbled(name, '{PBKDF2-SHA256}10000$SALT$HASH');
    const [, iterations, salt = '', key = ''] = parts;
    return pbkdf2Hash(name, { digest, iterations: Number(iterations), salt: bytesOf(salt), key: bytesOf(key) });
  };

/** Django uses the characters of the salt unchanged. */
export const readDjangoPbkdf2 =
  (name: string, digest: string) =>
  (hash: string): ReadHash => {
    const parts = /^pbkdf2_sha\d+\$(\d{1,9})\$([\x21-\x23\x25-\x7e]+)\$([A-Za-z0-9+/]+=*)$/.exec(hash);
    if (parts === null) return garbled(name, `pbkdf2_${digest}$600000$SALT$HASH`);
    const [, iterations, salt = '', key = ''] = parts;
    return pbkdf2Hash(name, { digest, iterations: Number(iterations), salt: Buffer.from(salt), key: bytesOf(key) });
  };

/** Of Flask applications: the characters of the salt unchanged. */
export function readWerkzeugPbkdf2(hash: string): ReadHash {
  const name = "werkzeug's PBKDF2";
  const parts = /^pbkdf2:(sha1|sha256|sha512):(\d{1,9})\$([\x21-\x23\x25-\x7e]+)\$([0-9a-f]+)$/.exec(hash);
  if (parts === null) return garbled(name, 'pbkdf2:sha256:600000$SALT$HASH');
  const [, digest = '', iterations, salt = '', key = ''] = parts;
  return pbkdf2Hash(name, {
    digest,
    iterations: Number(iterations),
    salt: Buffer.from(salt),
    key: Buffer.from(key, 'hex'),
  });
}

/** Pbkdf2PasswordEncoder writes salt and key alone: the settings are those of the version of Spring Security. */
export const readSpringPbkdf2 =
  ({ digest, iterations, saltBytes }: { digest: string; iterations: number; saltBytes: number }) =>
  (hash: string): ReadHash => {
    const name = "Spring Security's PBKDF2";
    const bytes = /^(?:[0-9a-f]{2})+$/.test(hash) ? Buffer.from(hash, 'hex') : Buffer.alloc(0);
    if (bytes.length !== saltBytes + SPRING_KEY_BYTES)
      return garbled(name, `{pbkdf2} and ${saltBytes + SPRING_KEY_BYTES} bytes in hexadecimal (its default settings)`);
    return pbkdf2Hash(name, { digest, iterations, salt: bytes.subarray(0, saltBytes), key: bytes.subarray(saltBytes) });
  };
const SPRING_KEY_BYTES = 32;

/** The numbers in front of the salt in version 3, as .NET's KeyDerivationPrf counts. */
const ASPNET_DIGESTS = ['sha1', 'sha256', 'sha512'];
const ASPNET_HEADER_BYTES = 13;

/** ASP.NET Core Identity: a byte 1, then digest, iterations and length of the salt as numbers of 32 bits. */
export function readAspNet(hash: string): ReadHash {
  const name = 'an ASP.NET Core Identity hash (version 3)';
  const bytes = bytesOf(hash);
  if (bytes === null) return garbled(name, 'the base64 of PasswordHash');
  const [digest, iterations, saltLength] = [1, 5, 9].map((at) => bytes.readUInt32BE(at)) as [number, number, number];
  const after = bytes.subarray(ASPNET_HEADER_BYTES);
  if (ASPNET_DIGESTS[digest] === undefined || saltLength > after.length)
    return garbled(name, 'SHA-1, SHA-256 or SHA-512');
  return pbkdf2Hash(name, {
    digest: ASPNET_DIGESTS[digest],
    iterations,
    salt: after.subarray(0, saltLength),
    key: after.subarray(saltLength),
  });
}

/** The limit is for formats whose cost a team chooses: version 2 has one cost for all, and its hashes are replaced. */
const ASPNET_2 = { digest: 'sha1', iterations: 1000, saltBytes: 16 } as const;

/** ASP.NET Identity, and Crypto.HashPassword: a byte 0, then salt and key. */
export function readAspNet2(hash: string): ReadHash {
  const name = 'an ASP.NET Identity hash (version 2)';
  const bytes = bytesOf(hash);
  if (bytes === null) return garbled(name, 'the base64 of PasswordHash');
  const [salt, key] = [bytes.subarray(1, 1 + ASPNET_2.saltBytes), bytes.subarray(1 + ASPNET_2.saltBytes)];
  const known = pbkdf2Hash(name, { ...ASPNET_2, salt, key });
  return known.kind === 'known' ? { ...known, tooCheapOrDear: null } : known;
}

export function pbkdf2Hash(name: string, { digest, iterations, salt, key }: Pbkdf2): ReadHash {
  if (salt === null || key === null) return garbled(name, BASE64);
  if (iterations < 1) return refused(`${name} without iterations`, SHAPE);
  const { pbkdf2: limits } = HASH_LIMITS;
  return {
    kind: 'known',
    format: name,
    tooCheapOrDear: outside(name, [['iterations:', iterations, limits.iterations]]) ?? lengths(name, salt, key),
    verify: async (password) => sameBytes(await deriveKey(password, salt, iterations, key.length, digest), key),
  };
}
