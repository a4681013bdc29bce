/** The connection of a request: whether the client still waits, and the deadline of the database. */

import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callerGone } from '../../../../src/http/caller-gone.ts';
import { formBodies } from '../../../../src/http/form-body.ts';
import { requestDeadline } from '../../../../src/http/request-deadline.ts';
import { millisecondsLeft, type RequestTime, timeOfRequest } from '../../../../src/system/request-time.ts';
import { bareApp } from '../../../support/bare-app.ts';

let app: FastifyInstance;
let sockets: Socket[];
beforeEach(async () => {
  ({ app } = await bareApp());
  sockets = [];
  await app.register(formBodies);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await app.close();
});

async function send(text: string): Promise<Socket> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  socket.write(text);
  return socket;
}
const received = (socket: Socket) =>
  new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('\r\n\r\nanswered')) resolve(text);
    });
  });
const HEAD =
  'POST / HTTP/1.1\r\nHost: as.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\n';

describe('whether a client still waits', () => {
  it('is false once the caller has hung up', async () => {
    const signal = Promise.withResolvers<AbortSignal>();
    const gate = Promise.withResolvers<void>();
    app.post('/', async (_, reply) => {
      signal.resolve(callerGone(reply));
      await gate.promise;
      return reply.send('answered');
    });
    const socket = await send(`${HEAD}a=b`);
    const gone = await signal.promise;
    // The body was read; the caller is there.
    expect(gone.aborted).toBe(false);
    const aborted = new Promise((resolve) => gone.addEventListener('abort', resolve));
    socket.destroy();
    await aborted;
    expect(gone.aborted).toBe(true);
    gate.resolve();
  });

  it('is false if the caller hung up before the first check', async () => {
    const asked = Promise.withResolvers<boolean>();
    const arrived = Promise.withResolvers<void>();
    app.post('/', async (_, reply) => {
      arrived.resolve();
      await new Promise((resolve) => reply.raw.once('close', resolve));
      asked.resolve(callerGone(reply).aborted);
      return reply.send('answered');
    });
    const socket = await send(`${HEAD}a=b`);
    await arrived.promise;
    socket.destroy();
    expect(await asked.promise).toBe(true);
  });

  it('is true if the answer was sent before the connection ended', async () => {
    const ended = Promise.withResolvers<AbortSignal[]>();
    app.post('/', async (_, reply) => {
      const before = callerGone(reply);
      reply.raw.once('close', () => setImmediate(() => ended.resolve([before, callerGone(reply)])));
      return reply.send('answered');
    });
    const socket = await send(`${HEAD}a=b`);
    await received(socket);
    socket.destroy();
    expect((await ended.promise).map(({ aborted }) => aborted)).toEqual([false, false]);
  });
});

describe('the deadline of the database', () => {
  type Seen = { readonly time: RequestTime | null; readonly left: number; readonly own: RequestTime };
  const seenIn = (request: FastifyRequest): Seen => ({
    time: timeOfRequest(),
    left: millisecondsLeft(),
    own: request.time,
  });

  it('is counted for each request, in all its work', async () => {
    const seen: Seen[] = [];
    await app.register(requestDeadline);
    app.addHook('onRequest', (request, _, done) => {
      seen.push(seenIn(request));
      done();
    });
    app.all('/', async (request) => {
      seen.push(seenIn(request));
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(seenIn(request));
      return 'answered';
    });
    await received(await send('GET / HTTP/1.1\r\nHost: as.test\r\n\r\n'));
    await received(await send(`${HEAD}a=b`));
    expect(seen).toHaveLength(6);
    for (const { time, left, own } of seen) {
      expect(time).toBe(own);
      expect(time?.pausedAt).toBeNull();
      expect(Number.isFinite(left)).toBe(true);
    }
    expect(new Set(seen.map(({ own }) => own)).size).toBe(2);
    expect(timeOfRequest()).toBeNull();
  });

  it('excludes the arrival of the body: that is the caller’s time', async () => {
    const arriving = Promise.withResolvers<FastifyRequest>();
    await app.register(requestDeadline);
    app.addHook('preParsing', (request, _reply, payload, done) => {
      arriving.resolve(request);
      done(null, payload);
    });
    let seen: Seen | undefined;
    app.post('/', async (request) => {
      seen = seenIn(request);
      return request.body === 'a=b' ? 'answered' : 'nothing';
    });
    const socket = await send(HEAD);
    const { time } = await arriving.promise;
    expect(time.pausedAt).toBeGreaterThan(0);
    const { endsAt } = time;
    socket.write('a=b');
    await received(socket);
    expect(seen?.own).toBe(time);
    expect(seen?.time).toBe(time);
    expect(time.pausedAt).toBeNull();
    expect(time.endsAt).toBeGreaterThan(endsAt);
  });
});
