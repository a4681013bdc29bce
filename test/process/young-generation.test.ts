/** The young generation of V8, in a process of its own: how far it grows under load. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MODULE = new URL('../../src/boot/young-generation.ts', import.meta.url).href;

/** Allocates objects that survive a collection. Prints the sizes in megabytes. */
const program = (before: string) => `
  import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
  import { setTimeout as sleep } from 'node:timers/promises';
  const { boundYoungGeneration } = await import('${MODULE}');
  ${before}
  const kept = [];
  const sizes = [];
  for (let turn = 0; turn < 200; turn++) {
    for (let index = 0; index < 5000; index++) kept[(turn * 5000 + index) % 40000] = { index, parts: [index, index] };
    await sleep(1);
    sizes.push(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20);
  }
  console.log(JSON.stringify(sizes));
`;

async function largestAfter(before: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program(before)]);
  return Math.max(...(JSON.parse(stdout) as number[]));
}

const HELD = `setFlagsFromString('--semi-space-growth-factor=1');`;
const bound = (megabytes: number) => `boundYoungGeneration({ bytes: ${megabytes} * 2 ** 20, lookMilliseconds: 1 });`;

it('grows to its bound, and no further', async () => {
  const unbounded = await largestAfter('');
  const largest = await largestAfter(bound(4));
  expect(largest).toBeGreaterThanOrEqual(4);
  // V8 doubles the size. On a slow machine that happens once before the look that stops it.
  expect(largest).toBeLessThanOrEqual(8);
  expect(unbounded).toBeGreaterThan(8);
});

it('grows again after something else made it small', async () => {
  // Held, V8 still adds a page at a collection, to some megabytes. Unheld, it doubles the size.
  expect(await largestAfter(HELD)).toBeLessThan(16);
  expect(await largestAfter(`${HELD} ${bound(16)}`)).toBeGreaterThanOrEqual(16);
});
