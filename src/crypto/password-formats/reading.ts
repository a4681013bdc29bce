/** The result of reading a hash, and the parts that the readers share. */
import { timingSafeEqual } from 'node:crypto';

/** The reason why an import refuses a hash. It never contains the hash. */
export type HashRefusal = { readonly found: string; readonly expected: string };

export type KnownHash = {
  readonly kind: 'known';
  readonly format: string;
  /** An import refuses the hash, but a sign-in still verifies a stored one. */
  readonly tooCheapOrDear: HashRefusal | null;
  /** A leaked list of such hashes is a list of passwords: an import refuses them unless the policy accepts them. */
  readonly isFast?: true;
  /** The hash covers the password together with a secret that the other system kept outside its database. */
  readonly needsPepper?: true;
  /** The hash covers only so many bytes of a password. Absent: all. */
  readonly bytesRead?: number;
  /** @param pepper null: the server has none. */
  readonly verify: (password: string, pepper: string | null) => Promise<boolean>;
};
/** A hash, parsed. */
export type ReadHash = KnownHash | ({ readonly kind: 'unknown' } & HashRefusal);

export type HashReader = (hash: string) => ReadHash;

/** Longer than every hash within the limits. */
export const MAX_HASH_CHARACTERS = 1024;

/**
 * The limits of the cost of a verification. Below them, a reader of the database guesses the passwords. Above them, a
 * few concurrent sign-ins delay all others. The upper limits are about one second and 256 MiB: scrypt takes 128 bytes
 * for each part of its work.
 */
export const HASH_LIMITS = {
  argon2: { memoryKib: [512, 262_144], passes: [1, 20], work: [1024, 1_048_576], lanes: [1, 16] },
  bcrypt: { cost: [8, 14] },
  scrypt: { ln: [10, 20], r: [1, 32], p: [1, 16], work: [32_768, 2_097_152] },
  pbkdf2: { iterations: [10_000, 2_000_000] },
  shaCrypt: { rounds: [5000, 1_000_000] },
  phpass: { log2: [11, 20] },
} as const;
type Range = readonly [least: number, most: number];

/** In bytes. Shorter salts repeat, and longer ones only take space. */
const SALT_BYTES: Range = [8, 64];
const KEY_BYTES: Range = [16, 64];

export const refused = (found: string, expected: string): ReadHash => ({ kind: 'unknown', found, expected });

export const garbled = (format: string, shape: string): ReadHash =>
  refused(`a hash that begins as ${format} and continues differently`, shape);

/** @returns a refusal for the first value outside its limits. Null: all are within them. */
export function outside(
  format: string,
  values: readonly (readonly [what: string, value: number, range: Range])[],
): HashRefusal | null {
  for (const [what, value, [least, most]] of values) {
    if (value >= least && value <= most) continue;
    const why = value < least ? 'is too cheap to guess' : 'costs too much at every sign-in';
    const found = `${format} with ${what} ${value}, which ${why}`;
    return { found, expected: `${format} with ${what} from ${least} to ${most}` };
  }
  return null;
}

export const lengths = (format: string, salt: Buffer, key: Buffer): HashRefusal | null =>
  outside(format, [
    ['a salt of bytes:', salt.length, SALT_BYTES],
    ['a hash of bytes:', key.length, KEY_BYTES],
  ]);

export const BASE64 = 'base64 for salt and hash';

/** With or without padding. passlib writes "." for "+". Null: the text is not base64, or bits are left over. */
export function bytesOf(text: string): Buffer | null {
  const standard = text.replaceAll('.', '+').replace(/=+$/, '');
  const bytes = Buffer.from(standard, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === standard ? bytes : null;
}

export const sameBytes = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
