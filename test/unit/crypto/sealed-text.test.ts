import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { isSealedByFirst, openText, sealText } from '../../../src/crypto/sealed-text.ts';
import { rootSecrets } from '../../support/arbitraries.ts';

const SECRET = 'the first root secret, of at least 32 bytes';
const OTHER = 'the other root secret, of at least 32 bytes';
const keys = rootKeys([SECRET]);
const NAME = '01234567-89ab-4cde-8f01-23456789abcd';
const TEXT = '{"state":"a state of the client"}';
const HEADER_BYTES = 5;

const ivs = fc.uint8Array({ minLength: 12, maxLength: 12 });
const seal = (text: string, iv: Uint8Array = new Uint8Array(12).fill(7)) =>
  sealText(keys, 'interaction', NAME, text, iv);
const open = (sealed: string, by = keys) => openText(by, 'interaction', NAME, sealed);

describe('a sealed text', () => {
  propertyTest.prop([fc.string({ unit: 'grapheme', maxLength: 4000 }), fc.uuid(), rootSecrets, ivs])(
    'opens as it was sealed',
    (text, name, secret, iv) => {
      const own = rootKeys([secret]);
      expect(openText(own, 'interaction', name, sealText(own, 'interaction', name, text, iv))).toBe(text);
    },
  );

  propertyTest.prop([fc.nat(), fc.nat({ max: 7 })])('with any one bit flipped is nothing', (place, bit) => {
    const bytes = Buffer.from(seal(TEXT), 'base64url');
    const at = place % bytes.length;
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
    expect(open(bytes.toString('base64url'))).toBeNull();
  });

  test('cut anywhere, or with trailing bytes, is rejected', () => {
    const sealed = seal(TEXT);
    for (let length = 0; length < sealed.length; length++) expect(open(sealed.slice(0, length))).toBeNull();
    for (const more of ['A', 'AAAA', '.', '=', sealed]) expect(open(sealed + more)).toBeNull();
  });

  propertyTest.prop([fc.string()])('is never made of any other text', (text) => {
    expect(open(text)).toBeNull();
    expect(open(Buffer.from(text).toString('base64url'))).toBeNull();
  });

  test('of another name or purpose is rejected', () => {
    expect(openText(keys, 'interaction', NAME.replace('0', '1'), seal(TEXT))).toBeNull();
    expect(openText(keys, 'form', NAME, seal(TEXT))).toBeNull();
  });

  test('survives the rotation of the root secret for as long as the old one is listed', () => {
    const sealed = seal(TEXT);
    expect(open(sealed, rootKeys([OTHER, SECRET]))).toBe(TEXT);
    expect(open(sealed, rootKeys([OTHER]))).toBeNull();
    const later = sealText(rootKeys([OTHER, SECRET]), 'interaction', NAME, TEXT, new Uint8Array(12));
    expect(open(later, rootKeys([OTHER]))).toBe(TEXT);
    expect(open(later)).toBeNull();
  });

  test('under the id of another root secret is rejected', () => {
    const both = rootKeys([SECRET, OTHER]);
    const bytes = Buffer.from(seal(TEXT), 'base64url');
    bytes.write(rootKeys([OTHER]).first.id, 1, 'hex');
    expect(open(bytes.toString('base64url'), both)).toBeNull();
  });

  test('reveals no content, and is short where the text repeats itself', () => {
    const sealed = seal(TEXT);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('state');
    expect(seal(TEXT, new Uint8Array(12).fill(8)).slice(HEADER_BYTES * 2)).not.toBe(sealed.slice(HEADER_BYTES * 2));
    expect(seal('https://api.example/read '.repeat(100)).length).toBeLessThan(200);
  });
});

test('a text is known as sealed by the first root secret, which another text is not', () => {
  expect(isSealedByFirst(keys, seal(TEXT))).toBe(true);
  expect(isSealedByFirst(rootKeys([OTHER, SECRET]), seal(TEXT))).toBe(false);
  expect(isSealedByFirst(keys, '!')).toBe(false);
});
