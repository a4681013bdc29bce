/**
 * Spreads the tables over the workers of a Citus cluster, as each table declares (src/lifecycles/table.ts, `spreadBy`). A table that is
 * spread already stays as it is, so this can run again, such as after an upgrade or for a new worker. Rows that are there move with their tables.
 */
import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { ReportedError } from '../system/reported-error.ts';
import type { Distributed, Drizzle } from './database.ts';
import { answersOfEachNode, quoted } from './each-node.ts';
import { grantFunctions } from './grant-functions.ts';
import { grantLoadFunction } from './grant-load-function.ts';
import { argumentTypes, type MadeFunction } from './plpgsql.ts';
import { rawRows } from './raw-rows.ts';
import { TABLES } from './tables.ts';

/** Far more than workers, so that they can be added later: a shard moves as a whole. */
const SHARDS = 32;

class NoCluster extends ReportedError {
  override readonly isFinal = true;
  constructor(what: string, remedy: string) {
    super(`The tables were not distributed: ${what}. Nothing was changed. ${remedy}`);
  }
}

/** @param db as the owner of the tables. @throws NoCluster */
export async function distribute(db: Drizzle): Promise<Distributed> {
  const workers = await workersOf(db);
  const placed = await spreadTables(db);
  await exchangeEndedRows(db);
  return { ...placed, workers };
}

/** Only what is not spread yet. One transaction: where it fails, everything is as before. */
export async function spreadTables(db: Drizzle): Promise<Omit<Distributed, 'workers'>> {
  for (const statement of ON_EACH_NODE) await onEachNode(db, statement);
  const due = await missing(db);
  await db.transaction(async (transaction) => {
    // Foreign keys to tables that every node has.
    await transaction.execute(sql`set local citus.multi_shard_modify_mode = 'sequential'`);
    const tables = due.map(({ name }) => name);
    const triggers = await triggersOf(transaction, tables);
    // Rows move as they are: a trigger would take each for a new one.
    for (const { drop } of triggers) await transaction.execute(sql.raw(drop));
    await transaction.execute(sql.raw(ORDER_OF_EACH_NODE));
    for (const { name, by } of due) await transaction.execute(placing(name, by));
    for (const { name, by } of due.toReversed()) if (by !== null) await transaction.execute(emptying(name));
    for (const { create } of triggers) await transaction.execute(sql.raw(create));
    for (const statement of OF_THE_LEDGER) await transaction.execute(sql.raw(statement));
    for (const one of [grantLoadFunction(db), ...Object.values(grantFunctions(db))])
      await spreadFunction(transaction, one);
  });
  const named = (everywhere: boolean) => due.filter(({ by }) => (by === null) === everywhere).map(({ name }) => name);
  return { spread: named(false), everywhere: named(true) };
}

type Placement = {
  readonly name: string;
  /** Null: every node has all rows. */
  readonly by: AnyPgColumn | null;
};

const regclass = (name: string): SQL => sql`${`public.${name}`}::regclass`;

/** Tables that every node has come first, since others refer to them. */
async function missing(db: Drizzle): Promise<readonly Placement[]> {
  const rows = await rowsOf<{ name: string }>(
    db,
    sql`select c.relname::text as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
      where c.relnamespace = 'public'::regnamespace and (p.partmethod = 'h' or p.repmodel = 't')`,
  );
  const known = new Set(rows.map(({ name }) => name));
  return TABLES.flatMap(({ table, spreadBy }) =>
    spreadBy === 'each node' || known.has(getTableName(table))
      ? []
      : [{ name: getTableName(table), by: spreadBy === 'everywhere' ? null : spreadBy }],
  ).toSorted((one, other) => Number(one.by !== null) - Number(other.by !== null));
}

const placing = (name: string, by: AnyPgColumn | null): SQL =>
  by === null
    ? sql`select create_reference_table(${regclass(name)})`
    : sql`select create_distributed_table(${regclass(name)}, ${by.name}, shard_count := ${SHARDS}::int)`;

/** The rows that the coordinator had, which are on the workers now. */
const emptying = (name: string): SQL => sql`select truncate_local_data_after_distributing_table(${regclass(name)})`;

