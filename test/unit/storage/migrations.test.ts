import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { migrate as migrateEmbedded } from 'drizzle-orm/pglite/migrator';
import { migrate as migratePostgres } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import journal from '../../../drizzle/meta/_journal.json' with { type: 'json' };
import { passTime } from '../../../src/lifecycles/signing-key.ts';
import { type Database, MIGRATIONS_FOLDER } from '../../../src/storage/database.ts';
import { codeOf } from '../../../src/storage/failures.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { authenticateRows } from '../../../src/storage/renew-row-macs.ts';
import { signingKeys } from '../../../src/storage/schema.ts';
import { ping } from '../../../src/storage/server.ts';
import { testClock } from '../../support/clock.ts';
import { createEmptyDatabase, type DatabaseKind, databaseKinds, openTestDatabase } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { keysOf } from '../../support/signing-keys.ts';
import { until } from '../../support/until.ts';

const appliedIn = async ({ drizzle }: Database) => {
  const statement = sql`select id::int as id from drizzle.__drizzle_migrations order by id`;
  return Array.from((await drizzle.execute(statement)) as unknown as Iterable<{ id: number }>, ({ id }) => id);
};

describe.each(databaseKinds)('migrations on %s', (kind) => {
  test('applied again, they change nothing', async () => {
    const { database, close } = await openTestDatabase(kind);
    await database.migrate();
    await expect(ping(database.drizzle)).resolves.toEqual([{ epoch: 0n }]);
    await close();
  });
});

test('nodes that migrate an empty database at once apply each migration once', async () => {
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

describe.each(databaseKinds)('signing keys of the version before, on %s', (kind) => {
  test('go on signing; one that did not sign is retiring, and has lost its private half', async () => {
    const { database, close } = await openMigrated(kind, '0004_identity_and_denials');
    const old = (kid: string, alg: string, signing: boolean) => sql`
      insert into signing_keys (kid, alg, public_jwk, private_jwe, signing, created_at)
      values (${kid}, ${alg}, '{}', 'sealed', ${signing}, '2030-01-01')`;
    for (const [kid, alg, signing] of [
      ['signer', 'ES256', true],
      ['other signer', 'RS256', true],
      ['before', 'ES256', false],
    ] as const) {
      await database.drizzle.execute(old(kid, alg, signing));
    }
    await database.migrate();
    const createdAt = new Date('2030-01-01T00:00:00Z');
    const signs = {
      state: 'signing',
      signing: true,
      privateJwe: 'sealed',
      beganSigningAt: createdAt,
      maySignAt: createdAt,
    };
    const rows = await database.drizzle.select().from(signingKeys).orderBy(signingKeys.kid);
    expect(rows).toMatchObject([
      { kid: 'before', state: 'retiring', signing: false, privateJwe: null, stoppedSigningAt: expect.any(Date) },
      { kid: 'other signer', ...signs },
      { kid: 'signer', ...signs },
    ]);
    // As the process does that applies the migration.
    await authenticateRows(database.drizzle, testMacs);
    expect(await passTime(keysOf(database.drizzle, testClock(new Date())))).toEqual([]);
    await close();
  });
});

test.each(databaseKinds)('months of the ledger that were there before refuse to be emptied, on %s', async (kind) => {
  const { database, close } = await openMigrated(kind, '0005_signing_key_lifecycle');
  await database.drizzle.execute(sql`create table transitions_2030_01 partition of transitions
    for values from ('2030-01-01') to ('2030-02-01')`);
  await database.migrate();
  for (const table of ['transitions', 'transitions_default', 'transitions_2030_01']) {
    const emptied = database.drizzle.execute(sql.raw(`truncate ${table}`));
    expect(await emptied.then(() => 'emptied', codeOf)).toBe('SH001');
  }
  await close();
});

test('a request that holds what a migration needs, and needs what it holds, is answered, and the migration too', async () => {
  const { database, url, close } = await openMigrated('postgres', '0006_machines');
  const request = postgres(url ?? '', { max: 1 });
  const observer = postgres(url ?? '', { max: 1 });
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
  expect(await appliedIn(database)).toHaveLength(journal.entries.length);
  await Promise.all([request.end(), observer.end()]);
  await close();
});

/** As a database was before the migrations after this one came. */
async function openMigrated(
  kind: DatabaseKind,
  last: string,
): Promise<{ database: Database; url: string | null; close: () => Promise<void> }> {
  const migrationsFolder = mkdtempSync(join(tmpdir(), 'statehouse-drizzle-'));
  cpSync(MIGRATIONS_FOLDER, migrationsFolder, { recursive: true });
  const entries = journal.entries.slice(0, journal.entries.findIndex(({ tag }) => tag === last) + 1);
  writeFileSync(join(migrationsFolder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }));
  const empty = kind === 'postgres' ? await createEmptyDatabase() : null;
  const database = empty ? openPostgres(empty.url, { connections: 1 }) : await openEmptyEmbedded();
  const migrate = empty ? migratePostgres : migrateEmbedded;
  await (migrate as (db: unknown, options: object) => Promise<void>)(database.drizzle, { migrationsFolder });
  rmSync(migrationsFolder, { recursive: true });
  const close = async () => {
    await database.close();
    await empty?.drop();
  };
  return { database, url: empty?.url ?? null, close };
}

/** To empty one is cheaper than to make one. */
async function openEmptyEmbedded(): Promise<Database> {
  const { database } = await openTestDatabase('embedded');
  for (const statement of ['drop schema public, drizzle cascade', 'create schema public']) {
    await database.drizzle.execute(sql.raw(statement));
  }
  return database;
}
