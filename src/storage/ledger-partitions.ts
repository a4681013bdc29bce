/**
 * The monthly partitions of the ledger: made ahead, dropped when old. Dropping a month is cheap, however many lines it has. A function of
 * the migrations does it with the rights of the owner, so that the server's role needs none to make or drop a table.
 */

import { sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { fixedNow, nowOf } from './now.ts';
import { server } from './schema.ts';
import { noServerRow } from './server-row.ts';

/** Safe on several nodes together. The entries of a month without a partition go to the default partition. */
export async function keepLedgerPartitions(db: Drizzle, clock: Clock): Promise<void> {
  const fixed = fixedNow(clock);
  // Only the owner may name the time: with a time of one's own every month could be dropped.
  const keep = fixed === null ? sql`keep_ledger_months()` : sql`keep_ledger_months_at(${fixed}::timestamptz)`;
  const rows = await db.select({ kept: sql`${keep}::text` }).from(server);
  if (rows.length === 0) throw noServerRow();
}

/** Before anything is written: an entry in the default partition stays there. Where nothing is missing, it only reads. @throws StoreUnavailable */
export async function makeLedgerPartitions(db: Drizzle, clock: Clock): Promise<void> {
  const months = sql`generate_series(0, 2) ahead`;
  const name = sql`'transitions_' || to_char(date_trunc('month', ${nowOf(clock)} at time zone 'UTC') + make_interval(months => ahead), 'YYYY_MM')`;
  const [row] = await reading(() =>
    db.select({ areThere: sql<boolean>`bool_and(to_regclass('public.' || ${name}) is not null)` }).from(months),
  );
  if (row?.areThere !== true) await reading(() => keepLedgerPartitions(db, clock));
}

/** Entries that retention does not reach, counted up to 1000. @throws StoreUnavailable */
export async function ledgerDefaultEntries(db: Drizzle): Promise<number> {
  const [row] = await reading(() => db.select({ entries: sql<number>`ledger_default_entries()::int` }).from(server));
  return row?.entries ?? 0;
}

/** Partitions inherit row triggers, but each needs its own trigger on TRUNCATE. */
export const LEDGER_IS_NOT_EMPTIED = { name: 'transitions_is_not_emptied', says: 'the ledger is append-only' } as const;
/** drizzle/triggers.sql creates the function. */
export const holdLedgerPartition = (name: string) =>
  `create or replace trigger ${LEDGER_IS_NOT_EMPTIED.name} before truncate on ${name}
    for each statement execute function ${LEDGER_IS_NOT_EMPTIED.name}()`;
