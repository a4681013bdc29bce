import { expect, test } from 'vitest';
import { pooledRandomBytes, systemRandom } from '../../../src/crypto/random.ts';

test('random bytes have the requested length, and differ each time', () => {
  expect([0, 12, 16, 32].map((size) => systemRandom.bytes(size).length)).toEqual([0, 12, 16, 32]);
  expect(systemRandom.bytes(32)).not.toEqual(systemRandom.bytes(32));
});

test('no octet is returned twice, and none stays in the pool', () => {
  let filled: Buffer = Buffer.alloc(0);
  let fills = 0;
  const bytes = pooledRandomBytes((pool) => {
    filled = pool;
    // Each octet names its fill and its place, roughly: consecutive pieces differ.
    fills += 1;
    for (let at = 0; at < pool.length; at += 2) pool.writeUInt16BE(fills * 4096 + at / 2 + 1, at);
  });
  const given = new Set<string>();
  for (let index = 0; index < 300; index++) {
    const piece = bytes(32);
    given.add(piece.toString('hex'));
    expect(piece.includes(Buffer.from([0, 0]))).toBe(false);
    expect(filled.includes(piece)).toBe(false);
  }
  expect([given.size, fills]).toEqual([300, 3]);
});

test('the returned bytes belong to the caller', () => {
  const bytes = pooledRandomBytes((pool) => pool.fill(7));
  const first = bytes(16);
  bytes(256);
  first.fill(1);
  expect(bytes(16)).toEqual(Buffer.alloc(16, 7));
  expect(first).toEqual(Buffer.alloc(16, 1));
});

test('a pool has a maximum request', () => {
  expect(systemRandom.bytes(256)).toHaveLength(256);
  expect(() => systemRandom.bytes(257)).toThrow(new RangeError('At most 256 random octets per call.'));
});

test('the pool calls the system again only when it is used up', () => {
  let fills = 0;
  const bytes = pooledRandomBytes(() => {
    fills += 1;
  });
  const fillsAfter = (pieces: number) => {
    for (let index = 0; index < pieces; index++) bytes(256);
    return fills;
  };
  expect([fillsAfter(1), fillsAfter(15), fillsAfter(1)]).toEqual([1, 1, 2]);
});

test('random UUIDs have version 4, and differ each time', () => {
  expect(systemRandom.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(systemRandom.uuid()).not.toBe(systemRandom.uuid());
});
