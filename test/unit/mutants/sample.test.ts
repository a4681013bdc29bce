import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isMutated, type Room } from '../../mutants/rooms.ts';
import { drawSample, intervalOf, keyOf, rangeOf } from '../../mutants/sample.ts';

const room: Room = { mutate: ['src/oauth/*.ts'], tests: [] };

describe('a sample of the mutants of a folder', () => {
  test('is the same for the same seed, and differs for another seed', async () => {
    const [first, again, other] = await Promise.all([1, 1, 2].map((seed) => drawSample(room, 20, seed)));
    expect(again).toEqual(first);
    expect(other?.of).toBe(first?.of);
    expect(other?.drawn.map(keyOf)).not.toEqual(first?.drawn.map(keyOf));
  });

  test('contains different mutants of the files of the folder, as ranges that Stryker reads', async () => {
    const { drawn, of } = await drawSample(room, 30, 1);
    expect(of).toBeGreaterThan(30);
    expect(new Set(drawn.map(keyOf)).size).toBe(30);
    for (const mutant of drawn) {
      expect(rangeOf(mutant)).toMatch(/^src\/oauth\/[\w-]+\.ts:\d+:\d+-\d+:\d+$/);
      expect(isMutated(room, mutant.file)).toBe(true);
    }
  });

  test('is the whole folder where the folder has no more mutants', async () => {
    const { of, drawn } = await drawSample(room, 1_000_000, 1);
    expect(drawn).toHaveLength(of);
    expect(new Set(drawn.map(({ file }) => file)).size).toBeLessThanOrEqual(globSync('src/oauth/*.ts').length);
  });
});

test.each([
  [95, 100, 0.888, 0.978],
  [200, 200, 0.981, 1],
  [0, 10, 0, 0.278],
] as const)('the interval of %d detected of %d sampled is %d to %d', (noticed, asked, from, to) => {
  const [low, high] = intervalOf(noticed, asked);
  expect(low).toBeCloseTo(from, 3);
  expect(high).toBeCloseTo(to, 3);
});
