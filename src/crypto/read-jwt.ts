/** A JWT of our own that comes back: our signature, by the key and the algorithm that its `kid` names, and the kind that is meant. */
import { compactVerify, errors } from 'jose';
import type { KeyRing } from './signing-keys.ts';

export type JwtReading =
  | { readonly kind: 'authentic'; readonly claims: Readonly<Record<string, unknown>> }
  /** `unknown_key`: no such key, or one whose signatures are not good any more. */
  | { readonly kind: 'malformed' | 'forged' | 'unknown_key' | 'other_typ' };

/** RFC 7515 §7.1, in the one spelling that we write. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Nothing is said about `iss`, `aud` and `exp`: what they must be is for whoever reads the claims. */
export async function readJwt(keyRing: KeyRing, typ: 'at+jwt' | 'JWT', token: string): Promise<JwtReading> {
  if (!COMPACT.test(token)) return { kind: 'malformed' };
  try {
    const { payload } = await compactVerify(token, async ({ kid, ...header }) => {
      const key = kid === undefined ? null : (keyRing.verifierOf(kid) ?? (await lookedUp(keyRing, kid)));
      if (key === null) throw new NotOurs('unknown_key');
      // RFC 8725 §3.1: the key says which algorithm, never the token. So neither `none` nor a MAC keyed with a public key.
      if (header.alg !== key.alg) throw new NotOurs('forged');
      // RFC 8725 §3.11, RFC 9068 §2.1: an ID Token is no access token, nor the other way round, though we sign both.
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

async function lookedUp(keyRing: KeyRing, kid: string) {
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
