/** The time series of the overview: their names, their buckets, and the bounds of durations (docs/decisions/0097). */

/** The length of a stored bucket. */
export const STATISTICS_SECONDS = 300;
export const STATISTICS_DAYS = 31;

/** The series of ledger entries. */
export const LEDGER_SERIES = [
  'sign_ins',
  'failed_sign_ins',
  'new_users',
  'chains_started',
  'rotations',
  'chains_ended',
  'reuse_detections',
] as const;
export type LedgerSeries = (typeof LEDGER_SERIES)[number];

/** The endpoints whose responses are timed together. */
export const TIMED = ['token_endpoint', 'other_endpoints'] as const;
export type Timed = (typeof TIMED)[number];

/** Upper bounds, in milliseconds. Slower responses are in the last bucket, without a bound. */
export const DURATION_BOUNDS = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] as const;

/** Counts of responses by the index of their bound; the last counts those above all bounds. */
export type Durations = readonly number[];

export const noDurations = (): number[] => Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0);

/** The index of the first bound that the duration does not exceed. */
export function boundOf(milliseconds: number): number {
  const index = DURATION_BOUNDS.findIndex((bound) => milliseconds <= bound);
  return index === -1 ? DURATION_BOUNDS.length : index;
}

/**
 * The bound that a share of the responses does not exceed.
 * @returns null: there are no responses, or the bound is above all that are counted.
 */
export function boundAt(durations: Durations, share: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let within = 0;
  for (const [index, count] of durations.entries()) {
    within += count;
    if (within >= share * total) return DURATION_BOUNDS[index] ?? null;
  }
  return null;
}

/** The length of each period, and of the buckets in which a reader gets it. */
export const PERIODS = {
  '3h': { seconds: 3 * 3600, bucketSeconds: 300 },
  '24h': { seconds: 86_400, bucketSeconds: 1800 },
  '7d': { seconds: 7 * 86_400, bucketSeconds: 3 * 3600 },
  '30d': { seconds: 30 * 86_400, bucketSeconds: 12 * 3600 },
} as const;
export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as readonly Period[];

export type Bucket = {
  readonly from: Date;
  readonly counts: Readonly<Record<LedgerSeries | 'server_errors', number>>;
  /** The most of its samples. Null: there is none. */
  readonly activeChains: number | null;
  readonly durations: Readonly<Record<Timed, Durations>>;
};
