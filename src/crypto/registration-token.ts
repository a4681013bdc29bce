/** The registration access token (RFC 7592 §2), and the SHA-256 under which it is stored. It is random, so a slow hash would only cost time. */
import { sameSecretBytes, sha256 } from './digest.ts';
import type { Random } from './random.ts';
import { type RawSecret, rawSecret } from './secret-types.ts';

/** For scanners of leaked secrets. */
const PREFIX = 'sh_reg_';

export function makeRegistrationToken(random: Random): { readonly token: RawSecret; readonly tokenHash: Uint8Array } {
  const token = rawSecret(PREFIX + random.bytes(32).toString('base64url'));
  return { token, tokenHash: sha256(token) };
}

/** @returns whether a hash is that of the token, in constant time. */
export function matcherOf(token: string): (hash: Uint8Array) => boolean {
  const presented = sha256(token);
  return (hash) => sameSecretBytes(hash, presented);
}
