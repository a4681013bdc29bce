import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import journal from '../../../drizzle/meta/_journal.json' with { type: 'json' };
import type { Database } from '../../../src/storage/database.ts';
import { openEmbedded } from '../../../src/storage/embedded.ts';
import { codeOf } from '../../../src/storage/failures.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { ping } from '../../../src/storage/server.ts';
import { createEmptyDatabase, type DatabaseKind, databaseKinds, openTestDatabase } from '../../support/database.ts';
import { giveDatabase } from '../../support/embedded-folder.ts';
import { until } from '../../support/until.ts';

const run = ({ drizzle }: Database, statement: string) => drizzle.execute(sql.raw(statement));

const appliedIn = async ({ drizzle }: Database) => {
  const rows = await drizzle.select({ id: sql<number>`id::int` }).from(sql`drizzle.__drizzle_migrations order by id`);
  return rows.map(({ id }) => id);
};

const triggersOf = async ({ drizzle }: Database) => {
  const rows = await drizzle.select({ name: sql<string>`tgname` }).from(sql`pg_trigger where not tgisinternal`);
  return rows.map(({ name }) => name);
};

async function opened(kind: DatabaseKind): Promise<Database> {
  const { database, close } = await openTestDatabase(kind);
  onTestFinished(close);
  return database;
}

const OTHER_DIGEST = `update drizzle.triggers set digest = ''`;

describe.each(databaseKinds)('migrations on %s', (kind) => {
  test('change nothing when applied again', async () => {
    const database = await opened(kind);
    await database.migrate();
    await expect(ping(database.drizzle)).resolves.toEqual([{ epoch: 0n }]);
    expect(await appliedIn(database)).toEqual(journal.entries.map((_, index) => index + 1));
  });

  test('reject tables of a version before the first release, and leave them unchanged', async () => {
    const database = await opened(kind);
    await run(database, 'update drizzle.__drizzle_migrations set created_at = created_at - 1');
    await run(database, OTHER_DIGEST);
    await run(database, 'drop trigger grants_begins_once on grants');
    await expect(database.migrate()).rejects.toThrow('made by a version before the first release');
    expect(await triggersOf(database)).not.toContain('grants_begins_once');
  });
});

test('a folder of a version before the first release is rejected with its path', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  giveDatabase(folder);
  const database = await openEmbedded(folder);
  onTestFinished(database.close);
  await database.migrate();
  await run(database, 'update drizzle.__drizzle_migrations set created_at = created_at - 1');
  await expect(database.migrate()).rejects.toThrow(`Move the folder ${join(folder, 'database')} away`);
});

test('a database that refuses the extension for searches is left unchanged, with the statement that creates it', async () => {
  const database = await opened('postgres');
  for (const statement of [
    'drop extension pg_trgm cascade',
    'drop table statistics, statistics_progress, last_sign_ins, webhook_attempts, operator_set_ups, configured_secrets, pushed_requests, used_jtis',
    'drop function web_origins cascade',
    'drop table client_registrations',
    'drop table client_documents',
    'drop index webhook_deliveries_abandoned',
    'alter table webhook_receivers drop column paused_at, drop column nodes',
    'alter table transitions drop column recorded_on',
    'drop index clients_created_at, clients_client_name, users_created_at, users_disabled, users_claims',
    'alter table users drop column changed_at',
    'alter table clients drop column dpop_bound_access_tokens, drop column require_pushed_authorization_requests',
    'alter table clients drop column require_signed_request_object, drop column request_object_signing_alg',
    'alter table clients drop column authorization_signed_response_alg',
    'alter table clients drop column tls_client_certificate_bound_access_tokens',
    `alter table clients drop column tls_client_auth_subject_dn, drop column tls_client_auth_san_dns,
      drop column tls_client_auth_san_uri, drop column tls_client_auth_san_ip, drop column tls_client_auth_san_email`,
    'alter table clients drop column workload_issuer, drop column workload_subject',
    'alter table sessions drop column sign_in_time_is_known cascade',
    'alter table external_sign_ins drop column user_epoch cascade',
    'alter table grants drop column dpop_jkt cascade',
    'alter table interactions drop column dpop_jkt cascade',
    'alter table clients drop column jwks, drop column jwks_uri, drop column token_endpoint_auth_signing_alg',
    `delete from drizzle.__drizzle_migrations where created_at >= ${journal.entries.find(({ tag }) => tag.endsWith('_search'))?.when}`,
    `create function has_no_contrib() returns event_trigger language plpgsql as
      $$ begin raise exception 'extension is not available' using errcode = '0A000'; end $$`,
    `create event trigger has_no_contrib on ddl_command_start when tag in ('CREATE EXTENSION') execute function has_no_contrib()`,
  ])
    await run(database, statement);
  const before = await appliedIn(database);
  await expect(database.migrate()).rejects.toThrow('CREATE EXTENSION pg_trgm;');
  expect(await appliedIn(database)).toEqual(before);
  await run(database, 'drop event trigger has_no_contrib');
  await database.migrate();
  expect(await appliedIn(database)).toHaveLength(journal.entries.length);
});

