/** `GET /metrics` on a port of its own, which the proxy in front of the server never reaches. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { countStatements } from './database.ts';
import { countDecisions } from './decisions.ts';
import { countMails } from './mails.ts';
import { countPasswordChecks } from './passwords.ts';
import { countRequests } from './requests.ts';
import { countRounds } from './rounds.ts';
import { type Standing, showStanding } from './standing.ts';
import { countSpans } from './traces.ts';
import { countWebhookAttempts } from './webhooks.ts';

export type MetricsOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly standing: Standing;
  /** Null: the driver does not tell. */
  readonly statementsInFlight: () => number | null;
};

export type Metrics = { readonly port: number; readonly close: () => void };

/** Counts from now on. @throws Error of the operating system when the port cannot be had. */
export async function openMetrics({ host, port, standing, statementsInFlight }: MetricsOptions): Promise<Metrics> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const ends = [
    countDecisions(registry),
    countRequests(registry),
    countStatements(registry, statementsInFlight),
    showStanding(registry, standing),
    countWebhookAttempts(registry),
    countRounds(registry),
    countSpans(registry),
    countMails(registry),
    countPasswordChecks(registry),
  ];
  const server = createServer((request, response) => void answer(registry, request, response));
  server.listen(port, host);
  await once(server, 'listening');
  // The process lives for its other listener.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const end of ends) end();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(registry: Registry, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url !== '/metrics') return void response.writeHead(404).end('GET /metrics\n');
  if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}
