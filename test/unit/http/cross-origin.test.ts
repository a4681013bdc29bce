/** CORS: scripts of registered apps may read what their endpoints answer, on registered origins and nowhere else. */

import type { HTTPMethods } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AppDeps } from '../../../src/boot/wiring.ts';
import { authorizeUrl, makeClient, makePkce, type TestClient, token } from '../../support/actors.ts';
import { deleteClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const ENDPOINTS = [
  ['/oauth/token', 'POST', [400, 400, 400, 400, 400, 413, 405, 405]],
  ['/oauth/par', 'POST', [400, 401, 401, 400, 400, 413, 405, 405]],
  ['/oauth/revoke', 'POST', [200, 401, 400, 400, 400, 413, 405, 405]],
  ['/oauth/userinfo', 'GET, POST', [401, 401, 400, 401, 415, 413, 405, 405]],
] as const;
const ORIGIN = 'https://photos.test';
const isCors = ([name]: readonly [string, unknown]) => name.startsWith('access-control-');

describe.each(databaseKinds)('CORS (%s)', (kind) => {
  let scene: Scene;
  let app: TestClient;
  const origins = vi.fn<() => void>();
  beforeAll(async () => {
    scene = await openScene(kind, {
      change: (deps: AppDeps) => ({
        ...deps,
        isBrowserOrigin: (origin: string) => {
          origins();
          return deps.isBrowserOrigin(origin);
        },
      }),
    });
    app = await makeClient(scene, {
      tokenEndpointAuthMethod: 'none',
      redirectUris: [
        `${ORIGIN}/callback`,
        'http://localhost:5173/callback',
        'https://Shop.Test:443/x?y',
        'com.example:/cb',
      ],
    });
    await makeClient(scene, { redirectUris: ['https://confidential.test/callback'] });
    await makeClient(scene, {
      tokenEndpointAuthMethod: 'none',
      applicationType: 'native',
      redirectUris: ['http://127.0.0.1/callback', 'https://native.test/callback'],
    });
  });
  afterAll(() => scene.close());

  async function ask(url: string, method: HTTPMethods, headers: Readonly<Record<string, string>>, payload?: string) {
    const reply = await scene.app.inject({
      method: method as 'POST',
      url,
      headers: { ...headers, ...(payload !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) },
      ...(payload !== undefined && { payload }),
    });
    const cors = Object.fromEntries(Object.entries(reply.headers).filter(isCors));
    return { status: reply.statusCode, cors, vary: reply.headers['vary'], headers: reply.headers, body: reply.body };
  }
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const READABLE = {
    'access-control-allow-origin': ORIGIN,
    'access-control-expose-headers': 'www-authenticate, retry-after, dpop-nonce',
  };

  describe.each(ENDPOINTS)('%s', (url, methods, expected) => {
    it('a preflight of a registered origin: 204, for these methods and headers, without credentials', async () => {
      expect(await ask(url, 'OPTIONS', { origin: ORIGIN, ...asked })).toMatchObject({
        status: 204,
        body: '',
        vary: 'Origin',
        cors: {
          ...READABLE,
          'access-control-allow-methods': methods,
          'access-control-allow-headers': 'authorization, content-type, dpop',
          'access-control-max-age': '3600',
        },
      });
    });

    it.each([ORIGIN, 'http://localhost:5173', 'https://shop.test'])(
      'answers and errors are readable for %s',
      async (origin) => {
        const statuses: number[] = [];
        for (const [method, more, payload] of [
          ['POST', {}, `client_id=${app.clientId}&token=x`],
          ['POST', {}, ''],
          ['POST', {}, 'token=%00&access_token=%00'],
          ['POST', {}],
          ['POST', { 'content-type': 'text/plain' }],
          ['POST', {}, 'x'.repeat(40_000)],
          ['PUT', {}],
          // An OPTIONS without a requested method is no preflight.
          ['OPTIONS', {}],
        ] as const) {
          const reply = await ask(url, method, { origin, ...more }, payload);
          expect(reply).toMatchObject({ cors: { ...READABLE, 'access-control-allow-origin': origin }, vary: 'Origin' });
          statuses.push(reply.status);
        }
        expect(statuses).toEqual(expected);
      },
    );

    it.each([
      'https://evil.test',
      'null',
      '*',
      '',
      'http://photos.test',
      'https://photos.test:8443',
      'https://photos.test.evil.test',
      'https://sub.photos.test',
      'https://photos.test/',
      'HTTPS://PHOTOS.TEST',
      'https://photos.test, https://evil.test',
      'com.example:',
      // A confidential client calls from its server, a native one from its device.
      'https://confidential.test',
      'https://native.test',
      'http://127.0.0.1',
    ])('no headers for %j', async (origin) => {
      for (const reply of [
        await ask(url, 'OPTIONS', { origin, ...asked }),
        await ask(url, 'POST', { origin }, `client_id=${app.clientId}&token=x`),
        await ask(url, 'POST', { origin }, ''),
      ]) {
        expect(reply.cors).toEqual({});
        expect(reply.status).not.toBe(204);
      }
    });

    it('without an Origin no lookup and no headers; OPTIONS is no method', async () => {
      origins.mockClear();
      const options = await ask(url, 'OPTIONS', asked);
      expect(options.status).toBe(405);
      expect(options.headers['allow']).toBe(methods);
      const post = await ask(url, 'POST', {}, '');
      for (const reply of [options, post]) {
        expect(reply.cors).toEqual({});
        expect(reply.vary).toBeUndefined();
      }
      expect(origins).not.toHaveBeenCalled();
    });

    // An embedded database is in this process: it does not go away.
    if (kind === 'postgres')
      it('a 503 is readable too', async () => {
        const broken = await openScene(kind);
        await makeClient(broken, { tokenEndpointAuthMethod: 'none', redirectUris: [`${ORIGIN}/callback`] });
        const { json } = await token(broken, broken.client, { grant_type: 'client_credentials' });
        const send = () =>
          broken.app.inject({
            method: 'POST',
            url,
            headers: { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
            payload: `client_id=x&token=x&grant_type=client_credentials&access_token=${json.access_token}`,
          });
        expect([401, 403]).toContain((await send()).statusCode);
        await broken.database.close();
        // Known origins are still known, after any time.
        for (const seconds of [0, 11, 3600]) {
          broken.clock.advanceSeconds(seconds);
          const reply = await send();
          expect(reply.statusCode).toBe(503);
          expect(reply.headers).toMatchObject({ ...READABLE, 'retry-after': '1', vary: 'Origin' });
        }
        await broken.app.close();
      });
  });

  it('never on the authorization endpoint, nor where no script calls', async () => {
    const url = authorizeUrl(app, makePkce());
    for (const [at, method] of [
      [url, 'GET'],
      [url, 'OPTIONS'],
      ['/oauth/authorize', 'POST'],
      ['/oauth/introspect', 'OPTIONS'],
      ['/oauth/introspect', 'POST'],
      ['/interactions/x', 'GET'],
      ['/nothing', 'OPTIONS'],
    ] as const) {
      expect((await ask(at, method, { origin: ORIGIN, ...asked })).cors).toEqual({});
    }
  });

  it('metadata and keys are readable for every origin', async () => {
    for (const url of ['/.well-known/oauth-authorization-server', '/.well-known/jwks.json']) {
      expect((await ask(url, 'GET', { origin: 'https://anywhere.test' })).cors).toEqual({
        'access-control-allow-origin': '*',
      });
    }
  });

  it('a new client is accepted within ten seconds, a deleted one rejected', async () => {
    const origin = 'https://new.test';
    const isLetIn = async () => (await ask('/oauth/token', 'OPTIONS', { origin, ...asked })).status === 204;
    scene.clock.advanceSeconds(10);
    expect(await isLetIn()).toBe(false);
    const { clientId } = await makeClient(scene, { tokenEndpointAuthMethod: 'none', redirectUris: [`${origin}/cb`] });
    scene.clock.advanceSeconds(9.999);
    expect(await isLetIn()).toBe(false);
    scene.clock.advanceSeconds(0.001);
    expect(await isLetIn()).toBe(true);
    await deleteClient(scene.database.drizzle, clientId);
    scene.clock.advanceSeconds(9.999);
    expect(await isLetIn()).toBe(true);
    scene.clock.advanceSeconds(0.001);
    expect(await isLetIn()).toBe(false);
  });
});
