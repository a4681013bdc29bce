/** Renders a commit (src/engine/commit.ts) as one guarded statement, with its entries of the ledger; after a lock where it has `inTurn`. */
import { and, eq, getTableColumns, gt, isNull, ne, not, or, type SQL, sql, type WithSubquery } from 'drizzle-orm';
import { type PgColumn, type PgTable, PgTransaction } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import {
  type Columns,
  type Commit,
  type CommitStore,
  only,
  type Requirement,
  type Selection,
  type Update,
  type Write,
} from '../engine/commit.ts';
import type { Drizzle } from './database.ts';
import { codeOf, committing } from './failures.ts';
import { entriesFrom } from './ledger.ts';
import { columnsOfWrite } from './mac-of-write.ts';
import { rowsErasedWith } from './personal-data.ts';
import { rowVersion, storedVersion } from './row-version.ts';
import * as schema from './schema.ts';
import { TABLES } from './tables.ts';

/** @param macs null: the store writes no table whose rows have a MAC. The store throws StoreUnavailable. */
export const commitStore =
  (db: Drizzle, macs: RowMacs | null = null): CommitStore =>
  (commit) =>
    carryOut(db, macs, commit);

/** Within a transaction, a savepoint keeps a statement that Postgres refuses from ending the others. */
async function carryOut(db: Drizzle, macs: RowMacs | null, commit: Commit): Promise<boolean> {
  const { inTurn } = commit;
  const statement = (tx: Drizzle) => statementOf(tx, macs, commit);
  try {
    return await committing(async () =>
      inTurn === undefined && !(db instanceof PgTransaction)
        ? statement(db)
        : db.transaction(async (tx) => {
            if (inTurn !== undefined) await tx.execute(turnOf(inTurn));
            return statement(tx);
          }),
    );
  } catch (error) {
    // Another commit has written a row that this one inserts. Postgres has undone the statement as a whole.
    if (codeOf(error) === UNIQUE_VIOLATION) return false;
    throw error;
  }
}

/** A lock until the end of the transaction. */
const turnOf = ({ table, key }: NonNullable<Commit['inTurn']>): SQL =>
  key === 'every'
    ? sql`select pg_advisory_xact_lock(hashtext(${table}))`
    : sql`select from ${tableOf(table)} where ${isRow({ table, key })} for no key update`;

/** From a table to the property of the column that it is spread by. */
const SPREAD_BY: ReadonlyMap<PgTable, string> = new Map(
  TABLES.flatMap(({ table, spreadBy }) =>
    Object.entries(getTableColumns(table)).flatMap(([property, column]) =>
      column === spreadBy ? [[table, property] as const] : [],
    ),
  ),
);

const UNIQUE_VIOLATION = '23505';
const ONE = { one: sql<number>`one`.as('one') };

async function statementOf(db: Drizzle, macs: RowMacs | null, { writes, requires, erases, entries, now }: Commit) {
  const isAlone = writes.length === 1;
  const part = (name: string, rows: SQL) => db.$with(name, ONE).as(rows);
  const held = heldRows(writes);
  const parts = held.map(({ rows }, place) => part(`held_${place}`, rows));
  const areHeld = held.map(({ count }, place) => sql`(select count(*) from ${parts[place]}) = ${count}::int`);
  const areMet = requires.map((one, place) => {
    const read = readFor(one).map((rows, number) => part(`relied_${place}_${number}`, rows));
    parts.push(...read);
    return isMet(one, read);
  });
  // Each write waits for the one before it.
  let holds = and(...areMet, ...areHeld) ?? sql`true`;
  for (const [place, write] of writes.entries()) {
    const saved = part(`saved_${place}`, written(macs, write, now, { holds, isAlone }));
    parts.push(saved);
    holds = sql`exists (select from ${saved})`;
  }
  const saved = parts.at(-1) as (typeof parts)[number];
  if (erases !== undefined) {
    // The statement sees the end-user as before: with the address.
    const erased = rowsErasedWith(sql`select ${erases}::uuid where ${holds}`);
    parts.push(...erased.map(({ name, rows }) => part(`removed_${name}`, sql`delete from ${rows} returning 1 as one`)));
  }
  const statement = db.with(...parts);
  return entries.length === 0
    ? statement.select({ one: saved.one }).from(saved)
    : statement
        .insert(schema.transitions)
        .select(entriesFrom(db, saved, { entries, now }, idOf(writes[0])))
        .returning({ machine: schema.transitions.machine });
}

/**
 * Where more than the first write changes a row, nothing is written before each of them is locked and as it was loaded. So it is with a
 * row of a known version, too: each node of a cluster that has such a row has another version of it. One of them is asked, before all write.
 */
