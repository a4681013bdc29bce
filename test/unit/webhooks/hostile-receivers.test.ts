/** Endpoints that try to occupy a node: each attempt ends, for any answer. */
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { attempt } from '../../../src/webhooks/attempt.ts';
import { WEBHOOK_SECRET } from '../../support/receiver.ts';

/** @param answer to the first octets of a request. */
async function answered(
  answer: (connection: Socket) => void,
  // It never arrives: the attempt under test ends by itself.
  signal = new AbortController().signal,
) {
  const connections: Socket[] = [];
  const server = createServer((connection) => {
    connections.push(connection);
    connection.on('error', () => {});
    connection.once('data', () => answer(connection));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    const { outcome } = await attempt({
      url: `http://127.0.0.1:${port}/`,
      id: 'evt_1',
      body: { contentType: 'application/json', text: '{}' },
      secrets: [WEBHOOK_SECRET],
      allowPrivateNetwork: true,
      at: new Date(),
      signal,
    });
    return outcome;
  } finally {
    for (const connection of connections) connection.destroy();
    server.close();
  }
}

test.each([
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 'failed'],
  ['no HTTP', 'SSH-2.0-x\r\n\r\n', 'unreachable'],
  ['headers without end', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(100_000)}`, 'unreachable'],
  ['a body that is far too long', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_000_000)}`, 'delivered'],
])('%s ends the attempt', async (_, octets, outcome) => {
  expect(await answered((connection) => void connection.write(octets))).toBe(outcome);
});

test('an attempt that has run out of time has timed out, before its connection and after', async () => {
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  expect(await answered(() => {}, AbortSignal.abort(reason))).toBe('timed_out');
  const time = new AbortController();
  expect(await answered(() => time.abort(reason), time.signal)).toBe('timed_out');
});
