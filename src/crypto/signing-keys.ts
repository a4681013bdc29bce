/** The key that signs access tokens: ES256, made on first start, stored encrypted (JWE) under the root secret. */
import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  CompactEncrypt,
  calculateJwkThumbprint,
  compactDecrypt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JWK,
} from 'jose';
import { type RootKeys, RootSecretError } from './root-secret.ts';

export type StoredSigningKey = {
  readonly kid: string;
  readonly alg: string;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** JWE compact serialization of the private JWK; its `kid` names the root secret. */
  readonly privateJwe: string;
};

export type SigningKey = { readonly kid: string; readonly alg: 'ES256'; readonly privateKey: KeyObject };

export async function makeSigningKey(keys: RootKeys): Promise<StoredSigningKey> {
  const alg = 'ES256';
  const pair = await generateKeyPair(alg, { extractable: true });
  const publicKey = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicKey);
  const privateJwe = await seal(keys, await exportJWK(pair.privateKey));
  return { kid, alg, publicJwk: { ...publicKey, kid, alg, use: 'sig' }, privateJwe };
}

const seal = (keys: RootKeys, privateJwk: JWK): Promise<string> =>
  new CompactEncrypt(Buffer.from(JSON.stringify(privateJwk)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keys.first.id })
    .encrypt(keys.first.key('signing-key'));

/** Under the root secret that makes today, so that an older one can leave the list. Null: it is already. */
export async function resealSigningKey(keys: RootKeys, stored: StoredSigningKey): Promise<string | null> {
  if (sealedBy(stored) === keys.first.id) return null;
  return seal(keys, await unseal(keys, stored));
}

const sealedBy = ({ privateJwe }: StoredSigningKey): string => String(decodeProtectedHeader(privateJwe).kid);

/** @throws RootSecretError when the root secret that encrypted the key is not listed any more. */
export async function openSigningKey(keys: RootKeys, stored: StoredSigningKey): Promise<SigningKey> {
  const jwk = await unseal(keys, stored);
  return { kid: stored.kid, alg: 'ES256', privateKey: createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' }) };
}

async function unseal(keys: RootKeys, stored: StoredSigningKey): Promise<JWK> {
  requireRootSecretOf(keys, stored);
  const root = keys.byId.get(sealedBy(stored)) ?? keys.first;
  const { plaintext } = await compactDecrypt(stored.privateJwe, root.key('signing-key'));
  return JSON.parse(Buffer.from(plaintext).toString('utf8')) as JWK;
}

/** @throws RootSecretError when the root secret that encrypted the key is not listed any more. */
export function requireRootSecretOf(keys: RootKeys, stored: StoredSigningKey): void {
  const keyId = sealedBy(stored);
  if (keys.byId.has(keyId)) return;
  throw new RootSecretError(
    `The stored signing key ${stored.kid} was encrypted with a root secret (key id ${keyId}) that STATEHOUSE_SECRET ` +
      'does not list. Add that secret to the end of the list: the first makes, all verify.',
  );
}
