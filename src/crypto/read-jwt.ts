/** Reads a JWT of this server: checks its signature, with the key and algorithm that its `kid` names, and its `typ`. */
import { readCompactJws } from './compact-jws.ts';
import { isSignatureOf } from './jws-algorithms.ts';
import type { KeyRing } from './signing-keys.ts';

export type JwtReading =
  | { readonly kind: 'authentic'; readonly claims: Readonly<Record<string, unknown>> }
  /** `unknown_key`: the key was not found, or the server no longer accepts its signatures. */
  | { readonly kind: 'malformed' | 'forged' | 'unknown_key' | 'other_typ' };

/**
 * Does not check `iss`, `aud` and `exp`, which the caller does. It waits only where another node may have made the key:
 * the check of a token must not queue behind the hashes of passwords.
 */
export async function readJwt(keyRing: KeyRing, typ: 'at+jwt' | 'JWT', token: string): Promise<JwtReading> {
  const jws = readCompactJws(token);
  if (jws === null) return { kind: 'malformed' };
  const { header, input, signature } = jws;
  const { kid } = header;
  const key = typeof kid === 'string' ? (keyRing.verifierOf(kid) ?? (await verifierAfterReload(keyRing, kid))) : null;
  if (key === null) return { kind: 'unknown_key' };
  // RFC 8725 §3.1: the key determines the algorithm, not the token. This excludes `none`, and a MAC keyed with a public
  // key.
  if (header['alg'] !== key.alg) return { kind: 'forged' };
  // RFC 8725 §3.11, RFC 9068 §2.1: an ID Token never passes for an access token, nor the reverse, although one server
  // signs both.
  if (header['typ'] !== typ) return { kind: 'other_typ' };
  if (!isSignatureOf(key, input, signature)) return { kind: 'forged' };
  const claims = jws.claims();
  return claims === null ? { kind: 'malformed' } : { kind: 'authentic', claims };
}

async function verifierAfterReload(keyRing: KeyRing, kid: string) {
  await keyRing.lookAgain();
  return keyRing.verifierOf(kid);
}
