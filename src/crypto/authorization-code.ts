/**
 * The authorization code's format: "sh_ac_" + base64url( grant id 16 ‖ secret 32 ).
 *
 * The secret half is a MAC of the grant's id, so that a form that was submitted twice is answered twice with the same
 * code. The database holds only its SHA-256; a code whose secret does not match is unknown, not presented.
 */
import { base64urlDecode } from './base64url.ts';
import { hmacSha256, sha256 } from './digest.ts';
import type { RootKeys } from './root-secret.ts';
import { uuidFromBytes, uuidToBytes } from './uuid-bytes.ts';

const PREFIX = 'sh_ac_';

export function authorizationCodeOf(keys: RootKeys, grantId: string): { code: string; secretHash: Buffer } {
  const id = uuidToBytes(grantId);
  const secret = hmacSha256(keys.first.key('authorization-code'), id);
  return { code: PREFIX + Buffer.concat([id, secret]).toString('base64url'), secretHash: sha256(secret) };
}

/** @returns null when it has not the shape of a code. */
export function readAuthorizationCode(code: string): { grantId: string; secretHash: Buffer } | null {
  if (!code.startsWith(PREFIX)) return null;
  const bytes = base64urlDecode(code.slice(PREFIX.length));
  if (bytes?.length !== 48) return null;
  return { grantId: uuidFromBytes(bytes.subarray(0, 16)), secretHash: sha256(bytes.subarray(16)) };
}
