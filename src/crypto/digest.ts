import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

export const sha256 = (value: string | Uint8Array): Buffer => hash('sha256', value, 'buffer');

/** With a KeyObject: a raw key would be copied and set up anew at each call, which costs five times the HMAC. */
export const hmacSha256 = (key: KeyObject, ...parts: (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
};

/** In constant time for equal lengths; the length itself is no secret. */
export const sameSecretBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
