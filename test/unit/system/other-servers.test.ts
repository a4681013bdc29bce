/** Requests to other servers: bounded in time and in size, and without redirects. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deadlines } from '../../../src/system/deadlines.ts';
import { fetchBounded, OtherServerAway } from '../../../src/system/other-servers.ts';

const KIBIBYTE = 1024;

describe('a request to another server', () => {
  let server: Server;
  let origin: string;
  const answers = new Map<string, RequestListener>();
  const asked: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      answers.get(request.url ?? '')?.(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const ask = (path: string, answer: RequestListener, init: RequestInit = {}) => {
    answers.set(path, answer);
    return fetchBounded(`${origin}${path}`, init);
  };
  const withTime = (milliseconds: number) => {
    const { otherServerMilliseconds } = deadlines;
    Object.assign(deadlines, { otherServerMilliseconds: milliseconds });
    onTestFinished(() => void Object.assign(deadlines, { otherServerMilliseconds }));
  };
  /** The test decides when the time has expired: no clock does. */
  const stopped = () => {
    const time = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    onTestFinished(() => timeout.mockRestore());
    return { timeout, end: () => time.abort(new DOMException('over', 'TimeoutError')) };
  };
  const closing = (listener: RequestListener) => {
    let closed = () => {};
    const whenClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const answer: RequestListener = (request, response) => {
      response.on('close', closed);
      listener(request, response);
    };
    return { answer, whenClosed };
  };

  it('returns status, headers and body', async () => {
    const response = await ask(
      '/metadata',
      (_, reply) => reply.writeHead(418, { 'content-type': 'application/json' }).end('{"issuer":"x"}'),
      { method: 'POST', body: 'a=b' },
    );
    expect(response.status).toBe(418);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ issuer: 'x' });
    expect(asked.at(-1)).toBe('POST /metadata');
  });

  it.each([204, 304])('may have no body: %i', async (status) => {
    const response = await ask(`/none-${status}`, (_, reply) => reply.writeHead(status).end());
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with %i', async (status) => {
    const before = asked.length;
    const response = await ask(`/moved-${status}`, (_, reply) =>
      reply.writeHead(status, { location: `${origin}/inside` }).end(),
    );
    expect(response.status).toBe(status);
    expect(asked.slice(before)).toEqual([`GET /moved-${status}`]);
  });

  it('accepts 256 KiB, and not a byte more', async () => {
    const whole = await ask('/whole', (_, reply) => reply.end(Buffer.alloc(256 * KIBIBYTE)));
    expect((await whole.arrayBuffer()).byteLength).toBe(256 * KIBIBYTE);
    await expect(ask('/more', (_, reply) => reply.end(Buffer.alloc(256 * KIBIBYTE + 1)))).rejects.toMatchObject({
      code: 'TOO_LONG',
    });
  });

  it('closes an endless answer', async () => {
    const { answer, whenClosed } = closing((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16 * KIBIBYTE)));
      };
      response.on('drain', more);
      more();
    });
    await expect(ask('/endless', answer)).rejects.toMatchObject({ code: 'TOO_LONG' });
    await whenClosed;
  });

  it.each<[string, RequestListener]>([
    ['says nothing', () => {}],
    ['stops after its headers', (_, response) => void response.writeHead(200).flushHeaders()],
    ['stops in the middle', (_, response) => void response.writeHead(200).write('{"iss')],
  ])('is cancelled, and closed, where the other server %s', async (name, listener) => {
    const { end } = stopped();
    const { answer, whenClosed } = closing((request, response) => {
      listener(request, response);
      end();
    });
    await expect(ask(`/${name.replaceAll(' ', '-')}`, answer)).rejects.toMatchObject({ code: 'NO_ANSWER' });
    await whenClosed;
  });

  it('has a deadline, for the body too', async () => {
    const { timeout } = stopped();
    withTime(1234);
    await ask('/time', (_, reply) => reply.end('x'));
    expect(timeout.mock.calls).toEqual([[1234]]);
  });

  it('is not sent without time left for it', async () => {
    const before = asked.length;
    withTime(0);
    await expect(ask('/late', (_, reply) => reply.end())).rejects.toMatchObject({ code: 'NO_TIME_LEFT' });
    expect(asked.length).toBe(before);
  });

  it('reveals nothing of the address or the answer, where the other server is away', async () => {
    const refused = fetchBounded('http://127.0.0.1:1/a-secret-path', {});
    await expect(refused).rejects.toBeInstanceOf(OtherServerAway);
    await expect(refused).rejects.toMatchObject({ code: 'NO_ANSWER', message: expect.not.stringContaining('secret') });
  });
});
