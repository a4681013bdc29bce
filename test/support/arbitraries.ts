/** Arbitraries: extreme values, and ranges so small that equal values are likely. */
import { fc } from '@fast-check/vitest';

/** Few values, so that two are often equal. */
export const epochs = fc.bigInt({ min: 0n, max: 2n });

export const nonces = fc.uint8Array({ minLength: 16, maxLength: 16 });

/** Up to the maximum of a signed 64-bit integer. */
export const generations = fc.oneof(
  fc.bigInt({ min: 0n, max: 3n }),
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  fc.constant(2n ** 63n - 1n),
);

export const grantIds = fc.uuid();

/** Of at least 32 bytes, enough of them different. */
export const rootSecrets = fc.string({ minLength: 32, maxLength: 80 }).map((text) => `0123456789 ${text}`);

const UNRESERVED = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'];

/** RFC 7636 §4.1: 43*128unreserved. */
export const codeVerifiers = fc.string({ unit: fc.constantFrom(...UNRESERVED), minLength: 43, maxLength: 128 });
