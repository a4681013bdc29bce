/** The keys that sign tokens. The server makes them, and stores them encrypted (JWE) under the root secret. */
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  CompactEncrypt,
  calculateJwkThumbprint,
  compactDecrypt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JWK,
} from 'jose';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { type RootKeys, RootSecretError } from './root-secret.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'signing-key': true;
  }
}

export type StoredSigningKey = {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly publicJwk: PublicJwk;
  /**
   * JWE compact serialization of the private JWK, whose `kid` names the root secret, or the other place of the private
   * half (key-source.ts).
   */
  readonly privateJwe: string;
};

type Named = { readonly kid: string; readonly alg: SigningAlgorithm };
export type SigningKeyHere = Named & { readonly privateKey: KeyObject };
/** Its private half never enters this process. */
export type SigningKeyElsewhere = Named & {
  /** @param input the JWS Signing Input. @returns the signature as JWS has it (RFC 7518 §3). @throws Unavailable */
  readonly signElsewhere: (input: Buffer) => Promise<Buffer>;
};
export type SigningKey = SigningKeyHere | SigningKeyElsewhere;

/** The current keys, for every endpoint. machines/signing-key/machine.ts decides, and src/boot/key-ring.ts follows. */
export type KeyRing<Key extends SigningKey = SigningKey> = {
  /** @throws Error when no key of this algorithm signs. */
  readonly signerOf: (alg: SigningAlgorithm) => Key;
  /** The JWKS: public JWKs of every key whose signatures are accepted, including the signers. */
  readonly published: () => readonly PublicJwk[];
  /**
   * For checking the server's own signatures. Null: the key was not found, or its signatures are no longer accepted.
   */
  readonly verifierOf: (kid: string) => { readonly alg: SigningAlgorithm; readonly publicKey: KeyObject } | null;
  /** For an unknown kid: another node may have created the key, and signed with it, since the last query. */
  readonly lookAgain: () => Promise<void>;
};

export type PublicJwk = Readonly<Record<string, unknown>>;

export async function makeSigningKey(keys: RootKeys, alg: SigningAlgorithm): Promise<StoredSigningKey> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const publicKey = await exportJWK(pair.publicKey);
  const kid = await kidOf(publicKey);
  // Operators type it: a command would read a leading "-" (one kid in 64) as an option.
  if (kid.startsWith('-')) return makeSigningKey(keys, alg);
  const privateJwe = await seal(keys, await exportJWK(pair.privateKey));
  return { kid, alg, publicJwk: { ...publicKey, kid, alg, use: 'sig' }, privateJwe };
}

/** RFC 7638: the thumbprint, so that keys of different nodes never share a kid. */
export const kidOf = (publicJwk: JWK): Promise<string> => calculateJwkThumbprint(publicJwk, 'sha256');

const seal = (keys: RootKeys, privateJwk: JWK): Promise<string> =>
  new CompactEncrypt(Buffer.from(JSON.stringify(privateJwk)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keys.first.id })
    .encrypt(keys.first.key('signing-key'));

/** Encrypts the key under the first root secret, so that an older secret can leave the list. Null: it already is. */
export async function resealSigningKey(keys: RootKeys, stored: StoredSigningKey): Promise<string | null> {
  if (!isSealed(stored.privateJwe) || sealedBy(stored) === keys.first.id) return null;
  return seal(keys, await unseal(keys, stored));
}

type SealedKey = { readonly kid: string; readonly privateJwe: string | null };

/** A compact JWE has five parts (RFC 7516 §7.1). The name of another place has no dots. */
const isSealed = (privateJwe: string): boolean => privateJwe.includes('.');

const sealedBy = ({ privateJwe }: { readonly privateJwe: string }): string =>
  String(decodeProtectedHeader(privateJwe).kid);

/** @throws RootSecretError when the root secret that encrypted the key is no longer listed. */
export async function openSigningKey(keys: RootKeys, stored: StoredSigningKey): Promise<SigningKeyHere> {
  const jwk = await unseal(keys, stored);
  return { kid: stored.kid, alg: stored.alg, privateKey: createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' }) };
}

async function unseal(keys: RootKeys, stored: StoredSigningKey): Promise<JWK> {
  requireRootSecretOf(keys, stored);
  const root = keys.byId.get(sealedBy(stored)) ?? keys.first;
  const { plaintext } = await compactDecrypt(stored.privateJwe, root.key('signing-key'));
  return JSON.parse(Buffer.from(plaintext).toString('utf8')) as JWK;
}

/** @throws RootSecretError when the root secret that encrypted the key is no longer listed. */
export function requireRootSecretOf(keys: RootKeys, { kid, privateJwe }: SealedKey): void {
  // Erased: the key no longer signs, and the public half checks its signatures.
  if (privateJwe === null || !isSealed(privateJwe)) return;
  const keyId = sealedBy({ privateJwe });
  if (keys.byId.has(keyId)) return;
  throw new RootSecretError(
    `The stored signing key ${kid} was encrypted with a root secret (key id ${keyId}) that STATEHOUSE_SECRET ` +
      'does not list. Add that secret to the end of the list: the first makes, all verify.',
  );
}

export const publicKeyOf = (jwk: PublicJwk): KeyObject => createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
