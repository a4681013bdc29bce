import { hash, verify } from '@node-rs/argon2';
import { type PasswordHash, type RawSecret, storedPasswordHash } from './secret-types.ts';

/** OWASP's setting for argon2id: 19 MiB, two passes. Runs on a worker thread. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

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

/** Verified for unknown usernames: the same work, so that response times do not reveal which usernames exist. */
const HASH_FOR_UNKNOWN_USER = hashPassword('a password of no account' as RawSecret);

export async function matchesPassword(stored: PasswordHash | null, password: RawSecret): Promise<boolean> {
  const matches = await verify(stored ?? (await HASH_FOR_UNKNOWN_USER), prepared(password));
  return stored !== null && matches;
}
