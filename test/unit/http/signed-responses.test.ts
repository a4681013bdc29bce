/** Signed authorization responses (JARM): `response_mode` jwt, query.jwt and form_post.jwt. */
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  REDIRECT_URI,
  type TestClient,
} from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(anyDatabase);
});
afterAll(() => scene.close());

async function verified(response: string, client: Pick<TestClient, 'clientId'>, alg = 'RS256') {
  const jwks = (await scene.app.inject('/.well-known/jwks.json')).json();
  const { payload, protectedHeader } = await jwtVerify(response, createLocalJWKSet(jwks), {
    issuer: ISSUER,
    audience: client.clientId,
    currentDate: scene.clock.now(),
    algorithms: [alg],
  });
  expect(protectedHeader.kid).toBeDefined();
  return payload;
}

/** The one parameter of a response in the query. */
function responseIn(url: string): string {
  expect([...new URL(url).searchParams.keys()]).toEqual(['response']);
  return new URL(url).searchParams.get('response') ?? '';
}

describe('a signed response', () => {
  it.each(['jwt', 'query.jwt'])('has code, state and issuer in one JWT in the query: %s', async (response_mode) => {
    const pkce = makePkce();
    const { url } = await goThrough(scene.browser, authorizeUrl(scene.client, pkce, { response_mode }), scene.user);
    expect(url.startsWith(`${REDIRECT_URI}?`)).toBe(true);
    const claims = await verified(responseIn(url), scene.client);
    expect(Object.keys(claims).sort()).toEqual(['aud', 'code', 'exp', 'iss', 'state']);
    expect(claims).toMatchObject({ iss: ISSUER, aud: scene.client.clientId, state: 'a-state' });
    const lives = (claims.exp ?? 0) - scene.clock.now().getTime() / 1000;
    expect(lives).toBeGreaterThan(0);
    expect(lives).toBeLessThanOrEqual(600);
    const { status } = await exchange(scene, scene.client, { code: String(claims['code']), verifier: pkce.verifier });
    expect(status).toBe(200);
  });

  it('is posted by the browser with form_post.jwt', async () => {
    const url = authorizeUrl(scene.client, makePkce(), { response_mode: 'form_post.jwt' });
    const { body } = await goThrough(scene.browser, url, scene.user);
    const { action, fields } = formOf(body);
    expect(action).toBe(REDIRECT_URI);
    expect([...new URLSearchParams(fields as never).keys()]).toEqual(['response']);
    expect(await verified(new URLSearchParams(fields as never).get('response') ?? '', scene.client)).toMatchObject({
      state: 'a-state',
    });
  });

  it.each<[string, Readonly<Record<string, string | undefined>>, string]>([
    ['before a sign-in', { scope: 'fly' }, 'invalid_scope'],
    ['without a page', { prompt: 'none' }, 'login_required'],
  ])('has an error too: %s', async (_, change, error) => {
    const url = authorizeUrl(scene.client, makePkce(), { response_mode: 'jwt', ...change });
    const reply = await new Browser(scene.app).send('GET', url, null);
    const claims = await verified(responseIn(String(reply.headers['location'])), scene.client);
    expect(claims).toMatchObject({ error, state: 'a-state', iss: ISSUER });
    expect(claims['code']).toBeUndefined();
  });

  it('has the refusal of the end-user', async () => {
    const url = authorizeUrl(scene.other, makePkce(), { response_mode: 'jwt' });
    const { url: back } = await goThrough(new Browser(scene.app), url, scene.user, 'deny');
    expect(await verified(responseIn(back), scene.other)).toMatchObject({ error: 'access_denied' });
  });

  it('is signed as the client registered', async () => {
    const client = await makeClient(scene, { authorizationSignedResponseAlg: 'ES256' });
    const { url } = await goThrough(
      scene.browser,
      authorizeUrl(client, makePkce(), { response_mode: 'jwt' }),
      scene.user,
    );
    expect(decodeProtectedHeader(responseIn(url)).alg).toBe('ES256');
    expect(await verified(responseIn(url), client, 'ES256')).toMatchObject({ state: 'a-state' });
  });

  it('is no ID Token hint', async () => {
    const { url } = await goThrough(
      scene.browser,
      authorizeUrl(scene.client, makePkce(), { response_mode: 'jwt' }),
      scene.user,
    );
    expect(decodeJwt(responseIn(url)).sub).toBeUndefined();
    const hinted = authorizeUrl(scene.client, makePkce(), { id_token_hint: responseIn(url) });
    const reply = await scene.browser.send('GET', hinted, null);
    expect(new URL(String(reply.headers['location'])).searchParams.get('error')).toBe('invalid_request');
  });

  it.each(['fragment', 'fragment.jwt', 'web_message', '__proto__', 'toString'])(
    'is not sent in the mode %s, and the error is in the query',
    async (response_mode) => {
      const reply = await new Browser(scene.app).send(
        'GET',
        authorizeUrl(scene.client, makePkce(), { response_mode }),
        null,
      );
      expect(new URL(String(reply.headers['location'])).searchParams.get('error')).toBe('invalid_request');
    },
  );
});