describe.each(databaseKinds)('the triggers on %s', (kind) => {
  test('are replaced when their digest differs, and otherwise left alone', async () => {
    const database = await opened(kind);
    const whole = (await triggersOf(database)).toSorted();
    await run(database, 'drop trigger grants_begins_once on grants');
    await run(
      database,
      `create function of_another_machine() returns trigger language plpgsql as
        'begin perform no_machine_allows(null, null, null, null, null); return null; end'`,
    );
    await run(
      database,
      'create trigger of_another_machine after insert on grants for each row execute function of_another_machine()',
    );
    const changed = (await triggersOf(database)).toSorted();
    await database.migrate();
    expect((await triggersOf(database)).toSorted()).toEqual(changed);

    await run(database, OTHER_DIGEST);
    await database.migrate();
    expect((await triggersOf(database)).toSorted()).toEqual(whole);

    await run(database, 'drop trigger grants_begins_once on grants');
    await database.migrate();
    expect(await triggersOf(database)).not.toContain('grants_begins_once');
  });

  test.each([
    ['higher', '+ 1', false],
    ['the same', '', true],
    ['lower', '- 1', true],
  ])('of a revision that is %s (%s), with another digest, are replaced: %s', async (_, than, replaced) => {
    const database = await opened(kind);
    await run(database, 'drop trigger grants_begins_once on grants');
    await run(database, `update drizzle.triggers set digest = '', revision = revision ${than}`);
    await database.migrate();
    expect((await triggersOf(database)).includes('grants_begins_once')).toBe(replaced);
  });

  test('prevent the emptying of a month of the ledger that was created without its trigger', async () => {
    const database = await opened(kind);
    await run(
      database,
      "create table transitions_2030_01 partition of transitions for values from ('2030-01-01') to ('2030-02-01')",
    );
    await run(database, OTHER_DIGEST);
    await database.migrate();
    for (const table of ['transitions', 'transitions_default', 'transitions_2030_01']) {
      expect(await run(database, `truncate ${table}`).then(() => 'emptied', codeOf)).toBe('SH001');
    }
  });
});

test('nodes that migrate an empty database concurrently apply each migration once', async () => {
  const { url, drop } = await createEmptyDatabase();
  const nodes = Array.from({ length: 5 }, () => openPostgres(url, { connections: 1 }));
  try {
    await Promise.all(nodes.map((node) => node.migrate()));
    const [node] = nodes;
    if (!node) throw new Error('no node');
    expect(await appliedIn(node)).toEqual(journal.entries.map((_, index) => index + 1));
    await expect(ping(node.drizzle)).resolves.toEqual([{ epoch: 0n }]);
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    await drop();
  }
});

test('a request that deadlocks with a migration gets its answer, and the migration completes', async () => {
  const { database, url, close } = await openTestDatabase('postgres');
  await run(database, OTHER_DIGEST);
  const request = postgres(url, { max: 1 });
  const observer = postgres(url, { max: 1 });
  const locks = async (granted: boolean) => {
    const rows = await observer<{ table: string }[]>`
      select distinct c.relname as table from pg_locks l
      join pg_class c on c.oid = l.relation join pg_stat_activity a on a.pid = l.pid
      where a.application_name = 'statehouse-migrate' and l.granted = ${granted}`;
    return rows.map(({ table }) => table);
  };
  let migrated: Promise<void> | null = null;
  await request.begin(async (transaction) => {
    await transaction`lock table users in row exclusive mode`;
    migrated = database.migrate();
    migrated.catch(() => {});
    // It has the sessions, and waits for the end-users.
    await until(async () => (await locks(false)).includes('users') && (await locks(true)).includes('sessions'));
    await transaction`delete from sessions`;
  });
  await migrated;
  const [row] = await database.drizzle.select({ stand: sql`digest <> ''` }).from(sql`drizzle.triggers`);
  expect(row).toEqual({ stand: true });
  await Promise.all([request.end(), observer.end()]);
  await close();
});
