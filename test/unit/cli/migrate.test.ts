/** "statehouse migrate": as the owner of the tables, for the role of the servers. */
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRuntime } from '../../../src/boot/runtime.ts';
import { runCommand } from '../../../src/cli/program.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import type { Database } from '../../../src/storage/database.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { countIgnoredRows } from '../../../src/storage/renew-row-macs.ts';
import { ledgerRetention } from '../../../src/storage/schema.ts';
import { insertUser } from '../../support/administration.ts';
import { createEmptyDatabase, type PostgresDatabase } from '../../support/database.ts';
import { dropRole, makeRole, urlAs } from '../../support/runtime-role.ts';

let database: PostgresDatabase;
let owner: Database;
let role: string;
beforeAll(async () => {
  database = await createEmptyDatabase();
  owner = openPostgres(database.url, { connections: 2 });
  role = await makeRole(owner);
});
afterAll(async () => {
  await dropRole(owner, role);
  await owner.close();
  await database.drop();
});

const SECRET = 'a-root-secret-for-tests-of-more-than-32-bytes';
const never = () => Promise.reject(new Error('asked for input'));

async function migrate(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const printed = { out: '', err: '' };
  const status = await runCommand(['migrate', ...args], {
    env: {
      DATABASE_URL: urlAs(database.url, role),
      STATEHOUSE_MIGRATIONS_URL: database.url,
      STATEHOUSE_SECRET: SECRET,
      ...env,
    },
    input: { interactive: false, readAll: never, readSecret: never, confirm: never },
    output: {
      print: (text) => {
        printed.out += text;
      },
      complain: (text) => {
        printed.err += text;
      },
    },
    runningServer: async () => null,
    openRuntime,
  });
  return { status, ...printed };
}

const may = async (right: string, table: string): Promise<boolean> => {
  const rows = await owner.drizzle.execute(sql`select has_table_privilege(${role}, ${table}, ${right}) as may`);
  return Array.from(rows as unknown as Iterable<{ may: boolean }>, (row) => row.may)[0] === true;
};

test('migrate creates the tables as their owner, and grants the role of the servers its rights', async () => {
  expect(await migrate(['--grant-to', role, '--json'])).toMatchObject({
    status: 0,
    out: expect.stringContaining(`"granted_to": [\n    "${role}"\n  ]`),
  });
  expect(await may('insert', 'grants')).toBe(true);
  expect(await may('truncate', 'grants')).toBe(false);
  expect(await may('update', 'transitions')).toBe(false);
});

test('migrate creates the partitions of the ledger, and moves earlier entries into theirs', async () => {
  const partitions = async () =>
    Array.from(
      (await owner.drizzle.execute(sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'transitions'::regclass and c.relname <> 'transitions_default' order by 1`)) as unknown as Iterable<{
        name: string;
      }>,
      ({ name }) => name,
    );
  const made = await partitions();
  expect(made).toHaveLength(3);
  await owner.drizzle.execute(sql.raw(`drop table ${made[0]}`));
  const write = (at: string) =>
    owner.drizzle.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state)
      values (gen_random_uuid(), ${at}::timestamptz, 'm', 'e', 'a', 'b')`);
  await write(new Date().toISOString());
  expect(await migrate([])).toMatchObject({ status: 0, err: '' });
  expect(await partitions()).toEqual(made);
  await write('infinity');
  expect(await migrate([])).toMatchObject({
    status: 0,
    err: expect.stringContaining('1 entry of the ledger in the default partition'),
  });
  expect(JSON.parse((await migrate(['--json'])).out)).toMatchObject({ ledger_default_entries: 1 });
});

test('migrate grants a role with rights those of new tables too, named or not', async () => {
  const lose = () => owner.drizzle.execute(sql`revoke all on nodes from ${sql.identifier(role)}`);
  await lose();
  expect(await migrate([])).toMatchObject({ status: 0, out: expect.stringContaining(`Granted to ${role}`) });
  expect(await may('delete', 'nodes')).toBe(true);
  await lose();
  expect((await migrate([], { STATEHOUSE_DATABASE_ROLE: role })).status).toBe(0);
  expect(await may('delete', 'nodes')).toBe(true);
});

test('migrate applies the retention of ledger.yaml, which the role of the servers cannot change', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-migrate-'));
  cpSync(new URL('../../../policies', import.meta.url).pathname, folder, { recursive: true });
  writeFileSync(join(folder, 'ledger.yaml'), 'keptDays: 365');
  const inForce = async () => (await owner.drizzle.select().from(ledgerRetention))[0]?.keptDays;
  try {
    expect(await inForce()).toBe(90);
    expect(await migrate([], { STATEHOUSE_CONFIG: folder, STATEHOUSE_MIGRATIONS_URL: '' })).toMatchObject({
      status: 1,
    });
    expect(await inForce()).toBe(90);
    expect(await migrate([], { STATEHOUSE_CONFIG: folder })).toMatchObject({ status: 0 });
    expect(await inForce()).toBe(365);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("migrate adds a MAC to a row of another writer only on the operator's request", async () => {
  await insertUser(owner.drizzle, {
    id: randomUUID(),
    username: 'alice',
    passwordHash: storedPasswordHash(''),
    claims: {},
  });
  await owner.drizzle.execute(sql`update users set mac = null, mac_version = mac_version + 1`);
  const ignored = async () => (await countIgnoredRows(owner.drizzle, rowMacs(rootKeys([SECRET]))))['users'];
  expect(await migrate([])).toMatchObject({ status: 0 });
  expect(await ignored()).toBe(1);
  expect(await migrate(['--authenticate-rows'])).toMatchObject({
    status: 0,
    out: expect.stringContaining('Authenticated in users: 1 rows.'),
  });
  expect(await ignored()).toBe(0);
});

test('migrate rejects an unknown role, and a URL of another role than the owner, with a message', async () => {
  expect(await migrate(['--grant-to', 'unknown-role'])).toMatchObject({
    status: 1,
    err: expect.stringContaining('There is no role "unknown-role"'),
  });
  const { status, err } = await migrate(['--grant-to', role], { STATEHOUSE_MIGRATIONS_URL: '' });
  expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining('Set STATEHOUSE_MIGRATIONS_URL') });
});
