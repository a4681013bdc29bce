/** Reads a JWT of this server: checks its signature, with the key and algorithm that its `kid` names, and its `typ`. */
import { base64urlDecode } from './base64url.ts';
import { isSignatureOf } from './jws-algorithms.ts';
import type { KeyRing } from './signing-keys.ts';

export type JwtReading =
  | { readonly kind: 'authentic'; readonly claims: Readonly<Record<string, unknown>> }
  /** `unknown_key`: the key was not found, or the server no longer accepts its signatures. */
  | { readonly kind: 'malformed' | 'forged' | 'unknown_key' | 'other_typ' };

/** RFC 7515 §7.1: the compact serialization, the only one that this server writes. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/**
 * Does not check `iss`, `aud` and `exp`, which the caller does. It waits only where another node may have made the key:
 * the check of a token must not queue behind the hashes of passwords.
 */
export async function readJwt(keyRing: KeyRing, typ: 'at+jwt' | 'JWT', token: string): Promise<JwtReading> {
  const [, encodedHeader = '', encodedPayload = '', encodedSignature = ''] = COMPACT.exec(token) ?? [];
  const header = objectIn(encodedHeader);
  const signature = base64urlDecode(encodedSignature);
  if (header === null || signature === null) return { kind: 'malformed' };
  // RFC 7515 §4.1.11: a JWS with a critical extension that the reader does not understand is invalid. This server knows
  // none.
  if (header['crit'] !== undefined || typeof header['alg'] !== 'string') return { kind: 'malformed' };
  const { kid } = header;
  const key = typeof kid === 'string' ? (keyRing.verifierOf(kid) ?? (await verifierAfterReload(keyRing, kid))) : null;
  if (key === null) return { kind: 'unknown_key' };
  // RFC 8725 §3.1: the key determines the algorithm, not the token. This excludes `none`, and a MAC keyed with a public
  // key.
  if (header['alg'] !== key.alg) return { kind: 'forged' };
  // RFC 8725 §3.11, RFC 9068 §2.1: an ID Token never passes for an access token, nor the reverse, although one server
  // signs both.
  if (header['typ'] !== typ) return { kind: 'other_typ' };
  if (!isSignatureOf(key, `${encodedHeader}.${encodedPayload}`, signature)) return { kind: 'forged' };
  const claims = objectIn(encodedPayload);
  return claims === null ? { kind: 'malformed' } : { kind: 'authentic', claims };
}

async function verifierAfterReload(keyRing: KeyRing, kid: string) {
  await keyRing.lookAgain();
  return keyRing.verifierOf(kid);
}

/** @returns null for any text but base64url of a JSON object in UTF-8. */
function objectIn(encoded: string): Readonly<Record<string, unknown>> | null {
  const bytes = base64urlDecode(encoded);
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
