/** argon2id and argon2i as PHC strings. The parameters stand in any order: npm's `argon2` writes m, p, t. */
import { verify } from '@node-rs/argon2';
import { BASE64, bytesOf, garbled, HASH_LIMITS, lengths, outside, type ReadHash, refused } from './reading.ts';

const SHAPE = '$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH';
const HASH =
  /^\$(argon2id?)(?:\$v=(\d{1,9}))?\$([a-z]+=[^$,]{1,64}(?:,[a-z]+=[^$,]{1,64})*)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export function readArgon2(hash: string): ReadHash {
  const parts = HASH.exec(hash);
  if (parts === null) return garbled('argon2', SHAPE);
  const [, name = '', version = '16', parameters = '', salt = '', key = ''] = parts;
  if (version !== '19' && version !== '16')
    return refused(`${name} of version ${version}`, `${name} of version 19 or 16`);
  const named = new Map(parameters.split(',').map((parameter) => parameter.split('=') as [string, string]));
  if (named.has('data') || named.has('keyid'))
    return refused(`${name} with associated data or a key`, `${name} with m, t and p alone`);
  const [m = Number.NaN, t = Number.NaN, p = Number.NaN] = ['m', 't', 'p'].map((letter) => numberIn(named.get(letter)));
  if (parameters.split(',').length !== 3 || [m, t, p].some(Number.isNaN)) return garbled('argon2', SHAPE);
  const [saltBytes, keyBytes] = [bytesOf(salt), bytesOf(key)];
  if (saltBytes === null || keyBytes === null) return garbled(name, BASE64);
  const { argon2 } = HASH_LIMITS;
  // In the order that the library reads.
  const ordered = `$${name}$v=${version}$m=${m},t=${t},p=${p}$${salt}$${key}`;
  return {
    kind: 'known',
    format: name,
    tooCheapOrDear:
      outside(name, [
        ['m (KiB)', m, argon2.memoryKib],
        ['t', t, argon2.passes],
        ['m times t', m * t, argon2.work],
        ['p', p, argon2.lanes],
      ]) ?? lengths(name, saltBytes, keyBytes),
    verify: (password) => verify(ordered, password),
  };
}

const numberIn = (text: string | undefined): number => (/^\d{1,9}$/.test(text ?? '') ? Number(text) : Number.NaN);
