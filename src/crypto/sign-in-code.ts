/**
 * The code in a mail, with which an end-user signs in: eight decimal digits, drawn at random, 26.6 bits. A telephone's keyboard of
 * digits suffices to type it, in every script. The database holds an HMAC of each, under a key from the root secret. A leaked table
 * alone does not allow guessing.
 */
import type { KeyObject } from 'node:crypto';
import { hmacSha256 } from './digest.ts';
import type { Random } from './random.ts';
import type { RootKeys } from './root-secret.ts';

declare module './root-secret.ts' {
  interface Purposes {
    'sign-in-code': true;
  }
}

const DIGITS = 8;
const CODES = 10 ** DIGITS;
/** The largest multiple of the number of codes in 32 bits: below it, every code is equally likely. */
const FAIR_BELOW = Math.floor(2 ** 32 / CODES) * CODES;

/** Without a space. */
export function makeSignInCode(random: Pick<Random, 'bytes'>): string {
  for (;;) {
    const drawn = random.bytes(4).readUInt32BE();
    if (drawn < FAIR_BELOW) return String(drawn % CODES).padStart(DIGITS, '0');
  }
}

/** In the form for display: `1234 5678`. */
export const shownSignInCode = (code: string): string => `${code.slice(0, DIGITS / 2)} ${code.slice(DIGITS / 2)}`;

/** @returns null: the text is no code. Ignores spaces and hyphens. */
export function readSignInCode(typed: string): string | null {
  const text = typed.replaceAll(/[\s-]/g, '');
  return /^[0-9]{8}$/.test(text) ? text : null;
}

/** Each code has its own id, so equal codes have different hashes. */
const macOf = (key: KeyObject, id: string, code: string): Buffer => hmacSha256(key, 'code\n', id, '\n', code);

/** The value to store. */
export const storedSignInCode = ({ first }: RootKeys, id: string, code: string): Buffer =>
  macOf(first.key('sign-in-code'), id, code);

/** The hashes under each listed root secret. @param code from `readSignInCode` */
export const signInCodeHashes = ({ byId }: RootKeys, id: string, code: string): readonly Buffer[] =>
  [...byId.values()].map((key) => macOf(key.key('sign-in-code'), id, code));
