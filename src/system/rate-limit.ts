/** The number of requests that each key sends, in windows of equal length. In memory: each node counts for itself. */

/** About 10 MB. Beyond this number of keys in a window, the limit does not count later keys. */
const MAX_KEYS = 100_000;

/** The state of a key in the current window. */
export type Standing = {
  readonly isBeyond: boolean;
  /** The requests that the window still admits. */
  readonly remaining: number;
  /** Until the next window. */
  readonly resetSeconds: number;
};

export type RequestCounter = {
  readonly windowSeconds: number;
  /** Counts a request. `most`: of a window. */
  readonly count: (key: string, most: number) => Standing;
  /** Counts nothing. */
  readonly standingOf: (key: string, most: number) => Standing;
};

/** @param now milliseconds, by any monotonic clock. */
export function requestCounter(now: () => number, windowSeconds: number): RequestCounter {
  let counts = new Map<string, number>();
  let endsAt = Number.NEGATIVE_INFINITY;

  function countedIn(key: string, more: number, most: number): Standing {
    const at = now();
    if (at >= endsAt) {
      counts = new Map();
      endsAt = at + windowSeconds * 1000;
    }
    const before = counts.get(key) ?? 0;
    const counted = before + more;
    if (before > 0 || counts.size < MAX_KEYS) counts.set(key, counted);
    return {
      isBeyond: counted > most,
      remaining: Math.max(0, most - counted),
      resetSeconds: Math.ceil((endsAt - at) / 1000),
    };
  }

  return {
    windowSeconds,
    count: (key, most) => countedIn(key, 1, most),
    standingOf: (key, most) => countedIn(key, 0, most),
  };
}

const WINDOW_SECONDS = 10;

export type RateLimit = {
  /** Counts a request. @returns seconds until the next window when the request exceeds the limit. Null: it does not. */
  readonly count: (key: string, perSecond: number) => number | null;
};

/** On average over ten seconds. @param now milliseconds, by any monotonic clock. */
export function rateLimit(now: () => number): RateLimit {
  const counter = requestCounter(now, WINDOW_SECONDS);
  return {
    count: (key, perSecond) => {
      const { isBeyond, resetSeconds } = counter.count(key, perSecond * WINDOW_SECONDS);
      return isBeyond ? resetSeconds : null;
    },
  };
}
