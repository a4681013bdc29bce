/** The common part of every request: headers, exact paths, raw bodies, one log line. */
import { request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeConnectionsWhenClosing } from '../../../../src/http/closing.ts';
import { errorHandler } from '../../../../src/http/error-handler.ts';
import { exactPath } from '../../../../src/http/exact-path.ts';
import { bodyOf, formBodies, queryOf } from '../../../../src/http/form-body.ts';
import { setLogLine } from '../../../../src/http/request-log.ts';
import { noStore, securityHeaders, seeOther, sendPage } from '../../../../src/http/security-headers.ts';
import { STYLE_SOURCE } from '../../../../src/http/views/page.ts';
import { type BareApp, bareApp } from '../../../support/bare-app.ts';

let app: FastifyInstance;
let lines: BareApp['lines'];
beforeEach(async () => {
  ({ app, lines } = await bareApp());
});
afterEach(() => app.close());

describe('headers', () => {
  const SAME = { 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

  async function serve(issuer: string) {
    await app.register(errorHandler);
    await app.register(securityHeaders, { issuer });
    app.get('/json', (_, reply) => reply.send({}));
    app.get('/page', (_, reply) => sendPage(reply, 201, '<p>x</p>'));
    app.get('/script', (_, reply) => sendPage(reply, 200, '<p>x</p>', "'sha256-x'"));
    app.get('/away', (_, reply) => seeOther(reply, 'https://client.test/cb?code=x'));
    app.get('/kept', (_, reply) => noStore(reply).send({}));
  }

  it.each(['/json', '/nothing'])('of %s: nothing is loaded, framed, sniffed, or leaked in a referrer', async (url) => {
    await serve('https://as.test');
    const { headers } = await app.inject(url);
    expect(headers).toMatchObject({
      ...SAME,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'strict-transport-security': 'max-age=31536000',
    });
  });

  it('of a page: one style, and images of this server', async () => {
    await serve('https://as.test');
    const { statusCode, headers, body } = await app.inject('/page');
    expect({ statusCode, body }).toEqual({ statusCode: 201, body: '<p>x</p>' });
    expect(STYLE_SOURCE).toMatch(/^'sha256-[\w+/]{43}='$/);
    const policy = `default-src 'none'; style-src ${STYLE_SOURCE}; img-src 'self'; base-uri 'none'; frame-ancestors 'none'`;
    expect(headers).toMatchObject({
      ...SAME,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
    });
    expect((await app.inject('/script')).headers['content-security-policy']).toBe(`${policy}; script-src 'sha256-x'`);
  });

  it('requires TLS of the browser from now on, over TLS only', async () => {
    await serve('http://https.localhost');
    const { headers } = await app.inject('/json');
    expect(headers).toMatchObject(SAME);
    expect(headers['strict-transport-security']).toBeUndefined();
  });

  it('a redirect is a 303, so that no form is posted again to the target, and is not cached', async () => {
    await serve('https://as.test');
    const { statusCode, headers } = await app.inject('/away');
    expect(statusCode).toBe(303);
    expect(headers).toMatchObject({ location: 'https://client.test/cb?code=x', 'cache-control': 'no-store' });
    expect((await app.inject('/kept')).headers['cache-control']).toBe('no-store');
  });
});

describe('paths', () => {
  beforeEach(async () => {
    await app.register(errorHandler);
    await app.register(securityHeaders, { issuer: 'https://as.test' });
    await app.register(exactPath);
    app.get('/a/path', (_, reply) => reply.send({}));
    app.get('/a/:name/of/:other', (_, reply) => reply.send({}));
    await app.listen({ port: 0, host: '127.0.0.1' });
  });
  /** As it is: no client library normalizes it. */
  const status = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = app.server.address() as AddressInfo;
      const sent = ask({ port, host: '127.0.0.1', path, agent: false }, (reply) => resolve(reply.resume().statusCode));
      sent.on('error', reject).end();
    });

  it.each([
    '/a/path',
    '/a/path?',
    '/a/path?b=/c//d%65?e=f',
    '/a/b/of/c',
    'http://as.test/a/path',
    'HTTPS://as.test:1/a/path?x',
    'http://as.test/a/b/of/c',
  ])('%s answers', async (path) => {
    expect(await status(path)).toBe(200);
  });

  it.each([
    '/a/pat%68',
    '/a/%70ath?b=c',
    '/%61/path',
    'http://as.test/a/pat%68',
    '/a/%62/of/c',
    '/a/b/%6ff/c',
    '/a/b/of/%63',
    // In the path it belongs to the path.
    '/http://as.test/a/path',
    '/nothing',
  ])('%s is not found', async (path) => {
    expect(await status(path)).toBe(404);
    expect(lines().at(-1)).toMatchObject({ msg: 'refused', reason: 'no_such_route' });
  });
});

