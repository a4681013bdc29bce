/** RFC 7515 §7.1: the compact serialization, the only one that this server writes and reads. */
import { base64urlDecode } from './base64url.ts';

export type CompactJws = {
  readonly header: Readonly<Record<string, unknown>>;
  /** Decoded when asked for: before the signature is right, most callers have no use for it. */
  readonly claims: () => Readonly<Record<string, unknown>> | null;
  /** The JWS Signing Input (§5.2). */
  readonly input: string;
  readonly signature: Uint8Array;
};

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** @returns null for any other text. */
export function readCompactJws(token: string): CompactJws | null {
  const [, encodedHeader = '', encodedPayload = '', encodedSignature = ''] = COMPACT.exec(token) ?? [];
  const header = objectIn(encodedHeader);
  const signature = base64urlDecode(encodedSignature);
  if (header === null || signature === null) return null;
  // RFC 7515 §4.1.11: a JWS with a critical extension that the reader does not understand is invalid. This server knows
  // none.
  if (header['crit'] !== undefined || typeof header['alg'] !== 'string') return null;
  return { header, claims: () => objectIn(encodedPayload), input: `${encodedHeader}.${encodedPayload}`, signature };
}

/** @returns null for any text but base64url of a JSON object in UTF-8. */
function objectIn(encoded: string): Readonly<Record<string, unknown>> | null {
  const bytes = base64urlDecode(encoded);
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
