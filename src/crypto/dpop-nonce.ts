/**
 * The nonce of DPoP proofs (RFC 9449 §8): a MAC of the present minute. Every node accepts the nonces of all nodes, and stores
 * none. A nonce is accepted for two to three minutes.
 */
import { hmacSha256 } from './digest.ts';
import type { RootKey, RootKeys } from './root-secret.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'dpop-nonce': true;
  }
}

const SLOT_MILLISECONDS = 60_000;
const ACCEPTED_SLOTS = 3;

/** @param now milliseconds since 1970. */
export const dpopNonceAt = ({ first }: RootKeys, now: number): string => nonceOf(first, slotAt(now));

/** @param now milliseconds since 1970. */
export function isCurrentDpopNonce({ byId }: RootKeys, nonce: string, now: number): boolean {
  const slots = Array.from({ length: ACCEPTED_SLOTS }, (_, age) => slotAt(now) - age);
  return [...byId.values()].some((key) => slots.some((slot) => nonceOf(key, slot) === nonce));
}

const slotAt = (now: number): number => Math.floor(now / SLOT_MILLISECONDS);

function nonceOf(key: RootKey, slot: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(slot));
  return hmacSha256(key.key('dpop-nonce'), bytes).toString('base64url');
}
