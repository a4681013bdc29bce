/** Step-up (RFC 9470) of clients that introduced themselves: the challenge of an API, the new sign-in, and the token that suffices. */
import fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fastifyGuard } from '../../../src/guard/fastify.ts';
import { authorizeUrl, exchange, makePkce, makeUser, PASSWORD, type TestClient } from '../../support/actors.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { API, clientAt, DOCUMENT_URL, openDocumentScene } from '../../support/client-documents.ts';
import { acceptingRegistrations, clientOf, register } from '../../support/client-registrations.ts';
import { testClock } from '../../support/clock.ts';
import { enrol } from '../../support/factors.ts';
import { injecting } from '../../support/injecting.ts';
import { openIntroductionScene } from '../../support/introduced-clients.ts';

const MULTI_FACTOR = 'urn:statehouse:acr:multi-factor';

async function described() {
  return { scene: await openDocumentScene(), client: clientAt(DOCUMENT_URL) };
}

async function registered() {
  const clock = testClock();
  const scene = await openIntroductionScene({ clock, configuration: acceptingRegistrations() });
  return { scene: { ...scene, clock }, client: clientOf(await register(scene)) };
}

async function protectedApi({ scene }: Awaited<ReturnType<typeof described | typeof registered>>) {
  const api = fastify();
  onTestFinished(() => api.close());
  await api.register(fastifyGuard, {
    issuer: scene.issuer,
    resource: API,
    fetch: injecting(scene.app),
    now: () => scene.clock.now(),
  });
  const config = { scopes: ['read'], acrValues: [MULTI_FACTOR], maxAgeSeconds: 300 };
  api.get('/transfers', { config }, async () => ({ done: true }));
  return async (accessToken = '') => {
    const reply = await api.inject({ url: '/transfers', headers: { authorization: `Bearer ${accessToken}` } });
    const challenge = String(reply.headers['www-authenticate']);
    const parameter = (name: string) => new RegExp(`[ ,]${name}="([^"]*)"`).exec(challenge)?.[1];
    return {
      status: reply.statusCode,
      error: parameter('error'),
      acr: parameter('acr_values'),
      age: parameter('max_age'),
    };
  };
}

describe.each([
  ['a document describes', described],
  ['registered itself', registered],
])('a client that %s', (_, open) => {
  it('gets from the challenge of an API to a token with a second factor, and later to a more recent one', async () => {
    const opened = await open();
    const { scene, client } = opened;
    const call = await protectedApi(opened);
    const user = await makeUser(scene);
    const { app } = await enrol(scene, new Browser(scene.app), user);
    const browser = new Browser(scene.app);

    /** Through the pages, with each proof that one asks for. @returns the access token, and the pages. */
    async function signedIn(by: TestClient, parameters: Record<string, string> = {}) {
      const pkce = makePkce();
      const pages: string[] = [];
      let at: Answer = await browser.get(authorizeUrl(by, pkce, { scope: 'read', resource: API, ...parameters }));
      for (const [name, fields] of [
        ['password', () => ({ username: user.username, password: PASSWORD })],
        ['code', () => ({ code: app.codeAt(scene.clock.now()) })],
        ['decision', () => ({ decision: 'approve' })],
      ] as const) {
        if (!at.body.includes(`name="${name}"`)) continue;
        pages.push(name);
        at = await browser.submit(at, fields());
      }
      const code = URL.canParse(at.url) ? (new URL(at.url).searchParams.get('code') ?? '') : '';
      const { json } = await exchange(scene, by, { code, verifier: pkce.verifier });
      return { accessToken: json.access_token, pages };
    }

    const first = await signedIn(client);
    expect(first.pages).toEqual(['password', 'code', 'decision']);
    expect((await call(first.accessToken)).status).toBe(200);

    scene.clock.advanceSeconds(301 + 5);
    const again = await signedIn(client);
    expect(again.pages).toEqual(['decision']);
    const refused = await call(again.accessToken);
    expect(refused).toEqual({ status: 401, error: 'insufficient_user_authentication', acr: MULTI_FACTOR, age: '300' });

    const stepped = await signedIn(client, { acr_values: refused.acr ?? '', max_age: refused.age ?? '' });
    expect(stepped.pages).toEqual(['password', 'code', 'decision']);
    expect((await call(stepped.accessToken)).status).toBe(200);
    // The earlier token has not become stronger.
    expect((await call(again.accessToken)).status).toBe(401);
  });

  it('gets no redirect with the error where its end-user cannot step up', async () => {
    const { scene, client } = await open();
    const browser = new Browser(scene.app);
    const page = await browser.get(
      authorizeUrl(client, makePkce(), { scope: 'read', acr_values: MULTI_FACTOR, prompt: 'none' }),
    );
    expect(page.status).toBe(400);
    expect(page.headers).not.toHaveProperty('location');
  });
});
