/**
 * The key that an older root secret has for one purpose, sealed under the first. Values that only their owner could
 * make again stay valid when the older secret leaves the list. The server keeps neither the older secret itself nor its
 * keys for other purposes.
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Purpose, RootKey, RootKeys } from './root-secret.ts';
import { isSealedByFirst, openText, sealText } from './sealed-text.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'kept-key': true;
  }
}

export type KeptKey = {
  /** The id of the root secret from which the key is derived. */
  readonly keyId: string;
  readonly sealed: string;
};

const nameOf = (purpose: Purpose, keyId: string): string => `${purpose} ${keyId}`;

/** @param iv 12 random bytes. */
export const keepKey = (keys: RootKeys, purpose: Purpose, of: RootKey, iv: Uint8Array): KeptKey => ({
  keyId: of.id,
  sealed: sealKey(keys, nameOf(purpose, of.id), of.key(purpose), iv),
});

/**
 * Null: the sealing root secret is not listed, or the first one has already sealed the key. @param iv 12 random bytes.
 */
export function keepOn(keys: RootKeys, purpose: Purpose, kept: KeptKey, iv: Uint8Array): KeptKey | null {
  if (isSealedByFirst(keys, kept.sealed)) return null;
  const key = openKept(keys, purpose, kept);
  return key && { ...kept, sealed: sealKey(keys, nameOf(purpose, kept.keyId), key, iv) };
}

/** Null: the sealing root secret is not listed. */
export function openKept(keys: RootKeys, purpose: Purpose, { keyId, sealed }: KeptKey): KeyObject | null {
  const text = openText(keys, 'kept-key', nameOf(purpose, keyId), sealed);
  return text === null ? null : createSecretKey(text, 'base64url');
}

const sealKey = (keys: RootKeys, name: string, key: KeyObject, iv: Uint8Array): string =>
  sealText(keys, 'kept-key', name, key.export().toString('base64url'), iv);
