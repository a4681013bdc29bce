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
  const integers = [...derInteger(raw.subarray(0, INTEGER_BYTES)), ...derInteger(raw.subarray(INTEGER_BYTES))];
  return Buffer.from([SEQUENCE, integers.length, ...integers]);
}

function derInteger(octets: Uint8Array): readonly number[] {
  const first = octets.findIndex((octet) => octet !== 0);
  const significant = first < 0 ? [0] : [...octets.subarray(first)];
  const positive = (significant[0] ?? 0) >= 0x80 ? [0, ...significant] : significant;
  return [INTEGER, positive.length, ...positive];
}
