/** The monthly partitions of the ledger: created ahead, dropped when old. Dropping a month is cheap, however many lines it has. */

import { sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { codeOf } from './failures.ts';
import { nowOf } from './now.ts';
import { server } from './schema.ts';
import { noServerRow } from './server-row.ts';

export const LEDGER_KEPT_DAYS = 90;
const MONTHS_AHEAD = 2;

/** Safe on several nodes at once. The lines of a month without a partition go to the default partition. */
export async function keepLedgerPartitions(db: Drizzle, clock: Clock): Promise<void> {
  const now = await timeOf(db, clock);
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) await createMonth(db, firstOfMonth(now, ahead));
  const oldest = now.getTime() - LEDGER_KEPT_DAYS * 86_400_000;
  for (const { name, held, endsAt } of await listMonths(db)) {
    if (endsAt.getTime() <= oldest) await dropMonth(db, name);
    else if (!held) await db.execute(sql.raw(holdLedgerPartition(name)));
  }
}

async function timeOf(db: Drizzle, clock: Clock): Promise<Date> {
  const [row] = await db.select({ now: sql<string>`${nowOf(clock)}` }).from(server);
  if (!row) throw noServerRow();
  return new Date(row.now);
}

/** Partitions inherit row triggers, but each needs its own trigger on TRUNCATE. */
export const LEDGER_IS_NOT_EMPTIED = { name: 'transitions_is_not_emptied', says: 'the ledger is append-only' } as const;
/** The migrations create the function (src/review/sql/). */
export const holdLedgerPartition = (name: string) =>
  `create or replace trigger ${LEDGER_IS_NOT_EMPTIED.name} before truncate on ${name}
    for each statement execute function ${LEDGER_IS_NOT_EMPTIED.name}()`;

const firstOfMonth = (now: Date, ahead: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
const nameOf = (month: Date) => `transitions_${month.toISOString().slice(0, 7).replace('-', '_')}`;

/** 42P07, 23505: another node was first. 23514: the default partition already has lines of this month, and keeps them. */
const HARMLESS = new Set(['42P07', '23505', '23514']);

async function createMonth(db: Drizzle, month: Date): Promise<void> {
  const [from, to] = [month.toISOString(), firstOfMonth(month, 1).toISOString()];
  try {
    await db.execute(
      sql.raw(
        `create table if not exists ${nameOf(month)} partition of transitions for values from ('${from}') to ('${to}')`,
      ),
    );
  } catch (error) {
    if (!HARMLESS.has(codeOf(error) ?? '')) throw error;
  }
}

/** `held`: its trigger on TRUNCATE exists. */
async function listMonths(db: Drizzle): Promise<{ name: string; held: boolean; endsAt: Date }[]> {
  const held = sql<boolean>`exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = ${LEDGER_IS_NOT_EMPTIED.name})`;
  const rows = await db
    .select({ name: sql<string>`c.relname`, held })
    .from(sql`pg_inherits i join pg_class c on c.oid = i.inhrelid`)
    .where(sql`i.inhparent = 'transitions'::regclass`);
  return rows.flatMap(({ name, held }) => {
    const [, year, month] = /^transitions_(\d{4})_(\d{2})$/.exec(name) ?? [];
    return year && month ? [{ name, held, endsAt: new Date(Date.UTC(Number(year), Number(month), 1)) }] : [];
  });
}

/** With a short lock_timeout: a drop that waits would make every commit wait behind it. The next round tries again. */
async function dropMonth(db: Drizzle, name: string): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.execute(sql`set local lock_timeout = '1s'`);
    await transaction.execute(sql.raw(`drop table if exists ${name}`));
  });
}
