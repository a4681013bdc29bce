import { expect, test } from 'vitest';
import { millisecondsLeft, pauseTime, resumeTime, startTime, withinTime } from '../../../src/system/request-time.ts';

test('there is no end outside a request, nor for what several requests share', () => {
  expect(millisecondsLeft()).toBe(Number.POSITIVE_INFINITY);
  withinTime(startTime(), () => {
    expect(Number.isFinite(millisecondsLeft())).toBe(true);
    withinTime(null, () => expect(millisecondsLeft()).toBe(Number.POSITIVE_INFINITY));
  });
});

test('what the body of a request takes to arrive does not count', () => {
  const time = startTime();
  const { endsAt } = time;
  pauseTime(time);
  time.pausedAt = (time.pausedAt ?? 0) - 60_000;
  resumeTime(time);
  expect(time.endsAt - endsAt).toBeGreaterThanOrEqual(60_000);
  const after = time.endsAt;
  resumeTime(time);
  expect(time.endsAt).toBe(after);
});
