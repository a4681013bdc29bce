/** Reads a JWT that we issued: checks its signature, with the key and algorithm that its `kid` names, and its `typ`. */
import { compactVerify, errors } from 'jose';
import type { KeyRing } from './signing-keys.ts';

export type JwtReading =
  | { readonly kind: 'authentic'; readonly claims: Readonly<Record<string, unknown>> }
  /** `unknown_key`: no such key, or a key whose signatures are no longer accepted. */
  | { readonly kind: 'malformed' | 'forged' | 'unknown_key' | 'other_typ' };

/** RFC 7515 §7.1: the compact serialization, the only one that we write. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Does not check `iss`, `aud` and `exp`: that is up to the caller. */
export async function readJwt(keyRing: KeyRing, typ: 'at+jwt' | 'JWT', token: string): Promise<JwtReading> {
  if (!COMPACT.test(token)) return { kind: 'malformed' };
  try {
    const { payload } = await compactVerify(token, async ({ kid, ...header }) => {
      const key = kid === undefined ? null : (keyRing.verifierOf(kid) ?? (await verifierAfterReload(keyRing, kid)));
      if (key === null) throw new NotOurs('unknown_key');
      // RFC 8725 §3.1: the key determines the algorithm, never the token. So neither `none` nor a MAC keyed with a public key.
      if (header.alg !== key.alg) throw new NotOurs('forged');
      // RFC 8725 §3.11, RFC 9068 §2.1: an ID Token never passes for an access token, nor the reverse, though we sign both.
      if (header.typ !== typ) throw new NotOurs('other_typ');
      return key.publicKey;
    });
    const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    const isObject = typeof claims === 'object' && claims !== null && !Array.isArray(claims);
    return isObject ? { kind: 'authentic', claims: claims as Record<string, unknown> } : { kind: 'malformed' };
  } catch (error) {
    if (error instanceof NotOurs) return { kind: error.kind };
    return { kind: error instanceof errors.JWSSignatureVerificationFailed ? 'forged' : 'malformed' };
  }
}

async function verifierAfterReload(keyRing: KeyRing, kid: string) {
  await keyRing.lookAgain();
  return keyRing.verifierOf(kid);
}

class NotOurs extends Error {
  readonly kind: 'forged' | 'unknown_key' | 'other_typ';
  constructor(kind: NotOurs['kind']) {
    super(kind);
    this.kind = kind;
  }
}
