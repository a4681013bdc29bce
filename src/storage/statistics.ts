/**
 * The counts behind the time series of the overview (docs/decisions/0097). A round adds the new entries of the ledger to small rows, so a
 * reader never looks at the ledger, and token requests pay for no index by instant.
 */
import { and, gte, type SQL, sql } from 'drizzle-orm';
import {
  type Bucket,
  type Durations,
  LEDGER_SERIES,
  type LedgerSeries,
  noDurations,
  PERIODS,
  type Period,
  STATISTICS_DAYS,
  STATISTICS_SECONDS,
  TIMED,
  type Timed,
} from '../model/statistics.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { nowOf } from './now.ts';
import { areStill, type PlacesOfNodes, placeOf, withPlace } from './places-of-nodes.ts';
import { plannedRead } from './planned-read.ts';
import { rawRows } from './raw-rows.ts';
import { hasRecordingNodes, recordedOn, recordingNodes } from './recording-nodes.ts';
import { server, statistics, statisticsProgress, transitions } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { areSpread } from './spread-databases.ts';

/** The entries of one step: it takes some 20 ms of Postgres. */
const ENTRIES_COUNTED = 20_000;
export const MAX_CHAINS_COUNTED = 1_000_000;

/** True of the entries that a series counts. A chain has two entries of a reuse: of the credential, and of the grant. */
const SERIES: Readonly<Record<LedgerSeries, SQL>> = {
  sign_ins: sql`machine = 'signIn' and to_state in ('accepted', 'factorRequired')`,
  failed_sign_ins: sql`machine = 'signIn' and to_state = 'refused'`,
  new_users: sql`machine = 'user' and from_state = 'unregistered'`,
  chains_started: sql`machine = 'authorizationCode' and to_state = 'used'`,
  rotations: sql`machine = 'refreshToken' and from_state = 'active' and to_state = 'used'`,
  chains_ended: sql`machine = 'grant' and from_state = 'active' and to_state <> 'active'`,
  reuse_detections: sql`machine in ('authorizationCode', 'refreshToken') and reason in ('authorization_code_reused', 'refresh_token_reused')`,
};

const CHAINS = 'active_chains';
const ERRORS = 'server_errors';
const durationSeries = (timed: Timed, index: number): string => `${timed}:${index}`;

const bucketOf = (instant: SQL, seconds: number = STATISTICS_SECONDS): SQL =>
  sql`date_bin(make_interval(secs => ${sql.raw(String(seconds))}), ${instant}, '1970-01-01T00:00:00Z'::timestamptz)`;

export type RequestCounts = {
  readonly durations: Readonly<Record<Timed, Durations>>;
  readonly serverErrors: number;
};

/** @param most for tests: the entries of one step. */
export function statisticsStore(db: Drizzle, clock: Clock, most: number = ENTRIES_COUNTED) {
  return {
    /** Counts the next entries whose transactions have all ended. @throws StoreUnavailable */
    countEntries: async (): Promise<'more' | 'done'> => {
      const counted = areSpread(db)
        ? 'spread'
        : await writing(() => db.transaction((transaction) => countNext(transaction, clock, most)));
      return counted === 'spread' ? countNodes(db, clock, most) : counted;
    },

    /** Counts the active chains, once for each bucket. @throws StoreUnavailable */
    sampleChains: async (): Promise<void> => {
      const bucket = bucketOf(nowOf(clock));
      const [known] = await reading(() =>
        db
          .select({ at: statistics.at })
          .from(statistics)
          .where(sql`${statistics.at} = ${bucket} and ${statistics.series} = ${CHAINS}`),
      );
      if (known) return;
      const count = await activeChains(db, clock);
      await writing(() => db.insert(statistics).values({ at: bucket, series: CHAINS, count }).onConflictDoNothing());
    },

    /** Adds the responses of this node. @throws StoreUnavailable */
    addRequests: async ({ durations, serverErrors }: RequestCounts): Promise<void> => {
      const at = bucketOf(nowOf(clock));
      const rows = [
        { at, series: ERRORS, count: serverErrors },
        ...TIMED.flatMap((timed) =>
          durations[timed].map((count, index) => ({ at, series: durationSeries(timed, index), count })),
        ),
      ].filter(({ count }) => count > 0);
      if (rows.length === 0) return;
      await writing(() => db.insert(statistics).values(rows).onConflictDoUpdate(ADDED));
    },
  };
}

const SUM = sql`${statistics.count} + excluded.count`;
const ADDED = { target: [statistics.at, statistics.series], set: { count: SUM } };
const ADD = sql`on conflict (at, series) do update set count = ${SUM}`;

