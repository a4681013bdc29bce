/**
 * Client secrets are machine-made and long, so a slow hash would only cost. What is stored is an HMAC, under a key from
 * the root secret, of the secret's SHA-256: a leaked table alone cannot even be guessed against.
 */
import { hmacSha256, sameSecretBytes, sha256 } from './digest.ts';
import type { RootKey, RootKeys } from './root-secret.ts';
import type { RawSecret } from './secret-types.ts';

export type StoredSecretMac = { readonly keyId: string; readonly mac: string };

const macOf = (key: RootKey, secret: RawSecret) => hmacSha256(key.key('client-secret'), sha256(secret));

export const storedSecretMac = (keys: RootKeys, secret: RawSecret): StoredSecretMac => ({
  keyId: keys.first.id,
  mac: macOf(keys.first, secret).toString('hex'),
});

/** Constant time per stored secret; a client may have several live ones, so that rotating one breaks nothing. */
export function matchesStoredSecret(keys: RootKeys, stored: readonly StoredSecretMac[], secret: RawSecret): boolean {
  let matches = false;
  for (const { keyId, mac } of stored) {
    const key = keys.byId.get(keyId);
    if (key && sameSecretBytes(macOf(key, secret), Buffer.from(mac, 'hex'))) matches = true;
  }
  return matches;
}
