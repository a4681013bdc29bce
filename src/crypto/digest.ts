import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const sha256 = (value: string | Uint8Array): Buffer => createHash('sha256').update(value).digest();

export const hmacSha256 = (key: Uint8Array, ...parts: (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
};

/** In constant time for equal lengths; the length itself is no secret. */
export const sameSecretBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
