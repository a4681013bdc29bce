/**
 * The refresh token's format: it names its place in the chain, and a MAC authenticates it.
 *
 *   "sh_rt_" + base64url( version 1 ‖ root key id 4 ‖ grant id 16 ‖ generation 8 ‖ nonce 16 ‖ HMAC-SHA-256 32 )
 *
 * Version 2, for a token that is bound to a key (RFC 9449), has the 32 octets of its thumbprint before the MAC. So the binding
 * is in no row that another party could write.
 *
 * A forged or garbled token fails the MAC and touches nothing. A leaked database yields no token: the key is not in it.
 */
import { base64urlDecode } from './base64url.ts';
import { hmacSha256, sameSecretBytes } from './digest.ts';
import type { RootKeys } from './root-secret.ts';
import { uuidFromBytes, uuidToBytes } from './uuid-bytes.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'refresh-token': true;
  }
}

const PREFIX = 'sh_rt_';
const VERSION = 1;
const BOUND_VERSION = 2;
const PAYLOAD_BYTES = 1 + 4 + 16 + 8 + 16;
const THUMBPRINT_BYTES = 32;
const MAC_BYTES = 32;

export type RefreshTokenPlace = {
  readonly grantId: string;
  readonly generation: bigint;
  /** 16 bytes. */
  readonly nonce: Uint8Array;
  /** The thumbprint of a key, in base64url (RFC 7638). Absent: the token is bound to its client alone. */
  readonly boundTo?: string;
};

export type RefreshTokenReading =
  | ({ readonly kind: 'authentic' } & RefreshTokenPlace)
  | { readonly kind: 'malformed' | 'forged' | 'unknown_key' };

export function writeRefreshToken(keys: RootKeys, place: RefreshTokenPlace): string {
  const { boundTo } = place;
  const payload = Buffer.alloc(boundTo === undefined ? PAYLOAD_BYTES : PAYLOAD_BYTES + THUMBPRINT_BYTES);
  payload.writeUInt8(boundTo === undefined ? VERSION : BOUND_VERSION, 0);
  payload.write(keys.first.id, 1, 'hex');
  uuidToBytes(place.grantId).copy(payload, 5);
  payload.writeBigUInt64BE(place.generation, 21);
  Buffer.from(place.nonce).copy(payload, 29);
  if (boundTo !== undefined) payload.write(boundTo, PAYLOAD_BYTES, 'base64url');
  const mac = hmacSha256(keys.first.key('refresh-token'), payload);
  return PREFIX + Buffer.concat([payload, mac]).toString('base64url');
}

export function readRefreshToken(keys: RootKeys, token: string): RefreshTokenReading {
  if (!token.startsWith(PREFIX)) return { kind: 'malformed' };
  const bytes = base64urlDecode(token.slice(PREFIX.length));
  const payloadBytes = bytes?.[0] === BOUND_VERSION ? PAYLOAD_BYTES + THUMBPRINT_BYTES : PAYLOAD_BYTES;
  const isKnown = bytes?.[0] === VERSION || bytes?.[0] === BOUND_VERSION;
  if (!isKnown || bytes.length !== payloadBytes + MAC_BYTES) return { kind: 'malformed' };
  const key = keys.byId.get(bytes.toString('hex', 1, 5));
  if (!key) return { kind: 'unknown_key' };
  const payload = bytes.subarray(0, payloadBytes);
  if (!sameSecretBytes(hmacSha256(key.key('refresh-token'), payload), bytes.subarray(payloadBytes))) {
    return { kind: 'forged' };
  }
  return {
    kind: 'authentic',
    grantId: uuidFromBytes(bytes.subarray(5, 21)),
    generation: bytes.readBigUInt64BE(21),
    nonce: bytes.subarray(29, PAYLOAD_BYTES),
    ...(payloadBytes > PAYLOAD_BYTES && { boundTo: payload.toString('base64url', PAYLOAD_BYTES) }),
  };
}
