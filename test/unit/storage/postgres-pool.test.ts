/** The pool by itself: its prepared statements, its waits, the replacement of its connections, and its targets. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPool, type PostgresPool } from '../../../src/storage/postgres-pool.ts';
import { withinTime } from '../../../src/system/request-time.ts';
import { createEmptyDatabase, type PostgresDatabase } from '../../support/database.ts';
import { withDeadlines } from '../../support/patience.ts';
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

let opened: PostgresDatabase;
beforeAll(async () => {
  opened = await createEmptyDatabase();
});
afterAll(() => opened.drop());

/** Sent immediately, while Drizzle's own promise waits until a caller awaits it. */
const ask = async ({ drizzle }: PostgresPool, statement: SQL | string) =>
  (await drizzle.execute(statement)) as unknown as readonly Record<string, unknown>[];
const backendOf = async (pool: PostgresPool) => (await ask(pool, 'select pg_backend_pid() as pid'))[0]?.['pid'];
/** `answered`, or the code of the failure. */
const outcomeOf = (asked: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(asked).then(
    () => 'answered',
    ({ code, cause }) => code ?? cause?.code,
  );

describe('statements', () => {
  let pool: PostgresPool;
  beforeEach(() => {
    pool = openPool(opened.url, { max: 1 });
  });
  afterEach(() => pool.close());

  test('return objects in the requested shape, with dates as Drizzle reads them', async () => {
    expect(await ask(pool, "select 1 as one, '2030-01-01'::date as day")).toEqual([{ one: 1, day: '2030-01-01' }]);
    const both = { one: sql`n`.mapWith(Number), again: sql`n`.mapWith(String) };
    expect(await pool.drizzle.select(both).from(sql`generate_series(1, 1) n`)).toEqual([{ one: 1, again: '1' }]);
    const summed = await pool.drizzle.execute(sql`select ${1}::int + ${2}::int as sum`);
    expect(summed).toEqual([{ sum: 3 }]);
  });

  test('that Postgres rejects fail with its reason', async () => {
    expect(await outcomeOf(ask(pool, 'select nothing'))).toBe('42703');
    expect(await outcomeOf(pool.drizzle.transaction((transaction) => transaction.execute('select nothing')))).toBe(
      '42703',
    );
  });

  test('are prepared: the first three hundred texts, however often they are sent', async () => {
    const numbered = (place: number) => sql`select ${place}::int as ${sql.identifier(`n${place}`)}`;
    for (let place = 1; place <= 301; place++) {
      for (let times = 0; times < 2; times++)
        expect(await ask(pool, numbered(place))).toEqual([{ [`n${place}`]: place }]);
    }
    const prepared = (await ask(pool, 'select statement from pg_prepared_statements')).map(
      ({ statement }) => statement,
    );
    const places = prepared.flatMap((text) => /^select \$1::int as "n(\d+)"$/.exec(String(text))?.[1] ?? []);
    expect(places.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, place) => place + 1));
  });
});

async function listening(server: Server, path?: string): Promise<number> {
  onTestFinished(() => void server.close());
  await once(path === undefined ? server.listen(0, '127.0.0.1') : server.listen(path), 'listening');
  return path === undefined ? (server.address() as AddressInfo).port : 0;
}

/** The connections that this process begins from now on. */
function begun(): readonly Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { readonly socket: Socket }).socket);
  subscribe('net.client.socket', note);
  onTestFinished(() => void unsubscribe('net.client.socket', note));
  return sockets;
}

