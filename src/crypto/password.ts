import { hash } from '@node-rs/argon2';
import { sha256 } from './digest.ts';
import { readHash } from './password-formats.ts';
import { type ImportedHash, type PasswordHash, type RawSecret, storedPasswordHash } from './secret-types.ts';

/** OWASP's setting for argon2id: 19 MiB, two passes. It runs on a worker thread. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const OURS = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/**
 * A hash occupies one of libuv's threads until it is finished. The limit leaves a thread free, because files and names
 * need the same threads, and a processor free, which answers requests.
 */
export const hashesAtOnce = (processors: number, libuvThreads: number): number =>
  Math.max(1, Math.min(processors, libuvThreads) - 1);

/** RFC 8265 §4.2 (OpaqueString): the same password typed on another keyboard has the same bytes. */
const prepared = (password: RawSecret) => password.normalize('NFC');

export const hashPassword = async (password: RawSecret): Promise<PasswordHash> =>
  storedPasswordHash(await hash(prepared(password), COST));

/** Not in this version's format: imported, or from an older version. The next sign-in replaces it. */
export const isOutdatedHash = (stored: PasswordHash): boolean => !stored.startsWith(OURS);

/** Verified for unknown usernames, at the same cost, so that response times do not reveal which usernames exist. */
const HASH_FOR_UNKNOWN_USER = hashPassword('a password of no account' as RawSecret);

/** bcrypt ignores input beyond 72 bytes: with a hash of a longer password, any ending would be valid. */
export function provesWhole(stored: PasswordHash, password: RawSecret): boolean {
  const read = readHash(stored);
  const bytesRead = (read.kind === 'known' ? read.bytesRead : undefined) ?? Number.POSITIVE_INFINITY;
  return [password, prepared(password)].every((form) => Buffer.byteLength(form) <= bytesRead);
}

/** @param pepper that another system added to its passwords; null: none. */
export async function matchesPassword(
  stored: PasswordHash | null,
  password: RawSecret,
  pepper: RawSecret | null = null,
): Promise<boolean> {
  // The hash of no password is in no format: an end-user without a password costs the same work.
  const known = stored === null ? null : verifierOf(stored);
  const verify = known ?? verifierOf(await HASH_FOR_UNKNOWN_USER);
  const matches = verify !== null && (await verifyForms((form) => verify(form, pepper), password));
  return known !== null && matches;
}

function verifierOf(stored: PasswordHash) {
  const read = readHash(stored);
  return read.kind === 'known' ? read.verify : null;
}

/** Other systems may have hashed the password as typed, so this function also tries that form where it differs. */
async function verifyForms(verify: (password: string) => Promise<boolean>, password: RawSecret): Promise<boolean> {
  const composed = prepared(password);
  return (await verify(composed)) || (composed !== password && (await verify(password)));
}

/**
 * An import recognizes by it a hash that it has taken over before. The value needs no key: a guess of the password
 * needs the salt, which only the hash contains. A rotation of the root secret does not change it.
 */
export const importedHashOf = (given: PasswordHash): ImportedHash =>
  sha256(given).toString('base64url') as ImportedHash;
