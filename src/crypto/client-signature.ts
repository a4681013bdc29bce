/** The signature of a client on a JWT: a client assertion or a request object. */
import type { KeyObject } from 'node:crypto';
import { CLIENT_SIGNING_ALGORITHMS, type ClientSigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { type PublicJwk, publicKeyOf, signsWith } from './client-keys.ts';
import type { CompactJws } from './compact-jws.ts';
import { isSignatureOf } from './jws-algorithms.ts';

/** As the text says, so far without proof. */
export type SignedByClient = {
  readonly alg: ClientSigningAlgorithm;
  readonly kid: string | null;
  readonly jws: CompactJws;
};

export const isClientAlgorithm = (alg: unknown): alg is ClientSigningAlgorithm =>
  (CLIENT_SIGNING_ALGORITHMS as readonly unknown[]).includes(alg);

/** RFC 7519 §2: a NumericDate. Within the range of a Date. */
const MAX_INSTANT_SECONDS = 8.64e12;
export const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= MAX_INSTANT_SECONDS;
export const isInstantOrAbsent = (value: unknown): value is number | undefined =>
  value === undefined || isInstant(value);

/** The keys of a client that may have signed: the named one, or without a name those of the algorithm. */
export const candidates = <Key extends PublicJwk>(
  { alg, kid }: Pick<SignedByClient, 'alg' | 'kid'>,
  keys: readonly Key[],
): readonly Key[] => keys.filter((key) => signsWith(key, alg) && (kid === null || key.kid === kid));

/** @param key one of the candidates. */
export function isSignedBy({ alg, jws }: SignedByClient, key: PublicJwk): boolean {
  const publicKey = keyObjectOf(key);
  return publicKey !== null && isSignatureOf({ alg: NAMES[alg], publicKey }, jws.input, jws.signature);
}

const NAMES = { ES256: 'ES256', PS256: 'PS256', EdDSA: 'EdDSA', Ed25519: 'EdDSA', RS256: 'RS256' } as const;

/** Reading a key costs as much as a signature. Each request reads the row of its client, so the text of a key names it. */
const MAX_KEPT = 1000;
const kept = new Map<string, KeyObject>();

function keyObjectOf(jwk: PublicJwk): KeyObject | null {
  const { kty, crv, x, y, n, e } = jwk;
  const text = JSON.stringify([kty, crv, x, y, n, e]);
  const known = kept.get(text);
  if (known !== undefined) return known;
  const key = publicKeyOf(jwk);
  if (key === null) return null;
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
  kept.set(text, key);
  return key;
}
