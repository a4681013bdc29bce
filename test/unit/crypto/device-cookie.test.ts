import { describe, expect, test } from 'vitest';
import { knownDevice, MAX_DEVICE_COOKIE_CHARACTERS, rememberDevice } from '../../../src/crypto/device-cookie.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';

const secret = (letter: string) => `the root secret ${letter}, of more than 32 bytes`;
const keys = rootKeys([secret('a')]);
const ENDS = new Date('2031-01-02T03:04:05Z');
const remember = (cookie: string | null, account: string, endsAt = ENDS, of = keys) =>
  rememberDevice({ keys: of, random: systemRandom }, cookie, account, endsAt);

describe('the cookie of a trusted device', () => {
  test('identifies its account and no other, until its end, and names no user', () => {
    const cookie = remember(null, 'alice');
    expect(knownDevice(keys, cookie, 'alice')).toEqual({ id: expect.stringMatching(/^[\w-]{22}$/), endsAt: ENDS });
    expect(knownDevice(keys, cookie, 'bob')).toBeNull();
    expect(Buffer.from(cookie, 'base64url').includes('alice')).toBe(false);
    expect(remember(null, 'alice')).not.toBe(cookie);
  });

  test('identifies the last five accounts', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const cookie = names.reduce<string | null>((before, name) => remember(before, name), null) ?? '';
    expect(names.map((name) => knownDevice(keys, cookie, name) !== null)).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(cookie.length).toBe(MAX_DEVICE_COOKIE_CHARACTERS);
  });

  test('keeps its id at a renewal', () => {
    const cookie = remember(null, 'alice');
    const later = new Date(ENDS.getTime() + 1000);
    const renewed = remember(cookie, 'alice', later);
    expect(knownDevice(keys, renewed, 'alice')).toEqual({ id: knownDevice(keys, cookie, 'alice')?.id, endsAt: later });
    expect(renewed.split('.')).toHaveLength(1);
  });

  test('depends on each of its bits', () => {
    const bytes = Buffer.from(remember(null, 'alice'), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(knownDevice(keys, changed.toString('base64url'), 'alice'), `bit ${bit}`).toBeNull();
    }
  });

  test('stays valid after a rotation of the root secret, and not after its removal', () => {
    const cookie = remember(null, 'alice');
    expect(knownDevice(rootKeys([secret('b'), secret('a')]), cookie, 'alice')).not.toBeNull();
    expect(knownDevice(rootKeys([secret('b')]), cookie, 'alice')).toBeNull();
  });

  test.each([null, '', '.', 'x', 'x'.repeat(51), 'x'.repeat(100_000), '....', 'é'.repeat(51)])(
    '%j is rejected',
    (text) => {
      expect(knownDevice(keys, text, 'alice')).toBeNull();
      expect(knownDevice(keys, remember(text, 'alice'), 'alice')).not.toBeNull();
    },
  );
});
