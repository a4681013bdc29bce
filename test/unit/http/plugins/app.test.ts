/** The whole app as assembled, without a database: settings for all requests, and the routes. */
import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { SHIPPED_LIMITS } from '../../../../policies/limits-schema.ts';
import { NO_BRANDING } from '../../../../src/config/branding.ts';
import { rootKeys } from '../../../../src/crypto/root-secret.ts';
import { type AppOptions, buildApp } from '../../../../src/http/app.ts';
import { MAX_SEALED_CHARACTERS } from '../../../../src/protocol/sealed-interaction.ts';
import { makeLogger } from '../../../../src/system/logger.ts';
import { serversOwn, withServersOwnDeadlines } from '../../../support/patience.ts';
import { until } from '../../../support/until.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const DEMO = {
  username: 'demo',
  password: 'demo',
  app: { clientId: 'the-demo-app', redirectUri: 'https://as.test/cb' },
};

describe('the app', () => {
  let app: FastifyInstance;
  let lines: { readonly level: number; readonly msg: string; readonly address?: string }[];
  afterEach(() => app.close());

  async function open(change: Partial<AppOptions> = {}) {
    lines = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const options = {
      issuer: 'https://as.test',
      production: true,
      trustedProxies: [],
      logger: makeLogger({ level: 'trace', readable: false, destination }),
      keys: rootKeys(['a root secret for tests, of more than 32 bytes']),
      random: { bytes: (n: number) => Buffer.alloc(n, 1), uuid: randomUUID },
      checkSigning: async () => {},
      databaseHealth: { last: () => 'available', look: async () => 'available', close: () => {} },
      now: () => new Date(),
      isBrowserOrigin: async () => false,
      configuration: () => ({
        branding: NO_BRANDING,
        limits: SHIPPED_LIMITS,
        upstreams: [],
        delegatedSignIn: null,
        botCheck: null,
        signIn: { identifiers: 'username' },
      }),
      tokenRates: { client: { count: () => null }, address: { count: () => null } },
      endedChains: { find: () => null, remember: () => {} },
      demo: null,
      administration: async () => {},
      ...change,
    };
    // No request here reaches the missing database.
    app = await buildApp(options as unknown as AppOptions);
    app.get('/test/address', (request, reply) => reply.send(request.ip));
  }
  const get = (url: string, headers = {}) => app.inject({ url, headers, remoteAddress: '10.1.2.3' });

  it('takes the address from a configured proxy, and from no other', async () => {
    const forwarded = { 'x-forwarded-for': '192.0.2.9, 192.0.2.1' };
    await open();
    expect((await get('/test/address', forwarded)).body).toBe('10.1.2.3');
    await app.close();
    await open({ trustedProxies: ['10.0.0.0/8'] });
    expect((await get('/test/address', forwarded)).body).toBe('192.0.2.1');
    await app.close();
    await open({ trustedProxies: ['172.16.0.0/12'] });
    expect((await get('/test/address', forwarded)).body).toBe('10.1.2.3');
  });

  it('writes one log line per request', async () => {
    await open();
    await get('/health/live?x=y');
    expect(lines).toEqual([expect.objectContaining({ msg: 'answered', route: '/health/live', status: 200 })]);
  });

  it('reads bodies up to the maximum that any request needs', async () => {
    await open();
    const send = (length: number) =>
      app.inject({ method: 'POST', url: '/oauth/token', headers: FORM, payload: 'x'.repeat(length) });
    expect((await send(32_768)).statusCode).toBe(400);
    expect((await send(32_769)).statusCode).toBe(413);
  });

  it('limits the time for a request to arrive', async () => {
    await withServersOwnDeadlines(() => open());
    const { headersMilliseconds, bodyMilliseconds } = serversOwn;
    expect(app.server.headersTimeout).toBe(headersMilliseconds);
    expect(app.server.requestTimeout).toBe(headersMilliseconds + bodyMilliseconds);
    // Node looks for late requests at this interval; its own is 30 seconds.
    expect(app.server).toMatchObject({ connectionsCheckingInterval: 1000 });
  });

  it('has no default answer for a URL that cannot be decoded', async () => {
    await open();
    const { statusCode, headers, body } = await get('/%ff');
    expect([statusCode, body]).toEqual([400, '{"error":"invalid_request"}']);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('accepts names of interactions of the length that it assigns', async () => {
    await open();
    const named = (length: number) => get(`/interactions/${randomUUID()}.${'x'.repeat(length)}`);
    const words = 'Unknown sign-in';
    expect((await named(MAX_SEALED_CHARACTERS)).body).toContain(words);
    const longer = await named(MAX_SEALED_CHARACTERS + 1);
    expect(longer.statusCode).toBeGreaterThanOrEqual(400);
    expect(longer.body).not.toContain(words);
    const short = await app.inject({ url: '/interactions/x', headers: { accept: 'text/html' } });
    expect(short.body).toContain(words);
  });

  const STATUS = [
    ['GET', '/health/live', 200],
    ['GET', '/health/ready', 200],
    ['GET', '/health/database', 200],
    ['POST', '/oauth/token', 400],
    ['POST', '/oauth/revoke', 400],
    ['POST', '/oauth/introspect', 400],
    ['POST', '/oauth/userinfo', 401],
    ['GET', '/oauth/authorize', 400],
    ['PUT', '/oauth/logout', 405],
    ['GET', '/sign-in', 200],
    ['GET', '/interactions/x', 404],
    ['GET', '/permissions', 303],
  ] as const;
  it.each(['https://as.test', 'https://as.test/tenant', 'https://as.test/tenant/'])(
    'has the routes of %s',
    async (issuer) => {
      await open({ issuer });
      const path = new URL(issuer).pathname.replace(/\/$/, '');
      for (const [method, url, status] of STATUS) {
        const at = url.startsWith('/health') ? url : `${path}${url}`;
        const reply = await app.inject({ method, url: at, headers: { accept: 'text/html' } });
        expect([at, reply.statusCode]).toEqual([at, status]);
        expect(reply.body).not.toContain('Page not found');
        expect(reply.headers).toMatchObject({
          'x-frame-options': 'DENY',
          'strict-transport-security': 'max-age=31536000',
        });
      }
      const home = await get(path === '' ? '/' : path);
      expect(home.statusCode).toBe(200);
      expect(home.body).toContain(`href="${path}/account"`);
      const wellKnown = app.hasRoute({ method: 'GET', url: `/.well-known/openid-configuration${path}` });
      const keys = app.hasRoute({ method: 'GET', url: `${path}/.well-known/jwks.json` });
      expect({ wellKnown, keys }).toEqual({ wellKnown: true, keys: true });
      for (const url of [`${path}/oauth/authoriz%65`, `${path}/nothing`]) expect((await get(url)).statusCode).toBe(404);
      // No client requests pages by HEAD.
      expect((await app.inject({ method: 'HEAD', url: `${path}/permissions` })).statusCode).toBe(404);
    },
  );

  it('restricts the cookie of a page to TLS only where the issuer has TLS', async () => {
    await open();
    expect(String((await get('/sign-in')).headers['set-cookie'])).toMatch(/^__Host-.*; Secure/);
    await app.close();
    await open({ issuer: 'http://localhost:3000' });
    const local = (await get('/sign-in')).headers;
    expect(String(local['set-cookie'])).toMatch(/^statehouse-browser=/);
    expect(local['strict-transport-security']).toBeUndefined();
  });

  it('has a playground with demo data', async () => {
    await open();
    expect((await get('/playground')).statusCode).toBe(404);
    await app.close();
    await open({ demo: DEMO });
    const { statusCode, body } = await get('/playground');
    expect(statusCode).toBe(200);
    expect(body).toContain('https://as.test/oauth/authorize?');
    expect(body).toContain('the-demo-app');
  });

  it('answers requests in flight while it closes, and ends those connections', async () => {
    await open();
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    app.get('/test/slow', async () => {
      arrived.resolve();
      await gate.promise;
      return 'slow';
    });
    let closing = false;
    app.addHook('preClose', (done) => {
      closing = true;
      done();
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const received = new Map<Socket, string>();
    const begin = (text: string) => {
      const socket = connect(port, '127.0.0.1');
      received.set(socket, '');
      socket.on('data', (chunk) => received.set(socket, `${received.get(socket)}${chunk}`));
      socket.write(text);
      return socket;
    };
    const ended = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
    const half = begin('GET /health/live HTTP/1.1\r\nHost: as');
    const slow = begin('GET /test/slow HTTP/1.1\r\nHost: as.test\r\n\r\n');
    const bothEnded = Promise.all([ended(half), ended(slow)]);
    await arrived.promise;
    const closed = app.close();
    await until(() => closing);
    half.write('.test\r\n\r\n');
    await until(() => received.get(half)?.includes('live') ?? false);
    gate.resolve();
    await bothEnded;
    await closed;
    for (const socket of [half, slow]) {
      expect(received.get(socket)).toMatch(/^HTTP\/1\.1 200 /);
      expect(received.get(socket)?.toLowerCase()).toContain('\r\nconnection: close\r\n');
    }
  });
});
