/** A Postgres that answers and cannot be written to, as a server that was demoted, or a standby. */
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgres } from '../../src/storage/postgres.ts';
import { refresh } from '../support/actors.ts';
import { databaseUrl } from '../support/database-url.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { openSceneOn, type Scene } from '../support/scene.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const DATABASE = 'statehouse';
let servers: readonly [PostgresServer, PostgresServer];
/** In front of both, as a virtual address that moves to the new primary. */
let address: TcpProxy;
let scene: Scene;
let head: string;

const administer = async ({ url }: PostgresServer, statement: string) => {
  const connection = { default_transaction_read_only: false };
  const admin = postgres(url, { max: 1, onnotice: () => {}, connection });
  await admin.unsafe(statement).finally(() => admin.end());
};
const demote = async (server: PostgresServer, readOnly: boolean) => {
  await administer(server, `alter system set default_transaction_read_only = ${readOnly}`);
  await administer(server, 'select pg_reload_conf()');
};

beforeAll(async () => {
  servers = [await startPostgres(), await startPostgres()];
  for (const server of servers) await administer(server, `create database ${DATABASE}`);
  const migrated = openPostgres(databaseUrl(servers[1].url, DATABASE));
  await migrated.migrate().finally(() => migrated.close());
  address = await openTcpProxy(databaseUrl(servers[0].url, DATABASE));
  const database = openPostgres(address.url, { connections: 2 });
  await database.migrate();
  scene = await openSceneOn({ database, url: address.url, close: () => database.close() });
  head = await scene.chain();
});
afterAll(async () => {
  await scene.close();
  await address.close();
  for (const server of servers) await server.stop();
});

const rotate = async () => {
  const { status, headers, json } = await refresh(scene, scene.client, head);
  if (status === 200) head = json.refresh_token ?? '';
  return { status, retryAfter: headers['retry-after'] };
};
const health = async (what: string) => (await scene.app.inject(`/health/${what}`)).statusCode;

it('a node answers 503 with Retry-After and leaves the traffic, until Postgres accepts writes again', async () => {
  expect(await rotate()).toEqual({ status: 200 });
  await demote(servers[0], true);
  // Postgres tells its connections a moment later.
  await until(async () => (await health('database')) === 503);
  expect(await rotate()).toEqual({ status: 503, retryAfter: '1' });
  expect(scene.logs()).toContain('"code":"25006"');
  expect(await health('live')).toBe(200);
  await demote(servers[0], false);
  await until(async () => (await health('database')) === 200);
  expect(await rotate()).toEqual({ status: 200 });
});

it('a node leaves a read-only Postgres without a lost connection, once the address leads to another server', async () => {
  address.leadTo(servers[1].url);
  // Its rows stay in that Postgres.
  expect(await rotate()).toEqual({ status: 200 });
  await demote(servers[0], true);
  await until(async () => (await health('database')) === 503);
  // Without a request that writes: a load balancer sends none to a node that is not ready.
  await until(async () => (await health('database')) === 200);
  // The other Postgres has another history: the client does not exist there.
  expect((await rotate()).status).toBe(401);
});
