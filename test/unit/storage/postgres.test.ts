/** The server's connection to Postgres: its settings, its timeouts, and its retries. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../../src/storage/database.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { ping } from '../../../src/storage/server.ts';
import { createEmptyDatabase, type PostgresDatabase } from '../../support/database.ts';
import { withDeadlines, withServersOwnDeadlines } from '../../support/patience.ts';
import { until } from '../../support/until.ts';

const ask = async ({ drizzle }: Database, statement: string) =>
  (await drizzle.execute(statement)) as unknown as readonly Record<string, unknown>[];
const failureOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'answered',
    (error: unknown) => error,
  );

describe('on a database', () => {
  let opened: PostgresDatabase;
  let admin: postgres.Sql;
  beforeEach(async () => {
    opened = await createEmptyDatabase();
    admin = postgres(opened.url, { max: 1 });
  });
  afterEach(async () => {
    await admin.end();
    await opened.drop();
  });
  const connections = async (name: string): Promise<number> => {
    const rows =
      await admin`select from pg_stat_activity where application_name = ${name} and datname = current_database()`;
    return rows.length;
  };
  const open = (options?: Parameters<typeof openPostgres>[1]) => {
    const database = openPostgres(opened.url, options);
    onTestFinished(database.close);
    return database;
  };

  test('it has a name, and ends a statement before the server stops waiting for it', async () => {
    const database = await withServersOwnDeadlines(async () => open());
    expect(database.kind).toBe('postgres');
    expect(await ask(database, 'show application_name')).toEqual([{ application_name: 'statehouse' }]);
    expect(await ask(database, 'show statement_timeout')).toEqual([{ statement_timeout: '4s' }]);
  });

  test.each([
    [undefined, 10],
    [{ connections: 3 }, 3],
  ])('%j: it has %i connections, and a further statement waits for one of them', async (options, most) => {
    const database = open(options);
    await admin`select pg_advisory_lock(1)`;
    const asked = Array.from({ length: most + 3 }, () =>
      ask(database, 'select pg_backend_pid() as pid, pg_advisory_xact_lock_shared(1)'),
    );
    await until(async () => (await connections('statehouse')) === most);
    await admin`select pg_advisory_unlock(1)`;
    const pids = (await Promise.all(asked)).map(([row]) => row?.['pid']);
    expect(new Set(pids).size).toBe(most);
  });

  test('a notice of Postgres is not written to the output', async () => {
    const said = vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => said.mockRestore());
    const database = open();
    await ask(database, 'drop table if exists nothing');
    await database.migrate();
    await database.migrate();
    expect(said).not.toHaveBeenCalled();
  });

  test('closed, it has no connections left', async () => {
    const database = open();
    await ask(database, 'select 1');
    await database.close();
    await until(async () => (await connections('statehouse')) === 0);
    expect(await failureOf(ask(database, 'select 1'))).not.toBe('answered');
  });

  test('it migrates on a connection of its own, which ends', async () => {
    const database = open();
    await database.migrate();
    expect(await ping(database.drizzle)).toEqual([{ epoch: 0n }]);
    await until(async () => (await connections('statehouse-migrate')) === 0);
  });

  test('it migrates one node after the other', async () => {
    const node = open();
    await admin`select pg_advisory_lock(7382645190)`;
    const migrated = vi.fn();
    const migrating = node.migrate().then(migrated);
    const waiting = async () =>
      (
        await admin`select from pg_stat_activity
        where application_name = 'statehouse-migrate' and datname = current_database() and wait_event = 'advisory'`
      ).length;
    await until(async () => (await waiting()) === 1);
    expect(migrated).not.toHaveBeenCalled();
    await admin`select pg_advisory_unlock(7382645190)`;
    await migrating;
  });

  test('an unused connection ends after ten minutes', async () => {
    expect(await connections('statehouse')).toBe(0);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const database = open();
    const asked = ask(database, 'select 1');
    await vi.advanceTimersByTimeAsync(0);
    await asked;
    await vi.advanceTimersByTimeAsync(599_999);
    expect(await connections('statehouse')).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await until(async () => (await connections('statehouse')) === 0);
  });
});

async function listening(server: Server): Promise<string> {
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `postgres://unknown@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
}

test('a host that accepts and never answers is abandoned, also by migrations', async () => {
  const url = await listening(createServer((socket) => void socket.on('error', () => {})));
  const database = await withDeadlines({ connectSeconds: 0.05 }, async () => openPostgres(url));
  const away = { name: 'StoreUnavailable', code: 'CONNECT_TIMEOUT', maybeCommitted: false };
  expect(await failureOf(ping(database.drizzle))).toMatchObject(away);
  await withDeadlines({ connectSeconds: 0.05 }, async () => {
    expect(await failureOf(database.migrate())).toMatchObject(away);
  });
  await database.close();
});

test('a host that closes connections is retried after a pause, which doubles up to two seconds', async () => {
  const sockets: Socket[] = [];
  const url = await listening(
    createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      socket.once('data', () => socket.resetAndDestroy());
    }),
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const database = openPostgres(url, { connections: 1 });
  const pauses: number[] = [];
  for (let times = 0; times < 7; times++) {
    const before = sockets.length;
    let failed = false;
    const asked = failureOf(ping(database.drizzle)).then(() => {
      failed = true;
    });
    const beginsAt = performance.now();
    while (sockets.length === before) {
      await vi.advanceTimersByTimeAsync(50);
      for (let turn = 0; turn < 10; turn++) await immediate();
    }
    pauses.push(performance.now() - beginsAt);
    while (!failed) await immediate();
    await asked;
  }
  // Time advances in steps of 50, and a socket may need a step more or less.
  const expected = [100, 200, 400, 800, 1600, 2000];
  for (const [n, pause] of pauses.slice(1).entries())
    expect(Math.abs(pause - (expected[n] ?? 0)), String(pauses)).toBeLessThanOrEqual(100);
  const closing = database.close();
  await vi.advanceTimersByTimeAsync(10_000);
  await closing;
});
