import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

export const sha256 = (value: string | Uint8Array): Buffer => hash('sha256', value, 'buffer');

/** Upper-case hexadecimal, as in lists of breached passwords. It protects nothing. */
export const sha1Hex = (value: string): string => hash('sha1', value, 'hex').toUpperCase();

/** Takes a KeyObject: each call would import a raw key again, which costs five times as much as the HMAC. */
export const hmacSha256 = (key: KeyObject, ...parts: (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
};

/** In constant time for equal lengths. The length itself is no secret. */
export const sameSecretBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
