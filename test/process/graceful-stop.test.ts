/** The real process, stopped by a supervisor while it is busy. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { becomesReady, killChild, outputOf, START, startChild, waiting } from '../support/child-process.ts';
import { giveDatabase } from '../support/embedded-folder.ts';
import { freePort } from '../support/listening.ts';
import { patient, serversOwn } from '../support/patience.ts';
import { until } from '../support/until.ts';

/** It waits for requests in flight no longer than an operator's server does; for its database as long as it takes. */
const OWN_CLOSING = { ...patient, closingMilliseconds: serversOwn.closingMilliseconds };

describe('SIGTERM', () => {
  let folder: string;
  let port: number;
  let server: ChildProcess;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-process-'));
    giveDatabase(join(folder, '.statehouse'));
    port = await freePort();
  });
  afterEach(async () => {
    await killChild(server);
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(deadlines = patient): Promise<void> {
    const env = { PATH: process.env['PATH'] ?? '', PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'error' };
    server = startChild(process.execPath, [...waiting(deadlines), ...START], { cwd: folder, env });
    await becomesReady(server, `http://127.0.0.1:${port}`, outputOf(server));
  }

  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };

  it('finishes the request in flight, ends kept-alive connections, and exits with status 0', async () => {
    await start();
    const socket = await open();
    const body = 'grant_type=client_credentials&client_id=unknown&client_secret=wrong';
    socket.write(
      `POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    // Another connection is answered, so the headers of the first one have been read.
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    const refused = () =>
      open().then(
        (one) => one.destroy() === undefined,
        () => true,
      );
    await until(refused);

    const answered = once(socket, 'data');
    socket.write(body);
    const [data] = await answered;
    expect(String(data)).toMatch(/^HTTP\/1\.1 401 /);
    expect(String(data)).toMatch(/\r\nconnection: close\r\n/i);
    expect((await ended)[0]).toBe(0);
  });

  it('still answers on a kept-alive connection, as not ready, and ends it with the answer', async () => {
    await start({ ...patient, keptConnectionsMilliseconds: patient.closingMilliseconds });
    const socket = await open();
    const ask = async (path: string) => {
      const answered = once(socket, 'data');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      return String((await answered)[0]);
    };
    expect(await ask('/health/live')).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: keep-alive\r\n/i);
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await until(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 503);
    const gone = once(socket, 'close');
    expect(await ask('/health/ready')).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nconnection: close\r\n/i);
    await gone;
    expect((await ended)[0]).toBe(0);
  });

  it('is not blocked by a request that never ends', async () => {
    await start(OWN_CLOSING);
    const socket = await open();
    socket.on('error', () => {});
    socket.write(
      'POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ng',
    );
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    socket.destroy();
  });

  it('stops the server immediately without requests in flight', async () => {
    await start();
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  });
});
