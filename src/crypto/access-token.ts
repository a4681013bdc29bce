import { base64urlDecode } from './base64url.ts';
import { type Signed, signJwt } from './jws.ts';
import { type JwtReading, readJwt } from './read-jwt.ts';
import type { KeyRing, SigningKey } from './signing-keys.ts';
import { uuidFromBytes, uuidToBytes } from './uuid-bytes.ts';

/** `cnf` (RFC 7800 §3.1) of a bound token: the thumbprints of a key (RFC 9449 §6.1) and of a certificate (RFC 8705 §3.1). */
export type Confirmation = { readonly jkt?: string; readonly 'x5t#S256'?: string };

/** RFC 9068 §2.2. Instants are seconds since 1970. */
export type AccessTokenClaims = {
  readonly iss: string;
  /** The end-user, or the client itself with client credentials. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  readonly scope: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  /**
   * The class and time of the sign-in (RFC 9068 §2.2.1). Absent: there is no end-user, or the grant has no record of
   * it.
   */
  readonly acr?: string;
  readonly auth_time?: number;
  /** The key and the certificate to which the token is bound. Absent: to none. */
  readonly cnf?: Confirmation;
};

/** The origin that can end a token: its grant or, with client credentials, its client's epoch at the time of issue. */
export type AccessTokenOrigin = { readonly grantId: string } | { readonly clientEpoch: bigint };

export type AccessTokenReading =
  | {
      readonly kind: 'authentic';
      readonly claims: AccessTokenClaims;
      readonly origin: AccessTokenOrigin;
    }
  | { readonly kind: Exclude<JwtReading['kind'], 'authentic'> | 'other_issuer' };

/** RFC 9068 §2.1: typ is `at+jwt`, so that no ID Token can pass for an access token. */
export const signAccessToken = <Key extends SigningKey>(key: Key, claims: AccessTokenClaims): Signed<Key> =>
  signJwt(key, 'at+jwt', claims);

/**
 * Authenticates the token and finds its origin. The caller knows the time, and checks whether the token has expired.
 */
export async function readAccessToken(keyRing: KeyRing, issuer: string, token: string): Promise<AccessTokenReading> {
  const reading = await readJwt(keyRing, 'at+jwt', token);
  if (reading.kind !== 'authentic') return { kind: reading.kind };
  const { claims } = reading;
  if (!isAccessToken(claims)) return { kind: 'malformed' };
  // Another issuer may share the keys: two servers can use one database.
  if (claims.iss !== issuer) return { kind: 'other_issuer' };
  const origin = originOf(claims.jti);
  return origin === null ? { kind: 'malformed' } : { kind: 'authentic', claims, origin };
}

const ID_BYTES = 16;
const EPOCH_BYTES = 8;

/** `jti` = the origin and 16 random bytes, so that a token names the grant or client that may have ended it. */
export const accessTokenId = (origin: AccessTokenOrigin, random: Uint8Array): string =>
  Buffer.concat([
    'grantId' in origin ? uuidToBytes(origin.grantId) : epochToBytes(origin.clientEpoch),
    random,
  ]).toString('base64url');

function epochToBytes(epoch: bigint): Buffer {
  const bytes = Buffer.alloc(EPOCH_BYTES);
  bytes.writeBigUInt64BE(epoch);
  return bytes;
}

/** @returns null when the id has another format. */
function originOf(jti: string): AccessTokenOrigin | null {
  const bytes = base64urlDecode(jti);
  if (bytes?.length === EPOCH_BYTES + ID_BYTES) return { clientEpoch: bytes.readBigUInt64BE() };
  return bytes?.length === 2 * ID_BYTES ? { grantId: uuidFromBytes(bytes.subarray(0, ID_BYTES)) } : null;
}

type Claims = Readonly<Record<string, unknown>>;

const isText = (value: unknown) => typeof value === 'string';
/** This server makes no others: a token with an unknown confirmation is none of its tokens. */
const isConfirmation = (value: unknown) => {
  const methods = Object.entries(Object(value) as object);
  return methods.length > 0 && methods.every(([name, one]) => CONFIRMATIONS.includes(name) && isText(one));
};
const CONFIRMATIONS: readonly string[] = ['jkt', 'x5t#S256'] satisfies readonly (keyof Confirmation)[];
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
  acr: (value) => value === undefined || isText(value),
  auth_time: (value) => value === undefined || isInstant(value),
  cnf: (value) => value === undefined || isConfirmation(value),
};

const isAccessToken = (claims: Claims): claims is AccessTokenClaims =>
  Object.entries(SHAPE).every(([name, is]) => is(claims[name]));