describe('a host that never answers', () => {
  let pool: PostgresPool;
  /** At the host, which does not end them either. */
  let sockets: Socket[];
  beforeEach(async () => {
    sockets = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => void sockets.push(socket.on('error', () => {})));
    const port = await listening(server);
    pool = openPool(`postgres://unknown@127.0.0.1:${port}/none`, { max: 2, connect_timeout: 3600 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => void vi.useRealTimers());

  const transact = () => pool.drizzle.transaction((transaction) => transaction.execute('select 1'));
  const inRequest = (left: number, work: () => Promise<unknown>) =>
    withinTime({ endsAt: performance.now() + left, pausedAt: null }, work);

  test.each<[string, number, () => Promise<unknown>]>([
    ['a statement', 1000, () => ask(pool, 'select 1')],
    ['a transaction of four', 4000, transact],
    ['a statement of a request with less time', 300, () => inRequest(300, () => ask(pool, 'select 1'))],
    ['a statement of a request with more time', 1000, () => inRequest(1001, () => ask(pool, 'select 1'))],
    ['a transaction of a request with less time', 3999, () => inRequest(3999, transact)],
    ['a statement of a request whose time is over', 0, () => inRequest(-1, () => ask(pool, 'select 1'))],
  ])('%s is waited for %i ms', async (_, milliseconds, asking) => {
    await withDeadlines({ databaseMilliseconds: 1000 }, async () => {
      const settled = vi.fn();
      void outcomeOf(asking()).then(settled);
      // The statement is sent in a later turn than its call.
      await vi.advanceTimersByTimeAsync(0);
      if (milliseconds > 0) {
        await vi.advanceTimersByTimeAsync(milliseconds - 1);
        expect(settled).not.toHaveBeenCalled();
      }
      await vi.advanceTimersByTimeAsync(1);
      expect(settled.mock.calls).toEqual([['NO_ANSWER']]);
      const closing = pool.close();
      await vi.advanceTimersByTimeAsync(10_000);
      await closing;
    });
  });

  test('is waited for ten seconds when the pool closes; then none of its connections is left', async () => {
    const own = begun();
    for (let times = 0; times < 2; times++) void outcomeOf(ask(pool, 'select 1'));
    await vi.advanceTimersByTimeAsync(0);
    while (sockets.length < 2) await immediate();
    const closed = vi.fn();
    const closing = pool.close().then(closed);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(closed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect(own.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    for (const socket of sockets) socket.destroy();
  });
});

test('a host that closes connections is not retried after the pool has closed', async () => {
  let connections = 0;
  const hangsUp = createServer((socket) => {
    connections++;
    socket.on('error', () => {}).once('data', () => socket.resetAndDestroy());
  });
  const port = await listening(hangsUp);
  const pool = openPool(`postgres://unknown@127.0.0.1:${port}/none`, { max: 1, backoff: () => 60 });
  expect(await outcomeOf(ask(pool, 'select 1'))).not.toBe('answered');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked = outcomeOf(ask(pool, 'select 1'));
  await vi.advanceTimersByTimeAsync(0);
  const closing = pool.close();
  await vi.advanceTimersByTimeAsync(10_000);
  await closing;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await asked).toBe('CONNECTION_ENDED');
  for (let turn = 0; turn < 100; turn++) await immediate();
  expect(connections).toBe(1);
});

describe('a statement without a free connection', () => {
  let pool: PostgresPool;
  let held: postgres.Sql;
  beforeEach(async () => {
    pool = openPool(opened.url, { max: 2 });
    held = postgres(opened.url, { max: 1, onnotice: () => {} });
    await held`drop sequence if exists taken`;
    await held`create sequence taken`;
    await held`select pg_advisory_lock(2)`;
  });
  afterEach(async () => {
    await held.end();
    await pool.close();
  });

  const waitsFor = (lock: number) => `select pg_advisory_xact_lock(${lock})`;
  const letGo = (lock: number) => held`select pg_advisory_unlock(${lock}::bigint)`;
  const NEXT = `select nextval('taken')::int as n`;
  const take = () => ask(pool, NEXT);
  async function waitingInPostgres(count: number): Promise<void> {
    const locks = () => held`select from pg_locks where locktype = 'advisory' and not granted`;
    while ((await locks()).length !== count) await immediate();
  }
  /** @returns the function that releases lock 2. */
  async function bothHeld(): Promise<{ readonly end: Promise<unknown> }> {
    const end = Promise.all([ask(pool, waitsFor(2)), ask(pool, waitsFor(2))]);
    await waitingInPostgres(2);
    return { end };
  }
  const inRequest = <T>(left: number, work: () => Promise<T>) =>
    withinTime({ endsAt: performance.now() + left, pausedAt: null }, work);
  function withFakeTimers(): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
  }

  test('waits until one is free, in the order of the statements', async () => {
    const both = await bothHeld();
    const other = openPool(opened.url, { max: 1 });
    onTestFinished(() => other.close());
    // One connection alone: with two, Postgres may answer the later statement first.
    const first = ask(other, waitsFor(2));
    await waitingInPostgres(3);
    const taking = [1, 2, 3, 4].map(async () => (await ask(other, NEXT))[0]?.['n']);
    await until(() => other.inFlight() === 5);
    await letGo(2);
    await both.end;
    await first;
    expect(await Promise.all(taking)).toEqual([1, 2, 3, 4]);
    expect(other.inFlight()).toBe(0);
  });

  test.each<[string, number, { readonly connectionMilliseconds: number; readonly left: number }]>([
    ['a connection is not free in time', 100, { connectionMilliseconds: 100, left: 1000 }],
    ['the time of its request ends', 50, { connectionMilliseconds: 100, left: 50 }],
  ])('is withdrawn when %s, and is never executed', async (_, milliseconds, { connectionMilliseconds, left }) => {
    const both = await bothHeld();
    withFakeTimers();
    const settled = vi.fn();
    await withDeadlines({ connectionMilliseconds }, async () => {
      void inRequest(left, () => outcomeOf(take()).then(settled));
      await vi.advanceTimersByTimeAsync(milliseconds - 1);
      expect(settled).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
    });
    vi.useRealTimers();
    expect(settled.mock.calls).toEqual([['NO_CONNECTION']]);
    await letGo(2);
    await both.end;
    expect((await take())[0]?.['n']).toBe(1);
    expect(pool.inFlight()).toBe(0);
  });

  test('has the time that its wait left of its request', async () => {
    const both = await bothHeld();
    await held`select pg_advisory_lock(3)`;
    withFakeTimers();
    const settled = vi.fn();
    void inRequest(1000, () => outcomeOf(ask(pool, waitsFor(3))).then(settled));
    await vi.advanceTimersByTimeAsync(600);
    await letGo(2);
    await both.end;
    await waitingInPostgres(1);
    await vi.advanceTimersByTimeAsync(399);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(settled.mock.calls).toEqual([['NO_ANSWER']]);
  });
});

describe('a connection without an answer', () => {
  const SHORT = { databaseMilliseconds: 100 };
  let proxy: TcpProxy;
  let pool: PostgresPool;
  beforeEach(async () => {
    proxy = await openTcpProxy(opened.url);
    pool = openPool(proxy.url, { max: 1 });
  });
  afterEach(async () => {
    proxy.letThrough();
    await pool.close();
    await proxy.close();
  });

  const open = (count: number) => until(() => proxy.connections().open === count);
  /** For what would come by itself: time to come. */
  async function someRoundTrips(asked: PostgresPool): Promise<void> {
    for (let times = 0; times < 20; times++) await ask(asked, 'select 1');
  }
  /** Holds the lock that `WAITS` needs, from a connection of its own. @returns the release. */
  async function holding(): Promise<() => Promise<void>> {
    const holder = postgres(opened.url, { max: 1 });
    await holder`select pg_advisory_lock(1)`;
    return () => holder.end();
  }
  const WAITS = 'select pg_advisory_xact_lock(1)';

  test('that Postgres does not know is replaced, and closed', async () => {
    // Its settings apply to the connection that checks, and to the new one.
    const { hostname, port, username, pathname } = new URL(proxy.url);
    const elsewhere = { host: hostname, port: Number(port), username, database: pathname.slice(1) };
    const asked = openPool('postgres://unknown@elsewhere.invalid/', { max: 1, ...elsewhere });
    onTestFinished(asked.close);
    const [first] = await ask(asked, "select pg_backend_pid() as pid, '2030-01-01'::date as day");
    proxy.silence('existing');
    // Also for the replaced one to end, and for the statement that is answered.
    await withDeadlines({ databaseMilliseconds: 500 }, async () => {
      expect(await outcomeOf(ask(asked, 'select 1'))).toBe('NO_ANSWER');
      await until(async () => (await outcomeOf(ask(asked, 'select 1'))) === 'answered');
      await open(1);
    });
    const [later] = await ask(asked, "select pg_backend_pid() as pid, '2030-01-01'::date as day");
    expect(later?.['pid']).not.toBe(first?.['pid']);
    expect(later?.['day']).toBe('2030-01-01');
  });

  test('on which Postgres still works is kept, and checked through a temporary connection', async () => {
    const pid = await backendOf(pool);
    const letGo = await holding();
    await withDeadlines(SHORT, async () => {
      expect(await outcomeOf(ask(pool, WAITS))).toBe('NO_ANSWER');
    });
    await until(() => proxy.connections().ever === 2);
    await open(1);
    await letGo();
    await until(async () => (await backendOf(pool)) === pid);
    expect(proxy.connections().ever).toBeLessThanOrEqual(3);
  });

  test('is kept while Postgres cannot be queried, which is retried', async () => {
    const pid = await backendOf(pool);
    for (const looks of [1, 2]) {
      proxy.silence('all');
      await withDeadlines(SHORT, async () => {
        expect(await outcomeOf(ask(pool, 'select 1'))).toBe('NO_ANSWER');
        await until(() => proxy.connections().ever === 1 + looks);
        await open(1);
      });
      proxy.letThrough();
      expect(await backendOf(pool)).toBe(pid);
    }
  });

  /** Time stands still for timers, but not for messages on their way. */
  async function withFakeTime(work: (passes: (milliseconds: number) => Promise<void>) => Promise<void>): Promise<void> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const passes = async (milliseconds: number) => {
      await vi.advanceTimersByTimeAsync(milliseconds);
      for (let turn = 0; turn < 20; turn++) await immediate();
    };
    await withDeadlines({ databaseMilliseconds: 1000 }, () => work(passes));
    vi.useRealTimers();
  }

  test('is checked when the statement is late, however little time its request has', async () => {
    await backendOf(pool);
    proxy.silence('existing');
    await withFakeTime(async (passes) => {
      const time = { endsAt: performance.now() + 300, pausedAt: null };
      const asked = withinTime(time, () => outcomeOf(ask(pool, 'select 1')));
      await passes(300);
      expect(await asked).toBe('NO_ANSWER');
      const looks = begun();
      await passes(699);
      expect(looks).toEqual([]);
      await passes(5);
      expect(looks).not.toEqual([]);
      // The check came, ended, and brought the new connection; the old one may finish for as long as a statement.
      // No time passes for it: however slow the machine is, the check is in time.
      while (proxy.connections().ever < 2 || proxy.connections().open > 1) await passes(0);
      await passes(1000);
      while (proxy.connections().open > 0) await passes(1);
    });
    expect(await backendOf(pool)).toEqual(expect.any(Number));
  });

  test('is not checked when the answer came in time', async () => {
    await backendOf(pool);
    await withFakeTime(async (passes) => {
      await backendOf(pool);
      await passes(1000);
      await passes(10);
    });
    await someRoundTrips(pool);
    expect(proxy.connections().ever).toBe(1);
  });

  test('is checked once for its whole pool; a late statement on a replaced pool makes no difference', async () => {
    const several = openPool(proxy.url, { max: 3 });
    await Promise.all(Array.from({ length: 3 }, () => ask(several, 'select pg_sleep(0.1)')));
    expect(proxy.connections()).toEqual({ ever: 3, open: 3 });
    proxy.silence('existing');
    /** It is waited for that long, and a later one is not. */
    const sent = async (databaseMilliseconds: number) => {
      const asked = { outcome: outcomeOf(ask(several, 'select 1')) };
      await withDeadlines({ databaseMilliseconds }, () => immediate());
      return asked;
    };
    const late = await sent(1000);
    const both = [await sent(100), await sent(100)];
    for (const { outcome } of both) expect(await outcome).toBe('NO_ANSWER');
    await until(() => proxy.connections().ever === 4);
    await open(3);
    await until(async () => (await (await sent(60_000)).outcome) === 'answered');
    expect(await late.outcome).toBe('NO_ANSWER');
    await someRoundTrips(several);
    expect(proxy.connections()).toEqual({ ever: 5, open: 4 });

    const closed = vi.fn();
    const closing = several.close().then(closed);
    await open(3);
    await someRoundTrips(pool);
    expect(closed).not.toHaveBeenCalled();
    proxy.letThrough();
    await closing;
    await open(1);
  });
});

test('a connection on which Postgres reports read-only is replaced, however many were, by another to the same host', async () => {
  const proxy = await openTcpProxy(opened.url);
  const pool = openPool(proxy.url, { max: 2 });
  await Promise.all([backendOf(pool), backendOf(pool)]);
  proxy.refuse('25006');
  const asked = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(ask(pool, 'select 1'))));
  expect(asked).toEqual(Array(8).fill('25006'));
  await proxy.restore();
  await until(async () => (await outcomeOf(ask(pool, 'select 1'))) === 'answered');
  await until(() => proxy.connections().open === 1);
  // Two, two that what waited went to, and one after the host could be written to again.
  expect(proxy.connections().ever).toBeLessThanOrEqual(5);
  await pool.close();
  await proxy.close();
});

