/** How a PKCS#11 device makes a key of each algorithm and signs with it. A new algorithm is a row here, in SIGN and in VERIFICATIONS. */
import { sha256 } from '../crypto/digest.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';

/** Of PKCS #11 Specification 3.1. */
export const CK = {
  FLAGS_READ_WRITE_SESSION: 0x6,
  USER: 1,
  CLASS: 0x0,
  TOKEN: 0x1,
  PRIVATE: 0x2,
  LABEL: 0x3,
  ID: 0x102,
  SENSITIVE: 0x103,
  SIGN: 0x108,
  VERIFY: 0x10a,
  MODULUS: 0x120,
  MODULUS_BITS: 0x121,
  PUBLIC_EXPONENT: 0x122,
  EXTRACTABLE: 0x162,
  EC_PARAMS: 0x180,
  EC_POINT: 0x181,
  PRIVATE_KEY: 0x3,
} as const;

type Attribute = { readonly type: number; readonly value: Buffer | number | boolean };
type Jwk = Readonly<Record<string, string>>;

export type DeviceAlgorithm = {
  readonly generation: number;
  readonly signature: number;
  /** Of the public half, beyond that it verifies. */
  readonly parameters: readonly Attribute[];
  readonly publicAttributes: readonly number[];
  /** @param values of `publicAttributes`, in their order. */
  readonly jwkOf: (...values: Buffer[]) => Jwk;
  /** The input that the mechanism signs. */
  readonly inputOf: (input: Uint8Array) => Buffer;
  readonly signatureBytes: number;
};

const base64url = (bytes: Buffer): string => bytes.toString('base64url');

/** CKA_EC_POINT is a DER OCTET STRING (PKCS #11 §6.3.3); some devices give its content alone. */
function pointOf(value: Buffer, bytes: number): Buffer {
  const point = value.length === bytes + 2 && value[0] === 0x04 && value[1] === bytes ? value.subarray(2) : value;
  if (point.length !== bytes) throw new Error('the device gave a public key of another size');
  return point;
}

const RSA_BITS = 2048;

export const DEVICE_ALGORITHMS: Readonly<Record<SigningAlgorithm, DeviceAlgorithm>> = {
  ES256: {
    generation: 0x1040,
    // CKM_ECDSA: of the hash, and R and S as RFC 7518 §3.4 has them.
    signature: 0x1041,
    // The OID of P-256 (RFC 5480 §2.1.1.1).
    parameters: [{ type: CK.EC_PARAMS, value: Buffer.from('06082a8648ce3d030107', 'hex') }],
    publicAttributes: [CK.EC_POINT],
    jwkOf: (value) => {
      const point = pointOf(value, 65);
      return { kty: 'EC', crv: 'P-256', x: base64url(point.subarray(1, 33)), y: base64url(point.subarray(33)) };
    },
    inputOf: (input) => sha256(input),
    signatureBytes: 64,
  },
  RS256: {
    generation: 0x0,
    // CKM_SHA256_RSA_PKCS: RSASSA-PKCS1-v1_5 (RFC 7518 §3.3).
    signature: 0x40,
    parameters: [
      { type: CK.MODULUS_BITS, value: RSA_BITS },
      { type: CK.PUBLIC_EXPONENT, value: Buffer.from('010001', 'hex') },
    ],
    publicAttributes: [CK.MODULUS, CK.PUBLIC_EXPONENT],
    jwkOf: (n, e) => ({ kty: 'RSA', n: base64url(n), e: base64url(e) }),
    inputOf: (input) => Buffer.from(input),
    signatureBytes: RSA_BITS / 8,
  },
  EdDSA: {
    generation: 0x1055,
    signature: 0x1057,
    // The OID of Ed25519 (RFC 8410 §3), or its name, which SoftHSM 2.6 wants.
    parameters: [{ type: CK.EC_PARAMS, value: Buffer.from('130c656477617264733235353139', 'hex') }],
    publicAttributes: [CK.EC_POINT],
    jwkOf: (value) => ({ kty: 'OKP', crv: 'Ed25519', x: base64url(pointOf(value, 32)) }),
    inputOf: (input) => Buffer.from(input),
    signatureBytes: 64,
  },
};
