/** The number of sign-ins that a node processes concurrently, and that may wait. */
import { availableParallelism } from 'node:os';
import { hashesAtOnce } from '../crypto/password.ts';
import { type BoundedQueue, boundedQueue } from '../system/bounded-queue.ts';
import { deadlines } from '../system/deadlines.ts';

/** Attempts whose statements are under way; few of them hash at the same time. */
const ATTEMPTS_AT_ONCE = 32;
/** 5 to 20 ms each: the last in line waits for some seconds. */
const ATTEMPTS_WAITING = 300;
/** Half of all, so that one address leaves room for others. */
const ATTEMPTS_WAITING_PER_ADDRESS = 150;
/** An impatient second click is answered. A hundred concurrent submissions of a form cost as much as two. */
const ATTEMPTS_PER_BROWSER = 2;

export function signInCapacity(libuvThreads: number): Readonly<Record<'attempts' | 'hashes', BoundedQueue>> {
  const { queueMilliseconds: waitMilliseconds } = deadlines;
  return {
    attempts: boundedQueue({
      running: ATTEMPTS_AT_ONCE,
      waiting: ATTEMPTS_WAITING,
      waitingPerLine: ATTEMPTS_WAITING_PER_ADDRESS,
      perTicket: ATTEMPTS_PER_BROWSER,
      waitMilliseconds,
    }),
    hashes: boundedQueue({
      running: hashesAtOnce(availableParallelism(), libuvThreads),
      waiting: ATTEMPTS_AT_ONCE,
      // An address has one attempt at a time.
      waitingPerLine: 1,
      perTicket: 1,
      waitMilliseconds,
    }),
  };
}
