/**
 * The authorization code's format: "sh_ac_" + base64url( grant id 16 ‖ secret 32 ).
 *
 * The secret half is a MAC of the grant's id. A form that is submitted twice gets the same code twice, and only this
 * server makes codes, whatever rows another party can write. The database holds only the SHA-256 of the secret. A code
 * whose secret does not match is unknown, not presented.
 */
import { base64urlDecode } from './base64url.ts';
import { hmacSha256, sameSecretBytes, sha256 } from './digest.ts';
import type { RootKey, RootKeys } from './root-secret.ts';
import { uuidFromBytes, uuidToBytes } from './uuid-bytes.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'authorization-code': true;
  }
}

const PREFIX = 'sh_ac_';

export type MadeCode = { readonly code: string; readonly secretHash: Buffer };

export const authorizationCodeOf = (keys: RootKeys, grantId: string): MadeCode => codeUnder(keys.first, grantId);

/** The code of an earlier issue. Null: the root secret that made it is no longer listed. */
export function repeatedAuthorizationCode(keys: RootKeys, grantId: string, storedHash: Uint8Array): string | null {
  const made = [...keys.byId.values()].map((key) => codeUnder(key, grantId));
  return made.find(({ secretHash }) => sameSecretBytes(secretHash, storedHash))?.code ?? null;
}

/**
 * Whether this server made a code with this hash, under a root secret that is still listed. A forged row may contain
 * any hash.
 */
export const isOwnCode = (
  keys: RootKeys,
  { grantId, secretHash }: { grantId: string; secretHash: Uint8Array },
): boolean => repeatedAuthorizationCode(keys, grantId, secretHash) !== null;

function codeUnder(root: RootKey, grantId: string): MadeCode {
  const id = uuidToBytes(grantId);
  const secret = hmacSha256(root.key('authorization-code'), id);
  return { code: PREFIX + Buffer.concat([id, secret]).toString('base64url'), secretHash: sha256(secret) };
}

/** @returns null when the text has another format. */
export function readAuthorizationCode(code: string): { grantId: string; secretHash: Buffer } | null {
  if (!code.startsWith(PREFIX)) return null;
  const bytes = base64urlDecode(code.slice(PREFIX.length));
  if (bytes?.length !== 48) return null;
  return { grantId: uuidFromBytes(bytes.subarray(0, 16)), secretHash: sha256(bytes.subarray(16)) };
}
