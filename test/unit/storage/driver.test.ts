/** The fix of src/storage/driver: a connection that ends at a bad moment must not be lost for good. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

describe('a connection that ends', () => {
  let database: TestDatabase<string>;
  let socket: Socket;
  let sql: postgres.Sql;

  beforeEach(async () => {
    database = await openTestDatabase('postgres');
    const { hostname, port } = new URL(database.url);
    // Not in the driver's types: where its sockets come from.
    const ownSocket = {
      socket: () =>
        new Promise<Socket>((resolve, reject) => {
          socket = connect(Number(port), hostname);
          socket.once('connect', () => resolve(socket)).once('error', reject);
        }),
    };
    sql = postgres(database.url, { max: 1, fetch_types: false, backoff: () => 0, ...ownSocket });
    expect(await ask(1)).toBe(1);
  });
  afterEach(async () => {
    await sql.end({ timeout: 0 });
    await database.close();
  });

  const ask = async (number: number): Promise<unknown> => (await sql`select ${number}::int as answer`)[0]?.['answer'];
  const codeOf = (asked: Promise<unknown>) => asked.catch(({ code }) => code);

  /** Now the event loop closes sockets before it sends the written data. */
  const beforeSocketsClose = () => setImmediate();

  test('with an unsent statement fails that one, and answers the next', async () => {
    await beforeSocketsClose();
    const lost = codeOf(ask(2));
    await Promise.resolve();
    socket.destroy();
    expect(await lost).toBe('CONNECTION_CLOSED');
    expect(await ask(3)).toBe(3);
  });

  test('with an error is left by a retry, without an endless wait', async () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const again = ask(2).catch(() => codeOf(ask(3)));
    await setImmediate();
    socket.destroy(reset);
    expect(await again).toBe('CONNECTION_CLOSED');
    expect(await ask(4)).toBe(4);
    expect(await Promise.all([ask(5), ask(6)])).toEqual([5, 6]);
  });

  test('under a transaction fails its statements, and the transaction', async () => {
    let inside: Promise<unknown> | undefined;
    const transaction = sql.begin(async (on) => {
      socket.destroy();
      await once(socket, 'close');
      inside = codeOf(on`select 2`.execute());
      await inside;
    });
    expect(await codeOf(transaction)).toBe('CONNECTION_CLOSED');
    await until(() => inside !== undefined);
    expect(await inside).toBe('CONNECTION_CLOSED');
    // The driver still tries to end the transaction, which may cost one more question its answer; but only one.
    await codeOf(ask(3));
    expect(await ask(4)).toBe(4);
  });

  test('during a commit fails the transaction, and closing the pool does not wait for it', async () => {
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const transaction = sql.begin(async () => void setImmediate().then(() => socket.destroy(reset)));
    const end = codeOf(transaction).then((code) => sql.end().then(() => code));
    expect(await end).toBe('ECONNRESET');
  });

  test('because Postgres ended it does not pass the reason to a later statement', async () => {
    const [{ pid } = {}] = await sql`select pg_backend_pid() as pid`;
    const other = postgres(database.url, { max: 1 });
    const lost = codeOf(sql`select pg_sleep(60)`.execute());
    await other`select pg_terminate_backend(${pid})`;
    await other.end();
    await lost;
    expect(await ask(2)).toBe(2);
  });
});

test('a connection that is abandoned before it was ready fails its statement, and no other', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  let asked = '';
  const silent = createServer((socket) => {
    // AuthenticationOk and ReadyForQuery; later statements get no answer.
    socket.once('data', () => {
      socket.write(Buffer.from('520000000800000000' + '5a0000000549', 'hex'));
      socket.on('data', (chunk) => {
        asked += chunk.toString('latin1');
      });
    });
    socket.on('error', () => {});
  });
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const sql = postgres(`postgres://unknown@127.0.0.1:${port}/none`, { max: 1 });
  const lost = sql`select 1`.then(
    () => 'answered',
    ({ code }) => code,
  );
  await until(() => asked.includes('pg_type'));
  await sql.end({ timeout: 0 });
  expect(await lost).toBe('CONNECTION_DESTROYED');
  await setImmediate();
  expect(unhandled).toEqual([]);
});
