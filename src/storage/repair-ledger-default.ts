/**
 * Takes the entries of whole months out of the default partition, where retention does not reach them. Few entries are copied into a
 * partition of their month. A default partition of very many entries of one month becomes the partition of that month itself. An entry
 * stays as it is to the octet, so its seal still verifies. Every step has a bound, and gives way to the holder of the ledger: requests
 * wait for a moment at most.
 */
import { setTimeout } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { isCluster } from './each-node.ts';
import { codeOf } from './failures.ts';
import { holdLedgerPartition } from './ledger-partitions.ts';

/** Copied in well under a second. */
const MOST_COPIED = 10_000;
const TRIES = 10;
const LOCK_MILLISECONDS = 250;
/** Requests wait while the ledger is locked; a statement of theirs waits longer. */
const STEP_MILLISECONDS = 3000;
/** lock_not_available, deadlock_detected, and query_canceled: the step took too long. Postgres undoes the earlier statements of this step. */
const GIVEN_WAY = new Set(['55P03', '40P01', '57014']);
/** duplicate_table: another node, which started together with this one, has moved this month. */
const DONE_ELSEWHERE = '42P07';

const DEFAULT = sql`public.transitions_default`;
const LEDGER = sql`public.transitions`;

type Month = { readonly name: string; readonly from: string; readonly below: string; readonly entries: number };
type Options = { readonly mostCopied?: number; readonly tries?: number };

/**
 * To be called by the owner of the tables. Where a lock cannot be had, or a month cannot be split off, the entries stay. So do those of
 * tables that are spread: a statement about a trigger does not reach the shards of a partition.
 */
export async function repairLedgerDefault(
  db: Drizzle,
  { mostCopied = MOST_COPIED, tries = TRIES }: Options = {},
): Promise<void> {
  if (await isCluster(db)) return;
  const months = await monthsIn(db);
  for (const month of months) {
    const isAlone = (await monthsIn(db)).length === 1;
    if (month.entries > mostCopied && !isAlone) continue;
    const move = month.entries > mostCopied ? become(month) : copy(month);
    if (!(await tried(db, move, tries))) return;
  }
}

/** The months with the fewest entries first. An instant that no server writes, such as `infinity`, is in none. */
async function monthsIn(db: Drizzle): Promise<readonly Month[]> {
  return db.transaction(async (transaction) => {
    await transaction.execute(
      sql`select set_config('timezone', 'UTC', true), set_config('enable_seqscan', 'on', true)`,
    );
    const month = sql`date_trunc('month', at)`;
    return transaction
      .select({
        name: sql<string>`'transitions_' || to_char(${month}, 'YYYY_MM')`,
        from: sql<string>`${month}::text`,
        below: sql<string>`(${month} + interval '1 month')::text`,
        entries: sql<number>`count(*)::int`,
      })
      .from(DEFAULT)
      .where(sql`at >= '1970-01-01' and at < '9999-01-01'`)
      .groupBy(month)
      .orderBy(sql`count(*)`);
  });
}

const tableOf = ({ name }: Month): SQL => sql`public.${sql.identifier(name)}`;
const within = ({ from, below }: Month): SQL => sql.raw(`at >= '${from}' and at < '${below}'`);
const attached = (month: Month): SQL =>
  sql`alter table ${LEDGER} attach partition ${tableOf(month)} for values from ${sql.raw(`('${month.from}') to ('${month.below}')`)}`;

const copy = (month: Month): readonly SQL[] => [
  sql`lock table only ${LEDGER} in share update exclusive mode`,
  sql`lock table ${DEFAULT} in access exclusive mode`,
  sql`create table ${tableOf(month)} (like ${LEDGER} including defaults including constraints)`,
  sql`insert into ${tableOf(month)} select * from ${DEFAULT} where ${within(month)}`,
  // Only the owner can do this, and only while no other process writes here.
  sql`alter table ${DEFAULT} disable trigger transitions_append_only`,
  sql`delete from ${DEFAULT} where ${within(month)}`,
  sql`alter table ${DEFAULT} enable trigger transitions_append_only`,
  sql.raw(holdLedgerPartition(month.name)),
  attached(month),
];

const become = (month: Month): readonly SQL[] => [
  sql`lock table only ${LEDGER} in access exclusive mode`,
  sql`alter table ${LEDGER} detach partition ${DEFAULT}`,
  sql`alter table ${DEFAULT} rename to ${sql.identifier(month.name)}`,
  // While these tables are no partitions, no trigger keeps the entries of no month.
  sql`create table ${DEFAULT} (like ${LEDGER} including defaults including constraints)`,
  sql`insert into ${DEFAULT} select * from ${tableOf(month)} where not (${within(month)})`,
  sql`delete from ${tableOf(month)} where not (${within(month)})`,
  sql.raw(holdLedgerPartition('transitions_default')),
  sql`alter table ${LEDGER} attach partition ${DEFAULT} default`,
  attached(month),
];

/** @returns false: it gave way each time. */
async function tried(db: Drizzle, statements: readonly SQL[], tries: number): Promise<boolean> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    try {
      await db.transaction(async (transaction) => {
        await transaction.execute(
          sql.raw(
            `select set_config('lock_timeout', '${LOCK_MILLISECONDS}ms', true), set_config('statement_timeout', '${STEP_MILLISECONDS}ms', true), set_config('enable_seqscan', 'on', true)`,
          ),
        );
        for (const statement of statements) await transaction.execute(statement);
      });
      return true;
    } catch (error) {
      const code = codeOf(error) ?? '';
      if (code === DONE_ELSEWHERE) return true;
      if (!GIVEN_WAY.has(code)) throw error;
      if (attempt < tries) await setTimeout(attempt * 100);
    }
  }
  return false;
}
