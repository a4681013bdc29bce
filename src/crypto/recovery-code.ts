/**
 * Recovery codes: 60 random bits in Crockford's base32, which users type. The database holds an HMAC of each, under a
 * key from the root secret. A leaked table alone does not allow guessing. Only the end-user has a code, so the server
 * cannot hash it again under the next root secret. It keeps the key of this one purpose instead, sealed under the next
 * (kept-key.ts).
 */
import { createHash, type KeyObject } from 'node:crypto';
import { hmacSha256 } from './digest.ts';
import { type KeptKey, openKept } from './kept-key.ts';
import type { Random } from './random.ts';
import type { RootKeys } from './root-secret.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'recovery-code': true;
  }
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHARACTERS = 12;

export const RECOVERY_CODES = 10;

/** In the form for display: `7Q2M-0WXC-93KD`. */
export function makeRecoveryCode(random: Random): string {
  // Five of the eight bits of each octet, so that every character is equally likely.
  const text = [...random.bytes(CHARACTERS)].map((octet) => ALPHABET[octet & 31]).join('');
  return (text.match(/.{4}/g) ?? []).join('-');
}

/**
 * @returns null for any text that is no recovery code. Ignores spaces, hyphens and case. Reads O as 0, and L and I as
 * 1.
 */
export function readRecoveryCode(typed: string): string | null {
  const text = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return text.length === CHARACTERS && [...text].every((character) => ALPHABET.includes(character)) ? text : null;
}

const macOf = (key: KeyObject, userId: string, text: string): Buffer => hmacSha256(key, userId, '\n', text);

/**
 * The texts that a typed code may stand for: a code of this server, and the digest of a code of another system. That system may have shown
 * the code in groups, and in either case.
 */
export function readRecoveryCodes(typed: string): readonly string[] {
  const own = readRecoveryCode(typed);
  const text = typed.replaceAll(/[\s-]/g, '');
  const spellings = new Set([typed.trim(), text, text.toUpperCase(), text.toLowerCase()]);
  return [...(own === null ? [] : [own]), ...[...spellings].map((one) => importedCodeText(sha512(one)))];
}

/** The text of a code that another system made, and hashed. No code of this server has it. @param digest SHA-512 */
export const importedCodeText = (digest: Uint8Array): string => `sha512:${Buffer.from(digest).toString('base64url')}`;

/** As Keycloak stores codes. */
export const sha512 = (code: string): Buffer => createHash('sha512').update(code).digest();

/** The value to store. @param code in the form for display */
export const storedRecoveryCode = (keys: RootKeys, userId: string, code: string): Buffer =>
  storedCodeText(keys, userId, code.replaceAll('-', ''));

/** @param text from `importedCodeText` */
export const storedCodeText = ({ first }: RootKeys, userId: string, text: string): Buffer =>
  macOf(first.key('recovery-code'), userId, text);

/** The hashes under each listed root secret. @param text from `readRecoveryCodes` */
export const recoveryCodeHashes = ({ byId }: RootKeys, userId: string, text: string): readonly Buffer[] =>
  [...byId.values()].map((key) => macOf(key.key('recovery-code'), userId, text));

/** The hashes under root secrets that have left the list, by their kept keys. @param text from `readRecoveryCodes` */
export const keptRecoveryCodeHashes = (keys: RootKeys, kept: readonly KeptKey[], userId: string, text: string) =>
  kept.flatMap((one) => {
    const key = keys.byId.has(one.keyId) ? null : openKept(keys, 'recovery-code', one);
    return key === null ? [] : [macOf(key, userId, text)];
  });
