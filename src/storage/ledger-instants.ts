/** From instants to places in the order of the ledger, which has no index by instant: the hot path would pay for it. */
import { and, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { plannedRead } from './planned-read.ts';
import { recordedOn } from './recording-nodes.ts';
import { transitions } from './schema.ts';

/** Lines from before there was an order have 0. */
export const IS_IN_ORDER = sql`${transitions.recordedIn} > '0'::xid8`;

/** A line is recorded after its decision, and clocks of a cluster may be set. */
const SLACK_SECONDS = 120;

/** Postgres reads no text of JavaScript with a later year. */
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

type Instants = { readonly from?: Date | undefined; readonly to?: Date | undefined };

/**
 * Of one Postgres: a condition that every line of these instants meets, and that ends a walk along the order soon before and after them.
 * @returns undefined: without instants there is none. @throws StoreUnavailable
 */
export async function recordedAround(db: Drizzle, { from, to }: Instants): Promise<SQL | undefined> {
  if (from === undefined && to === undefined) return undefined;
  return around({ from, to }, (instant) => recordedBy(db, instant));
}

/** @param by finds the transaction that recorded the first line of this instant or later. */
async function around({ from, to }: Instants, by: (instant: Date) => Promise<string | null>): Promise<SQL | undefined> {
  const [first, last] = await Promise.all([
    from && by(new Date(from.getTime() - SLACK_SECONDS * 1000)),
    to && by(new Date(Math.min(to.getTime() + SLACK_SECONDS * 1000, LAST_INSTANT))),
  ]);
  return and(
    first ? sql`${transitions.recordedIn} >= ${first}::xid8` : undefined,
    last ? sql`${transitions.recordedIn} <= ${last}::xid8` : undefined,
  );
}

/** Halves of the order, until the first transaction is found whose line is at this instant or later; the last where there is none. */
const SEARCH = (instant: Date) => sql<{ found: string | null }>`(
  with recursive ends as (
    select (select recorded_in::text::numeric as place from transitions where recorded_in > '0'::xid8 order by recorded_in, position limit 1) as low,
      (select recorded_in::text::numeric as place from transitions where recorded_in > '0'::xid8 order by recorded_in desc, position desc limit 1) as high
  ), search as (
    select low, high, 0 as step from ends where low is not null
    union all
    select
      case when probe.at < ${instant.toISOString()}::timestamptz then least(probe.place + 1, high) else low end,
      case when probe.at < ${instant.toISOString()}::timestamptz then high else trunc((low + high) / 2) end,
      step + 1
    from search cross join lateral (
      select at, recorded_in::text::numeric as place from transitions
      where recorded_in >= trunc((low + high) / 2)::text::xid8
      order by recorded_in, position limit 1
    ) as probe
    where low < high and step < 64
  )
  select low::text as found from search order by step desc limit 1
) as searched`;

async function recordedBy(db: Drizzle, instant: Date): Promise<string | null> {
  const [row] = await plannedRead(db, (db) => db.select({ found: sql<string>`searched.found` }).from(SEARCH(instant)));
  return row?.found ?? null;
}

/**
 * The same of a recording node of a cluster, whose Citus takes no recursive statement: each half of the order is a statement.
 * @throws StoreUnavailable
 */
export const recordedAroundOn = (db: Drizzle, node: number | undefined, instants: Instants): Promise<SQL | undefined> =>
  around(instants, (instant) => recordedByOn(db, node, instant));

async function recordedByOn(db: Drizzle, node: number | undefined, instant: Date): Promise<string | null> {
  const placed = async (where: SQL | undefined, to: 'asc' | 'desc') => {
    const order = sql.raw(to);
    const [row] = await plannedRead(db, (db) =>
      db
        .select({ at: transitions.at, place: sql<string>`${transitions.recordedIn}::text`.as('place') })
        .from(transitions)
        .where(and(recordedOn(node), IS_IN_ORDER, where))
        .orderBy(sql`${transitions.recordedIn} ${order}, ${transitions.position} ${order}`)
        .limit(1),
    );
    return row ? { at: row.at, place: BigInt(row.place) } : null;
  };
  const [first, last] = [await placed(undefined, 'asc'), await placed(undefined, 'desc')];
  if (first === null || last === null) return null;
  let [low, high] = [first.place, last.place];
  while (low < high) {
    const middle = (low + high) / 2n;
    const probe = await placed(sql`${transitions.recordedIn} >= ${String(middle)}::xid8`, 'asc');
    if (probe === null) break;
    if (probe.at < instant) low = probe.place + 1n < high ? probe.place + 1n : high;
    else high = middle;
  }
  return String(low);
}
