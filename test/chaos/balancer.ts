/**
 * A load balancer as operators run one. It sends each node a health check, as `health_uri /health/ready` has Caddy do. It sends requests
 * to the healthy nodes in turn. Without a healthy node it answers a bare 503.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.ts';
import type { Address } from './node.ts';

type Target = Pick<Address, 'name' | 'url'>;

export type Balancer = {
  readonly url: string;
  /** When it has found out about each node that answers, from now on. */
  readonly asksAll: () => Promise<void>;
  /** When requests go to this node. */
  readonly sendsTo: (node: Target) => Promise<void>;
  readonly close: () => Promise<void>;
};

const HEALTH = '/health/ready';
const PAUSE_MILLISECONDS = 50;

export async function openBalancer(nodes: readonly Target[]): Promise<Balancer> {
  const healthy = new Set<Target>();
  const checks = new Map<Target, number>(nodes.map((node) => [node, 0]));
  const closing = new AbortController();
  let turn = 0;

  async function watch(node: Target): Promise<void> {
    while (!closing.signal.aborted) {
      // A node that hangs keeps the health that it had: nothing here depends on how fast a machine is.
      const isHealthy = await ask(node, HEALTH).then(
        ({ statusCode = 0 }) => statusCode < 400,
        () => false,
      );
      if (isHealthy) healthy.add(node);
      else healthy.delete(node);
      checks.set(node, (checks.get(node) ?? 0) + 1);
      await sleep(PAUSE_MILLISECONDS);
    }
  }

  /** A connection of its own: none that the node has closed meanwhile. */
  const ask = (node: Target, path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      request(`${node.url}${path}`, { agent: false, signal: closing.signal }, (answer) => {
        answer.on('error', () => {}).resume();
        resolve(answer);
      })
        .on('error', reject)
        .end();
    });

  /** The whole answer, or nothing of it. */
  const hand = (node: Target, path: string): Promise<{ readonly status: number; readonly body: string }> =>
    new Promise((resolve, reject) => {
      request(`${node.url}${path}`, { agent: false, signal: closing.signal }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          body += chunk;
        });
        answer.on('error', reject).on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
      })
        .on('error', reject)
        .end();
    });

  async function answer({ url: path = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    // A GET may be sent again.
    for (let tried = 0; tried <= nodes.length; tried++) {
      const open = nodes.filter((node) => healthy.has(node));
      const node = open[turn++ % Math.max(1, open.length)];
      if (node === undefined) break;
      try {
        const { status, body } = await hand(node, path);
        return void response.writeHead(status).end(body);
      } catch {
        healthy.delete(node);
      }
    }
    response.writeHead(503).end();
  }

  const server = createServer((asked, response) => void answer(asked, response));
  // No client finds its connection closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const watching = nodes.map(watch);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asksAll: async () => {
      const before = new Map(checks);
      // The first of two may have been on its way.
      await until(() => nodes.every((node) => (checks.get(node) ?? 0) >= (before.get(node) ?? 0) + 2));
    },
    sendsTo: (node) => until(() => [...healthy].some(({ name }) => name === node.name)),
    close: async () => {
      closing.abort();
      server.closeAllConnections();
      await Promise.all([new Promise((resolve) => server.close(resolve)), ...watching]);
    },
  };
}