describe('the target of a connection', () => {
  const credentials = () => new URL(opened.url).username;
  const database = () => new URL(opened.url).pathname;
  async function answers(url: string, options: Parameters<typeof openPool>[1]): Promise<void> {
    const pool = openPool(url, options);
    onTestFinished(pool.close);
    const [first, second] = [backendOf(pool), backendOf(pool)];
    expect([await first, await second]).toEqual([expect.any(Number), expect.any(Number)]);
  }

  describe('of several hosts', () => {
    let proxies: [TcpProxy, TcpProxy];
    let url: string;
    beforeEach(async () => {
      proxies = [await openTcpProxy(opened.url), await openTcpProxy(opened.url)];
      const hosts = proxies.map(({ url }) => new URL(url).host);
      url = `postgres://${credentials()}@${hosts}${database()}`;
    });
    afterEach(async () => {
      for (const proxy of proxies) await proxy.close();
    });
    const several = (options: Parameters<typeof openPool>[1]) => {
      const pool = openPool(`${url}?target_session_attrs=read-write`, { backoff: () => 0, ...options });
      onTestFinished(async () => {
        for (const proxy of proxies) proxy.letThrough();
        await pool.close();
      });
      return pool;
    };
    const ever = () => proxies.map(({ connections }) => connections().ever);

    test.each<[string, (proxy: TcpProxy) => void]>([
      ['refuses connections', ({ cut }) => cut()],
      ['hangs up', ({ hangUp }) => hangUp()],
      ['says nothing', ({ silence }) => silence('all')],
      ['is read-only', ({ refuse }) => refuse('25006')],
      ['is starting', ({ refuse }) => refuse('57P03', 'FATAL')],
    ])('is the other one, when one %s', async (_, fails) => {
      for (const [place, proxy] of proxies.entries()) {
        const before = ever();
        const pool = several({ max: 1 });
        fails(proxy);
        expect(await outcomeOf(ask(pool, 'select 1'))).toBe('answered');
        // The look, and what stays.
        await until(() => proxies[1 - place]?.connections().open === 1);
        expect((ever()[1 - place] ?? 0) - (before[1 - place] ?? 0)).toBe(2);
        await proxy.restore();
        proxy.letThrough();
        await pool.close();
        await until(() => proxies.every(({ connections }) => connections().open === 0));
      }
    });

    test('is the other one, when the first reports that it became read-only', async () => {
      const [first, second] = proxies;
      second.cut();
      const pool = several({ max: 2 });
      await Promise.all([backendOf(pool), backendOf(pool)]);
      await second.restore();
      first.refuse('25006');
      expect(await outcomeOf(ask(pool, 'select 1'))).toBe('25006');
      expect(await outcomeOf(ask(pool, 'select 1'))).toBe('answered');
      await until(() => first.connections().open === 0);
    });

    test('is the other one, when the first is cut off', async () => {
      const [first, second] = proxies;
      second.cut();
      const pool = several({ max: 2 });
      await Promise.all([backendOf(pool), backendOf(pool)]);
      first.cut();
      await second.restore();
      await until(async () => (await outcomeOf(ask(pool, 'select 1'))) === 'answered');
      expect(second.connections().open).toBeGreaterThan(0);
    });

    test('is the other one, when the first stops answering', async () => {
      const [first, second] = proxies;
      second.cut();
      const pool = several({ max: 1 });
      await backendOf(pool);
      await second.restore();
      first.silence('all');
      await withDeadlines({ databaseMilliseconds: 500 }, async () => {
        expect(await outcomeOf(ask(pool, 'select 1'))).toBe('NO_ANSWER');
        await until(async () => (await outcomeOf(ask(pool, 'select 1'))) === 'answered');
      });
      await until(() => second.connections().open === 1);
    });

    test.each<[string, (proxy: TcpProxy) => void, string]>([
      ['nothing listens', ({ cut }) => cut(), 'ECONNREFUSED'],
      ['no host answers', ({ silence }) => silence('all'), 'CONNECT_TIMEOUT'],
      ['they hang up', ({ hangUp }) => hangUp(), 'NO_WRITABLE_HOST'],
      ['the password is wrong', ({ refuse }) => refuse('28P01', 'FATAL'), '28P01'],
    ])('is none, when %s, with a code for an unsent statement; and again later', async (_, fails, code) => {
      // Only silence is waited for.
      const pool = several({ max: 1, connect_timeout: code === 'CONNECT_TIMEOUT' ? 0.4 : 3600 });
      for (const proxy of proxies) fails(proxy);
      for (let times = 0; times < 2; times++) expect(await outcomeOf(ask(pool, 'select 1'))).toBe(code);
      for (const proxy of proxies) {
        await proxy.restore();
        proxy.letThrough();
      }
      await until(async () => (await outcomeOf(ask(pool, 'select 1'))) === 'answered');
    });
  });

  test('is a socket of the file system', async () => {
    const { hostname, port } = new URL(opened.url);
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-socket-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await listening(
      createServer((socket) => void socket.pipe(connect(Number(port), hostname)).pipe(socket)),
      join(folder, '.s.PGSQL.5432'),
    );
    await answers(`postgres://${credentials()}@ignored${database()}`, { max: 2, host: folder, port: 5432 });
  });

  test.each([
    ['localhost', true],
    ['127.0.0.1', false],
  ])('is %s, which TLS verifies by its name: %s', async (host, isNamed) => {
    const hello = Promise.withResolvers<Buffer>();
    const fake = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.once('data', (data) => {
          hello.resolve(data);
          socket.destroy();
        });
        // Yes, TLS.
        socket.write('S');
      });
    });
    const port = await listening(fake);
    const pool = openPool(`postgres://unknown@${host}:${port}/none`, { max: 1, ssl: 'require' });
    const asked = outcomeOf(ask(pool, 'select 1'));
    expect((await hello.promise).includes('localhost')).toBe(isNamed);
    expect(await asked).not.toBe('answered');
    await pool.close();
  });
});
