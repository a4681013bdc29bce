/** The role of a server: every operation of a server works under it, and none that would remove the triggers. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRuntime } from '../../../src/boot/runtime.ts';
import { standingOf } from '../../../src/storage/database-role.ts';
import { codeOf } from '../../../src/storage/failures.ts';
import { housekeeper } from '../../../src/storage/housekeeping.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { grantToRuntime, runtimeRoles } from '../../../src/storage/runtime-rights.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { makeClient, makeUser, obtainTokens, refresh } from '../../support/actors.ts';
import { ISSUER, openTestApp } from '../../support/app.ts';
import { clockAt, testClock } from '../../support/clock.ts';
import { createEmptyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { dropRole, makeRole, openAsRuntimeRole, type RuntimeRole, urlAs } from '../../support/runtime-role.ts';

let owner: TestDatabase<string>;
let server: RuntimeRole;
beforeAll(async () => {
  owner = await openTestDatabase('postgres');
  server = await openAsRuntimeRole(owner.database, owner.url);
});
afterAll(async () => {
  await server.close();
  await owner.close();
});

/** The SQLSTATE with which Postgres refuses the statement to the role of a server; null: it does not. */
const refusalOf = (statement: string) =>
  server.database.drizzle.execute(sql.raw(statement)).then(
    () => null,
    (error) => codeOf(error),
  );
const INSUFFICIENT_PRIVILEGE = '42501';

