/**
 * A text that travels in a URL and that only this server can read or make.
 *
 * base64url( version 1 ‖ root key id 4 ‖ IV 12 ‖ AES-256-GCM of deflate(text) ‖ tag 16 )
 *
 * Each name has its own key, derived from the root secret. A sealed text is therefore invalid under another name, and
 * the number of texts under one key stays far below the bound for random IVs (NIST SP 800-38D §8.3).
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { base64urlDecode } from './base64url.ts';
import { hmacSha256 } from './digest.ts';
import type { Purpose, RootKey, RootKeys } from './root-secret.ts';

const VERSION = 1;
const HEADER_BYTES = 1 + 4;
/** Random bytes that each `sealText` needs. */
export const IV_BYTES = 12;
const TAG_BYTES = 16;
/** More than fits into a URL, even if it compresses well. */
const MAX_TEXT_BYTES = 131_072;

const keyFor = (root: RootKey, purpose: Purpose, name: string): Buffer => hmacSha256(root.key(purpose), name);

/** @param iv 12 random bytes. */
export function sealText(keys: RootKeys, purpose: Purpose, name: string, text: string, iv: Uint8Array): string {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(VERSION, 0);
  header.write(keys.first.id, 1, 'hex');
  const cipher = createCipheriv('aes-256-gcm', keyFor(keys.first, purpose, name), iv).setAAD(header);
  const sealed = Buffer.concat([cipher.update(deflateRawSync(text)), cipher.final()]);
  return Buffer.concat([header, iv, sealed, cipher.getAuthTag()]).toString('base64url');
}

/**
 * @returns null for any text that `sealText` did not make, for this purpose and name, under a root secret that is still
 * listed.
 */
export function openText(keys: RootKeys, purpose: Purpose, name: string, sealed: string): string | null {
  const bytes = base64urlDecode(sealed);
  if (bytes === null || bytes.length < HEADER_BYTES + IV_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null;
  const root = keys.byId.get(bytes.toString('hex', 1, HEADER_BYTES));
  if (!root) return null;
  const iv = bytes.subarray(HEADER_BYTES, HEADER_BYTES + IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyFor(root, purpose, name), iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(bytes.subarray(0, HEADER_BYTES)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const opened = [decipher.update(bytes.subarray(HEADER_BYTES + IV_BYTES, -TAG_BYTES)), decipher.final()];
    return inflateRawSync(Buffer.concat(opened), { maxOutputLength: MAX_TEXT_BYTES }).toString();
  } catch {
    return null;
  }
}

/** Whether the newest root secret sealed the text. If so, the others may leave the list. */
export function isSealedByFirst({ first }: RootKeys, sealed: string): boolean {
  const bytes = base64urlDecode(sealed);
  return bytes !== null && bytes.toString('hex', 1, HEADER_BYTES) === first.id;
}
