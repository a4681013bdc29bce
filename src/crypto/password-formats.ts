/**
 * The formats of password hashes that Statehouse verifies, and those that it refuses: recognize → check → verify. Its
 * own format is one of them. Verification runs on libuv's threads, never on the thread that answers requests.
 */
import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { verify as verifyArgon2 } from '@node-rs/argon2';

/** The reason why an import refuses a hash. It never contains the hash. */
export type HashRefusal = { readonly found: string; readonly expected: string };

/** A hash, parsed. */
export type ReadHash =
  /** `tooCheapOrDear`: an import refuses the hash, but a sign-in still verifies a stored one. */
  | {
      readonly kind: 'known';
      readonly format: string;
      readonly tooCheapOrDear: HashRefusal | null;
      readonly verify: (password: string) => Promise<boolean>;
    }
  | ({ readonly kind: 'unknown' } & HashRefusal);

type Format = {
  readonly name: string;
  readonly begins: RegExp;
  readonly read: (hash: string) => ReadHash;
};

/** The formats that an import accepts, for errors and documents. */
export const ACCEPTED_FORMATS =
  "argon2id or argon2i (PHC), bcrypt ($2a$, $2b$, $2y$), scrypt (PHC), PBKDF2 with SHA-256 or SHA-512 (PHC, passlib), or Django's pbkdf2_sha256$";

/** Longer than every hash within the limits. */
export const MAX_HASH_CHARACTERS = 1024;

/**
 * The limits of the cost of a verification. Below them, a reader of the database guesses the passwords. Above them, a
 * few concurrent sign-ins delay all others. The upper limits are about one second and 256 MiB.
 */
export const HASH_LIMITS = {
  argon2: { memoryKib: [512, 262_144], passes: [1, 20], work: [1024, 1_048_576], lanes: [1, 16] },
  bcrypt: { cost: [8, 14] },
  scrypt: { ln: [10, 20], r: [1, 32], p: [1, 16], work: [32_768, 2_097_152], memoryBytes: [1024, 268_435_456] },
  pbkdf2: { iterations: [10_000, 2_000_000] },
} as const;
type Range = readonly [least: number, most: number];

/** In bytes. Shorter salts repeat, and longer ones only take space. */
const SALT_BYTES: Range = [8, 64];
const KEY_BYTES: Range = [16, 64];

const refused = (found: string, expected: string): ReadHash => ({ kind: 'unknown', found, expected });
const refusal = (found: string, expected: string): HashRefusal => ({ found, expected });
const garbled = (format: string, shape: string): ReadHash =>
  refused(`a hash that begins as ${format} and continues differently`, shape);

/** @returns a refusal for the first value outside its limits. Null: all are within them. */
function outside(format: string, values: readonly (readonly [what: string, value: number, range: Range])[]) {
  for (const [what, value, [least, most]] of values) {
    if (value >= least && value <= most) continue;
    const why = value < least ? 'is too cheap to guess' : 'costs too much at every sign-in';
    return refusal(`${format} with ${what} ${value}, which ${why}`, `${format} with ${what} from ${least} to ${most}`);
  }
  return null;
}

/**
 * Without padding, as in PHC strings. passlib writes "." for "+". Null: the text is not base64, or bits are left over.
 */
function bytesOf(text: string): Buffer | null {
  const standard = text.replaceAll('.', '+').replace(/=+$/, '');
  const bytes = Buffer.from(standard, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === standard ? bytes : null;
}

const sameBytes = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other);

const ARGON2_SHAPE = '$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH';

function readArgon2(hash: string): ReadHash {
  const parts = /^\$(argon2id?)(?:\$v=(\d+))?\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash);
  if (parts === null) return garbled('argon2', ARGON2_SHAPE);
  const [, name = '', version = '16', memory, passes, lanes, salt = '', key = ''] = parts;
  const [m, t, p] = [Number(memory), Number(passes), Number(lanes)];
  if (version !== '19' && version !== '16')
    return refused(`${name} of version ${version}`, `${name} of version 19 or 16`);
  const { argon2 } = HASH_LIMITS;
  const [saltBytes, keyBytes] = [bytesOf(salt), bytesOf(key)];
  if (saltBytes === null || keyBytes === null) return garbled(name, BASE64);
  const tooCheapOrDear =
    outside(name, [
      ['m (KiB)', m, argon2.memoryKib],
      ['t', t, argon2.passes],
      ['m times t', m * t, argon2.work],
      ['p', p, argon2.lanes],
    ]) ?? lengths(name, saltBytes, keyBytes);
  return { kind: 'known', format: name, tooCheapOrDear, verify: (password) => verifyArgon2(hash, password) };
}

