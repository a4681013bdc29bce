/** The check of a signature, for each algorithm. A new algorithm is a row here and in SIGN (jws.ts). */
import { constants, type KeyObject, type VerifyKeyObjectInput, verify } from 'node:crypto';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { derOfRaw, RAW_SIGNATURE_BYTES } from './ecdsa-signature.ts';

type Verification = {
  /** Null: the algorithm hashes by itself. */
  readonly hash: 'sha256' | null;
  /** The form of the signature that OpenSSL reads. */
  readonly forOpenSsl: (signature: Uint8Array) => Uint8Array;
  /** The length of every signature, in octets. Null: as long as the modulus of the key, which OpenSSL checks. */
  readonly signatureBytes: number | null;
  /** The key with the padding, where it is not OpenSSL's default. */
  readonly keyFor?: (key: KeyObject) => VerifyKeyObjectInput;
};

/** PS256: only clients sign with it. */
export type CheckedAlgorithm = SigningAlgorithm | 'PS256';

const asItIs = (signature: Uint8Array): Uint8Array => signature;

const VERIFICATIONS: Readonly<Record<CheckedAlgorithm, Verification>> = {
  // RFC 7518 §3.4: R and S, each of 32 octets.
  ES256: { hash: 'sha256', forOpenSsl: derOfRaw, signatureBytes: RAW_SIGNATURE_BYTES },
  // RFC 7518 §3.3: RSASSA-PKCS1-v1_5, which is OpenSSL's default.
  RS256: { hash: 'sha256', forOpenSsl: asItIs, signatureBytes: null },
  // RFC 7518 §3.5: RSASSA-PSS, with a salt as long as the hash.
  PS256: {
    hash: 'sha256',
    forOpenSsl: asItIs,
    signatureBytes: null,
    keyFor: (key) => ({
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    }),
  },
  // RFC 8037 §3.1.
  EdDSA: { hash: null, forOpenSsl: asItIs, signatureBytes: 64 },
};

/**
 * Runs on the calling thread: WebCrypto waits in the queue of libuv's threads, behind all earlier work, and one check
 * takes about 50 µs.
 *
 * @param input the JWS Signing Input (RFC 7515 §5.2).
 */
export function isSignatureOf(
  { alg, publicKey: key }: { readonly alg: CheckedAlgorithm; readonly publicKey: KeyObject },
  input: string,
  signature: Uint8Array,
): boolean {
  const { hash, forOpenSsl, signatureBytes, keyFor } = VERIFICATIONS[alg];
  if (signatureBytes !== null && signature.length !== signatureBytes) return false;
  return verify(hash, Buffer.from(input), keyFor?.(key) ?? key, forOpenSsl(signature));
}
