import { base64urlDecode } from './base64url.ts';
import { signJwt } from './jws.ts';
import { type JwtReading, readJwt } from './read-jwt.ts';
import type { KeyRing, SigningKey } from './signing-keys.ts';
import { uuidFromBytes, uuidToBytes } from './uuid-bytes.ts';

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

export type AccessTokenReading =
  | {
      readonly kind: 'authentic';
      readonly claims: AccessTokenClaims;
      /** Null: client credentials. */
      readonly grantId: string | null;
    }
  | { readonly kind: Exclude<JwtReading['kind'], 'authentic'> | 'other_issuer' };

/** RFC 9068 §2.1: typ is `at+jwt`, so that no ID Token can pass for an access token. */
export const signAccessToken = (key: SigningKey, claims: AccessTokenClaims): string => signJwt(key, 'at+jwt', claims);

/** Whose it is, and of which grant. Whether it has expired is a fact about now, which is not known here. */
export async function readAccessToken(keyRing: KeyRing, issuer: string, token: string): Promise<AccessTokenReading> {
  const reading = await readJwt(keyRing, 'at+jwt', token);
  if (reading.kind !== 'authentic') return { kind: reading.kind };
  const { claims } = reading;
  if (!isAccessToken(claims)) return { kind: 'malformed' };
  // Another issuer may share our keys: two servers on one database.
  if (claims.iss !== issuer) return { kind: 'other_issuer' };
  const grantId = grantIdOf(claims.jti);
  return grantId === undefined ? { kind: 'malformed' } : { kind: 'authentic', claims, grantId };
}

const ID_BYTES = 16;

/** `jti` = grant id and random bytes, so that a token leads back to its grant; random alone where there is none. */
export const accessTokenId = (grantId: string | null, random: Uint8Array): string =>
  Buffer.concat(grantId === null ? [random] : [uuidToBytes(grantId), random]).toString('base64url');

/** @returns undefined when it is not an id that we make. */
function grantIdOf(jti: string): string | null | undefined {
  const bytes = base64urlDecode(jti);
  if (bytes?.length === ID_BYTES) return null;
  return bytes?.length === 2 * ID_BYTES ? uuidFromBytes(bytes.subarray(0, ID_BYTES)) : undefined;
}

type Claims = Readonly<Record<string, unknown>>;

const isText = (value: unknown) => typeof value === 'string';
const isInstant = (value: unknown) => Number.isSafeInteger(value);
const SHAPE: Readonly<Record<keyof AccessTokenClaims, (value: unknown) => boolean>> = {
  iss: isText,
  sub: isText,
  aud: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  client_id: isText,
  scope: isText,
  jti: isText,
  iat: isInstant,
  exp: isInstant,
};

const isAccessToken = (claims: Claims): claims is AccessTokenClaims =>
  Object.entries(SHAPE).every(([name, is]) => is(claims[name]));