describe('the frame is registered in a valid order', () => {
  it('exact paths need the headers and the 404 page', async () => {
    await expect((async () => app.register(exactPath))()).rejects.toThrow(/security-headers|error-handler/);
  });
  it.each([
    ['security-headers', () => app.register(errorHandler)],
    ['error-handler', () => app.register(securityHeaders, { issuer: 'https://as.test' })],
  ])('without %s it does not start', async (missing, register) => {
    await register();
    await expect((async () => app.register(exactPath))()).rejects.toThrow(missing);
  });
});

describe('bodies and queries', () => {
  beforeEach(async () => {
    await app.register(errorHandler);
    await app.register(formBodies);
    app.post('/', (request, reply) => reply.send({ body: bodyOf(request.body), query: queryOf(request) }));
  });
  const send = (payload: string | Buffer, type: string, url = '/') =>
    app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload });

  it('are passed on verbatim, repeated parameters and broken bytes included', async () => {
    const bytes = Buffer.concat([Buffer.from('a=1&a=2&b=%zz+&c='), Buffer.from([0xff, 0xc3, 0xa9])]);
    const reply = await send(bytes, 'application/x-www-form-urlencoded', '/?x=1&x=%31?y=/&');
    expect(reply.json()).toEqual({ body: 'a=1&a=2&b=%zz+&c=\u00ff\u00c3\u00a9', query: 'x=1&x=%31?y=/&' });
    const typed = await send('a=b', 'application/x-www-form-urlencoded; charset=UTF-8');
    expect(typed.json()).toEqual({ body: 'a=b', query: '' });
  });
  it('are empty when none was sent', async () => {
    expect((await app.inject({ method: 'POST', url: '/' })).json()).toEqual({ body: '', query: '' });
    expect(bodyOf({ a: 'b' })).toBe('');
  });
  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])('%s is not read', async (type) => {
    expect((await send('{}', type)).statusCode).toBe(415);
  });
});

describe('the log line of a request', () => {
  it('has method, route, status and time, and the facts of the route', async () => {
    app.get('/:id', (request, reply) => {
      Object.defineProperty(reply, 'elapsedTime', { value: 12.345 });
      if (request.url.includes('silent')) return reply.code(204).send();
      setLogLine(request, 'refused', { reason: 'x' });
      setLogLine(request, 'done', { clientId: 'c' }, 'warn');
      return reply.send({});
    });
    await app.inject('/a-value?code=another');
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 40,
        msg: 'done',
        method: 'GET',
        route: '/:id',
        status: 200,
        milliseconds: 12.3,
        clientId: 'c',
      }),
    ]);
    expect(lines()[0]).not.toHaveProperty('reason');
    await app.inject({ method: 'GET', url: '/silent' });
    expect(lines()[1]).toMatchObject({ level: 30, msg: 'answered', route: '/:id', status: 204 });
    await app.inject({ method: 'GET', url: '/no/thing' });
    expect(lines()[2]).toMatchObject({ level: 30, msg: 'answered', route: 'no route', status: 404 });
    expect(JSON.stringify(lines())).not.toMatch(/a-value|another|silent/);
  });

  it('is info where the route sets no level', async () => {
    app.get('/', (request, reply) => {
      setLogLine(request, 'done', {});
      return reply.send({});
    });
    await app.inject('/');
    expect(lines()).toEqual([expect.objectContaining({ level: 30, msg: 'done' })]);
  });
});

describe('while the server closes', () => {
  it('a request in flight gets its answer, and its connection ends with it; before, connections are kept', async () => {
    await app.register(closeConnectionsWhenClosing);
    const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const begun = Promise.withResolvers<void>();
    app.addHook('preClose', (done) => {
      begun.resolve();
      done();
    });
    app.get('/', (_, reply) => reply.send({ kept: true }));
    app.get('/slow', async () => {
      arrived.resolve();
      await gate.promise;
      return { answered: true };
    });
    expect((await app.inject('/')).headers['connection']).toBe('keep-alive');
    const slow = app.inject('/slow').then((reply) => reply);
    await arrived.promise;
    const closing = app.close();
    await begun.promise;
    gate.resolve();
    const reply = await slow;
    expect(reply.headers['connection']).toBe('close');
    expect(reply.json()).toEqual({ answered: true });
    await closing;
  });
});