/** Also of partitions, where they are their own. */
const triggersOf = async (db: Drizzle, tables: readonly string[]) =>
  tables.length === 0
    ? []
    : rowsOf<{ drop: string; create: string }>(
        db,
        sql`select format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass) as drop, pg_get_triggerdef(t.oid) as create
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and t.tgparentid = 0 and c.relnamespace = 'public'::regnamespace
        and coalesce(pg_partition_root(c.oid), c.oid) in (${sql.join(tables.map(regclass), sql`, `)}) order by t.oid`,
      );

/** Once only: a function of this name has this text. */
async function spreadFunction(db: Drizzle, one: MadeFunction): Promise<void> {
  const signature = `"public"."${one.name}"(${argumentTypes(one)})`;
  const known = await rowsOf(
    db,
    sql`select from pg_catalog.pg_dist_object where objid = to_regprocedure(${signature}) and distribution_argument_index is not null`,
  );
  if (known.length > 0) return;
  await db.execute(sql.raw(one.definition));
  await db.execute(
    sql`select create_distributed_function(${signature}::regprocedure, ${'_grantId'}, colocate_with := 'public.grants')`,
  );
}

async function workersOf(db: Drizzle): Promise<number> {
  const [catalog] = await rowsOf<{ present: boolean }>(
    db,
    sql`select to_regclass('pg_catalog.pg_dist_node') is not null as present`,
  );
  if (!catalog?.present) {
    throw new NoCluster(
      'the database has no extension citus',
      'Create it on the coordinator and on each worker: CREATE EXTENSION citus;',
    );
  }
  const [row] = await rowsOf<{ here: number; workers: string }>(
    db,
    sql`select (select groupid from pg_dist_local_group) as here,
      (select count(*) from pg_dist_node where isactive and groupid > 0 and noderole = 'primary') as workers`,
  );
  if (row?.here !== 0) {
    throw new NoCluster('this is not the coordinator', 'Name the coordinator in STATEHOUSE_MIGRATIONS_URL.');
  }
  if (Number(row.workers) === 0) {
    throw new NoCluster(
      'the cluster has no worker',
      "Add one on the coordinator: SELECT citus_add_node('worker', 5432);",
    );
  }
  return Number(row.workers);
}

const ENDED_ROWS = '"public"."ended_rows"';
const IS_RECORDED_HERE = '"public"."ledger_entry_is_recorded_here"';

/**
 * Settings of this database on each node. Triggers hold the rows of a shard where it is. They read rows of the same key and rows that
 * every node has. No plan for every value: Citus 13 copies it into the memory of the session at each use. That is 56 kB for one row.
 */
const ON_EACH_NODE = [
  `do $do$ begin
    perform set_config('citus.enable_ddl_propagation', 'off', true);
    execute format('alter database %I set citus.enable_unsafe_triggers = on', current_database());
    execute format('alter database %I set citus.allow_nested_distributed_execution = on', current_database());
    execute format('alter database %I set plan_cache_mode = force_custom_plan', current_database());
  end $do$`,
  `create table if not exists ${ENDED_ROWS}
    ("relation" text not null, "key" text not null, "forget_at" timestamptz, primary key ("relation", "key"))`,
  `create index if not exists "ended_rows_forget_at" on ${ENDED_ROWS} ("forget_at")`,
];

/** Which seals retention removes, in the function of the months: before the first that is young enough, if there is one. */
const SEALS_OF_ONE = `s.number < coalesce((SELECT min(k.number) FROM "public"."ledger_seals" k
          WHERE k.shard = s.shard AND date_trunc('month', k.sealed_at) + interval '1 month' > at - kept), s.number + 1)`;
const SEALS_OF_MANY = `NOT EXISTS (SELECT 1 FROM "public"."ledger_seals" k WHERE k.shard = s.shard AND k.number <= s.number
          AND date_trunc('month', k.sealed_at AT TIME ZONE 'UTC') + interval '1 month' > (at - kept) AT TIME ZONE 'UTC')`;

