/** The parts that each JWT of a client has, whatever it is for: the signature, its algorithm and the times. */
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

/** RFC 7523 §3 (8), RFC 9101 §10.1 and RFC 8725 §3.1: `none` and every MAC are in no list. */
export function signatureNamedBy({
  alg,
  kid,
}: CompactJws['header']): Pick<SignedByClient, 'alg' | 'kid'> | 'malformed' | 'algorithm' {
  if (kid !== undefined && typeof kid !== 'string') return 'malformed';
  return isClientAlgorithm(alg) ? { alg, kid: kid ?? null } : 'algorithm';
}

const isClientAlgorithm = (alg: unknown): alg is ClientSigningAlgorithm =>
  (CLIENT_SIGNING_ALGORITHMS as readonly unknown[]).includes(alg);

/** Seconds since 1970. Null: absent. */
export type SignedTimes = { readonly exp: number; readonly nbf: number | null; readonly iat: number | null };

/** RFC 7523 §3 (4) to (6). @returns null: `exp` is absent, or one of them is no instant. */
export function timesIn({ exp, nbf, iat }: Readonly<Record<string, unknown>>): SignedTimes | null {
  if (!isInstant(exp) || !isInstantOrAbsent(nbf) || !isInstantOrAbsent(iat)) return null;
  return { exp, nbf: nbf ?? null, iat: iat ?? null };
}

/** RFC 7519 §2: a NumericDate. Within the range of a Date. */
const MAX_INSTANT_SECONDS = 8.64e12;
const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= MAX_INSTANT_SECONDS;
const isInstantOrAbsent = (value: unknown): value is number | undefined => value === undefined || isInstant(value);

/** FAPI 2.0 Security Profile §5.3.2.1: a clock that runs ahead by less is no forgery. The machine used-jti has the same bound. */
const FUTURE_SECONDS = 60;
export const isFromFuture = ({ nbf, iat }: SignedTimes, seconds: number): boolean =>
  [nbf, iat].some((one) => one !== null && one - seconds > FUTURE_SECONDS);

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
