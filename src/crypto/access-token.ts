import { sign } from 'node:crypto';
import type { SigningKey } from './signing-keys.ts';

/** RFC 9068 §2.2. Instants are seconds since 1970. */
export type AccessTokenClaims = {
  readonly iss: string;
  /** The resource owner, or the client itself with client credentials. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  readonly scope: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
};

/**
 * RFC 9068 §2.1: typ is `at+jwt`, so that no ID Token can pass for an access token. RFC 7515 §5.1, RFC 7518 §3.4.
 *
 * Signed on this thread by node:crypto: the same bytes through WebCrypto cost half as much again and a hop to another
 * thread (docs/performance.md). Keys and everything that is read goes through jose.
 */
export function signAccessToken(key: SigningKey, claims: AccessTokenClaims): string {
  const signingInput = `${headerOf(key)}.${base64url(JSON.stringify(claims))}`;
  const signature = sign('sha256', Buffer.from(signingInput), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signingInput}.${signature.toString('base64url')}`;
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');

const headers = new WeakMap<SigningKey, string>();
function headerOf(key: SigningKey): string {
  const known = headers.get(key);
  if (known !== undefined) return known;
  const header = base64url(JSON.stringify({ alg: key.alg, typ: 'at+jwt', kid: key.kid }));
  headers.set(key, header);
  return header;
}
