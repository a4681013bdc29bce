/**
 * The refresh token's format: it names its place in the chain, and a MAC authenticates it.
 *
 *   "sh_rt_" + base64url( version 1 ‖ root key id 4 ‖ grant id 16 ‖ generation 8 ‖ nonce 16 ‖ HMAC-SHA-256 32 )
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
const PAYLOAD_BYTES = 1 + 4 + 16 + 8 + 16;
const MAC_BYTES = 32;

export type RefreshTokenPlace = {
  readonly grantId: string;
  readonly generation: bigint;
  /** 16 bytes. */
  readonly nonce: Uint8Array;
};

export type RefreshTokenReading =
  | ({ readonly kind: 'authentic' } & RefreshTokenPlace)
  | { readonly kind: 'malformed' | 'forged' | 'unknown_key' };

export function writeRefreshToken(keys: RootKeys, place: RefreshTokenPlace): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUInt8(VERSION, 0);
  payload.write(keys.first.id, 1, 'hex');
  uuidToBytes(place.grantId).copy(payload, 5);
  payload.writeBigUInt64BE(place.generation, 21);
  Buffer.from(place.nonce).copy(payload, 29);
  const mac = hmacSha256(keys.first.key('refresh-token'), payload);
  return PREFIX + Buffer.concat([payload, mac]).toString('base64url');
}

export function readRefreshToken(keys: RootKeys, token: string): RefreshTokenReading {
  if (!token.startsWith(PREFIX)) return { kind: 'malformed' };
  const bytes = base64urlDecode(token.slice(PREFIX.length));
  if (bytes?.length !== PAYLOAD_BYTES + MAC_BYTES || bytes[0] !== VERSION) return { kind: 'malformed' };
  const key = keys.byId.get(bytes.toString('hex', 1, 5));
  if (!key) return { kind: 'unknown_key' };
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  if (!sameSecretBytes(hmacSha256(key.key('refresh-token'), payload), bytes.subarray(PAYLOAD_BYTES))) {
    return { kind: 'forged' };
  }
  return {
    kind: 'authentic',
    grantId: uuidFromBytes(bytes.subarray(5, 21)),
    generation: bytes.readBigUInt64BE(21),
    nonce: bytes.subarray(29, 45),
  };
}
