import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/crypto/random.ts';

test('random bytes are as many as asked for, and others each time', () => {
  expect([0, 12, 16, 32].map((size) => systemRandom.bytes(size).length)).toEqual([0, 12, 16, 32]);
  expect(systemRandom.bytes(32)).not.toEqual(systemRandom.bytes(32));
});

test('random UUIDs are of version 4, and others each time', () => {
  expect(systemRandom.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(systemRandom.uuid()).not.toBe(systemRandom.uuid());
});
