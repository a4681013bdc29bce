/** How many requests each key sends, in windows of ten seconds. In memory: each node counts for itself. */

const WINDOW_SECONDS = 10;
/** Some 10 MB. With more keys than this in a window, those that come later are not counted. */
const MAX_KEYS = 100_000;

export type RateLimit = {
  /** Counts a request. @returns seconds until the next window when it is beyond the limit; null: it is within. */
  readonly count: (key: string, perSecond: number) => number | null;
};

/** @param now milliseconds, of any clock that never goes back. */
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
