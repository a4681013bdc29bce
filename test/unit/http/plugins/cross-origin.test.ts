/** CORS on one URL, without a database; test/unit/http/cross-origin.test.ts has the endpoints and the registered origins. */
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crossOrigin } from '../../../../src/http/cross-origin.ts';
import { refuseOtherMethods } from '../../../../src/http/other-methods.ts';
import { type BareApp, bareApp } from '../../../support/bare-app.ts';

const ORIGIN = 'https://photos.test';
const PREFLIGHT = { 'access-control-request-method': 'POST' };

describe('CORS on one URL', () => {
  let app: FastifyInstance;
  let lines: BareApp['lines'];
  /** The result of the lookup; an error: it fails. */
  let known: ReadonlySet<string> | Error;
  let lookups: number;
  beforeEach(async () => {
    known = new Set([ORIGIN]);
    lookups = 0;
    ({ app, lines } = await bareApp());
    const onRequest = crossOrigin(
      {
        isBrowserOrigin: async (origin) => {
          lookups++;
          if (known instanceof Error) throw known;
          return known.has(origin);
        },
      },
      ['GET', 'POST'],
    );
    const methods = ['GET', 'POST'] as const;
    app.route({ method: [...methods], url: '/', onRequest, handler: (_, reply) => reply.send({ answered: true }) });
    refuseOtherMethods(app, '/', methods, (reply) => reply.code(405).send({ error: 'no' }), onRequest);
    refuseOtherMethods(app, '/alone', ['POST'], (reply) => reply.code(405).send({ error: 'no' }));
  });
  afterEach(() => app.close());

  type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  async function ask(method: Method, headers: Readonly<Record<string, string>>, url = '/') {
    const reply = await app.inject({ method, url, headers });
    const said = Object.entries(reply.headers).filter(
      ([name]) => name.startsWith('access-control-') || name === 'vary',
    );
    return {
      status: reply.statusCode,
      body: reply.body,
      said: Object.fromEntries(said),
      allow: reply.headers['allow'],
    };
  }
  const READABLE = {
    'access-control-allow-origin': ORIGIN,
    'access-control-expose-headers': 'www-authenticate, retry-after, dpop-nonce',
    vary: 'Origin',
  };

  it('a known origin may send, and read the answer', async () => {
    expect(await ask('OPTIONS', { origin: ORIGIN, ...PREFLIGHT })).toEqual({
      status: 204,
      body: '',
      said: {
        ...READABLE,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'authorization, content-type, dpop',
        'access-control-max-age': '3600',
      },
      allow: undefined,
    });
    expect(lines().at(-1)).toMatchObject({ level: 30, msg: 'preflight', route: '/', status: 204 });
    expect(await ask('POST', { origin: ORIGIN })).toMatchObject({ status: 200, said: READABLE });
    // A request is no preflight because it has this header.
    expect(await ask('POST', { origin: ORIGIN, ...PREFLIGHT })).toMatchObject({ status: 200, said: READABLE });
    expect(await ask('OPTIONS', { origin: ORIGIN })).toMatchObject({ status: 405, said: READABLE });
  });

  it('no headers for another origin, nor without an origin, for which no lookup is made', async () => {
    expect(await ask('POST', { origin: 'https://evil.test' })).toMatchObject({ status: 200, said: {} });
    expect(await ask('OPTIONS', { origin: 'https://evil.test', ...PREFLIGHT })).toMatchObject({
      status: 405,
      said: {},
    });
    expect(lookups).toBe(2);
    expect(await ask('POST', {})).toMatchObject({ status: 200, said: {} });
    expect(await ask('OPTIONS', PREFLIGHT)).toMatchObject({ status: 405, said: {} });
    expect(lookups).toBe(2);
  });

  it('a failed lookup ends the request, without headers', async () => {
    known = new Error('no database');
    expect(await ask('POST', { origin: ORIGIN })).toMatchObject({ status: 500, said: {} });
  });

  it.each(['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)(
    '%s is rejected, with the methods',
    async (method) => {
      expect(await ask(method, {})).toMatchObject({ status: 405, allow: 'GET, POST' });
      expect(lines().at(-1)).toMatchObject({ level: 30, msg: 'refused', reason: 'method_not_allowed', method });
      expect(await ask(method, {}, '/alone')).toMatchObject({ status: 405, allow: 'POST' });
    },
  );
  it('the methods of the URL are not rejected', async () => {
    for (const method of ['GET', 'POST'] as const) expect((await ask(method, {})).status).toBe(200);
    expect((await ask('GET', {}, '/alone')).status).toBe(405);
    expect((await ask('POST', {}, '/alone')).status).toBe(404);
  });
});
