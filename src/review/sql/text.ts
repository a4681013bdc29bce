/** The rules as SQL, a function and a trigger for each. Applied again, or over other triggers, it replaces them. */
import { quoted, type Rule } from '../../lifecycles/rules.ts';
import { holdLedgerPartition } from '../../storage/ledger-partitions.ts';
import { beginOnce, keyColumns } from './columns.ts';
import { type Machines, rulesOf } from './rules.ts';

const BREAK = '\n--> statement-breakpoint\n';

/** All of drizzle/triggers.sql but its first line. */
export const sqlOf = (machines: Machines): string => textOf(rulesOf(machines));

export const textOf = (rules: readonly Rule[]): string => `${statementsOf(rules).join(BREAK)}\n`;

const statementsOf = (rules: readonly Rule[]): readonly string[] =>
  [
    `-- Made from the machines by "npm run machines:build" (src/review/sql/), and never edited. "statehouse migrate" applies this file as a whole
-- when its digest is another than the one in drizzle.triggers, and its revision no lower. Conditions stand in functions and not in WHEN: Postgres
-- copies and parses every WHEN of a table for every statement that writes to it, and keeps functions ready.

${REFUSE}`,
    ...rules.flatMap((rule) => [functionOf(rule), triggerOf(rule)]),
    BEGINS_ONCE,
    `CREATE OR REPLACE TRIGGER "grants_begins_once" BEFORE INSERT ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grants_begins_once"()`,
    REMEMBER_ENDED_ROW,
    ...beginOnce.flatMap(({ table, name, until }) => remembersOf(table, name('OLD'), until)),
    EACH_PARTITION,
    dropOthers([
      'grants_begins_once',
      ...WRITTEN_BY_HAND,
      ...rules.map(({ name }) => name),
      ...beginOnce.map(({ table }) => `${table}_remembers_its_end`),
    ]),
  ].map((statement) => `${statement};`);

/** The caller's search_path could name other operators or tables. */
const OWN_PATH = 'SET search_path = pg_catalog, pg_temp';

/** With our own SQLSTATE (a class that Postgres leaves to applications); of the row, only its key appears. */
const REFUSE = `CREATE OR REPLACE FUNCTION "no_machine_allows"(says text, key text, rule text, operation text, relation text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = says || ': ' || operation || ' on ' || relation || ' is refused',
    DETAIL = coalesce('The row is ' || key || '.', ''), HINT = 'docs/deploying.md, "What the database holds".',
    CONSTRAINT = rule, TABLE = relation;
END
$$`;

/** @param key SQL for the row's key. */
const refuse = (says: string, key: string) =>
  `PERFORM "public"."no_machine_allows"(${quoted(says)}, ${key}, TG_NAME, TG_OP, TG_TABLE_NAME);`;

const functionNamed = (name: string, body: string) => `CREATE OR REPLACE FUNCTION "${name}"() RETURNS trigger
LANGUAGE plpgsql ${OWN_PATH} AS $$
BEGIN
${body}
END
$$`;

function functionOf({ table, name, on, when, only, says }: Rule): string {
  const row = on === 'insert' ? 'NEW' : 'OLD';
  const refusal = refuse(says, on === 'truncate' ? 'NULL' : `${row}.${keyColumns[table]}::text`);
  const any = when.join('\n    OR ');
  const condition = only === undefined ? any : `${only} AND (\n    ${any})`;
  const body = when.length === 0 ? `  ${refusal}` : `  IF ${condition} THEN\n    ${refusal}\n  END IF;`;
  return functionNamed(name, `${body}\n  RETURN NULL;`);
}

function triggerOf({ table, name, on }: Rule): string {
  const each = on === 'truncate' ? 'STATEMENT' : 'ROW';
  return `CREATE OR REPLACE TRIGGER "${name}" ${momentOf(on)} ON "${table}"
  FOR EACH ${each} EXECUTE FUNCTION "${name}"()`;
}

