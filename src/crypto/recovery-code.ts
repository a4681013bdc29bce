/**
 * Recovery codes: 60 random bits in Crockford's base32, typed by people. The database holds an HMAC of each, under a key from the root
 * secret: a leaked table alone does not allow guessing. A code cannot be hashed again under the next root secret, since only its end-user has it; so the
 * key of one purpose is kept instead, sealed under the next (kept-key.ts).
 */
import type { KeyObject } from 'node:crypto';
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

/** As it is shown: `7Q2M-0WXC-93KD`. */
export function makeRecoveryCode(random: Random): string {
  // Five of the eight bits of each octet, so that every character is equally likely.
  const text = [...random.bytes(CHARACTERS)].map((octet) => ALPHABET[octet & 31]).join('');
  return (text.match(/.{4}/g) ?? []).join('-');
}

/** @returns null for what was never shown as a recovery code. Spaces, hyphens and small letters do not matter, nor O for 0 or L and I for 1. */
export function readRecoveryCode(typed: string): string | null {
  const text = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return text.length === CHARACTERS && [...text].every((character) => ALPHABET.includes(character)) ? text : null;
}

const macOf = (key: KeyObject, userId: string, text: string): Buffer => hmacSha256(key, userId, '\n', text);

/** To be stored. @param code as it is shown */
export const storedRecoveryCode = ({ first }: RootKeys, userId: string, code: string): Buffer =>
  macOf(first.key('recovery-code'), userId, code.replaceAll('-', ''));

/** Under each root secret that is listed. @param text from `readRecoveryCode` */
export const recoveryCodeHashes = ({ byId }: RootKeys, userId: string, text: string): readonly Buffer[] =>
  [...byId.values()].map((key) => macOf(key.key('recovery-code'), userId, text));

/** Under root secrets that have left the list, by the keys that were kept of them. @param text from `readRecoveryCode` */
export const keptRecoveryCodeHashes = (keys: RootKeys, kept: readonly KeptKey[], userId: string, text: string) =>
  kept.flatMap((one) => {
    const key = keys.byId.has(one.keyId) ? null : openKept(keys, 'recovery-code', one);
    return key === null ? [] : [macOf(key, userId, text)];
  });