const BASE64 = 'base64 without padding for salt and hash';

const lengths = (format: string, salt: Buffer, key: Buffer): HashRefusal | null =>
  outside(format, [
    ['a salt of bytes:', salt.length, SALT_BYTES],
    ['a hash of bytes:', key.length, KEY_BYTES],
  ]);

function readBcrypt(hash: string): ReadHash {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];
  if (cost === undefined) return garbled('bcrypt', '$2b$12$ and 53 characters');
  return {
    kind: 'known',
    format: 'bcrypt',
    tooCheapOrDear: outside('bcrypt', [['cost', Number(cost), HASH_LIMITS.bcrypt.cost]]),
    verify: async (password) => (await import('@node-rs/bcrypt')).verify(password, hash),
  };
}

const SCRYPT_SHAPE = '$scrypt$ln=16,r=8,p=1$SALT$HASH';
const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

function readScrypt(hash: string): ReadHash {
  const parts = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/.]+)\$([A-Za-z0-9+/.]+)$/.exec(hash);
  if (parts === null) return garbled('scrypt', SCRYPT_SHAPE);
  const [ln = 0, r = 0, p = 0] = parts.slice(1, 4).map(Number);
  const [salt, key] = [bytesOf(parts[4] ?? ''), bytesOf(parts[5] ?? '')];
  if (salt === null || key === null) return garbled('scrypt', BASE64);
  const { scrypt: limits } = HASH_LIMITS;
  const cost = 2 ** ln;
  const tooCheapOrDear =
    outside('scrypt', [
      ['ln', ln, limits.ln],
      ['r', r, limits.r],
      ['p', p, limits.p],
      ['2^ln times r times p', cost * r * p, limits.work],
      ['a memory of bytes:', 128 * cost * r, limits.memoryBytes],
    ]) ?? lengths('scrypt', salt, key);
  // Node asks for a little more than the table of scrypt itself.
  const settings = { N: cost, r, p, maxmem: 128 * r * (cost + p) + 65_536 };
  return {
    kind: 'known',
    format: 'scrypt',
    tooCheapOrDear,
    verify: async (password) => sameBytes(await derive(password, salt, key.length, settings), key),
  };
}

const deriveKey = promisify(pbkdf2);

function pbkdf2Hash(
  name: string,
  { digest, iterations, salt, key }: { digest: string; iterations: number; salt: Buffer | null; key: Buffer | null },
): ReadHash {
  if (salt === null || key === null) return garbled(name, BASE64);
  const { pbkdf2: limits } = HASH_LIMITS;
  return {
    kind: 'known',
    format: name,
    tooCheapOrDear: outside(name, [['iterations:', iterations, limits.iterations]]) ?? lengths(name, salt, key),
    verify: async (password) => sameBytes(await deriveKey(password, salt, iterations, key.length, digest), key),
  };
}

const PBKDF2_SHAPE = '$pbkdf2-sha256$i=600000,l=32$SALT$HASH or $pbkdf2-sha256$600000$SALT$HASH';

/** Reads both spellings: with named parameters (PHC), and with passlib's bare count. */
function readPbkdf2(hash: string): ReadHash {
  const parts = /^\$pbkdf2-(sha256|sha512)\$(?:i=)?(\d+)(?:,l=(\d+))?\$([A-Za-z0-9+/.]+)\$([A-Za-z0-9+/.]+)$/.exec(
    hash,
  );
  if (parts === null) return garbled('PBKDF2', PBKDF2_SHAPE);
  const [, digest = '', iterations, length, salt = '', checksum = ''] = parts;
  const key = bytesOf(checksum);
  if (length !== undefined && Number(length) !== key?.length) return garbled('PBKDF2', PBKDF2_SHAPE);
  return pbkdf2Hash(`PBKDF2 (${digest})`, { digest, iterations: Number(iterations), salt: bytesOf(salt), key });
}

