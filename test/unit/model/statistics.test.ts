/** Durations, counted by their bounds. */
import { expect, test } from 'vitest';
import { boundAt, boundOf, DURATION_BOUNDS, noDurations } from '../../../src/model/statistics.ts';

/** Counts by the index of the bound. */
const counted = (counts: Readonly<Record<number, number>>) => noDurations().map((none, index) => counts[index] ?? none);

test('begins with no response at any bound, or above all', () => {
  expect(noDurations()).toEqual(Array(DURATION_BOUNDS.length + 1).fill(0));
});

test.each([
  [0, 0],
  [2, 0],
  [2.1, 1],
  [5, 1],
  [4999, 10],
  [5000, 10],
  [5001, 11],
])('%s ms counts at bound %s', (milliseconds, index) => {
  expect(boundOf(milliseconds)).toBe(index);
});

test.each<[string, readonly number[], number, number | null]>([
  ['no response', noDurations(), 0.5, null],
  ['the half of two', counted({ 0: 1, 3: 1 }), 0.5, 2],
  ['more than the half of two', counted({ 0: 1, 3: 1 }), 0.51, 20],
  ['all', counted({ 0: 98, 4: 1, 9: 1 }), 1, 2000],
  ['99 %', counted({ 0: 98, 4: 1, 9: 1 }), 0.99, 50],
  ['one above all bounds', counted({ 11: 1 }), 0.5, null],
])('the bound of %s', (_, durations, share, bound) => {
  expect(boundAt(durations, share)).toBe(bound);
});
