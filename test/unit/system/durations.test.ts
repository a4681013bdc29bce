import { describe, expect, it } from 'vitest';
import { inOneUnit, spanWords } from '../../../src/system/durations.ts';

describe('a duration in words', () => {
  it.each([
    [0, '0 seconds'],
    [1, '1 millisecond'],
    [1000, '1 second'],
    [60_000, '1 minute'],
    [3_910_000, '1 hour, 5 minutes, 10 seconds'],
    [86_400_000 * 400 + 1, '400 days, 1 millisecond'],
    [86_399_999, '23 hours, 59 minutes, 59 seconds, 999 milliseconds'],
  ])('%d ms is %s', (milliseconds, words) => {
    expect(spanWords(milliseconds)).toBe(words);
  });

  it.each([
    [0, '0 seconds'],
    [999, '999 milliseconds'],
    [5_400_000, '90 minutes'],
    [90_000, '90 seconds'],
    [86_400_000 * 30, '30 days'],
  ])('%d ms in one unit is %s', (milliseconds, words) => {
    expect(inOneUnit(milliseconds)).toBe(words);
  });
});
