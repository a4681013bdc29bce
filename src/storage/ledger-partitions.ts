/** The ledger by month: made ahead, dropped when old. Dropping a month costs nothing, however many lines it has. */
import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { codeOf } from './failures.ts';

export const LEDGER_KEPT_DAYS = 90;
const MONTHS_AHEAD = 2;

/** Safe on several nodes at once. A month that cannot be made lands in the default partition: no revocation waits for it. */
export async function keepLedgerPartitions(db: Drizzle, now: Date): Promise<void> {
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) await makeMonth(db, firstOfMonth(now, ahead));
  const oldest = now.getTime() - LEDGER_KEPT_DAYS * 86_400_000;
  for (const { name, endsAt } of await listMonths(db)) {
    if (endsAt.getTime() <= oldest) await dropMonth(db, name);
  }
}

const firstOfMonth = (now: Date, ahead: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
const nameOf = (month: Date) => `transitions_${month.toISOString().slice(0, 7).replace('-', '_')}`;

/** 42P07: another node was first. 23514: the default partition already has lines of this month, so it keeps them. */
const HARMLESS = new Set(['42P07', '23505', '23514']);

async function makeMonth(db: Drizzle, month: Date): Promise<void> {
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

async function listMonths(db: Drizzle): Promise<{ name: string; endsAt: Date }[]> {
  const rows = await db
    .select({ name: sql<string>`c.relname` })
    .from(sql`pg_inherits i join pg_class c on c.oid = i.inhrelid`)
    .where(sql`i.inhparent = 'transitions'::regclass`);
  return rows.flatMap(({ name }) => {
    const [, year, month] = /^transitions_(\d{4})_(\d{2})$/.exec(name) ?? [];
    return year && month ? [{ name, endsAt: new Date(Date.UTC(Number(year), Number(month), 1)) }] : [];
  });
}

/** With a short lock_timeout: a drop that waits would make every commit wait behind it. Next time will do. */
async function dropMonth(db: Drizzle, name: string): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.execute(sql`set local lock_timeout = '1s'`);
    await transaction.execute(sql.raw(`drop table if exists ${name}`));
  });
}
