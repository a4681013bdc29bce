/** Requests that the server throttles (429): sent again after the wait that it asks for, within a bound. */
import type { Received } from '../../management/client/transport.ts';
import { deadlines } from '../../system/deadlines.ts';

export type Waiting = {
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Tells the user why the command does not continue. */
  readonly notify: (words: string) => void;
};

/** Nothing was done with a throttled request. @returns the last answer. */
export async function afterThrottling(
  { sleep, notify }: Waiting,
  server: string,
  send: () => Promise<Received>,
): Promise<Received> {
  let left = deadlines.throttledMilliseconds;
  for (;;) {
    const answered = await send();
    const wait = answered.status === 429 ? waitIn(answered.header('retry-after')) : null;
    if (wait === null || wait > left) return answered;
    notify(`${server} admits no more requests for now. Waiting ${Math.ceil(wait / 1000)} s.\n`);
    left -= wait;
    await sleep(wait);
  }
}

const LEAST_MILLISECONDS = 1000;

/** RFC 9110 §10.2.3: seconds, or a date. @returns milliseconds; null: the header says neither. */
function waitIn(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const milliseconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(LEAST_MILLISECONDS, milliseconds);
}
