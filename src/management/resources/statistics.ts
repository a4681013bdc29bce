/** Time series of the last hours and days, without a metrics server. */
import { z } from 'zod';
import { boundAt, type Durations, LEDGER_SERIES, PERIOD_NAMES, PERIODS, type Period } from '../../model/statistics.ts';
import { readStatistics, type Statistics } from '../../storage/statistics.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { keptFor } from '../kept.ts';
import { selfLink } from '../page.ts';
import { found, resource } from '../resource.ts';

/** All requests within this time get the same answer. */
const READ_EVERY_MILLISECONDS = 5000;

const count = z.int().min(0);
const responses = z.object({
  count,
  within_ms_50: z.int().nullable().describe('Half of the responses took at most so long: an upper bound.'),
  within_ms_99: z
    .int()
    .nullable()
    .describe('99 in 100 took at most so long. Null: there were none, or they took more than five seconds.'),
});

const series = z.object({
  sign_ins: count.describe('Accepted first factors: passwords, passkeys, links and other ways.'),
  failed_sign_ins: count.describe('Refused sign-ins with an entry in the ledger, which bounds them.'),
  new_users: count,
  chains_started: count.describe('Exchanged authorization codes.'),
  rotations: count.describe('Exchanged refresh tokens.'),
  chains_ended: count.describe('By a decision about the grant; a disabled end-user ends theirs without one.'),
  reuse_detections: count.describe('Codes and refresh tokens that came a second time.'),
  server_errors: count,
});

const shape = z
  .object({
    period: z.enum(PERIOD_NAMES),
    from: shownInstant,
    to: shownInstant.describe('The end of the newest bucket, which may still be running.'),
    bucket_seconds: z.int(),
    totals: series,
    buckets: z
      .array(
        series.extend({
          from: shownInstant,
          active_chains: count.nullable().describe('The most of the samples in the bucket, counted up to 1,000,000.'),
          token_endpoint: responses,
          other_endpoints: responses.describe('Without administration and health checks.'),
        }),
      )
      .describe('In ascending order, without gaps.'),
    _links: selfLink,
  })
  .meta({ id: 'Statistics' });

export const statistics = resource('/statistics', 'the statistics', {}, (method) => ({
  GET: method({
    summary:
      'Time series for a dashboard, of the whole installation. The server counts the ledger every minute, and each node its responses, so the last minute may be missing.',
    query: z.strictObject({ period: z.enum(PERIOD_NAMES).default('24h') }),
    answer: shape,
    run: async (deps, { query: { period } }) => found(documentOf(deps.issuer, period, await READS[period](deps))),
  }),
}));

const READS = Object.fromEntries(
  PERIOD_NAMES.map((period) => [
    period,
    keptFor(READ_EVERY_MILLISECONDS, ({ db, clock }: ManagementDeps) => readStatistics(db, clock, period)),
  ]),
) as Readonly<Record<Period, (deps: ManagementDeps) => Promise<Statistics>>>;

const COUNTED = [...LEDGER_SERIES, 'server_errors'] as const;

export function documentOf(issuer: string, period: Period, { from, to, buckets }: Statistics) {
  const sumOf = (name: (typeof COUNTED)[number]) => buckets.reduce((sum, { counts }) => sum + counts[name], 0);
  return {
    period,
    from: from.toISOString(),
    to: to.toISOString(),
    bucket_seconds: PERIODS[period].bucketSeconds,
    totals: Object.fromEntries(COUNTED.map((name) => [name, sumOf(name)])) as z.infer<typeof series>,
    buckets: buckets.map((bucket) => ({
      from: bucket.from.toISOString(),
      ...bucket.counts,
      active_chains: bucket.activeChains,
      token_endpoint: responsesOf(bucket.durations.token_endpoint),
      other_endpoints: responsesOf(bucket.durations.other_endpoints),
    })),
    ...links({ self: `${addressOf(issuer, 'statistics')}?period=${period}` }),
  };
}

const responsesOf = (durations: Durations) => ({
  count: durations.reduce((sum, count) => sum + count, 0),
  within_ms_50: boundAt(durations, 0.5),
  within_ms_99: boundAt(durations, 0.99),
});