const tables = async () => {
  const rows = await owner.database.drizzle.execute<{ name: string }>(
    sql`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  );
  return Array.from(rows as unknown as Iterable<{ name: string }>, ({ name }) => name);
};

describe('under the role of a server', () => {
  test('users sign in, tokens are issued and rotated, keys are created, and ended rows are removed', async () => {
    const app = await openTestApp(server.database, { ownSigningKeys: true, clock: testClock(new Date()) });
    const client = await makeClient(app);
    const tokens = await obtainTokens(app, client, await makeUser(app, 'ada'));
    expect((await refresh(app, client, tokens.refreshToken)).status).toBe(200);
    await housekeeper(server.database.drizzle, databaseClock).cleanUp();
    await app.app.close();
  });

  test('no table can be altered, emptied, dropped, or lose a trigger; and none can be created', async () => {
    for (const table of await tables()) {
      for (const statement of [
        `alter table ${table} add column more text`,
        `alter table ${table} disable trigger all`,
        `truncate ${table}`,
        `drop table ${table}`,
        `create trigger mine before insert on ${table} for each row execute function transitions_is_not_emptied()`,
      ]) {
        expect([statement, await refusalOf(statement)]).toEqual([statement, INSUFFICIENT_PRIVILEGE]);
      }
    }
    for (const statement of [
      'create table more (id int)',
      'create schema more',
      "create table transitions_2001_01 partition of transitions for values from ('2001-01-01') to ('2001-02-01')",
      'drop trigger grants_begins_once on grants',
      'create or replace function keep_ledger_months() returns void language sql as $$ select $$',
      'alter function keep_ledger_months() reset all',
      'set session_replication_role = replica',
      'drop schema drizzle cascade',
      'delete from drizzle.__drizzle_migrations',
      'delete from drizzle.triggers',
      'delete from users',
      'delete from signing_keys',
      'delete from server',
      'insert into server (id) values (2)',
      "update transitions set reason = 'forged'",
      'delete from transitions',
    ]) {
      expect([statement, await refusalOf(statement)]).toEqual([statement, INSUFFICIENT_PRIVILEGE]);
    }
  });

  test('the months of the ledger are created and kept by a function that accepts no time from its caller', async () => {
    const months = async () => (await tables()).filter((name) => /^transitions_\d/.test(name)).toSorted();
    await owner.database.drizzle.execute(sql.raw((await months()).map((name) => `drop table ${name};`).join('')));
    expect(await months()).toEqual([]);
    await keepLedgerPartitions(server.database.drizzle, databaseClock);
    const made = await months();
    expect(made).not.toEqual([]);
    // An instant far ahead would drop them all.
    const ahead = keepLedgerPartitions(server.database.drizzle, clockAt(new Date('2099-01-01')));
    await expect(ahead).rejects.toMatchObject({ cause: { code: INSUFFICIENT_PRIVILEGE } });
    expect(await months()).toEqual(made);
    for (const name of made) {
      expect(await refusalOf(`truncate ${name}`)).toBe(INSUFFICIENT_PRIVILEGE);
      expect(await refusalOf(`insert into ${name} default values`)).toBe(INSUFFICIENT_PRIVILEGE);
    }
  });

  test('a table of the same name in another schema has no effect', async () => {
    const db = server.database.drizzle;
    await db.transaction(async (own) => {
      await own.execute(sql`create temporary table transitions (at timestamptz) on commit drop`);
      await own.execute(sql`select keep_ledger_months()`);
      const [row] = Array.from(
        (await own.execute(
          sql`select count(*)::int as n from pg_inherits where inhparent = 'pg_temp.transitions'::regclass`,
        )) as unknown as Iterable<{ n: number }>,
      );
      expect(row?.n).toBe(0);
    });
  });
});

describe('rights that are granted', () => {
  test('again are the same; added ones are revoked; a later migration keeps the role', async () => {
    const db = owner.database.drizzle;
    await db.execute(sql`grant truncate, trigger, delete on users to ${sql.identifier(server.role)}`);
    await grantToRuntime(db, server.role);
    expect(await refusalOf('truncate users')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await refusalOf('delete from users')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await refusalOf('select from users')).toBeNull();
    expect(await runtimeRoles(db)).toEqual([server.role]);
  });

  test('to a missing role, or to one with all rights, are rejected with a message', async () => {
    const db = owner.database.drizzle;
    await expect(grantToRuntime(db, `none_${randomUUID()}`)).rejects.toThrow('createuser --pwprompt none_');
    const superuser = await makeRole(owner.database, 'superuser');
    await expect(grantToRuntime(db, superuser)).rejects.toThrow('is a superuser');
    await dropRole(owner.database, superuser);
    const { role } = await standingOf(db);
    const member = await makeRole(owner.database);
    await db.execute(sql`grant ${sql.identifier(role)} to ${sql.identifier(member)}`);
    await expect(grantToRuntime(db, member)).rejects.toThrow('owns the tables, or is a member');
    await db.execute(sql`revoke ${sql.identifier(role)} from ${sql.identifier(member)}`);
    await dropRole(owner.database, member);
  });
});

describe('a server in production', () => {
  let owner: TestDatabase<string>;
  let server: RuntimeRole;
  beforeAll(async () => {
    owner = await openTestDatabase('postgres');
    server = await openAsRuntimeRole(owner.database, owner.url);
  });
  afterAll(async () => {
    await server.close();
    await owner.close();
  });
  const environment = (url: string) => ({
    NODE_ENV: 'production',
    DATABASE_URL: url,
    STATEHOUSE_ISSUER: ISSUER,
    STATEHOUSE_SECRET: 'a-root-secret-for-tests-of-more-than-32-bytes',
  });
  const start = async (url: string, more: Readonly<Record<string, string>> = {}) => {
    const runtime = await openRuntime({ ...environment(url), ...more }, undefined, { serves: true });
    await runtime.database.close();
  };

  test('starts under its own role', async () => {
    await start(server.url);
  });

  test('does not start as superuser, nor as the owner of its tables, unless it is configured to', async () => {
    await expect(start(owner.url)).rejects.toThrow(/is a superuser: .*STATEHOUSE_ALLOW_TABLE_OWNER=true/s);
    await start(owner.url, { STATEHOUSE_ALLOW_TABLE_OWNER: 'true' });

    const { url, drop } = await createEmptyDatabase();
    const name = new URL(url).pathname.slice(1);
    const own = await makeRole(owner.database);
    await owner.database.drizzle.execute(sql`alter database ${sql.identifier(name)} owner to ${sql.identifier(own)}`);
    await expect(start(urlAs(url, own))).rejects.toThrow('has no tables yet');
    await start(urlAs(url, own), { STATEHOUSE_ALLOW_TABLE_OWNER: 'true' });
    await expect(start(urlAs(url, own))).rejects.toThrow('owns the tables');
    // A command, and a server outside production.
    await openRuntime(environment(urlAs(url, own))).then(({ database }) => database.close());
    await start(urlAs(url, own), { NODE_ENV: 'development' });
    await drop();
    await owner.database.drizzle.execute(sql`drop role ${sql.identifier(own)}`);
  });

  test('reports the remedy where its role has no rights, or the tables are older than it', async () => {
    const stranger = await makeRole(owner.database);
    await expect(start(urlAs(owner.url, stranger))).rejects.toThrow(`statehouse migrate --grant-to ${stranger}`);
    await dropRole(owner.database, stranger);

    const db = owner.database.drizzle;
    // Of an older version, and of a newer one.
    await db.execute(sql`update drizzle.triggers set digest = '', revision = revision - 1`);
    await expect(start(server.url)).rejects.toThrow('The tables are of an older version');
    await db.execute(sql`update drizzle.triggers set revision = revision + 2`);
    await db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      select 'of a newer version', max(created_at) + 1 from drizzle.__drizzle_migrations`);
    await start(server.url);
    await db.execute(sql`update drizzle.__drizzle_migrations set created_at = created_at - 1`);
    await expect(start(server.url)).rejects.toThrow('made by a version before the first release');
  });
});
