/** Every route answers under its path as written, and under no other spelling: rules of a proxy compare the text. */

import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import type { FastifyServerOptions, HTTPMethods, RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { authorizeUrl, makePkce } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { upstreamOf } from '../../support/upstream.ts';

const registered = vi.hoisted((): RouteOptions[] => []);
vi.mock('fastify', async (original) => {
  const real = await original<typeof import('fastify')>();
  return {
    ...real,
    default: (options: FastifyServerOptions) => {
      const app = real.default(options);
      app.addHook('onRoute', (route) => void registered.push(route));
      return app;
    },
  };
});

const NAME = randomUUID();

const encoded = (character: string) => `%${character.charCodeAt(0).toString(16)}`;
/** The character at this place, percent-encoded in lower or upper case. */
const encodedAt = (path: string, at: number) => path.slice(0, at) + encoded(path.charAt(at)) + path.slice(at + 1);

const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  'its last character encoded': (path) => encodedAt(path, path.length - 1),
  'its first character encoded': (path) => encodedAt(path, 1),
  'a character in the middle encoded': (path) => encodedAt(path, path.length >> 1),
  'every character encoded': (path) => path.replace(/[^/]/g, encoded),
  'a slash encoded': (path) => encodedAt(path, path.lastIndexOf('/')),
  'a slash at the end': (path) => `${path}/`,
  'two slashes at the front': (path) => `/${path}`,
  'two slashes in it': (path) => path.replace(/(?<=.)\/|$/, '//'),
  'another case': (path) => path.toUpperCase(),
  'the case of one character': (path) => path.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase()),
  'a parameter of the path': (path) => `${path};a=b`,
  'a space at the end': (path) => `${path}%20`,
  'a double encoding': (path) => encodedAt(path, path.length - 1).replace('%', '%25'),
};

describe.each(['https://as.test', 'https://as.test/tenant'])('the routes of %s', (issuer) => {
  let scene: Scene;
  let routes: readonly { readonly method: HTTPMethods; readonly url: string }[];
  beforeAll(async () => {
    registered.length = 0;
    const app = { clientId: 'demo', clientName: 'Demo', redirectUri: `${issuer}/playground/callback` };
    const upstream = upstreamOf({ issuer: 'https://login.example', client_id: 'here' });
    scene = await openScene(anyDatabase, {
      issuer,
      // Without one, no user has linked identities.
      configuration: { ...shippedConfiguration, upstreams: [upstream] },
      // Without an administrator there is no console.
      operators: () => ({ operators: ['an-operator'], auditors: [], clients: [] }),
      change: (deps) => ({ ...deps, demo: { app, username: 'demo', password: 'demo' } }) as typeof deps,
    });
    // The name of a client or a grant may be anything: another spelling names another one, and both require a token first.
    const isNamed = (url: string) => /\/(?:management|oauth\/register)\/(?:.*\/)?:\w+$/.test(url);
    const answering = registered.filter(({ url }) => !isNamed(url));
    // They have no routes (src/management/other-methods.ts).
    const others = answering
      .filter(({ url }) => url.startsWith(`${new URL(issuer).pathname.replace(/\/$/, '')}/management/v1`))
      .flatMap(({ url }) => [{ method: ['OPTIONS', 'TRACE'], url }]);
    routes = [...answering, ...others].flatMap(({ method, url }) =>
      // A QUERY without a body is rejected before the match of its path.
      [method]
        .flat()
        .filter((one) => one !== 'QUERY')
        .map((one) => ({ method: one, url: url.replace(/:\w+/g, NAME) })),
    );
  });
  afterAll(() => scene.close());

  const ask = async (method: HTTPMethods, url: string) => {
    const reply = await scene.app.inject({
      method: method as 'GET',
      url,
      ...(method === 'POST' && {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'a=b',
      }),
    });
    return { status: reply.statusCode, body: reply.body, headers: reply.headers };
  };

  it('are all tested, pages, endpoints and documents', () => {
    const urls = new Set(routes.map(({ url }) => url.replace(new URL(issuer).pathname.replace(/\/$/, ''), '')));
    for (const url of ['/oauth/introspect', '/oauth/token', '/permissions', '/health/live', '/playground']) {
      expect([...urls].some((one) => one.startsWith(url))).toBe(true);
    }
    expect(routes.length).toBeGreaterThan(60);
  });

  it.each(Object.keys(SPELLINGS))('do not match %s', async (name) => {
    const spell = SPELLINGS[name] ?? String;
    const spelled = routes.filter(({ url }) => url !== '/' && spell(url) !== url);
    expect(spelled.length).toBeGreaterThan(30);
    for (const { method, url } of spelled) {
      const { status, headers } = await ask(method, spell(url));
      expect([method, spell(url), status]).toEqual([method, spell(url), 404]);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('match verbatim, with a query or in the absolute form', async () => {
    // Only the operator whom a link made sees the last page of the set-up.
    for (const { method, url } of routes.filter((one) => !one.url.endsWith('/operator/set-up/done'))) {
      const { status, body } = await ask(method, url);
      // The name or the link is unknown; the page of the route reports it.
      if (!url.includes(NAME) && !url.endsWith('/operator/set-up'))
        expect([method, url, status]).not.toEqual([method, url, 404]);
      expect(body).not.toContain('Page not found');
    }
    const path = new URL(issuer).pathname.replace(/\/$/, '');
    expect((await ask('GET', `${path}/oauth/authorize?x=%74/y//z`)).status).toBe(400);
    expect((await ask('GET', `https://anything.test${path}/oauth/authorize`)).status).toBe(400);
  });

  it('match a path that a client library would normalize as it was sent', async () => {
    const origin = await scene.app.listen({ port: 0, host: '127.0.0.1' });
    const status = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(origin);
        get({ hostname, port, path }, (reply) => resolve(reply.resume().statusCode)).on('error', reject);
      });
    expect(await status('/health/live')).toBe(200);
    expect(await status('/health/live?x=y')).toBe(200);
    expect(await status(`${origin}/health/live`)).toBe(200);
    for (const path of ['/health/./live', '/./health/live', '/x/../health/live', '/health/live#x', '//health/live'])
      expect([path, await status(path)]).toEqual([path, 404]);
  });

  it('include the exact name of an interaction', async () => {
    const path = new URL(issuer).pathname.replace(/\/$/, '');
    const browser = new Browser(scene.app);
    const signIn = await browser.get(path + authorizeUrl(scene.client, makePkce()));
    expect(signIn.status).toBe(200);
    const at = signIn.url.length - 20;
    expect((await browser.get(encodedAt(signIn.url, at))).status).toBe(404);
    expect((await browser.get(encodedAt(signIn.url, signIn.url.indexOf('.')))).status).toBe(404);
    expect((await browser.get(signIn.url)).status).toBe(200);
  });
});
