/** The floor's code, refresh token and access token: the same sizes and strengths as those of Statehouse. */
import { generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { derOfRaw, RAW_SIGNATURE_BYTES, rawOfDer } from '../../../src/crypto/ecdsa-signature.ts';
import { ACCESS_TOKEN_SECONDS, CLIENT_ID } from '../setting.ts';
import { mac, sameBytes } from './keys.ts';

/** grant id 16 ‖ secret 32 */
export const codeOf = (grantId: Buffer): { code: string; secret: Buffer } => {
  const secret = mac('code', grantId);
  return { code: Buffer.concat([grantId, secret]).toString('base64url'), secret };
};

export function readCode(code: string): { grantId: string; secret: Buffer } | null {
  const bytes = Buffer.from(code, 'base64url');
  return bytes.length === 48 ? { grantId: uuidOf(bytes), secret: bytes.subarray(16) } : null;
}

export type Place = { readonly grantId: string; readonly generation: string; readonly nonce: Buffer };

/** grant id 16 ‖ generation 8 ‖ nonce 16 ‖ MAC 32 */
export function refreshTokenOf({ grantId, generation, nonce }: Place): string {
  const payload = Buffer.alloc(40);
  payload.write(grantId.replaceAll('-', ''), 'hex');
  payload.writeBigUInt64BE(BigInt(generation), 16);
  nonce.copy(payload, 24);
  return Buffer.concat([payload, mac('refresh-token', payload)]).toString('base64url');
}

export function readRefreshToken(token: string): Place | null {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== 72) return null;
  const payload = bytes.subarray(0, 40);
  if (!sameBytes(mac('refresh-token', payload), bytes.subarray(40))) return null;
  return {
    grantId: uuidOf(bytes),
    generation: bytes.readBigUInt64BE(16).toString(),
    nonce: bytes.subarray(24, 40),
  };
}

const uuidOf = (bytes: Buffer): string => bytes.toString('hex', 0, 16);

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KID = 'floor';
const HEADER = encode({ alg: 'ES256', typ: 'at+jwt', kid: KID });

export const jwks = { keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: KID, alg: 'ES256', use: 'sig' }] };

const ID_CHARACTERS = 32;

/** RFC 9068, signed on this thread. Its `jti` begins with the grant's id; without a grant it is random alone. */
export function accessToken(
  issuer: string,
  { sub, aud, scope, grantId = '', jkt }: { sub: string; aud: string; scope: string; grantId?: string; jkt?: string },
): string {
  const iat = Math.floor(Date.now() / 1000);
  const jti = grantId + randomBytes(16).toString('base64url');
  const exp = iat + ACCESS_TOKEN_SECONDS;
  const claims = { iss: issuer, sub, aud, client_id: CLIENT_ID, scope, jti, iat, exp, ...(jkt && { cnf: { jkt } }) };
  const signed = `${HEADER}.${encode(claims)}`;
  const signature = rawOfDer(sign('sha256', Buffer.from(signed), pair.privateKey));
  return `${signed}.${signature.toString('base64url')}`;
}

type Claims = { readonly iss: string; readonly client_id: string; readonly jti: string; readonly exp: number };

/** @returns null: not signed by this server as an access token, or expired. `grantId` null: it has no grant. */
export function readAccessToken(issuer: string, token: string): { claims: Claims; grantId: string | null } | null {
  const end = token.lastIndexOf('.');
  const [header, payload = ''] = token.slice(0, end).split('.');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  // One key and one algorithm: the header can only be this one.
  if (header !== HEADER || signature.length !== RAW_SIGNATURE_BYTES) return null;
  if (!verify('sha256', Buffer.from(token.slice(0, end)), pair.publicKey, derOfRaw(signature))) return null;
  const claims: Claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (claims.iss !== issuer || claims.exp * 1000 <= Date.now()) return null;
  return { claims, grantId: claims.jti.length > ID_CHARACTERS ? claims.jti.slice(0, ID_CHARACTERS) : null };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
