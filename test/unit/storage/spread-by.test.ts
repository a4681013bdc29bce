/** Rows are keyed by what they would be spread by in a distributed Postgres: docs/decisions/0070. Asked of the catalog of a migrated database. */
import { getTableName, type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeldTable } from '../../../src/lifecycles/table.ts';
import { HELD_TABLES } from '../../../src/lifecycles/tables.ts';
import { columnNames } from '../../../src/storage/columns.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { rawRows } from '../../../src/storage/raw-rows.ts';
import { TABLES } from '../../../src/storage/tables.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

/** Each node has all of their rows. Linked identities and passkeys: one account at a provider, or one credential id, is one end-user among all. */
const EVERYWHERE = [
  'clients',
  'configured_secrets',
  'ledger_retention',
  'linked_identities',
  'nodes',
  'operator_set_ups',
  'passkeys',
  'root_secrets',
  'server',
  'signing_keys',
  'statistics',
  'statistics_progress',
  'users',
  'webhook_receivers',
];

const spread = new Map(
  TABLES.flatMap(({ table, spreadBy }) =>
    typeof spreadBy === 'string' ? [] : [[getTableName(table), spreadBy.name] as const],
  ),
);

describe('a growing table has the key by which it would be spread', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    // Months of the ledger are tables of their own.
    await keepLedgerPartitions(opened.database.drizzle, databaseClock);
  });
  afterAll(() => opened.close());
  const found = async <Row>(query: SQL): Promise<readonly Row[]> =>
    rawRows<Row>(await opened.database.drizzle.execute(query));

  it('only these tables are small', () => {
    const small = TABLES.filter(({ spreadBy }) => spreadBy === 'everywhere').map(({ table }) => getTableName(table));
    expect(small.toSorted()).toEqual(EVERYWHERE);
  });

  it.each([...spread])('%s is spread by a column of its own that is never null: %s', async (table, column) => {
    expect(await found(COLUMN(table, column))).toEqual([{ not_null: true }]);
  });

  it.each(
    (HELD_TABLES as readonly HeldTable[]).flatMap((held) =>
      typeof held.spreadBy === 'string' ? [] : [[getTableName(held.table), held, held.spreadBy] as const],
    ),
  )('a row of %s never moves to another key', (_, { table, changes }, { name }) => {
    const [property] = [...columnNames(table)].find(([, column]) => column === name) ?? [];
    expect(Object.keys(changes)).not.toContain(property);
  });

  it('is in every primary key, unique index and exclusion, also of each month of the ledger', async () => {
    const indexes = await found<{ readonly name: string; readonly root: string; readonly columns: string[] }>(INDEXES);
    expect(indexes.filter(({ root }) => spread.has(root)).length).toBeGreaterThan(20);
    const lacking = indexes.filter(
      ({ root, columns }) => spread.has(root) && !columns.includes(spread.get(root) ?? ''),
    );
    expect(lacking).toEqual([]);
  });

  it('is where a foreign key leads: to a small table, or to the same key', async () => {
    const foreign = await found<{ readonly from: string; readonly to: string; readonly pairs: string[] }>(FOREIGN_KEYS);
    expect(foreign.length).toBeGreaterThan(8);
    const strays = foreign.filter(
      ({ from, to, pairs }) => spread.has(to) && !pairs.includes(`${spread.get(from)}=${spread.get(to)}`),
    );
    expect(strays).toEqual([]);
    // A small table never needs what grows.
    expect(foreign.filter(({ from, to }) => !spread.has(from) && spread.has(to))).toEqual([]);
  });

  it('finds an index that lacks it', async () => {
    await opened.database.drizzle.execute(sql`create unique index stray on grants (code_hash)`);
    const indexes = await found<{ readonly name: string; readonly root: string; readonly columns: string[] }>(INDEXES);
    await opened.database.drizzle.execute(sql`drop index stray`);
    expect(indexes.find(({ name }) => name === 'stray')).toMatchObject({ root: 'grants', columns: ['code_hash'] });
  });
});

const COLUMN = (table: string, column: string) => sql`select a.attnotnull as not_null from pg_attribute a
  where a.attrelid = ${`public.${table}`}::regclass and a.attname = ${column}`;

/** Of a partition, the table that it is a part of. */
const ROOT = sql`coalesce(pg_partition_root(t.oid), t.oid)::regclass::text`;

const INDEXES = sql`select i.relname::text as name, ${ROOT} as root,
    array(select a.attname::text from pg_attribute a where a.attrelid = t.oid and a.attnum = any(x.indkey)) as columns
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  where t.relnamespace = 'public'::regnamespace and (x.indisunique or x.indisexclusion) order by 1`;

const FOREIGN_KEYS = sql`select ${ROOT} as from, coalesce(pg_partition_root(f.oid), f.oid)::regclass::text as to,
    array(select a.attname || '=' || b.attname from unnest(k.conkey, k.confkey) as p(own, others)
      join pg_attribute a on a.attrelid = t.oid and a.attnum = p.own
      join pg_attribute b on b.attrelid = f.oid and b.attnum = p.others) as pairs
  from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class f on f.oid = k.confrelid
  where k.contype = 'f' and t.relnamespace = 'public'::regnamespace order by 1, 2`;
