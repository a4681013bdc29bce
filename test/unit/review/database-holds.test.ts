/** The triggers refuse what no machine allows, and nothing else. */

import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../src/storage/failures.ts';
import { housekeeper } from '../../../src/storage/housekeeping.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { clockAt } from '../../support/clock.ts';
import { databaseKinds, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { casesOf, type HeldCase } from './held-cases.ts';
import { GRANT, putRows, SECRETS } from './held-rows.ts';
import { attempt, columnsOf, rowsOf, surprise } from './hold.ts';

describe.each(databaseKinds)('the triggers enforce the machines, on %s', (kind) => {
  let opened: TestDatabase;
  let cases: readonly HeldCase[];
  const db = () => opened.database.drizzle;
  beforeAll(async () => {
    opened = await openTestDatabase(kind);
    await putRows(db());
    cases = casesOf(await columnsOf(db()));
  });
  afterAll(() => opened.close());

  test('and allow what the machines allow, and name the rule for every refusal', async () => {
    expect(cases.length).toBeGreaterThan(200);
    const surprises = [];
    for (const one of cases) surprises.push(await surprise(db(), one));
    expect(surprises.filter((one) => one !== null)).toEqual([]);
  });

  test('a refusal names the row and the page to read, and no secret', async () => {
    for (const one of cases.filter(({ refusedBy }) => refusedBy !== null)) {
      // Random ids may hold four digits of a secret by chance.
      const words = (await attempt(db(), one))?.words.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
      expect(words).toMatch(/is refused.*docs\/deploying\.md/);
      for (const secret of SECRETS) expect(words).not.toContain(secret);
    }
    const changed = cases.find(({ what }) => what === 'a revoked grant gets another reason');
    expect((await attempt(db(), changed as HeldCase))?.words).toContain(`The row is ${GRANT.revoked}.`);
  });

  test('every trigger of ours is tested', async () => {
    const names = rowsOf(
      await db().execute(sql`select distinct tgname as name from pg_trigger where not tgisinternal order by 1`),
    ).map((row) => (row as { name: string }).name);
    const tried = new Set(cases.map(({ refusedBy }) => refusedBy));
    // These refuse no statement: they write the rows by which `…_begins_once` refuses.
    const refusing = names.filter((name) => !name.endsWith('_remembers_its_end'));
    expect(refusing.filter((name) => !tried.has(name))).toEqual([]);
  });

  test('housekeeping removes ended rows, and only those, however wrong the clock of its node', async () => {
    const ids = async () =>
      rowsOf(await db().execute(sql`select id from grants`)).map((row) => (row as { id: string }).id);
    const before = await ids();
    const over: readonly string[] = [GRANT.endedCode, GRANT.endedChain, GRANT.endedRevoked, GRANT.forgotten];
    expect(await housekeeper(db(), clockAt(new Date(Date.now() + 86_400_000))).cleanUp()).toMatchObject({
      removed: over.length,
    });
    expect(new Set(await ids())).toEqual(new Set(before.filter((id) => !over.includes(id))));
  });

  test('the ledger is kept by month, and later months refuse to be emptied too', async () => {
    const now = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 6));
    for (let time = 0; time < 2; time++) await keepLedgerPartitions(db(), clockAt(now));
    const months = rowsOf(
      await db().execute(sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'transitions'::regclass and c.relname <> 'transitions_default' order by 1`),
    ).map((row) => (row as { name: string }).name);
    expect(months).toEqual(['07', '08', '09'].map((month) => `transitions_${now.getUTCFullYear()}_${month}`));
    for (const month of months) {
      const emptied = { what: month, statements: [`truncate ${month}`], refusedBy: 'transitions_is_not_emptied' };
      expect(await surprise(db(), emptied)).toBeNull();
    }
  });
});

test('a role that may read and write every row, and owns none of the tables, cannot disable the triggers', async () => {
  const { database, close } = await openTestDatabase('postgres');
  const db = database.drizzle;
  const role = `clerk_${Math.random().toString(36).slice(2)}`;
  await putRows(db);
  await db.execute(sql.raw(`create role ${role}; grant all on all tables in schema public to ${role}`));
  const asClerk = (statement: string) =>
    db
      .transaction(async (transaction) => {
        await transaction.execute(sql.raw(`set local role ${role}`));
        await transaction.execute(sql.raw(statement));
      })
      .then(() => 'done', codeOf);
  try {
    expect(await asClerk('update grants set state = state')).toBe('done');
    expect(await asClerk("update grants set state = 'active', revoked_at = null, revoked_reason = null")).toBe('SH001');
    expect(await asClerk('alter table grants disable trigger user')).toBe('42501');
    expect(await asClerk('drop trigger grants_moves_with_its_machine on grants')).toBe('42501');
    expect(await asClerk("set local session_replication_role = 'replica'")).toBe('42501');
    expect(
      await asClerk('create or replace function no_machine_allows() returns trigger language plpgsql as $$begin end$$'),
    ).toBe('42501');
    // A table that shadows the ledger is not read.
    const again =
      casesOf(await columnsOf(db)).find(({ what }) => what === 'a grant that the ledger knows is inserted again')
        ?.statements ?? [];
    expect(await asClerk(`create temp table transitions (grant_id uuid); ${again.join(';')}`)).toBe('SH001');
  } finally {
    await db.execute(sql.raw(`drop owned by ${role}; drop role ${role}`));
    await close();
  }
});
