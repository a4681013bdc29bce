/**
 * The ID Token (OpenID Connect Core §2): the end-user, time and method of a sign-in, for one client. APIs never accept
 * it.
 */
import { hash } from 'node:crypto';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { type Signed, signJwt } from './jws.ts';
import type { SigningKey } from './signing-keys.ts';

/** Instants are seconds since 1970. Only the UserInfo Endpoint releases name and e-mail address (Core §5.4). */
export type IdTokenClaims = {
  readonly iss: string;
  readonly sub: string;
  /** The `client_id`. */
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
  readonly auth_time: number;
  readonly nonce?: string;
  readonly at_hash: string;
  readonly acr: string;
  readonly amr: readonly string[];
  readonly sid: string;
};

export const signIdToken = <Key extends SigningKey>(key: Key, claims: IdTokenClaims): Signed<Key> =>
  signJwt(key, 'JWT', claims);

/** The hash function of each signing algorithm; Ed25519 uses SHA-512 (RFC 8032 §5.1). */
const HASH: Readonly<Record<SigningAlgorithm, 'sha256' | 'sha512'>> = {
  ES256: 'sha256',
  RS256: 'sha256',
  EdDSA: 'sha512',
};

/** Core §3.1.3.6: base64url of the left half of the hash of the access token's ASCII octets. */
export function accessTokenHash(alg: SigningAlgorithm, accessToken: string): string {
  const digest = hash(HASH[alg], accessToken, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
