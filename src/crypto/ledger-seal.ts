/**
 * The keys that sign segments of the ledger: Ed25519 (RFC 8032), with a private key that HKDF derives from a root
 * secret. The public keys alone suffice to verify.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from './digest.ts';
import type { RootKey, RootKeys } from './root-secret.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'ledger-seal': true;
  }
}

/** A public key (RFC 8037). */
export type SealJwk = {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  /** RFC 7638: the thumbprint. */
  readonly kid: string;
};

/** The key of a seal, as its statement names it. */
export type NamedKey = {
  /** RFC 7638: the thumbprint. */
  readonly key: string;
  /** `x` of the public key. The key comes with the seal, so it proves nothing unless its thumbprint is trusted. */
  readonly public_key?: string | undefined;
};

export type SealVerifier = {
  /**
   * Null: the key is not trusted, and the signature matches the statement. False: also where the public key of the seal
   * has another thumbprint, or did not make the signature. @param signature base64url.
   */
  readonly isRight: (named: NamedKey, statement: string, signature: string) => boolean | null;
};

export type SealKeys = SealVerifier & {
  /** The id of the key of the first root secret, which signs. */
  readonly kid: string;
  /** `x` of the same key. */
  readonly publicKey: string;
  /** @returns base64url. */
  readonly sign: (statement: string) => string;
  /** One key per root secret, in the order of the list. */
  readonly published: readonly SealJwk[];
};

/**
 * A signature names its purpose, so that no other use accepts it. These words are part of every signature: another word
 * would invalidate each stored seal.
 */
const signed = (statement: string): Buffer => Buffer.from(`statehouse ledger stretch\n${statement}`);

/** PKCS #8 of an Ed25519 key (RFC 8410 §7), up to its 32 octets. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export function sealKeys(keys: RootKeys): SealKeys {
  const first = privateKeyOf(keys.first);
  const published = [...keys.byId.values()].map((key) => jwkOf(createPublicKey(privateKeyOf(key))));
  const { kid, x: publicKey } = jwkOf(createPublicKey(first));
  return {
    kid,
    publicKey,
    sign: (statement) => sign(null, signed(statement), first).toString('base64url'),
    published,
    ...sealVerifier(published),
  };
}

/** @param thumbprints of additional trusted keys. The keys themselves come with the seals. */
export function sealVerifier(published: readonly SealJwk[], thumbprints: readonly string[] = []): SealVerifier {
  const keys = new Map(published.map(({ kid, x }) => [kid, publicKeyOf(x)]));
  const trusted = new Set(thumbprints);
  return {
    isRight: ({ key: kid, public_key: x }, statement, signature) => {
      const isSignedBy = (key: KeyObject) => verify(null, signed(statement), key, Buffer.from(signature, 'base64url'));
      const known = keys.get(kid);
      if (known) return isSignedBy(known);
      if (x === undefined) return null;
      if (thumbprintOf(x) !== kid || !isSignedBy(publicKeyOf(x))) return false;
      return trusted.has(kid) ? true : null;
    },
  };
}

const publicKeyOf = (x: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

const privateKeyOf = (root: RootKey): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, root.key('ledger-seal').export()]), format: 'der', type: 'pkcs8' });

function jwkOf(key: KeyObject): SealJwk {
  const { x = '' } = key.export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, kid: thumbprintOf(x) };
}

/** RFC 8037 Appendix A.3: the members in the order of RFC 7638. */
const thumbprintOf = (x: string): string => sha256(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).toString('base64url');

/** The base64url form of 32 octets: `x` of a public key, or a thumbprint. */
export const OCTETS_32 = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads a public key from outside. The server computes its kid, and does not trust a given one. @returns null: the
 * value is no such key.
 */
export function readSealJwk(value: unknown): SealJwk | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kty, crv, x } = value as Readonly<Record<string, unknown>>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || !OCTETS_32.test(x)) return null;
  return { kty, crv, x, kid: thumbprintOf(x) };
}
