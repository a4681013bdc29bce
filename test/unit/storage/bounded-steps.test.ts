/** Long work in steps: the pauses between them, and its end. */
import { expect, it } from 'vitest';
import { boundedSteps } from '../../../src/storage/bounded-steps.ts';

/** Each step takes so long. @returns the pauses in milliseconds, and whether the work ended. */
async function pausesOf(stepMilliseconds: number, steps: number, options: { pauses?: number; milliseconds?: number }) {
  let now = 0;
  let left = steps;
  const pauses: number[] = [];
  const isDone = await boundedSteps({
    milliseconds: 10_000,
    signal: new AbortController().signal,
    elapsed: () => now,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      now += milliseconds;
    },
    ...options,
  }).until(1, async () => {
    now += stepMilliseconds;
    left -= 1;
    return left === 0 ? 'done' : 'more';
  });
  return { pauses, isDone };
}

it.each([
  [{}, 50],
  [{ pauses: 3 }, 150],
  [{ pauses: 30 }, 1000],
])('pauses in proportion to the step, for a second at most: %o', async (options, expected) => {
  expect(await pausesOf(50, 3, options)).toEqual({ pauses: [expected, expected], isDone: true });
});

it('ends with its time', async () => {
  expect(await pausesOf(50, 100, { pauses: 3, milliseconds: 500 })).toEqual({ pauses: [150, 150, 150], isDone: false });
});
