/**
 * Signing (RFC 7515 §5.1), with node:crypto on the calling thread: WebCrypto takes half as long again and changes the
 * thread (docs/performance.md). For checking, see jws-algorithms.ts.
 */
import { sign } from 'node:crypto';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { rawOfDer } from './ecdsa-signature.ts';
import type { SigningKey, SigningKeyHere } from './signing-keys.ts';

/** RFC 7518 §3.3 and §3.4, RFC 8037 §3.1. */
const SIGN: Readonly<Record<SigningAlgorithm, (key: SigningKeyHere, input: Buffer) => Buffer>> = {
  ES256: ({ privateKey: key }, input) => rawOfDer(sign('sha256', input, key)),
  RS256: ({ privateKey: key }, input) => sign('sha256', input, key),
  EdDSA: ({ privateKey: key }, input) => sign(null, input, key),
};

/** @returns the JWS compact serialization. It is a promise where a device holds the private half. */
export function signJwt<Key extends SigningKey>(key: Key, typ: Typ, claims: object): Signed<Key>;
export function signJwt(key: SigningKey, typ: Typ, claims: object): string | Promise<string> {
  const signingInput = `${headerOf(key, typ)}.${base64url(JSON.stringify(claims))}`;
  const input = Buffer.from(signingInput);
  const jws = (signature: Buffer) => `${signingInput}.${signature.toString('base64url')}`;
  return 'signElsewhere' in key ? key.signElsewhere(input).then(jws) : jws(SIGN[key.alg](key, input));
}

type Typ = 'at+jwt' | 'JWT' | 'secevent+jwt';
export type Signed<Key extends SigningKey> = Key extends SigningKeyHere ? string : string | Promise<string>;

const base64url = (text: string) => Buffer.from(text).toString('base64url');

const headers = new WeakMap<SigningKey, Map<string, string>>();
function headerOf(key: SigningKey, typ: string): string {
  const ofKey = headers.get(key) ?? new Map<string, string>();
  if (ofKey.size === 0) headers.set(key, ofKey);
  const known = ofKey.get(typ) ?? base64url(JSON.stringify({ alg: key.alg, typ, kid: key.kid }));
  ofKey.set(typ, known);
  return known;
}