/** AFTER sees the row as it is stored, with the changes of other triggers. */
function momentOf(on: Rule['on']): string {
  if (typeof on === 'object') return `AFTER UPDATE OF ${on.update.join(', ')}`;
  // Operations that are always refused can be refused before they run.
  if (on === 'truncate' || on === 'update or delete') return `BEFORE ${on.toUpperCase()}`;
  return `AFTER ${on.toUpperCase()}`;
}

/**
 * A grant's first line of the ledger is written in the statement that inserts the grant, after it; so no line exists before. Where the
 * grant exists, the primary key refuses another, also to a commit whose answer was lost and that is sent again (ON CONFLICT DO NOTHING).
 */
const BEGINS_ONCE = functionNamed(
  'grants_begins_once',
  `  IF EXISTS (SELECT FROM "public"."transitions" t WHERE t."shard_key" = NEW."id" AND t."grant_id" = NEW."id")
    AND NOT EXISTS (SELECT FROM "public"."grants" g WHERE g."id" = NEW."id") THEN
    ${refuse('a grant that the ledger knows does not begin again', 'NEW.id::text')}
  END IF;
  RETURN NEW;`,
);

/** Each row that is remembered takes the place of up to two that no image outlives. */
const REMEMBER_ENDED_ROW = `CREATE OR REPLACE FUNCTION "remember_ended_row"(relation_ text, key_ text, until_ timestamptz)
RETURNS void LANGUAGE plpgsql ${OWN_PATH} AS $$
BEGIN
  IF until_ IS NOT NULL AND until_ <= now() THEN
    RETURN;
  END IF;
  INSERT INTO "public"."ended_rows" AS e ("relation", "key", "forget_at") VALUES (relation_, key_, until_)
    ON CONFLICT ("relation", "key") DO UPDATE SET "forget_at" = CASE WHEN e."forget_at" IS NULL OR EXCLUDED."forget_at" IS NULL THEN NULL
      ELSE greatest(e."forget_at", EXCLUDED."forget_at") END;
  DELETE FROM "public"."ended_rows" WHERE ("relation", "key") IN (SELECT e."relation", e."key" FROM "public"."ended_rows" e
    WHERE e."forget_at" < now() ORDER BY e."forget_at" LIMIT 2 FOR UPDATE SKIP LOCKED);
END
$$`;

/** With the rights of the owner, to whom alone this table belongs. No other role may put the function behind a table of its own. */
const remembersOf = (table: string, name: string, until: string) => [
  `CREATE OR REPLACE FUNCTION "${table}_remembers_its_end"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER ${OWN_PATH} AS $$
BEGIN
  PERFORM "public"."remember_ended_row"(${quoted(table)}, ${name}, ${until});
  RETURN NULL;
END
$$`,
  `CREATE OR REPLACE TRIGGER "${table}_remembers_its_end" AFTER DELETE ON "${table}"
  FOR EACH ROW EXECUTE FUNCTION "${table}_remembers_its_end"()`,
  `REVOKE ALL ON FUNCTION "${table}_remembers_its_end"() FROM PUBLIC`,
];

/** Partitions inherit row triggers, but not triggers on TRUNCATE. */
const EACH_PARTITION = `DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'transitions'::regclass LOOP
    EXECUTE format($hold$${holdLedgerPartition('%I')}$hold$, name);
  END LOOP;
END
$$`;

/** Rules about names of clients and users, which have no machine: drizzle/0000_baseline.sql. */
const WRITTEN_BY_HAND = ['client_id_is_no_sub', 'sub_is_no_client_id'];

/** Drops the functions of other machines: functions that refuse or remember, with triggers of the same name. */
const dropOthers = (names: readonly string[]) => `DO $$
DECLARE
  other regprocedure;
BEGIN
  FOR other IN SELECT DISTINCT p.oid::regprocedure FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE p.proname = t.tgname AND p.prosrc ~ 'no_machine_allows|remember_ended_row' AND p.proname NOT IN (
      ${names.map((name) => quoted(name)).join(',\n      ')})
  LOOP
    EXECUTE format('DROP FUNCTION %s CASCADE', other);
  END LOOP;
END
$$`;
