/** The responses of a node, until a round stores them. */
import { expect, it } from 'vitest';
import { countingResponses, countResponses, type ResponseCounter } from '../../../src/boot/statistics.ts';
import { boundAt, boundOf, noDurations } from '../../../src/model/statistics.ts';
import type { Database } from '../../../src/storage/database.ts';
import { answeredRequests } from '../../../src/system/observed.ts';
import { clockAt } from '../../support/clock.ts';

const answered = (route: string | null, seconds: number, status = 200) =>
  answeredRequests.publish(
    () => ({ route, seconds, status }) as Parameters<Parameters<typeof answeredRequests.listen>[0]>[0],
  );
const counts = (...indexes: number[]) => noDurations().map((_, n) => indexes.filter((index) => index === n).length);

it('counts the token endpoint, the other endpoints, and server errors', () => {
  const { take } = countResponses();
  answered('/oauth/token', 0.002);
  answered('/oauth/token', 0.0021, 400);
  answered('/sign-in', 6, 503);
  expect(take()).toEqual({
    durations: { token_endpoint: counts(0, 1), other_endpoints: counts(11) },
    serverErrors: 1,
  });
  expect(take()).toEqual({ durations: { token_endpoint: counts(), other_endpoints: counts() }, serverErrors: 0 });
});

it.each([null, '/console', '/console/live', '/management/v1/status', '/health/ready'])('does not count %s', (route) => {
  const { take } = countResponses();
  answered(route, 1, 500);
  expect(take()).toEqual({ durations: { token_endpoint: counts(), other_endpoints: counts() }, serverErrors: 0 });
});

it('keeps what the database did not take for the next round', async () => {
  const counter = countResponses();
  answered('/oauth/token', 0.001, 500);
  const away = {
    drizzle: { insert: () => ({ values: () => ({ onConflictDoUpdate: () => Promise.reject(new Error('away')) }) }) },
  };
  const round = countingResponses(away as unknown as Database, clockAt(new Date()), counter as ResponseCounter);
  await expect(round(new AbortController().signal)).rejects.toThrow('away');
  answered('/oauth/token', 0.001);
  expect(counter.take()).toEqual({
    durations: { token_endpoint: counts(0, 0), other_endpoints: counts() },
    serverErrors: 1,
  });
});

it.each([
  [0, 0],
  [2, 0],
  [2.01, 1],
  [5000, 10],
  [5001, 11],
])('%d ms are in bucket %i', (milliseconds, index) => expect(boundOf(milliseconds)).toBe(index));

it('tells the bound that a share does not exceed', () => {
  expect(boundAt(counts(), 0.5)).toBeNull();
  expect(boundAt(counts(0, 0, 3), 0.5)).toBe(2);
  expect(boundAt(counts(0, 0, 3), 0.99)).toBe(20);
  expect(boundAt(counts(11), 0.5)).toBeNull();
});
