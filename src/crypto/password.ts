import { hash } from '@node-rs/argon2';
import { sha256 } from './digest.ts';
import { readHash } from './password-formats.ts';
import { type ImportedHash, type PasswordHash, type RawSecret, storedPasswordHash } from './secret-types.ts';

/** OWASP's setting for argon2id: 19 MiB, two passes. Runs on a worker thread. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const OURS = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/**
 * A hash keeps one of libuv's threads busy for as long as it takes. So never all of them, since files and names wait for the same
 * threads, and never all processors: one answers requests.
 */
export const hashesAtOnce = (processors: number, libuvThreads: number): number =>
  Math.max(1, Math.min(processors, libuvThreads) - 1);

/** RFC 8265 §4.2 (OpaqueString): the same password typed on another keyboard has the same bytes. */
const prepared = (password: RawSecret) => password.normalize('NFC');

export const hashPassword = async (password: RawSecret): Promise<PasswordHash> =>
  storedPasswordHash(await hash(prepared(password), COST));

/** Not as this version hashes: imported, or of an older version. The next sign-in replaces it. */
export const isOutdatedHash = (stored: PasswordHash): boolean => !stored.startsWith(OURS);

/** Verified for unknown usernames: the same work, so that response times do not reveal which usernames exist. */
const HASH_FOR_UNKNOWN_USER = hashPassword('a password of no account' as RawSecret);

const BCRYPT_BYTES = 72;

/** bcrypt says nothing about what is behind its 72 bytes, so that a hash of the whole would make any end of it part of the password. */
export const provesWhole = (stored: PasswordHash, password: RawSecret): boolean =>
  !stored.startsWith('$2') || [password, prepared(password)].every((form) => Buffer.byteLength(form) <= BCRYPT_BYTES);

export async function matchesPassword(stored: PasswordHash | null, password: RawSecret): Promise<boolean> {
  // The hash of no password is in no format: the same work for an end-user who has none.
  const known = stored === null ? null : verifierOf(stored);
  const verify = known ?? verifierOf(await HASH_FOR_UNKNOWN_USER);
  const matches = verify !== null && (await verifyForms(verify, password));
  return known !== null && matches;
}

function verifierOf(stored: PasswordHash) {
  const read = readHash(stored);
  return read.kind === 'known' ? read.verify : null;
}

/** Other systems may have hashed what was typed as it was, so that is tried too where it has another form. */
async function verifyForms(verify: (password: string) => Promise<boolean>, password: RawSecret): Promise<boolean> {
  const composed = prepared(password);
  return (await verify(composed)) || (composed !== password && (await verify(password)));
}

/**
 * By which an import recognises a hash that it has taken over before. Not keyed: nobody can test a guess of the password against it
 * without the salt, which is in the hash alone, and a rotated root secret does not end it.
 */
export const importedHashOf = (given: PasswordHash): ImportedHash =>
  sha256(given).toString('base64url') as ImportedHash;
