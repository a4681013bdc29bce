import { createHmac } from 'node:crypto';
import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { readRefreshToken, writeRefreshToken } from '../../../src/crypto/refresh-token.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { grantIds, nonces, rootSecrets } from '../../support/arbitraries.ts';

const SECRET = 'the first root secret, of at least 32 bytes';
const OTHER = 'the other root secret, of at least 32 bytes';
const PREFIX = 'sh_rt_';
const TOKEN_BYTES = 1 + 4 + 16 + 8 + 16 + 32;
const LAST_BYTE = TOKEN_BYTES - 1;
const keys = rootKeys([SECRET]);

const places = fc.record({
  grantId: grantIds,
  generation: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  nonce: nonces,
});
const place = { grantId: '01234567-89ab-4cde-8f01-23456789abcd', generation: 5n, nonce: new Uint8Array(16).fill(7) };
const token = writeRefreshToken(keys, place);

const bytesOf = (text: string) => Buffer.from(text.slice(PREFIX.length), 'base64url');
const spell = (bytes: Uint8Array) => PREFIX + Buffer.from(bytes).toString('base64url');

describe('a refresh token', () => {
  propertyTest.prop([places, rootSecrets])('reads as it was written', (written, secret) => {
    const own = rootKeys([secret]);
    const reading = readRefreshToken(own, writeRefreshToken(own, written));
    expect(reading).toMatchObject({ kind: 'authentic', grantId: written.grantId, generation: written.generation });
    expect(reading.kind === 'authentic' && Buffer.compare(reading.nonce, written.nonce)).toBe(0);
  });

  propertyTest.prop([places, places])('of another place is another token', (one, other) => {
    fc.pre(fc.stringify(one) !== fc.stringify(other));
    expect(writeRefreshToken(keys, one)).not.toBe(writeRefreshToken(keys, other));
  });

  propertyTest.prop([places, fc.nat({ max: LAST_BYTE }), fc.nat({ max: 7 })])(
    'with any one bit flipped is refused',
    (written, byte, bit) => {
      const bytes = bytesOf(writeRefreshToken(keys, written));
      bytes.writeUInt8(bytes.readUInt8(byte) ^ (1 << bit), byte);
      const { kind } = readRefreshToken(keys, spell(bytes));
      const expected = byte === 0 ? 'malformed' : byte < 5 ? 'unknown_key' : 'forged';
      expect(kind).toBe(expected);
    },
  );

  propertyTest.prop([fc.string()])('is never read from any other text', (text) => {
    expect(readRefreshToken(keys, text).kind).toBe('malformed');
    expect(readRefreshToken(keys, PREFIX + text).kind).toBe('malformed');
    expect(readRefreshToken(keys, token + text).kind).toBe(text === '' ? 'authentic' : 'malformed');
  });

  propertyTest.prop([fc.nat({ max: 200 })])('of another length is malformed', (length) => {
    fc.pre(length !== TOKEN_BYTES);
    expect(
      readRefreshToken(keys, spell(Buffer.concat([bytesOf(token), bytesOf(token)]).subarray(0, length))).kind,
    ).toBe('malformed');
  });

  test.each([
    ['without its prefix', token.slice(PREFIX.length)],
    ['with its prefix in capitals', token.replace(PREFIX, 'SH_RT_')],
    ["with a code's prefix", token.replace(PREFIX, 'sh_ac_')],
    ['with padding', `${token}=`],
    ['with a blank behind it', `${token} `],
    ['with a blank before it', ` ${token}`],
    ['with a line break in it', `${token.slice(0, 30)}\n${token.slice(30)}`],
    ['with a NUL behind it', `${token}\0`],
    ['in base64 with + and /', PREFIX + bytesOf(token).toString('base64')],
    ['in hex', PREFIX + bytesOf(token).toString('hex')],
  ])('%s is malformed', (_, spelling) => {
    expect(readRefreshToken(keys, spelling).kind).toBe('malformed');
  });

  test('has one spelling only: the bits that its last letter leaves over must be as written', () => {
    // 77 bytes are 102 letters and 4 bits: the last letter has 2 bits to spare.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const read = [...letters].filter(
      (letter) => readRefreshToken(keys, token.slice(0, -1) + letter).kind === 'authentic',
    );
    expect(read).toEqual([token.at(-1)]);
  });

  test('made under an unlisted secret has an unknown key, which is not a forgery', () => {
    expect(readRefreshToken(rootKeys([OTHER]), token)).toEqual({ kind: 'unknown_key' });
  });

  test('made under any listed secret is read, wherever it stands in the list', () => {
    expect(readRefreshToken(rootKeys([OTHER, SECRET]), token).kind).toBe('authentic');
    expect(readRefreshToken(rootKeys([SECRET, OTHER]), token).kind).toBe('authentic');
  });

  test('that names another listed key than its own is a forgery', () => {
    const both = rootKeys([SECRET, OTHER]);
    const bytes = bytesOf(token);
    bytes.write(rootKeys([OTHER]).first.id, 1, 'hex');
    expect(readRefreshToken(both, spell(bytes))).toEqual({ kind: 'forged' });
  });

  describe('that is bound to a key', () => {
    const boundTo = Buffer.alloc(32, 0xfb).toString('base64url');
    const bound = writeRefreshToken(keys, { ...place, boundTo });

    test('has version 2, and the thumbprint of the key before its MAC', () => {
      const bytes = bytesOf(bound);
      const payload = Buffer.concat([bytesOf(token).subarray(0, 45), Buffer.alloc(32, 0xfb)]);
      payload.writeUInt8(2, 0);
      const mac = createHmac('sha256', keys.first.key('refresh-token')).update(payload).digest();
      expect(bytes.toString('hex')).toBe(Buffer.concat([payload, mac]).toString('hex'));
    });

    test('reads as it was written, and one that is bound to none has no key', () => {
      const read = { kind: 'authentic', ...place, nonce: Buffer.from(place.nonce) };
      expect(readRefreshToken(keys, bound)).toEqual({ ...read, boundTo });
      expect(readRefreshToken(keys, token)).toStrictEqual(read);
    });

    test('is of one length alone, and neither version passes for the other', () => {
      const [plain, longer] = [bytesOf(token), bytesOf(bound)];
      const as = (version: number, bytes: Buffer) => {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(version, 0);
        return readRefreshToken(keys, spell(changed)).kind;
      };
      expect(as(1, longer)).toBe('malformed');
      expect(as(2, plain)).toBe('malformed');
      expect(as(3, longer)).toBe('malformed');
      expect(readRefreshToken(keys, spell(longer.subarray(0, -1))).kind).toBe('malformed');
      expect(readRefreshToken(keys, spell(Buffer.concat([longer, Buffer.alloc(1)]))).kind).toBe('malformed');
    });

    test('with any one octet changed is refused', () => {
      const bytes = bytesOf(bound);
      for (let place = 5; place < bytes.length; place++) {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
        expect(readRefreshToken(keys, spell(changed)).kind, `octet ${place}`).toBe('forged');
      }
    });
  });

  test('is safe to put in a URL, a form and a shell', () => {
    expect(token).toMatch(/^sh_rt_[A-Za-z0-9_-]+$/);
  });
});
