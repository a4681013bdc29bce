/** The digests in rounds, as text. */
import { createHash, hash } from 'node:crypto';

export type Rounds = { readonly rounds: number; readonly salt: string; readonly password: string } & (
  | { readonly kind: 'phpass' }
  | { readonly kind: 'sha-crypt'; readonly algorithm: 'sha256' | 'sha512' }
);

export const resultOf = (wanted: Rounds): string =>
  wanted.kind === 'phpass' ? phpass(wanted) : shaCrypt(wanted.algorithm, wanted);

function phpass({ rounds, salt, password }: Rounds): string {
  const secret = Buffer.from(password);
  let digest = hash('md5', Buffer.concat([Buffer.from(salt), secret]), 'buffer');
  for (let round = 0; round < rounds; round += 1) digest = hash('md5', Buffer.concat([digest, secret]), 'buffer');
  return encoded(PHPASS_ORDER.map((at) => digest[at] ?? 0));
}

/** "Unix crypt using SHA-256 and SHA-512" by Ulrich Drepper; the numbers are those of its steps. */
function shaCrypt(algorithm: 'sha256' | 'sha512', { rounds, salt: saltText, password }: Rounds): string {
  const [secret, salt] = [Buffer.from(password), Buffer.from(saltText)];
  const digest = (...parts: readonly Buffer[]) => hash(algorithm, Buffer.concat(parts), 'buffer');
  // 4 to 8.
  const alternate = digest(secret, salt, secret);
  // 1 to 3, and 9 to 12.
  const first = createHash(algorithm).update(secret).update(salt).update(repeated(alternate, secret.length));
  for (let bits = secret.length; bits > 0; bits = Math.floor(bits / 2))
    first.update(bits % 2 === 1 ? alternate : secret);
  let current: Buffer = first.digest();
  // 13 to 16.
  const p = repeated(digest(...Array.from(secret, () => secret)), secret.length);
  // 17 to 20.
  const s = repeated(digest(...Array.from({ length: 16 + (current[0] ?? 0) }, () => salt)), salt.length);
  // 21.
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1;
    const parts = [isOdd ? p : current];
    if (round % 3 !== 0) parts.push(s);
    if (round % 7 !== 0) parts.push(p);
    parts.push(isOdd ? current : p);
    current = digest(...parts);
  }
  // 22.
  return encoded(ORDER[algorithm].map((at) => current[at] ?? 0));
}

/** The bytes again and again, so many of them. */
function repeated(bytes: Buffer, length: number): Buffer {
  const all = Buffer.alloc(length);
  for (let at = 0; at < length; at += bytes.length) bytes.copy(all, at, 0, Math.min(bytes.length, length - at));
  return all;
}

/** Groups of three bytes, the last first. */
const PHPASS_ORDER = [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 15];

/** In groups of three from the front; the last group of fewer bytes stands at the end. */
const ORDER = { sha256: sha256Order(), sha512: sha512Order() } as const;

function sha256Order(): readonly number[] {
  const order: number[] = [];
  let [a, b, c] = [0, 10, 20];
  for (let group = 0; group < 10; group += 1) {
    order.push(a, b, c);
    [a, b, c] = [c + 1, a + 1, b + 1];
  }
  return [...order, 31, 30];
}

function sha512Order(): readonly number[] {
  const order: number[] = [];
  let [a, b, c] = [0, 21, 42];
  for (let group = 0; group < 21; group += 1) {
    order.push(a, b, c);
    [a, b, c] = [b + 1, c + 1, a + 1];
  }
  return [...order, 63];
}

const DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Six bits a character, the lowest first, of each group of three bytes, whose first byte is the highest. */
function encoded(bytes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.slice(at, at + 3);
    let value = group.reduce((sum, byte) => sum * 256 + byte, 0);
    for (let character = 0; character <= group.length; character += 1) {
      text += DIGITS[value % 64];
      value = Math.floor(value / 64);
    }
  }
  return text;
}
