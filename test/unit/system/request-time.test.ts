import { expect, test } from 'vitest';
import { millisecondsLeft, pauseTime, resumeTime, startTime, withinTime } from '../../../src/system/request-time.ts';

test('work outside a request, and work that several requests share, has no deadline', () => {
  expect(millisecondsLeft()).toBe(Number.POSITIVE_INFINITY);
  withinTime(startTime(), () => {
    expect(Number.isFinite(millisecondsLeft())).toBe(true);
    withinTime(null, () => expect(millisecondsLeft()).toBe(Number.POSITIVE_INFINITY));
  });
});

test('the arrival of the body of a request does not count', () => {
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
