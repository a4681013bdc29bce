/**
 * Client secrets are long and random, so a slow hash would only cost time. The database holds an HMAC of the secret's
 * SHA-256, under a key from the root secret. A leaked table alone does not allow guessing.
 */
import { hmacSha256, sameSecretBytes, sha256 } from './digest.ts';
import type { Random } from './random.ts';
import type { RootKey, RootKeys } from './root-secret.ts';
import { type RawSecret, rawSecret } from './secret-types.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'client-secret': true;
  }
}

export type StoredSecretMac = {
  readonly keyId: string;
  readonly mac: string;
  /** For the warning of `statehouse check`, which cannot read the secret itself. */
  readonly short?: true;
};

/** 256 random bits, base64url. */
export const makeClientSecret = (random: Random): RawSecret => rawSecret(random.bytes(32).toString('base64url'));

/** In characters. A shorter secret is open to guessing, or a person probably chose it. */
export const SHORT_SECRET_CHARACTERS = 32;

const macOf = (key: RootKey, secretHash: Uint8Array) => hmacSha256(key.key('client-secret'), secretHash);

export const storedSecretMac = (keys: RootKeys, secret: RawSecret): StoredSecretMac => ({
  ...storedHashMac(keys, sha256(secret)),
  ...(secret.length < SHORT_SECRET_CHARACTERS && { short: true }),
});

/** For configuration that holds the SHA-256 of a secret instead of the secret. */
export const storedHashMac = (keys: RootKeys, secretHash: Uint8Array): StoredSecretMac => ({
  keyId: keys.first.id,
  mac: macOf(keys.first, secretHash).toString('hex'),
});

export const secretHash = (secret: RawSecret): Buffer => sha256(secret);

/**
 * Constant time per stored secret. A client may have several active secrets, so that it can rotate them without an
 * outage.
 */
export const matchesStoredSecret = (keys: RootKeys, stored: readonly StoredSecretMac[], secret: RawSecret): boolean =>
  matchesStoredHash(keys, stored, sha256(secret));

export function matchesStoredHash(keys: RootKeys, stored: readonly StoredSecretMac[], hash: Uint8Array): boolean {
  let matches = false;
  for (const { keyId, mac } of stored) {
    const key = keys.byId.get(keyId);
    if (key && sameSecretBytes(macOf(key, hash), Buffer.from(mac, 'hex'))) matches = true;
  }
  return matches;
}
