/** RFC 9449 §8: the nonce of a minute, under each listed root secret. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { dpopNonceAt, isCurrentDpopNonce } from '../../../src/crypto/dpop-nonce.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';

const OLD = 'an older root secret for tests, also of 32 bytes';
const NEW = 'a newer root secret for tests, also of 32 bytes';
const keys = rootKeys([OLD]);
const MINUTE = 60_000;
/** The first millisecond of a minute. */
const NOW = 0x01_b0_53_15 * MINUTE;

describe('the nonce of a DPoP proof', () => {
  it('is a MAC of the number of its minute, in eight octets', () => {
    const octets = Buffer.from([0, 0, 0, 0, 0x01, 0xb0, 0x53, 0x15]);
    const mac = createHmac('sha256', keys.first.key('dpop-nonce')).update(octets).digest('base64url');
    expect(dpopNonceAt(keys, NOW)).toBe(mac);
  });

  it('is the same for one minute, and another in the next one', () => {
    expect(dpopNonceAt(keys, NOW + MINUTE - 1)).toBe(dpopNonceAt(keys, NOW));
    expect(dpopNonceAt(keys, NOW + MINUTE)).not.toBe(dpopNonceAt(keys, NOW));
  });

  it.each([
    ['in its minute', 0, true],
    ['at the end of the second minute after it', 3 * MINUTE - 1, true],
    ['in the third minute after it', 3 * MINUTE, false],
    ['before its minute', -1, false],
  ])('is accepted %s: %s', (_, later, isAccepted) => {
    expect(isCurrentDpopNonce(keys, dpopNonceAt(keys, NOW), NOW + later)).toBe(isAccepted);
  });

  it('is made under the first root secret, and accepted under each listed one', () => {
    const rotated = rootKeys([NEW, OLD]);
    expect(dpopNonceAt(rotated, NOW)).toBe(dpopNonceAt(rootKeys([NEW]), NOW));
    expect(isCurrentDpopNonce(rotated, dpopNonceAt(keys, NOW), NOW)).toBe(true);
    expect(isCurrentDpopNonce(rootKeys([NEW]), dpopNonceAt(keys, NOW), NOW)).toBe(false);
  });

  it.each(['', 'x', 'x'.repeat(43)])('is not %j', (nonce) => {
    expect(isCurrentDpopNonce(keys, nonce, NOW)).toBe(false);
  });
});
