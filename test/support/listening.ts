/** The app behind a real port, and a client's redirect URI behind another. */
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createSocket } from 'node:net';
import type { Database } from '../../src/storage/database.ts';
import { openTestApp, type TestApp, type TestAppOptions } from './app.ts';

/**
 * Below the ports that systems assign by themselves: a server that begins to listen there seconds later would sometimes find
 * another test's server or connection. Then the test would talk to that. Above 10080, which fetch refuses.
 */
const PORTS = { from: 11_000, below: 32_000 };

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.below);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocket();
    socket.once('error', () => resolve(false));
    socket.listen(port, '127.0.0.1', () => socket.close(() => resolve(true)));
  });

export const listen = async (database: Database, options: TestAppOptions = {}): Promise<TestApp> =>
  openTestAppAt(await freePort(), database, options);

export async function openTestAppAt(port: number, database: Database, options: TestAppOptions): Promise<TestApp> {
  const test = await openTestApp(database, { issuer: `http://localhost:${port}`, ...options });
  await test.app.listen({ host: 'localhost', port });
  return test;
}

export type Callback = {
  readonly redirectUri: string;
  /** The received parameters, in order. */
  readonly received: readonly URLSearchParams[];
  readonly close: () => Promise<void>;
};

/** A client's redirect URI on a loopback port: shows a page, and keeps what it receives. */
export async function openCallback(): Promise<Callback> {
  const received: URLSearchParams[] = [];
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') received.push(url.searchParams);
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Client</title><h1>Welcome back</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Whether a server listens on the port. */
export const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const tell = (accepted: boolean) => () => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', tell(true)).once('error', tell(false));
  });
