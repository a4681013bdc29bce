/**
 * The two forms of an ECDSA signature over P-256: DER (RFC 3279 §2.2.3), which OpenSSL makes and reads, and R ‖ S with
 * 32 octets each, which a JWS carries (RFC 7518 §3.4). node:crypto converts too, with `{ key, dsaEncoding }`, but in
 * Node 24 a key inside an object costs as much as the signature (docs/performance.md).
 */

export const RAW_SIGNATURE_BYTES = 64;
const INTEGER_BYTES = RAW_SIGNATURE_BYTES / 2;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** @param der from OpenSSL, and therefore not checked. All its lengths are below 128 and take one octet. */
export function rawOfDer(der: Buffer): Buffer {
  const raw = Buffer.alloc(RAW_SIGNATURE_BYTES);
  let end = 2;
  for (const rawEnd of [INTEGER_BYTES, RAW_SIGNATURE_BYTES]) {
    const start = end + 2;
    end = start + (der[end + 1] ?? 0);
    // A leading zero octet keeps a large integer positive; a small integer has fewer octets.
    const length = Math.min(end - start, INTEGER_BYTES);
    der.copy(raw, rawEnd - length, end - length, end);
  }
  return raw;
}

/** @param raw of exactly 64 octets. */
export function derOfRaw(raw: Uint8Array): Buffer {
  const r = integerAt(raw, 0);
  const s = integerAt(raw, INTEGER_BYTES);
  const der = Buffer.alloc(2 + r.length + s.length + 4);
  der[0] = SEQUENCE;
  der[1] = der.length - 2;
  writeInteger(der, 2, raw, r);
  writeInteger(der, 4 + r.length, raw, s);
  return der;
}

/** Its significant octets begin at `start`. `length` counts the octet of the sign too. */
type IntegerPlace = { readonly start: number; readonly end: number; readonly length: number };

function integerAt(raw: Uint8Array, from: number): IntegerPlace {
  const end = from + INTEGER_BYTES;
  let start = from;
  // Zero keeps one octet.
  while (start < end - 1 && raw[start] === 0) start++;
  // A leading zero octet keeps a large integer positive.
  const sign = (raw[start] ?? 0) >= 0x80 ? 1 : 0;
  return { start, end, length: end - start + sign };
}

function writeInteger(der: Buffer, at: number, raw: Uint8Array, { start, end, length }: IntegerPlace): void {
  der[at] = INTEGER;
  der[at + 1] = length;
  der.set(raw.subarray(start, end), at + 2 + length - (end - start));
}
