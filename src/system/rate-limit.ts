/** The number of requests that each key sends, in windows of ten seconds. In memory: each node counts for itself. */

const WINDOW_SECONDS = 10;
/** About 10 MB. Beyond this number of keys in a window, the limit does not count later keys. */
const MAX_KEYS = 100_000;

export type RateLimit = {
  /** Counts a request. @returns seconds until the next window when the request exceeds the limit. Null: it does not. */
  readonly count: (key: string, perSecond: number) => number | null;
};

/** @param now milliseconds, by any monotonic clock. */
export function rateLimit(now: () => number): RateLimit {
  let counts = new Map<string, number>();
  let endsAt = Number.NEGATIVE_INFINITY;
  return {
    count: (key, perSecond) => {
      const at = now();
      if (at >= endsAt) {
        counts = new Map();
        endsAt = at + WINDOW_SECONDS * 1000;
      }
      const counted = (counts.get(key) ?? 0) + 1;
      if (counted > 1 || counts.size < MAX_KEYS) counts.set(key, counted);
      return counted > perSecond * WINDOW_SECONDS ? Math.ceil((endsAt - at) / 1000) : null;
    },
  };
}