/** The order of the ledger is one of each recording node, by the index of the same name (recording-nodes.ts). */
const ORDER_OF_EACH_NODE = `do $do$ begin
    if not exists (select from pg_catalog.pg_attribute where attrelid = to_regclass('public.transitions_order') and attname = 'recorded_on') then
      drop index "public"."transitions_order";
      create index "transitions_order" on "public"."transitions" ("recorded_on", "recorded_in", "position");
    end if;
  end $do$`;

/** An entry has the number of the transaction on the node that has its shard, and that node. */
const OF_THE_LEDGER = [
  // Citus reads the rows of some subqueries by themselves, for which they need a column. It knows no function of the time of a row.
  `do $do$ declare
    one regprocedure;
  begin
    for one in select p.oid from pg_proc p where p.pronamespace = 'public'::regnamespace
      and p.proname in ('keep_ledger_months_at', 'ledger_default_entries')
    loop
      execute replace(replace(pg_get_functiondef(one), 'SELECT FROM', 'SELECT 1 FROM'), ${quoted(SEALS_OF_ONE)}, ${quoted(SEALS_OF_MANY)});
    end loop;
  end $do$`,
  `create or replace function ${IS_RECORDED_HERE}() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
  begin
    new.recorded_in := pg_current_xact_id();
    new.recorded_on := (select 1 + l.groupid from pg_catalog.pg_dist_local_group l);
    return new;
  end $$`,
  // Before the trigger that compares the number with that of the transaction: triggers fire in the order of their names.
  `create or replace trigger "transitions_has_its_node" before insert on "public"."transitions"
    for each row execute function ${IS_RECORDED_HERE}()`,
];

/** @throws NoCluster the refusal of the first node that refuses. */
async function onEachNode(db: Drizzle, statement: string): Promise<readonly string[]> {
  const answers = await answersOfEachNode(db, statement);
  const refusal = answers.find(({ success }) => !success);
  if (refusal !== undefined) throw new NoCluster(`node ${refusal.node} refused: ${refusal.result}`, '');
  return answers.map(({ result }) => result);
}

/** Each node remembers the rows that ended there. A shard may move to another node, so each gets the memory of all. */
async function exchangeEndedRows(db: Drizzle): Promise<void> {
  for (let after: readonly [string, string] | null = ['', '']; after !== null; ) {
    const [relation, key]: readonly [string, string] = after;
    const pages = await onEachNode(
      db,
      `select coalesce(json_agg(e), '[]') from (select * from ${ENDED_ROWS}
        where ("relation", "key") > (${quoted(relation)}, ${quoted(key)}) order by "relation", "key" limit ${PAGE}) e`,
    );
    const rows = pages.flatMap((page) => JSON.parse(page) as EndedRow[]);
    if (rows.length > 0) {
      await onEachNode(
        db,
        `insert into ${ENDED_ROWS} as e select r."relation", r."key",
            case when bool_or(r."forget_at" is null) then null else max(r."forget_at") end
          from json_to_recordset(${quoted(JSON.stringify(rows))}) as r ("relation" text, "key" text, "forget_at" timestamptz)
          group by 1, 2
          on conflict ("relation", "key") do update set "forget_at" = case
            when e."forget_at" is null or excluded."forget_at" is null then null
            else greatest(e."forget_at", excluded."forget_at") end`,
      );
    }
    const full = pages.map((page) => JSON.parse(page) as EndedRow[]).filter((page) => page.length === PAGE);
    // Each full page may end at another row: the next one begins behind the first of them.
    const [first] = full.map((page) => page.at(-1) as EndedRow).toSorted(byName);
    after = first === undefined ? null : [first.relation, first.key];
  }
}

type EndedRow = { readonly relation: string; readonly key: string; readonly forget_at: string | null };
const PAGE = 5000;
const byName = (one: EndedRow, other: EndedRow): number =>
  one.relation < other.relation || (one.relation === other.relation && one.key < other.key) ? -1 : 1;

const rowsOf = async <Row>(db: Drizzle, query: SQL): Promise<readonly Row[]> => rawRows<Row>(await db.execute(query));
