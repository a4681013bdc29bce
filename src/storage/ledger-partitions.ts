/**
 * The monthly partitions of the ledger: made ahead, dropped when old. Dropping a month is cheap, however many lines it has. A function of
 * the migrations does it with the rights of the owner, so that the server's role needs none to make or drop a table.
 */

import { sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { fixedNow } from './now.ts';
import { server } from './schema.ts';
import { noServerRow } from './server-row.ts';

/** Safe on several nodes at once. The lines of a month without a partition go to the default partition. */
export async function keepLedgerPartitions(db: Drizzle, clock: Clock): Promise<void> {
  const fixed = fixedNow(clock);
  // Only the owner may name the time: with a time of one's own every month could be dropped.
  const keep = fixed === null ? sql`keep_ledger_months()` : sql`keep_ledger_months_at(${fixed}::timestamptz)`;
  const rows = await db.select({ kept: sql`${keep}::text` }).from(server);
  if (rows.length === 0) throw noServerRow();
}

/** Partitions inherit row triggers, but each needs its own trigger on TRUNCATE. */
export const LEDGER_IS_NOT_EMPTIED = { name: 'transitions_is_not_emptied', says: 'the ledger is append-only' } as const;
/** The migrations create the function (src/review/sql/). */
export const holdLedgerPartition = (name: string) =>
  `create or replace trigger ${LEDGER_IS_NOT_EMPTIED.name} before truncate on ${name}
    for each statement execute function ${LEDGER_IS_NOT_EMPTIED.name}()`;
