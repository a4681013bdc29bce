/** The public documents: keys, health, the first page. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Configuration } from '../../../../src/config/configuration.ts';
import type { KeyRing } from '../../../../src/crypto/signing-keys.ts';
import { errorHandler } from '../../../../src/http/error-handler.ts';
import { type DatabaseStanding, healthRoutes } from '../../../../src/http/health-routes.ts';
import { type HomeRouteOptions, homeRoute } from '../../../../src/http/home-route.ts';
import { jwksRoute } from '../../../../src/http/jwks-route.ts';
import { type BareApp, bareApp } from '../../../support/bare-app.ts';

let app: FastifyInstance;
let lines: BareApp['lines'];
beforeEach(async () => {
  ({ app, lines } = await bareApp());
  await app.register(errorHandler);
});
afterEach(() => app.close());

describe('the keys', () => {
  let published: readonly object[];
  let maxAge: number;
  beforeEach(async () => {
    published = [{ kid: 'a' }];
    maxAge = 300;
    const keyRing = { published: () => published } as unknown as KeyRing;
    const configuration = () => ({ signingKeys: { jwksMaxAgeSeconds: maxAge } }) as unknown as Configuration;
    await app.register(jwksRoute, { keyRing, configuration });
  });
  const get = async (ifNoneMatch?: string, method: 'GET' | 'HEAD' = 'GET') => {
    const headers = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
    const reply = await app.inject({ method, url: '/.well-known/jwks.json', headers });
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    return { status: reply.statusCode, headers: reply.headers, body: reply.body, etag: String(reply.headers['etag']) };
  };
  const etagOf = (body: string) => `"${createHash('sha256').update(body).digest('base64url')}"`;

  it('are cached for as long as the policy says now', async () => {
    const { status, headers, body, etag } = await get();
    expect({ status, body }).toEqual({ status: 200, body: '{"keys":[{"kid":"a"}]}' });
    expect(etag).toBe(etagOf(body));
    expect(headers).toMatchObject({
      'content-type': 'application/jwk-set+json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    });
    maxAge = 60;
    expect((await get()).headers['cache-control']).toBe('public, max-age=60');
    expect(await get(undefined, 'HEAD')).toMatchObject({ status: 200, body: '', etag });
  });

  it('change when a key is added', async () => {
    const before = await get();
    published = [{ kid: 'a' }, { kid: 'b' }];
    const after = await get(before.etag);
    expect(after).toMatchObject({ status: 200, body: '{"keys":[{"kid":"a"},{"kid":"b"}]}' });
    expect(after.etag).toBe(etagOf(after.body));
  });

  it.each([
    ['the same', (etag: string) => etag, 304],
    ['made weak by a proxy', (etag: string) => `W/${etag}`, 304],
    ['one of several', (etag: string) => `"x", W/"y" ,${etag}`, 304],
    ['several, weak', (etag: string) => `"x",  W/${etag}`, 304],
    ['anything', () => '*', 304],
    ['none', () => '', 200],
    ['another', () => '"x"', 200],
    ['weak in another case', (etag: string) => `w/${etag}`, 200],
    ['with the mark of weakness inside it', (etag: string) => `${etag.slice(0, 5)}W/${etag.slice(5)}`, 200],
    ['a part', (etag: string) => etag.slice(0, -1), 200],
    ['with something before it', (etag: string) => `xW/${etag}`, 200],
    ['without its quotes', (etag: string) => etag.replaceAll('"', ''), 200],
  ])('are not sent again to a cache that has them: %s', async (_, sent, status) => {
    const { etag, body } = await get();
    const again = await get(sent(etag));
    expect(again).toMatchObject({ status, body: status === 304 ? '' : body, etag });
    expect(again.headers['cache-control']).toBe('public, max-age=300');
  });
});

describe('health', () => {
  let standing: DatabaseStanding;
  let canSign: boolean;
  let isBusy: boolean;
  let looks: number;
  beforeEach(async () => {
    [standing, canSign, isBusy, looks] = ['available', true, false, 0];
    await app.register(healthRoutes, {
      isOverloaded: () => isBusy,
      checkSigning: async () => {
        if (!canSign) throw new Error('no keys');
      },
      databaseHealth: {
        last: () => standing,
        look: async () => {
          looks += 1;
          return standing;
        },
        close: () => {},
      },
    });
  });
  const get = async (what: string, method: 'GET' | 'HEAD' = 'GET') => {
    const { statusCode: status, headers, body } = await app.inject({ method, url: `/health/${what}` });
    expect(headers['cache-control']).toBe('no-store');
    return { status, retryAfter: headers['retry-after'], json: body === '' ? null : JSON.parse(body) };
  };
  it.each([
    ['live', { status: 'live' }],
    ['ready', { status: 'ready', database: 'available' }],
    ['database', { status: 'available' }],
  ])('%s: 200 in normal operation', async (what, json) => {
    expect(await get(what)).toEqual({ status: 200, retryAfter: undefined, json });
    expect(await get(what, 'HEAD')).toEqual({ status: 200, retryAfter: undefined, json: null });
    expect(lines().every(({ level }) => level === 30)).toBe(true);
  });
  it('ready sends no query while the database answered recently', async () => {
    await get('ready');
    expect(looks).toBe(0);
  });
  it('ready while it is overloaded: others would get more load without it', async () => {
    isBusy = true;
    const json = { status: 'overloaded', database: 'available' };
    expect(await get('ready')).toEqual({ status: 200, retryAfter: undefined, json });
    expect((await get('live')).json).toEqual({ status: 'live' });
  });
  it.each(['not reachable', 'not writable'] as const)('ready although the database is %s', async (away) => {
    standing = away;
    expect((await get('live')).status).toBe(200);
    expect(await get('ready')).toEqual({
      status: 200,
      retryAfter: undefined,
      json: { status: 'ready', database: away },
    });
    expect(looks).toBe(1);
    const json = { status: 'unavailable', reason: away };
    expect(await get('database')).toEqual({ status: 503, retryAfter: '1', json });
    expect((await get('database', 'HEAD')).status).toBe(503);
  });
  it('not ready while it cannot sign', async () => {
    canSign = false;
    const json = { status: 'not ready', reason: 'signing keys' };
    expect(await get('ready')).toEqual({ status: 503, retryAfter: '1', json });
    const warned = expect.objectContaining({ level: 40, msg: 'not ready', err: expect.anything() });
    expect(lines()).toContainEqual(warned);
  });
});

describe('the first page', () => {
  const withoutStyle = (body: string) => body.replace(/<style>.*<\/style>/s, '');
  const demo = { username: 'the-demo', password: 'the-password' };
  const open = async (options: Partial<HomeRouteOptions>, url = '/', host = 'as.test', prefix = '') => {
    await app.register(homeRoute, { issuer: 'https://as.test', production: true, demo: null, ...options, prefix });
    const { statusCode, headers, body } = await app.inject({ url, headers: { host } });
    return { status: statusCode, cache: headers['cache-control'], body: withoutStyle(body) };
  };
  it('in production: a description and links', async () => {
    const { status, cache, body } = await open({});
    expect({ status, cache }).toEqual({ status: 200, cache: 'no-store' });
    expect(body).toContain('<strong>https://as.test</strong>');
    expect(body).toContain('href="/account"');
    expect(body).toContain('href="/.well-known/openid-configuration"');
    expect(body).not.toMatch(/href="\/playground"|docs\/|password/);
  });
  it('otherwise: the guides too', async () => {
    const { body } = await open({ production: false });
    expect(body).toContain('docs/connecting-a-client.md');
    expect(body).toContain('href="/.well-known/openid-configuration"');
    expect(body).not.toMatch(/href="\/playground"|password/);
  });
  it('the demo’s password, under the server’s own name only', async () => {
    const { body } = await open({ demo });
    expect(body).toContain('href="/playground"');
    for (const one of Object.values(demo)) expect(body).toContain(`<code>${one}</code>`);
    for (const host of ['rebound.test', 'as.test:3000', 'as.test.rebound.test']) {
      const rebound = await app.inject({ url: '/', headers: { host } });
      expect(rebound.statusCode).toBe(200);
      expect(withoutStyle(rebound.body)).not.toMatch(/playground|the-password/);
    }
  });
  it('under the path of the issuer, without a slash at its end', async () => {
    const { status, body } = await open({ issuer: 'https://as.test/login', demo }, '/login', 'as.test', '/login');
    expect(status).toBe(200);
    for (const path of ['/login/account', '/login/playground']) expect(body).toContain(`href="${path}"`);
    for (const url of ['/login/', '/']) expect((await app.inject(url)).statusCode).toBe(404);
  });
});
