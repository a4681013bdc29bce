/** A document at the URL of a client: from the public internet alone, soon, small, as JSON, and without a redirect. */
import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fetchClientDocument } from '../../../src/images/fetch-client-document.ts';
import { httpsServer, reachable } from '../../support/https-server.ts';

const MARK = 'zzmarkzz';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('fetching the document of a client', () => {
  let answer: RequestListener = () => {};
  const { at } = httpsServer((request, response) => answer(request, response));
  const fetched = (next: RequestListener, options = {}) => {
    answer = next;
    return fetchClientDocument(at('/client'), { ...reachable, ...options });
  };

  it('returns the text', async () => {
    const found = await fetched((_, response) => response.writeHead(200, JSON_TYPE).end('{}'));
    expect(found).toEqual({ kind: 'sent', text: '{}', freshSeconds: 3600 });
  });

  it.each([
    ['max-age=1000', {}, 1000],
    ['public, max-age=1', {}, 300],
    ['max-age=99999999', {}, 86_400],
    ['max-age=2000', { age: '1000' }, 1000],
    ['no-store, max-age=5000', {}, 300],
    ['no-cache', {}, 300],
    ['private', {}, 3600],
  ] as const)('keeps Cache-Control within bounds: %s', async (control, more, freshSeconds) => {
    const headers = { ...JSON_TYPE, 'cache-control': control, ...more };
    expect(await fetched((_, response) => response.writeHead(200, headers).end('{}'))).toMatchObject({ freshSeconds });
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/client+json'])(
    'accepts %s',
    async (type) => {
      expect(await fetched((_, response) => response.writeHead(200, { 'content-type': type }).end('{}'))).toMatchObject(
        { kind: 'sent' },
      );
    },
  );

  it.each([
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: `https://${MARK}.example/` }).end(),
      /redirects/,
    ],
    [
      'a redirect to a private address',
      (_, response) => response.writeHead(307, { location: 'https://169.254.169.254/latest' }).end(),
      /redirects/,
    ],
    ['another status', (_, response) => response.writeHead(404, JSON_TYPE).end(MARK), /status 404/],
    ['another success', (_, response) => response.writeHead(201, JSON_TYPE).end('{}'), /status 201/],
    ['HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(MARK), /Content-Type/],
    ['no type', (_, response) => response.writeHead(200).end('{}'), /Content-Type/],
    ['broken UTF-8', (_, response) => response.writeHead(200, JSON_TYPE).end(Buffer.from([0x22, 0xff, 0x22])), /UTF-8/],
    [
      'more than 5 KiB',
      (_, response) => response.writeHead(200, JSON_TYPE).end('x'.repeat(5 * 1024 + 1)),
      /larger than 5 KiB/,
    ],
    [
      'an endless answer',
      (_, response) => {
        response.writeHead(200, JSON_TYPE);
        const write = () => {
          if (!response.destroyed) response.write('x'.repeat(512), write);
        };
        write();
      },
      /larger than 5 KiB/,
    ],
  ] satisfies readonly [string, RequestListener, RegExp][])('refuses %s as broken', async (_, listener, problem) => {
    const found = await fetched(listener);
    expect(found).toMatchObject({ kind: 'malformed', problem: expect.stringMatching(problem) });
    expect(JSON.stringify(found)).not.toContain(MARK);
  });

  it.each([
    ['a failure', (_, response) => response.writeHead(503, JSON_TYPE).end(MARK), /status 503/],
    ['too many requests', (_, response) => response.writeHead(429, JSON_TYPE).end(MARK), /status 429/],
    ['a closed connection', (request) => request.socket.destroy(), /connection failed/],
  ] satisfies readonly [string, RequestListener, RegExp][])('takes %s as no answer', async (_, listener, problem) => {
    const found = await fetched(listener);
    expect(found).toMatchObject({ kind: 'unreachable', problem: expect.stringMatching(problem) });
    expect(JSON.stringify(found)).not.toContain(MARK);
  });

  it('takes a slow body as no answer', async () => {
    const time = new AbortController();
    const found = await fetched(
      (_, response) => {
        response.writeHead(200, JSON_TYPE).write('{');
        setImmediate(() => time.abort());
      },
      { timeIsOver: () => time.signal },
    );
    expect(found).toEqual({ kind: 'unreachable', problem: 'The document did not come within 5 seconds.' });
  });

  it.each([
    'https://127.0.0.1/client',
    'https://[::1]/client',
    'https://10.0.0.1/client',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/client',
  ])('refuses the private address %s', async (url) => {
    expect(await fetchClientDocument(url)).toMatchObject({
      kind: 'malformed',
      problem: expect.stringContaining('public'),
    });
  });
});