async function countNext(db: Drizzle, clock: Clock, most: number): Promise<'more' | 'done' | 'spread'> {
  await db.execute(PLANNED);
  await begin(db, clock);
  const [progress] = await db
    .select({
      from: sql<string>`${statisticsProgress.countedBelow}::text`,
      settledBelow: sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text`,
      begunBelow: sql<string>`pg_snapshot_xmax(pg_current_snapshot())::text`,
      spread: hasRecordingNodes,
    })
    .from(statisticsProgress)
    .for('update');
  if (!progress) throw noServerRow();
  const { from, settledBelow, begunBelow, spread } = progress;
  if (spread) return 'spread';
  if (BigInt(from) > BigInt(begunBelow)) {
    // The tables are in another Postgres, which counts its transactions from the start.
    await db.update(statisticsProgress).set({ countedBelow: settledBelow, since: nowOf(clock) });
    return 'more';
  }
  const [cut] = await cutOf(db, recordedWithin(from, settledBelow), most);
  const below = belowCut(from, cut, settledBelow);
  await db.execute(
    sql`insert into ${statistics} (at, series, count) ${seriesWithin(recordedWithin(from, below))} ${ADD}`,
  );
  await db.update(statisticsProgress).set({ countedBelow: below });
  return cut === undefined ? 'done' : 'more';
}

const begin = (db: Drizzle, clock: Clock) =>
  db
    .insert(statisticsProgress)
    .values({ countedBelow: '1', since: sql`${nowOf(clock)} - make_interval(days => ${STATISTICS_DAYS})` })
    .onConflictDoNothing();

/** The first entry behind the most of one step. */
const cutOf = (db: Drizzle, within: SQL | undefined, most: number) =>
  db
    .select({ recordedIn: sql<string>`${transitions.recordedIn}::text`.as('recorded_in_text') })
    .from(transitions)
    .where(within)
    .orderBy(transitions.recordedIn, transitions.position)
    .offset(most)
    .limit(1);

/** A transaction is counted whole, however many entries it has. */
function belowCut(from: string, cut: { readonly recordedIn: string } | undefined, settledBelow: string): string {
  if (cut === undefined) return settledBelow;
  return cut.recordedIn === from ? String(BigInt(from) + 1n) : cut.recordedIn;
}

/** Entries of a kind are added up first, so that the series look at each kind once. */
const seriesWithin = (within: SQL | undefined): SQL => sql`
    select kind.at, counted.series, sum(kind.entries)
    from (
      select ${bucketOf(sql`${transitions.at}`)} as at, machine, from_state, to_state, reason, count(*) as entries
      from ${transitions} cross join ${statisticsProgress}
      where ${and(within, gte(transitions.at, statisticsProgress.since))}
      group by 1, 2, 3, 4, 5
    ) as kind
    cross join lateral unnest(array[${sql.join(
      LEDGER_SERIES.map((name) => sql`case when ${SERIES[name]} then ${name} end`),
      sql`, `,
    )}]) as counted (series)
    where counted.series is not null
    group by 1, 2`;

/**
 * Counts the next entries of each node of a cluster that records some. Settled entries change no more, so a step reads them before the
 * transaction that adds it. The entries of a node without an answer count later.
 */
async function countNodes(db: Drizzle, clock: Clock, most: number): Promise<'more' | 'done'> {
  const progress = await progressOf(db);
  if (progress === null) {
    await writing(() => begin(db, clock));
    return 'more';
  }
  const nodes = await reading(() => recordingNodes(db));
  let before = progress;
  let counted: 'more' | 'done' = 'done';
  if (nodes.some(({ node, begunBelow }) => BigInt(placeOf(before, node, START).countedBelow) > BigInt(begunBelow))) {
    // The tables are in another cluster, whose nodes count their transactions from the start.
    const ends = nodes.reduce(
      (places, { node, settledBelow }) => withPlace(places, node, { countedBelow: settledBelow }),
      before,
    );
    return (await advance(db, before, ends, { since: nowOf(clock) })) ? 'more' : 'done';
  }
  for (const { node, settledBelow } of nodes) {
    const { countedBelow: from } = placeOf(before, node, START);
    if (BigInt(settledBelow) <= BigInt(from)) continue;
    const { below, series, isCut } = await nextOfNode(db, { node, from, settledBelow }, most);
    // Entries without a series are read again, until there are more than one step reads.
    if (series.length === 0 && !isCut) continue;
    const after = withPlace(before, node, { countedBelow: below });
    // Another node of the server has counted meanwhile.
    if (!(await advance(db, before, after, { series }))) return 'done';
    before = after;
    if (isCut) counted = 'more';
  }
  return counted;
}

type Counted = { readonly at: string; readonly series: string; readonly count: string };

async function nextOfNode(
  db: Drizzle,
  {
    node,
    from,
    settledBelow,
  }: { readonly node: number | undefined; readonly from: string; readonly settledBelow: string },
  most: number,
) {
  const within = (end: string) => and(recordedOn(node), recordedWithin(from, end));
  const [cut] = await plannedRead(db, (db) => cutOf(db, within(settledBelow), most));
  const below = belowCut(from, cut, settledBelow);
  const series = await plannedRead(db, async (db) =>
    rawRows<Counted>(
      await db.execute(sql`select counted.at::text as at, counted.series, counted.count::text as count
        from (${seriesWithin(within(below))}) as counted (at, series, count)`),
    ),
  );
  return { below, series, isCut: cut !== undefined };
}

type Progress = PlacesOfNodes<{ readonly countedBelow: string }>;
const START = { countedBelow: '0' };

async function progressOf(db: Drizzle): Promise<Progress | null> {
  const [row] = await reading(() =>
    db
      .select({ countedBelow: statisticsProgress.countedBelow, nodes: statisticsProgress.nodes })
      .from(statisticsProgress),
  );
  return row ? { countedBelow: row.countedBelow, nodes: row.nodes ?? [] } : null;
}

/** @returns false: the progress is not the one of before. */
const advance = (
  db: Drizzle,
  before: Progress,
  after: Progress,
  { series = [], since }: { readonly series?: readonly Counted[]; readonly since?: SQL },
): Promise<boolean> =>
  writing(() =>
    db.transaction(async (transaction) => {
      const advanced = await transaction
        .update(statisticsProgress)
        .set({ ...after, ...(since && { since }) })
        .where(
          and(
            sql`${statisticsProgress.countedBelow} = ${before.countedBelow}::xid8`,
            areStill(statisticsProgress.nodes, before.nodes),
          ),
        )
        .returning({ only: statisticsProgress.only });
      if (advanced.length === 0) return false;
      if (series.length > 0)
        await transaction.execute(sql`insert into ${statistics} (at, series, count)
          select counted.at, counted.series, counted.count
          from jsonb_to_recordset(${JSON.stringify(series)}::jsonb) as counted (at timestamptz, series text, count bigint)
          ${ADD}`);
      return true;
    }),
  );

/** By the index of the order, in its order. */
const PLANNED = sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_bitmapscan', 'off', true),
  set_config('enable_sort', 'off', true)`;

const recordedWithin = (from: string, below: string): SQL | undefined =>
  and(gte(transitions.recordedIn, from), sql`${transitions.recordedIn} < ${below}::xid8`);

async function activeChains(db: Drizzle, clock: Clock): Promise<number> {
  const [row] = await plannedRead(db, (db) =>
    db
      .select({ count: sql<number>`count(*)::int` })
      .from(
        sql`(select 1 from refresh_token_heads where state = 'active' and chain_ends_at > ${nowOf(clock)} limit ${MAX_CHAINS_COUNTED}) as chain`,
      ),
  );
  return row?.count ?? 0;
}

export type Statistics = {
  readonly from: Date;
  /** The end of the newest bucket, which may still be running. */
  readonly to: Date;
  /** In ascending order, without gaps. */
  readonly buckets: readonly Bucket[];
};

/** @throws StoreUnavailable */
export async function readStatistics(db: Drizzle, clock: Clock, period: Period): Promise<Statistics> {
  const { seconds, bucketSeconds } = PERIODS[period];
  const bucket = bucketOf(sql`${statistics.at}`, bucketSeconds);
  const last = bucketOf(nowOf(clock), bucketSeconds);
  const first = sql`${last} - make_interval(secs => ${sql.raw(String(seconds - bucketSeconds))})`;
  const [[bounds], rows] = await Promise.all([
    reading(() => db.select({ first: sql<string>`${first}` }).from(server)),
    plannedRead(db, (db) =>
      db
        .select({
          at: sql<string>`${bucket}`.as('bucket'),
          series: statistics.series,
          count: sql<number>`(case when ${statistics.series} = ${CHAINS} then max(${statistics.count}) else sum(${statistics.count}) end)::float8`,
        })
        .from(statistics)
        .where(sql`${statistics.at} >= ${first}`)
        .groupBy(sql`1`, statistics.series),
    ),
  ]);
  if (!bounds) throw noServerRow();
  const counted = new Map<number, Map<string, number>>();
  for (const { at, series, count } of rows) {
    const key = new Date(at).getTime();
    counted.set(key, (counted.get(key) ?? new Map<string, number>()).set(series, count));
  }
  const from = new Date(bounds.first);
  const instants = Array.from(
    { length: seconds / bucketSeconds },
    (_, index) => new Date(from.getTime() + index * bucketSeconds * 1000),
  );
  return {
    from,
    to: new Date(from.getTime() + seconds * 1000),
    buckets: instants.map((instant) => bucketFrom(instant, counted.get(instant.getTime()) ?? new Map())),
  };
}

function bucketFrom(from: Date, counts: ReadonlyMap<string, number>): Bucket {
  const countOf = (series: string) => counts.get(series) ?? 0;
  const durationsOf = (timed: Timed) => noDurations().map((_, index) => countOf(durationSeries(timed, index)));
  return {
    from,
    counts: Object.fromEntries([...LEDGER_SERIES, ERRORS].map((name) => [name, countOf(name)])) as Bucket['counts'],
    activeChains: counts.get(CHAINS) ?? null,
    durations: { token_endpoint: durationsOf('token_endpoint'), other_endpoints: durationsOf('other_endpoints') },
  };
}
