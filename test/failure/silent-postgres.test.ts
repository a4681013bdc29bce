/** A Postgres that does not answer for a while: it is paused as a whole, or a commit waits for a standby that is away. */

import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/storage/postgres.ts';
import { refresh, token } from '../support/actors.ts';
import { awaitStandby } from '../support/awaited-standby.ts';
import { withDeadlines } from '../support/patience.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { openSceneOn, type Scene } from '../support/scene.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const SHORT = { databaseMilliseconds: 100, databasePerRequestMilliseconds: 400, connectSeconds: 0.05 };
const CONNECTIONS = 2;

describe('a Postgres that does not answer', () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let scene: Scene;
  let head: string;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    proxy = await openTcpProxy(server.url);
    const database = openPostgres(proxy.url, { connections: CONNECTIONS });
    await database.migrate();
    const change: Parameters<typeof openSceneOn>[1] = {
      change: (deps) => ({ ...deps, sleep: () => Promise.resolve() }),
    };
    scene = await openSceneOn({ database, url: proxy.url, close: () => database.close() }, change);
    head = await scene.chain();
    await rotate();
  });
  afterEach(async () => {
    // Also after a failure: a statement that waits for Postgres would keep it from closing.
    server.resume();
    await awaitStandby(server, null);
    await scene.close();
    await proxy.close();
  });

  const rotate = async () => {
    const { status, headers, json } = await refresh(scene, scene.client, head);
    if (status === 200) head = json.refresh_token ?? '';
    return { status, retryAfter: headers['retry-after'] };
  };
  const ready = async () => (await scene.app.inject('/health/database')).statusCode === 200;
  const connectionsOfServer = async () => {
    const admin = postgres(server.url, { max: 1 });
    const [row] = await admin`select count(*)::int as n from pg_stat_activity where application_name = 'statehouse'`;
    await admin.end();
    return row?.['n'] as number;
  };

  it('because it is paused: 503 with Retry-After, and afterwards each request gets its own answer', async () => {
    server.pause();
    const asked = await withDeadlines(SHORT, () => Promise.all([rotate(), rotate(), rotate()]));
    expect(asked).toEqual(Array(3).fill({ status: 503, retryAfter: '1' }));
    server.resume();
    await until(ready);
    const clients = await Promise.all(
      [scene.client, scene.other].map((client) => token(scene, client, { grant_type: 'client_credentials' })),
    );
    expect(clients.map(({ status }) => status)).toEqual([200, 200]);
    expect(await rotate()).toEqual({ status: 200 });
  });

  it('because a standby is away: unknown commits, so no Retry-After; and no connections pile up', async () => {
    await awaitStandby(server, 'away');
    const asked: Awaited<ReturnType<typeof rotate>>[] = [];
    // On a slow machine the load alone may exceed the deadline, so the test repeats the request until a commit was on its way.
    await until(async () => {
      const answer = await withDeadlines(SHORT, rotate);
      // Postgres begins to wait a moment after the command.
      if (answer.status !== 200 || asked.length > 0) asked.push(answer);
      return scene.logs().includes('commit_unknown');
    });
    expect(asked.at(-1)).toEqual({ status: 503 });
    for (let times = 0; times < 4; times++) asked.push(await withDeadlines(SHORT, rotate));
    expect(asked.filter(({ status }) => status !== 503)).toEqual([]);
    // And the connection that queries Postgres for the outcome of a statement.
    expect(await connectionsOfServer()).toBeLessThanOrEqual(CONNECTIONS + 1);
    await awaitStandby(server, null);
    await until(ready);
    const { status } = await token(scene, scene.client, { grant_type: 'client_credentials' });
    expect(status).toBe(200);
  });

  it('on connections that a middlebox dropped: the pool replaces them and answers the next request', async () => {
    proxy.silence('existing');
    expect(await withDeadlines(SHORT, rotate)).toEqual({ status: 503, retryAfter: '1' });
    await until(async () => (await withDeadlines(SHORT, rotate)).status === 200);
    // The delayed data arrives on connections that are closed.
    proxy.letThrough();
    expect(await rotate()).toEqual({ status: 200 });
  });
});
