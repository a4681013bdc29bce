/** Removes ended rows, in small batches. Each DELETE tests its condition itself, so no active row is lost. */
import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { earlier, MAX_ACCESS_TOKEN_SECONDS } from '../lifecycles/retention.ts';
import type { Removal } from '../lifecycles/table.ts';
import type { Clock } from '../system/clock.ts';
import { boundedSteps, type StepsOptions } from './bounded-steps.ts';
import type { Drizzle } from './database.ts';
import { keepLedgerPartitions } from './ledger-partitions.ts';
import { nowOf } from './now.ts';
import { grants } from './schema.ts';
import { areSpread } from './spread-databases.ts';
import { TABLES } from './tables.ts';

const MAX_ACCESS_TOKEN_LIFETIME = sql.raw(`interval '${MAX_ACCESS_TOKEN_SECONDS} seconds'`);
const WINDOW_ROWS = 5000;

type Name = ReturnType<typeof sql.identifier>;
type Removable = Pick<Removal, 'ended' | 'over'> & { readonly table: PgTable };

/** Rows that may go, other than grants, which are walked by age. */
export const removable = (db: Drizzle, now: SQL): readonly Removable[] =>
  TABLES.flatMap(({ table, removal }) =>
    (removal?.(now) ?? []).map((rows) => ({ table, over: rows.over, ended: endedIn(db, table, rows) })),
  );

/** Rows of the other tables have other keys. A cluster reads those that would keep an ended row by themselves; one Postgres stops at the first. */
function endedIn(db: Drizzle, table: PgTable, { ended, keptBy }: Removal): SQL {
  if (keptBy === undefined) return ended;
  const { column, tables } = keptBy;
  const areEnded = sql`(select ${column} from ${table} where ${ended})`;
  const isKept = areSpread(db)
    ? (name: Name) => sql`${column} in (select n.client_id from ${name} n where n.client_id in ${areEnded})`
    : (name: Name) => sql`exists (select from ${name} n where n.client_id = ${column})`;
  return sql.join([ended, ...tables.map((name) => sql`not ${isKept(sql.identifier(name))}`)], sql` and `);
}

/** Of a minute: the rows beyond that wait for the next round. */
const ROUND_MILLISECONDS = 30_000;
/** The part of that time for the tables with ended rows; the rest is for the walk over grants. */
const SHARE_OF_ROWS = 0.5;

export type CleanUp = {
  /** Grants. */
  readonly removed: number;
  /** When the last complete pass over all grants began, by `performance.now()`; null: this node has completed none. */
  readonly passBeganAt: number | null;
};

type Options = Partial<Pick<StepsOptions, 'milliseconds' | 'elapsed' | 'pause'>>;

export function housekeeper(
  db: Drizzle,
  clock: Clock,
  { milliseconds = ROUND_MILLISECONDS, elapsed = () => performance.now(), ...options }: Options = {},
) {
  let cursor: string | null = null;
  let began: number | null = null;
  let passBeganAt: number | null = null;
  return {
    /** One round, to be called about every minute. It removes due rows in batches, until none is left or its time ends. */
    cleanUp: async (signal: AbortSignal = new AbortController().signal): Promise<CleanUp> => {
      // The clock by which rows end: a node whose own clock is ahead must not remove an active row.
      const now = nowOf(clock);
      const steps = boundedSteps({ milliseconds, signal, elapsed, ...options });
      await keepLedgerPartitions(db, clock);
      for (const { table, ended } of removable(db, now)) {
        await steps.until(SHARE_OF_ROWS, async () => ((await deleteBatch(db, table, ended)) ? 'more' : 'done'));
      }
      let removed = 0;
      await steps.until(1, async () => {
        began ??= elapsed();
        const window = await nextWindow(db, cursor);
        if (window === null) {
          [cursor, passBeganAt, began] = [null, began, null];
          return 'done';
        }
        const deleted = await deleteEndedGrants(db, cursor, window, now);
        removed += deleted;
        // More of the same window: many grants may have begun at one instant.
        if (deleted < WINDOW_ROWS) cursor = window;
        return 'more';
      });
      return { removed, passBeganAt };
    },
  };
}

/** As many as fit into the time of a statement. @returns whether there may be more. */
async function deleteBatch(db: Drizzle, table: PgTable, ended: SQL): Promise<boolean> {
  const deleted = await db
    .delete(table)
    .where(sql`${batchOf(db, table, ended)} and ${ended}`)
    .returning({ deleted: sql`1` });
  return deleted.length >= WINDOW_ROWS;
}

/** By their places on disk. A cluster has many rows at the same place, each on another node or in another shard, so there its key names it. */
function batchOf(db: Drizzle, table: PgTable, ended: SQL): SQL {
  if (!areSpread(db)) return sql`ctid = any(array(select ctid from ${table} where ${ended} limit ${WINDOW_ROWS}))`;
  const { columns, primaryKeys } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const names = sql.join(
    key.map((column) => sql`${column}`),
    sql`, `,
  );
  return sql`(${names}) in (select ${names} from ${table} where ${ended} order by ${names} limit ${WINDOW_ROWS})`;
}

/** Walks the table by age, so that the cost of a step does not grow with the table. @returns null at the end. */
async function nextWindow(db: Drizzle, cursor: string | null): Promise<string | null> {
  const window = db
    .select({ createdAt: grants.createdAt })
    .from(grants)
    .where(after(cursor))
    .orderBy(grants.createdAt)
    .limit(WINDOW_ROWS)
    .as('window');
  // As text: a Date has no microseconds, and the walk would stay at a millisecond with more rows than a window.
  const [row] = await db.select({ last: sql<string | null>`max(${window.createdAt})::text` }).from(window);
  return row?.last ?? null;
}

const after = (cursor: string | null) => sql`${grants.createdAt} > ${cursor ?? '-infinity'}::timestamptz`;

/** Codes that were never exchanged, and chains past their end and past the life of their last access token. */
async function deleteEndedGrants(db: Drizzle, cursor: string | null, window: string, now: SQL): Promise<number> {
  const ended = sql`coalesce(${grants.chainEndsAt}, ${grants.codeEndsAt}) < ${earlier(now)} - ${MAX_ACCESS_TOKEN_LIFETIME}`;
  const upTo = sql`${grants.createdAt} <= ${window}::timestamptz`;
  const due = sql`${after(cursor)} and ${upTo} and ${ended}`;
  const removed = await db
    .delete(grants)
    .where(sql`${batchOf(db, grants, due)} and ${ended}`)
    .returning({ deleted: sql`1` });
  return removed.length;
}