function heldRows(writes: readonly Write[]): readonly { readonly rows: SQL; readonly count: number }[] {
  const updates = writes.filter((write) => write.kind === 'update');
  if (updates.every((write) => write === writes[0] && versionOf(write) === undefined)) return [];
  return [...Map.groupBy(updates, ({ table }) => table)].map(([name, all]) => ({
    // Commits that lock the same rows lock them in the same order.
    rows: sql`select 1 as one from ${tableOf(name)} where ${or(...all.map((one) => and(isAsLoaded(one), versionOf(one))))}
      order by ${columnOf(tableOf(name), all[0]?.key[0] ?? 'id')} for no key update`,
    count: all.length,
  }));
}

/**
 * @param isAlone a row that is there already makes the statement write nothing. Otherwise it undoes the other writes.
 * Postgres does not ignore conflicts of a deferrable constraint, as signing keys have.
 */
function written(
  macs: RowMacs | null,
  write: Write,
  now: Date,
  { holds, isAlone }: { readonly holds: SQL; readonly isAlone: boolean },
): SQL {
  const table = tableOf(write.table);
  const columns = columnsOfWrite(macs, table, write, now);
  if (write.kind === 'insert') {
    const values = Object.entries(columns).flatMap(([name, value]) =>
      value === undefined ? [] : boundValue(table, name, value),
    );
    const names = values.map(({ column }) => sql.identifier(column.name));
    const selected = values.map(({ column, bound }) => sql`${bound}::${sql.raw(column.getSQLType())}`);
    return sql`insert into ${table} (${sql.join(names, sql`, `)}) select ${sql.join(selected, sql`, `)} where ${holds}
      ${isAlone && table !== schema.signingKeys ? sql`on conflict do nothing` : sql``} returning 1 as one`;
  }
  // A change that leaves every column as it is: the row is written nevertheless, so that its facts are asked for.
  const set = Object.keys(columns).length > 0 ? columns : only(write.loaded, write.key);
  const changes = Object.entries(set).map(([name, value]) => {
    const { column, bound } = boundValue(table, name, value);
    return sql`${sql.identifier(column.name)} = ${bound}`;
  });
  return sql`update ${table} set ${sql.join(changes, sql`, `)} where ${and(isAsLoaded(write), holds)} returning 1 as one`;
}

const idOf = (write: Write): unknown => (write.kind === 'insert' ? write.row : write.loaded)['id'];

/** By the key, and by the column that says where a distributed Postgres has the row. */
function isAsLoaded({ table, loaded, key, expect }: Update): SQL | undefined {
  const spread = SPREAD_BY.get(tableOf(table));
  const whereItIs = spread !== undefined && spread in loaded ? [spread] : [];
  const { version: _, ...columns } = only(loaded, [...key, ...expect, ...whereItIs]);
  return isRow({ table, key: columns });
}

/** Undefined: the commit expects no version. */
function versionOf({ table, loaded, expect }: Update): SQL | undefined {
  const { version } = only(loaded, expect.includes('version') ? ['version'] : []);
  return typeof version === 'string' ? eq(rowVersion(tableOf(table)), storedVersion(version)) : undefined;
}

/** Rows of other keys than those that the commit writes: a cluster reads them by themselves. */
const readFor = ({ rows, locked }: Requirement): readonly SQL[] =>
  rows.map(
    (one) =>
      sql`select 1 as one from ${tableOf(one.table)} where ${isSelected(one)} ${locked ? sql`for share` : sql``}`,
  );

/** @param read for each of its rows. */
function isMet({ are }: Requirement, read: readonly WithSubquery[]): SQL {
  if (typeof are === 'object') return sql`(select count(*) from ${read[0]}) < ${are.fewerThan}`;
  const some = or(...read.map((one) => sql`exists (select 1 from ${one})`)) as SQL;
  return are === 'some' ? some : not(some);
}

/** Without a condition, every row. */
const isSelected = ({ table, where, not: unlike = {}, later = {} }: Selection): SQL =>
  and(isRow({ table, key: where }), ...compared(table, unlike, ne), ...compared(table, later, gt)) ?? sql`true`;

const isRow = ({ table, key }: { readonly table: string; readonly key: Columns }): SQL | undefined =>
  and(...compared(table, key, (column, value) => (value === null ? isNull(column) : eq(column, value))));

const compared = (table: string, values: Columns, compare: (column: PgColumn, value: unknown) => SQL): readonly SQL[] =>
  Object.entries(values).map(([name, value]) => compare(columnOf(tableOf(table), name), stored(value)));

const boundValue = (table: PgTable, name: string, value: unknown) => {
  const column = columnOf(table, name);
  return { column, bound: sql.param(stored(value), column) };
};

/** The drivers know bytes as buffers. */
const stored = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value) : value);

function tableOf(name: string): PgTable {
  const table = (schema as unknown as Record<string, PgTable | undefined>)[name];
  if (table === undefined) throw new Error(`There is no table ${name}.`);
  return table;
}

function columnOf(table: PgTable, name: string): PgColumn {
  const column = getTableColumns(table)[name];
  if (column === undefined) throw new Error(`There is no column ${name}.`);
  return column;
}
