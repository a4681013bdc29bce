import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { readKeySet } from '../../../src/registration/key-set.ts';
import { testKey } from '../../support/client-keys.ts';

const { jwk } = testKey();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const written = (...keys: readonly unknown[]) => JSON.stringify({ keys });

it('is read without the keys that this server cannot use (RFC 7517 §5)', () => {
  const others = [
    { kty: 'NEW' },
    { ...jwk, use: 'enc' },
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ format: 'jwk' }),
    { ...jwk, y: jwk['x'] },
    { ...rsa, e: rsa.n },
    null,
    'text',
  ];
  expect(readKeySet(written(...others, jwk))).toEqual([jwk]);
  expect(readKeySet(written())).toEqual([]);
});

it.each(['', 'no JSON', '[]', '{}', '{"keys":{}}', '<html>'])('is refused as %j', (text) => {
  expect(() => readKeySet(text)).toThrow('The text is no JWK Set.');
});

it('is refused as a whole where it shows a private key, which is not printed', () => {
  const privateJwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  for (const one of [privateJwk, { kty: 'oct', k: 'c2VjcmV0' }]) {
    expect(() => readKeySet(written(jwk, one))).toThrow(
      /^The key set has a private or symmetric key, so it proves nothing\.$/,
    );
  }
});
