/** Equality of stored, non-secret bytes (nonces). Secrets are compared in src/crypto/constant-time.ts. */
export function sameBytes(one: Uint8Array | null, other: Uint8Array | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
