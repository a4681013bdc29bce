/** A balancer that polls the health of its nodes, as Caddy does: an outage of the database is no outage of keys and metadata. */
import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPostgres } from '../../src/storage/postgres.ts';
import { makeClient, type TestClient } from '../support/actors.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { withServersOwnDeadlines } from '../support/patience.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

type Balancer = {
  readonly url: string;
  /** Sends a health check to each node; only nodes that answer 2xx get requests from then on. */
  readonly poll: () => Promise<number>;
  readonly close: () => void;
};

let opened: TestDatabase<string>;
let proxy: TcpProxy;
let nodes: { readonly app: TestApp; readonly database: ReturnType<typeof openPostgres> }[];
let balancer: Balancer;
let client: TestClient;

beforeEach(async () => {
  opened = await openTestDatabase('postgres');
  proxy = await openTcpProxy(opened.url);
  nodes = [];
  for (let node = 0; node < 2; node++) {
    const database = openPostgres(proxy.url, { connections: 1 });
    nodes.push({ app: await openTestApp(database), database });
  }
  const urls = await Promise.all(nodes.map(({ app }) => app.app.listen({ host: '127.0.0.1', port: 0 })));
  client = await makeClient(nodes[0]?.app as TestApp);
  balancer = await openBalancer(urls, '/health/ready');
});
afterEach(async () => {
  balancer.close();
  for (const { app, database } of nodes) {
    await app.app.close();
    await database.close();
  }
  await proxy.close();
  await opened.close();
});

/** As Caddy with `health_uri`: without a healthy node it answers 503 by itself, with no body. */
async function openBalancer(urls: readonly string[], healthUri: string): Promise<Balancer> {
  let healthy: readonly string[] = [];
  let turn = 0;
  const server: Server = createServer((incoming, outgoing) => {
    const url = healthy[turn++ % Math.max(1, healthy.length)];
    if (url === undefined) return void outgoing.writeHead(503).end();
    const { method, headers } = incoming;
    const forwarded = send(`${url}${incoming.url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    poll: async () => {
      const answers = await Promise.all(urls.map(async (url) => (await fetch(`${url}${healthUri}`)).ok));
      healthy = urls.filter((_, place) => answers[place]);
      return healthy.length;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const get = (path: string) => fetch(`${balancer.url}${path}`);
const token = () =>
  fetch(`${balancer.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });

it('a node serves keys and metadata, and answers token requests with 503 and Retry-After, while the database is away', async () => {
  await withServersOwnDeadlines(async () => {
    expect(await balancer.poll()).toBe(2);
    expect((await token()).status).toBe(200);
    proxy.cut();
    await until(async () => (await get('/health/database')).status === 503);
    // Each node has seen it.
    expect(await balancer.poll()).toBe(2);
    for (let request = 0; request < 4; request++) {
      expect(((await (await get('/.well-known/jwks.json')).json()) as { keys: unknown[] }).keys.length).toBeGreaterThan(
        0,
      );
      expect((await get('/.well-known/oauth-authorization-server')).status).toBe(200);
      expect((await get('/.well-known/openid-configuration')).status).toBe(200);
      const refused = await token();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    }
    await proxy.restore();
    await until(async () => (await get('/health/database')).ok && (await get('/health/database')).ok);
    expect((await token()).status).toBe(200);
  });
});
