import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { knownDevice, MAX_DEVICE_COOKIE_CHARACTERS, rememberDevice } from '../../../src/crypto/device-cookie.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';

const secret = (letter: string) => `the root secret ${letter}, of more than 32 bytes`;
const keys = rootKeys([secret('a')]);
const ENDS = new Date('2031-01-02T03:04:05Z');
const account = (name: string) => ({ name, userId: `the id of ${name}` });
const remember = (cookie: string | null, name: string, endsAt = ENDS, of = keys) =>
  rememberDevice({ keys: of, random: systemRandom }, cookie, account(name), endsAt);

describe('the cookie of a trusted device', () => {
  test('identifies its account and no other, until its end, and names no user', () => {
    const cookie = remember(null, 'alice');
    expect(knownDevice(keys, cookie, account('alice'))).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      endsAt: ENDS,
    });
    expect(knownDevice(keys, cookie, account('bob'))).toBeNull();
    expect(Buffer.from(cookie, 'base64url').includes('alice')).toBe(false);
    expect(remember(null, 'alice')).not.toBe(cookie);
  });

  test('identifies the last five accounts', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const cookie = names.reduce<string | null>((before, name) => remember(before, name), null) ?? '';
    expect(names.map((name) => knownDevice(keys, cookie, account(name)) !== null)).toEqual([
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
    expect(knownDevice(keys, renewed, account('alice'))).toEqual({
      id: knownDevice(keys, cookie, account('alice'))?.id,
      endsAt: later,
    });
    expect(renewed.split('.')).toHaveLength(1);
  });

  test('depends on each of its bits', () => {
    const bytes = Buffer.from(remember(null, 'alice'), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(knownDevice(keys, changed.toString('base64url'), account('alice')), `bit ${bit}`).toBeNull();
    }
  });

  test('stays valid after a rotation of the root secret, and not after its removal', () => {
    const cookie = remember(null, 'alice');
    expect(knownDevice(rootKeys([secret('b'), secret('a')]), cookie, account('alice'))).not.toBeNull();
    expect(knownDevice(rootKeys([secret('b')]), cookie, account('alice'))).toBeNull();
  });

  test('is no device of a later account with the username of a deleted one, and gets another id there', () => {
    const cookie = remember(null, 'alice');
    const later = { name: 'alice', userId: 'another id' };
    expect(knownDevice(keys, cookie, later)).toBeNull();
    expect(knownDevice(keys, cookie, { name: 'alice', userId: null })).toEqual(
      knownDevice(keys, cookie, account('alice')),
    );
    const renewed = rememberDevice({ keys, random: systemRandom }, cookie, later, ENDS);
    expect(knownDevice(keys, renewed, later)?.id).not.toBe(knownDevice(keys, cookie, account('alice'))?.id);
    expect(knownDevice(keys, renewed, account('alice'))).toBeNull();
    expect(renewed.split('.')).toHaveLength(1);
  });

  test('has an id of the newest root secret after a renewal', () => {
    const both = rootKeys([secret('b'), secret('a')]);
    const renewed = remember(remember(null, 'alice'), 'alice', ENDS, both);
    expect(knownDevice(rootKeys([secret('b')]), renewed, account('alice'))).not.toBeNull();
  });

  test('has an end, twelve random octets, four of the end-user and a MAC, as upgrades keep them', () => {
    const random = { bytes: (size: number) => Buffer.alloc(size, 7), uuid: () => '' };
    const cookie = rememberDevice({ keys, random }, null, { name: 'alice', userId: 'an id' }, ENDS);
    const mac = (...parts: (string | Buffer)[]) => {
      const hmac = createHmac('sha256', keys.first.key('device'));
      for (const part of parts) hmac.update(part);
      return hmac.digest();
    };
    const drawn = Buffer.alloc(12, 7);
    const said = Buffer.concat([Buffer.alloc(6), drawn, mac('end-user\n', drawn, 'an id').subarray(0, 4)]);
    said.writeUIntBE(ENDS.getTime() / 1000, 0, 6);
    const entry = Buffer.concat([said, mac(said, 'alice').subarray(0, 16)]);
    expect(cookie).toBe(entry.toString('base64url'));
  });

  test('that is longer than the server makes one counts for nothing', () => {
    const cookie = ['a', 'b', 'c', 'd', 'e'].reduce<string | null>((before, name) => remember(before, name), null);
    const longer = `${cookie}.${remember(null, 'f')}`;
    expect(knownDevice(keys, longer, account('e'))).toBeNull();
    expect(knownDevice(keys, cookie, account('e'))).not.toBeNull();
    expect(remember(longer, 'g').split('.')).toHaveLength(1);
  });

  test.each([null, '', '.', 'x', 'x'.repeat(51), 'x'.repeat(100_000), '....', 'é'.repeat(51)])(
    '%j is rejected',
    (text) => {
      expect(knownDevice(keys, text, account('alice'))).toBeNull();
      const renewed = remember(text, 'alice');
      expect(knownDevice(keys, renewed, account('alice'))).not.toBeNull();
      expect(renewed).toMatch(text === 'x'.repeat(51) ? /^[\w-]{51}\.x{51}$/ : /^[\w-]{51}$/);
    },
  );
});
