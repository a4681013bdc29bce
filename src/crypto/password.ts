import { hash, verify } from '@node-rs/argon2';
import { type PasswordHash, type RawSecret, storedPasswordHash } from './secret-types.ts';

/** OWASP's argon2id setting of 19 MiB, two passes; on a worker thread. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** RFC 8265 §4.2 (OpaqueString): the same password typed on another keyboard has the same bytes. */
const prepared = (password: RawSecret) => password.normalize('NFC');

export const hashPassword = async (password: RawSecret): Promise<PasswordHash> =>
  storedPasswordHash(await hash(prepared(password), COST));

/** For a username that nobody has: the same work, so that time does not tell who exists. */
const NOBODY = hashPassword('a password that nobody has' as RawSecret);

export async function matchesPassword(stored: PasswordHash | null, password: RawSecret): Promise<boolean> {
  const matches = await verify(stored ?? (await NOBODY), prepared(password));
  return stored !== null && matches;
}
