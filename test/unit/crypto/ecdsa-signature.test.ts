/** The two forms of an ECDSA signature, beside the conversion of node:crypto. */
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { derOfRaw, rawOfDer } from '../../../src/crypto/ecdsa-signature.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const asRaw = { dsaEncoding: 'ieee-p1363' } as const;

/** R and S as hexadecimal numbers. */
const raw = (r: string, s: string) => Buffer.from(r.padStart(64, '0') + s.padStart(64, '0'), 'hex');
const der = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const HIGH = 'ff'.repeat(32);
const LOW = '7f'.repeat(32);

it.each([
  ['both need a leading zero octet', raw(HIGH, HIGH), der(`3046 0221 00${HIGH} 0221 00${HIGH}`)],
  ['none needs it', raw(LOW, LOW), der(`3044 0220 ${LOW} 0220 ${LOW}`)],
  ['only R', raw(HIGH, LOW), der(`3045 0221 00${HIGH} 0220 ${LOW}`)],
  ['only S', raw(LOW, HIGH), der(`3045 0220 ${LOW} 0221 00${HIGH}`)],
  ['short integers', raw('7f', '80'), der('3007 0201 7f 0202 0080')],
  ['zero octets inside an integer stay', raw('010000', '01'), der('3008 0203 010000 0201 01')],
  ['zero', raw('0', '1'), der('3006 0201 00 0201 01')],
])('%s', (_name, asRawBytes, asDer) => {
  expect(derOfRaw(asRawBytes).toString('hex')).toBe(asDer.toString('hex'));
  expect(rawOfDer(asDer).toString('hex')).toBe(asRawBytes.toString('hex'));
});

it('the conversion keeps any two integers', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (octets) => {
      expect(rawOfDer(derOfRaw(octets))).toEqual(Buffer.from(octets));
    }),
  );
});

it('node:crypto accepts converted signatures, both ways', () => {
  for (let index = 0; index < 500; index++) {
    const input = Buffer.from(`message ${index}`);
    expect(
      verify('sha256', input, { key: publicKey, ...asRaw }, rawOfDer(sign('sha256', input, privateKey))),
      String(index),
    ).toBe(true);
    expect(
      verify('sha256', input, publicKey, derOfRaw(sign('sha256', input, { key: privateKey, ...asRaw }))),
      String(index),
    ).toBe(true);
  }
});
