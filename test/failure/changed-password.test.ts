/** An administrator changes the password of the server's role, and the file of DATABASE_URL_FILE. The node needs no restart. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openRuntime, type Runtime } from '../../src/boot/runtime.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { withDeadlines } from '../support/patience.ts';

let opened: TestDatabase<string>;
beforeAll(async () => {
  opened = await openTestDatabase('postgres');
});
afterAll(() => opened.close());

/** The Postgres of the tests trusts everyone, so this gate in front of it asks for the password. */
async function openGate(target: string) {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  let password = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (startup) => {
      socket.once('data', (message) => {
        // "p", the length, the password, a zero.
        if (message.subarray(5, -1).toString() !== password) return void socket.end(refusal());
        const postgres = connect(Number(to.port), to.hostname);
        postgres.on('error', () => socket.destroy());
        socket.on('close', () => postgres.destroy());
        postgres.write(startup);
        postgres.pipe(socket).pipe(postgres);
      });
      // AuthenticationCleartextPassword
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: (written: string) => `postgres://${to.username}:${written}@127.0.0.1:${port}${to.pathname}`,
    change: (next: string) => {
      password = next;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function refusal(): Buffer {
  const fields = Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed\0\0');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from('E'), length, fields]);
}

async function nodeWith(variables: Record<string, string>): Promise<Runtime> {
  const runtime = await openRuntime({ STATEHOUSE_SECRET: 'kGv0hT4nW8sQ2yXr6bZpLm1jUeCdA9fo', ...variables });
  onTestFinished(() => runtime.database.close());
  return runtime;
}

const outcomeOf = ({ database }: Runtime): Promise<unknown> =>
  withDeadlines({ databaseMilliseconds: 2_000 }, async () =>
    database.drizzle.execute('select 1').then(
      () => 'answered',
      (error: { code?: string; cause?: { code?: string } }) => error.code ?? error.cause?.code,
    ),
  );

/** As the rotation of keys and of months does: on a connection of its own. */
const roundOf = ({ database }: Runtime): Promise<unknown> =>
  database.runAlone('test', async () => {}).catch((error: { code?: string }) => error.code);

test('the file has the new password: each connection uses it', async () => {
  const gate = await openGate(opened.url);
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-password-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'url');
  gate.change('first');
  writeFileSync(file, gate.url('first'));
  const node = await nodeWith({ DATABASE_URL_FILE: file });

  gate.change('p@ss/2');
  await expect.poll(() => outcomeOf(node)).toBe('28P01');
  // Between two writes of another program, the file may be empty.
  writeFileSync(file, '');
  expect(await outcomeOf(node)).toBe('28P01');
  writeFileSync(file, `${gate.url(encodeURIComponent('p@ss/2'))}\n`);
  await expect.poll(() => outcomeOf(node)).toBe('answered');
  expect(await roundOf(node)).toBe(true);

  // A text that is no URL changes nothing.
  writeFileSync(file, gate.url('%zz'));
  gate.change('first');
  await expect.poll(() => outcomeOf(node)).toBe('answered');
});
