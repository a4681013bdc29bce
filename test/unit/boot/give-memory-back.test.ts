import { expect, test } from 'vitest';
import { giveMemoryBack } from '../../../src/boot/give-memory-back.ts';

const MEGABYTE = 1024 * 1024;
const heap = () => process.memoryUsage().heapTotal / MEGABYTE;

test('what is not needed any more is given back to the system, and the collector is not left in reach', () => {
  let garbage: unknown[] | null = Array.from({ length: 1_000_000 }, (_, index) => ({
    index,
    text: `garbage ${index}`,
  }));
  expect(garbage.length).toBe(1_000_000);
  garbage = null;
  const before = heap();
  giveMemoryBack();
  expect(before - heap()).toBeGreaterThan(30);
  expect('gc' in globalThis).toBe(false);
});
