/** The public keys by which clients authenticate (RFC 7517, RFC 7518 §6): their form, and the algorithms of each. */
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ClientSigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { sha256 } from './digest.ts';

/** The members of a public JWK that this server reads. */
export type PublicJwk = {
  readonly kty: 'EC' | 'OKP' | 'RSA';
  readonly kid?: string | undefined;
  readonly use?: 'sig' | 'jwt-svid' | undefined;
  readonly alg?: ClientSigningAlgorithm | undefined;
  readonly crv?: string | undefined;
  readonly x?: string | undefined;
  readonly y?: string | undefined;
  readonly n?: string | undefined;
  readonly e?: string | undefined;
  readonly x5c?: readonly string[] | undefined;
  readonly 'x5t#S256'?: string | undefined;
};

/** RFC 9864 §2.2: two names of one algorithm, on the only curve that this server knows. */
const ED25519: readonly ClientSigningAlgorithm[] = ['EdDSA', 'Ed25519'];

/** RFC 7518 §3.1, RFC 8037 §3.1. */
const ALGORITHMS: Readonly<Record<PublicJwk['kty'], readonly ClientSigningAlgorithm[]>> = {
  EC: ['ES256'],
  OKP: ED25519,
  RSA: ['PS256', 'RS256'],
};

/** Of a SPIFFE bundle (SPIFFE Trust Domain and Bundle §4.2.2): the key signs JWT-SVIDs of workloads, and is no client's own. */
export const isOfClient = ({ use }: Pick<PublicJwk, 'use'>): boolean => use !== 'jwt-svid';

export const isSameAlgorithm = (one: ClientSigningAlgorithm, other: ClientSigningAlgorithm): boolean =>
  one === other || (ED25519.includes(one) && ED25519.includes(other));

/** TLS proves keys on these. No algorithm of an assertion or a request object has them. */
const CURVES_OF_CERTIFICATES: readonly string[] = ['P-384', 'P-521'];
export const isForCertificatesAlone = ({ crv }: PublicJwk): boolean =>
  crv !== undefined && CURVES_OF_CERTIFICATES.includes(crv);

/** RFC 8725 §3.1: the key determines the algorithms, and its `alg` narrows them to one. */
export const signsWith = (jwk: PublicJwk, alg: ClientSigningAlgorithm): boolean =>
  ALGORITHMS[jwk.kty].includes(alg) &&
  !isForCertificatesAlone(jwk) &&
  (jwk.alg === undefined || isSameAlgorithm(jwk.alg, alg));

/** RFC 7518 §3.3: "A key of size 2048 bits or larger MUST be used". Larger ones cost more at every request. */
const RSA_BITS = { least: 2048, most: 4096 } as const;
/**
 * From the smallest that libraries choose to 32 bits, as for proofs (src/guard/dpop-proof.ts). A check with an exponent of 3072 bits takes as
 * long as a hundred others, and a client that registers itself chooses it.
 */
const RSA_EXPONENT = { least: 65537n, most: 2n ** 32n - 1n } as const;

/** @returns why the key is of no use, in words that follow "found". Null: it can be used. */
export function whatIsWrongWithKey(jwk: PublicJwk): string | null {
  if (jwk.alg !== undefined && !signsWith(jwk, jwk.alg)) return `"alg" ${jwk.alg} for a key of the kind ${jwk.kty}`;
  const key = publicKeyOf(jwk);
  if (key === null) return `values that are no public key of the kind ${jwk.kty}`;
  const wrong = whatIsWrongWithCertificate(jwk, key);
  if (wrong !== null) return wrong;
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (jwk.kty !== 'RSA') return null;
  if (modulusLength === undefined || modulusLength < RSA_BITS.least || modulusLength > RSA_BITS.most)
    return `an RSA key of ${modulusLength} bits`;
  if (publicExponent === undefined || publicExponent < RSA_EXPONENT.least) return 'a small RSA exponent';
  return publicExponent > RSA_EXPONENT.most ? 'a large RSA exponent' : null;
}

/** RFC 7517 §4.7 and §4.9: both MUST name a certificate of this key. */
function whatIsWrongWithCertificate({ x5c, 'x5t#S256': x5t }: PublicJwk, key: KeyObject): string | null {
  const [first] = x5c ?? [];
  if (first === undefined) return null;
  try {
    const certificate = new X509Certificate(Buffer.from(first, 'base64'));
    if (!certificate.publicKey.equals(key)) return '"x5c" with a certificate of another key';
    const isNamed = x5t === undefined || x5t === sha256(certificate.raw).toString('base64url');
    return isNamed ? null : '"x5t#S256" of another certificate than "x5c"';
  } catch {
    return '"x5c" without a certificate';
  }
}

export const KEY_EXPECTED = `a public key: EC on P-256, OKP on Ed25519, or RSA with ${RSA_BITS.least} to ${RSA_BITS.most} bits; for self_signed_tls_client_auth also EC on P-384 or P-521`;

/** The members of each kind, and its curves. */
const MEMBERS: Readonly<
  Record<PublicJwk['kty'], { readonly curves?: readonly string[]; readonly names: readonly (keyof PublicJwk)[] }>
> = {
  EC: { curves: ['P-256', ...CURVES_OF_CERTIFICATES], names: ['crv', 'x', 'y'] },
  OKP: { curves: ['Ed25519'], names: ['crv', 'x'] },
  RSA: { names: ['n', 'e'] },
};

/** @returns null: the values are no key, such as a point that is not on the curve. */
export function publicKeyOf(jwk: PublicJwk): KeyObject | null {
  const { curves, names } = MEMBERS[jwk.kty];
  if (curves !== undefined && !curves.includes(jwk.crv ?? '')) return null;
  // Only these members: none of the others may change the meaning of the key.
  const members = Object.fromEntries(names.map((name) => [name, jwk[name]]));
  try {
    return createPublicKey({ key: { kty: jwk.kty, ...members }, format: 'jwk' });
  } catch {
    return null;
  }
}
