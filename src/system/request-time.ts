/**
 * The rest of the time that a request may wait for the database. It follows the request through the code that serves
 * it, so that each statement gets the rest without a parameter. Work outside requests has no such limit.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { deadlines } from './deadlines.ts';

export type RequestTime = {
  /** In milliseconds of `performance.now()`: only differences matter here. */
  endsAt: number;
  /** Set while the request's body arrives, which is the client's time. Null: running. */
  pausedAt: number | null;
};

const current = new AsyncLocalStorage<RequestTime | null>();

export const startTime = (): RequestTime => ({
  endsAt: performance.now() + deadlines.databasePerRequestMilliseconds,
  pausedAt: null,
});

export function pauseTime(time: RequestTime): void {
  time.pausedAt = performance.now();
}

export function resumeTime(time: RequestTime): void {
  if (time.pausedAt !== null) time.endsAt += performance.now() - time.pausedAt;
  time.pausedAt = null;
}

/** @param time null: work that does not belong to this request alone. */
export const withinTime = <T>(time: RequestTime | null, work: () => T): T => current.run(time, work);

export const timeOfRequest = (): RequestTime | null => current.getStore() ?? null;

/** Infinity outside a request. */
export function millisecondsLeft(): number {
  const time = timeOfRequest();
  return time === null ? Number.POSITIVE_INFINITY : time.endsAt - performance.now();
}
