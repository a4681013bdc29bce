/** The rules as SQL: functions that refuse, and a trigger for each rule. Applied again, or over those of before, it replaces them. */
import { holdLedgerPartition } from '../../storage/ledger-partitions.ts';
import { type Machines, type Rule, rulesOf, text } from './rules.ts';

export const MARK = '-- Made from the machines by "npm run machines:build" (src/review/sql/).';
const BREAK = '\n--> statement-breakpoint\n';

/** The whole migration. */
export const sqlOf = (machines: Machines): string => textOf(rulesOf(machines));

export const textOf = (rules: readonly Rule[]): string => `${statementsOf(rules).join(BREAK)}\n`;

const statementsOf = (rules: readonly Rule[]): readonly string[] =>
  [
    `${MARK} Never edited: when machines change, the next such migration
-- replaces these triggers. Each WHEN says what is refused, so that whatever the machines allow runs no function. AFTER, because a
-- BEFORE trigger would make Postgres lock each row once more.

${REFUSE}`,
    BORN_ONCE,
    ...rules.map(triggerOf),
    `CREATE OR REPLACE TRIGGER "grants_is_born_once" BEFORE INSERT ON "grants"
  FOR EACH ROW EXECUTE FUNCTION "grant_is_born_once"()`,
    EACH_PARTITION,
    dropOthers(rules.map(({ name }) => name)),
    'DROP FUNCTION IF EXISTS "transitions_are_append_only"()',
  ].map((statement) => `${statement};`);

/** An SQLSTATE of our own (a class that Postgres leaves to applications), and no value of the row but the key that names it. */
const REFUSE = `CREATE OR REPLACE FUNCTION "no_machine_allows"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  key text := coalesce(to_jsonb(OLD), to_jsonb(NEW)) ->> TG_ARGV[1];
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = TG_ARGV[0] || ': ' || TG_OP || ' on ' || TG_TABLE_NAME || ' is refused',
    DETAIL = coalesce('The row is ' || key || '.', ''), HINT = 'docs/deploying.md, "What the database holds".',
    CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA;
END
$$`;

/** The ledger writes a grant's first line in the statement that makes it, after it. So before it there is none. */
const BORN_ONCE = `CREATE OR REPLACE FUNCTION "grant_is_born_once"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "public"."transitions" t WHERE t."grant_id" = NEW."id") THEN
    RAISE EXCEPTION USING ERRCODE = 'SH001', MESSAGE = 'a grant that the ledger knows is not born again: INSERT on grants is refused',
      DETAIL = 'The row is ' || NEW."id" || '.', HINT = 'docs/deploying.md, "What the database holds".',
      CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA;
  END IF;
  RETURN NEW;
END
$$`;

/** Triggers on rows come to a partition by themselves; those on TRUNCATE do not. */
const EACH_PARTITION = `DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'transitions'::regclass LOOP
    EXECUTE format($hold$${holdLedgerPartition('%I')}$hold$, name);
  END LOOP;
END
$$`;

/** What an older migration of this kind made, and this one does not. */
const dropOthers = (names: readonly string[]) => `DO $$
DECLARE
  other record;
BEGIN
  FOR other IN SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE t.tgfoid = '"no_machine_allows"'::regproc AND t.tgparentid = 0 AND t.tgname NOT IN (
      ${names.map((name) => text(name)).join(',\n      ')})
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %I', other.tgname, other.relname);
  END LOOP;
END
$$`;

/** What names a row, and is no secret. */
const KEY: Readonly<Record<string, string>> = {
  grants: 'id',
  interactions: 'id',
  signing_keys: 'kid',
  clients: 'client_id',
  users: 'id',
  server: 'id',
  transitions: 'grant_id',
};

function triggerOf({ table, name, on, when, only, says }: Rule): string {
  const each = on === 'truncate' ? 'STATEMENT' : 'ROW';
  const any = when.join('\n    OR ');
  const condition = when.length === 0 ? '' : `\n  WHEN (${only === undefined ? any : `${only} AND (\n    ${any})`})`;
  return `CREATE OR REPLACE TRIGGER "${name}" ${momentOf(on)} ON "${table}"
  FOR EACH ${each}${condition}
  EXECUTE FUNCTION "no_machine_allows"(${text(says)}, ${text(KEY[table] ?? '')})`;
}

function momentOf(on: Rule['on']): string {
  if (typeof on === 'object') return `AFTER UPDATE OF ${on.update.join(', ')}`;
  // What is refused whatever the row holds need not be done first.
  if (on === 'truncate' || on === 'update or delete') return `BEFORE ${on.toUpperCase()}`;
  return `AFTER ${on.toUpperCase()}`;
}