/** Django uses the characters of the salt unchanged. */
function readDjango(hash: string): ReadHash {
  const parts = /^pbkdf2_sha256\$(\d+)\$([\x21-\x23\x25-\x7e]+)\$([A-Za-z0-9+/]+=*)$/.exec(hash);
  if (parts === null) return garbled("Django's PBKDF2", 'pbkdf2_sha256$600000$SALT$HASH');
  const [, iterations, salt = '', checksum = ''] = parts;
  return pbkdf2Hash("Django's PBKDF2", {
    digest: 'sha256',
    iterations: Number(iterations),
    salt: Buffer.from(salt),
    key: bytesOf(checksum),
  });
}

const refuses = (name: string, begins: RegExp, expected = ACCEPTED_FORMATS): Format => ({
  name,
  begins,
  read: () => refused(name, expected),
});

const FAST = (name: string) => `${name}, which is made to be fast, so that a leaked list of it is a list of passwords`;

/** In this order: the first format whose prefix matches reads the hash. */
const FORMATS: readonly Format[] = [
  { name: 'argon2', begins: /^\$argon2id?\$/, read: readArgon2 },
  { name: 'bcrypt', begins: /^\$2[aby]\$/, read: readBcrypt },
  { name: 'scrypt', begins: /^\$scrypt\$/, read: readScrypt },
  { name: 'PBKDF2', begins: /^\$pbkdf2-sha(256|512)\$/, read: readPbkdf2 },
  { name: "Django's PBKDF2", begins: /^pbkdf2_sha256\$/, read: readDjango },
  refuses('argon2d, whose time depends on the password', /^\$argon2d\$/, 'argon2id or argon2i'),
  refuses('bcrypt $2x$ or $2$, which old faults have made ambiguous', /^\$2x?\$/, 'bcrypt as $2a$, $2b$ or $2y$'),
  refuses('PBKDF2 with SHA-1', /^(\$pbkdf2(-sha1)?\$|pbkdf2_sha1\$)/, 'PBKDF2 with SHA-256 or SHA-512'),
  refuses("Django's argon2", /^argon2\$/, 'the same text without "argon2" in front of "$argon2id$"'),
  refuses("Django's bcrypt", /^bcrypt\$\$/, 'the same text without "bcrypt$" in front of "$2b$"'),
  refuses("Django's bcrypt of a SHA-256", /^bcrypt_sha256\$/),
  refuses("Django's scrypt", /^scrypt\$/, 'scrypt as a PHC string, $scrypt$ln=14,r=8,p=1$SALT$HASH'),
  refuses(FAST('MD5-crypt'), /^\$(1|apr1)\$/),
  refuses('SHA-crypt ($5$, $6$), which has no limit of memory and no library here', /^\$[56]\$/),
  refuses('yescrypt', /^\$y\$/),
  refuses('scrypt as crypt writes it ($7$)', /^\$7\$/, 'scrypt as a PHC string, $scrypt$ln=16,r=8,p=1$SALT$HASH'),
  refuses(FAST('a hash of LDAP ({SSHA}, {SHA}, {MD5}, …)'), /^\{[A-Za-z0-9-]+\}/),
  refuses(
    FAST('a bare digest in hexadecimal'),
    /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i,
  ),
  refuses(FAST('a salted MD5 or SHA-1 of Django'), /^(md5|sha1|unsalted_md5|unsalted_sha1)\$/),
];

/** Whether an import accepts the hash. @returns null: it does. */
export function hashRefusal(hash: string): HashRefusal | null {
  const read = readHash(hash);
  return read.kind === 'unknown' ? refusal(read.found, read.expected) : read.tooCheapOrDear;
}

/** Parses the hash, and verifies no password. */
export function readHash(hash: string): ReadHash {
  if (hash.length > MAX_HASH_CHARACTERS)
    return refused(`${hash.length} characters`, `at most ${MAX_HASH_CHARACTERS} characters`);
  const format = FORMATS.find(({ begins }) => begins.test(hash));
  return (
    format?.read(hash) ?? refused('a text in none of the known formats, perhaps a plain password', ACCEPTED_FORMATS)
  );
}
