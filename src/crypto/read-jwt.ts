/** Reads a JWT that we issued: checks its signature, with the key and algorithm that its `kid` names, and its `typ`. */
import { base64urlDecode } from './base64url.ts';
import { isSignatureOf } from './jws-algorithms.ts';
import type { KeyRing } from './signing-keys.ts';

export type JwtReading =
  | { readonly kind: 'authentic'; readonly claims: Readonly<Record<string, unknown>> }
  /** `unknown_key`: no such key, or a key whose signatures are no longer accepted. */
  | { readonly kind: 'malformed' | 'forged' | 'unknown_key' | 'other_typ' };

/** RFC 7515 §7.1: the compact serialization, the only one that we write. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/**
 * Does not check `iss`, `aud` and `exp`: that is up to the caller. Waits for nothing, unless another node may have made the key:
 * checking a token must not queue behind the hashes of passwords.
 */
export async function readJwt(keyRing: KeyRing, typ: 'at+jwt' | 'JWT', token: string): Promise<JwtReading> {
  const [, encodedHeader = '', encodedPayload = '', encodedSignature = ''] = COMPACT.exec(token) ?? [];
  const header = objectIn(encodedHeader);
  const signature = base64urlDecode(encodedSignature);
  if (header === null || signature === null) return { kind: 'malformed' };
  // RFC 7515 §4.1.11: a JWS whose critical extensions are not understood is invalid. We understand none, and write none.
  if (header['crit'] !== undefined || typeof header['alg'] !== 'string') return { kind: 'malformed' };
  const { kid } = header;
  const key = typeof kid === 'string' ? (keyRing.verifierOf(kid) ?? (await verifierAfterReload(keyRing, kid))) : null;
  if (key === null) return { kind: 'unknown_key' };
  // RFC 8725 §3.1: the key determines the algorithm, never the token. So neither `none` nor a MAC keyed with a public key.
  if (header['alg'] !== key.alg) return { kind: 'forged' };
  // RFC 8725 §3.11, RFC 9068 §2.1: an ID Token never passes for an access token, nor the reverse, though we sign both.
  if (header['typ'] !== typ) return { kind: 'other_typ' };
  if (!isSignatureOf(key, `${encodedHeader}.${encodedPayload}`, signature)) return { kind: 'forged' };
  const claims = objectIn(encodedPayload);
  return claims === null ? { kind: 'malformed' } : { kind: 'authentic', claims };
}

async function verifierAfterReload(keyRing: KeyRing, kid: string) {
  await keyRing.lookAgain();
  return keyRing.verifierOf(kid);
}

/** @returns null for anything but base64url of a JSON object in UTF-8. */
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
