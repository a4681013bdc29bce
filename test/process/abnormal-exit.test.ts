/** How the real process ends after a failure: an uncaught error, and an impatient supervisor. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { becomesReady, killChild, outputOf, preload, START, startChild, waiting } from '../support/child-process.ts';
import { giveDatabase } from '../support/embedded-folder.ts';
import { freePort } from '../support/listening.ts';
import { until } from '../support/until.ts';

const BODY = 'grant_type=client_credentials&client_id=unknown&client_secret=wrong';
/** Database drivers put the parameters of a statement into their messages. */
const MESSAGE = 'Failed query: params: hunter2';
const onSigusr2 = (code: string) => `process.on('SIGUSR2', () => { ${code} })`;
const ERROR = `new Error(${JSON.stringify(MESSAGE)})`;

let folder: string;
let port: number;
let server: ChildProcess;
let printed: () => string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'statehouse-process-'));
  giveDatabase(join(folder, '.statehouse'));
  port = await freePort();
});
afterEach(async () => {
  await killChild(server);
  rmSync(folder, { recursive: true, force: true });
});

/** @param code runs in the process before the server. */
async function start(code = ''): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', PORT: String(port), HOST: '127.0.0.1' };
  server = startChild(process.execPath, [...waiting(), ...preload(code), ...START], { cwd: folder, env });
  printed = outputOf(server);
  await becomesReady(server, `http://127.0.0.1:${port}`, printed);
}

/** @returns the connection of a request whose body has not been sent. */
async function startRequest(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  const head = 'POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n';
  socket.write(`${head}Content-Length: ${BODY.length}\r\n\r\n`);
  // Another connection is answered, so the head of this one has been read.
  expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
  return socket;
}

const hasPrinted = (words: string) => until(() => printed().includes(words));

describe('an uncaught error', () => {
  it.each([
    ['thrown', onSigusr2(`throw ${ERROR}`)],
    ['rejected', onSigusr2(`Promise.reject(${ERROR})`)],
  ])('%s: finishes the request in flight, exits with status 1, and prints no message', async (_, code) => {
    await start(code);
    const socket = await startRequest();
    const closed = once(server, 'close');
    server.kill('SIGUSR2');
    await hasPrinted('uncaught error');
    const answered = once(socket, 'data');
    socket.write(BODY);
    expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 401 /);
    expect((await closed)[0]).toBe(1);
    expect(printed()).not.toContain('hunter2');
  });
});

describe('a second signal', () => {
  it('ends the process immediately, with status 1', async () => {
    await start();
    const socket = await startRequest();
    const closed = once(server, 'close');
    server.kill('SIGTERM');
    await hasPrinted('finishing the requests in flight');
    server.kill('SIGINT');
    expect((await closed)[0]).toBe(1);
    expect(printed()).toContain('second SIGINT');
    socket.destroy();
  });
});

describe('SIGHUP', () => {
  it('reloads the configuration, and keeps the process running', async () => {
    await start();
    server.kill('SIGHUP');
    await hasPrinted('configuration');
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
  });
});
