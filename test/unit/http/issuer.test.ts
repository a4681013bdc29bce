/** The issuer determines paths, cookies, and the name in every response. */
import { decodeJwt } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { authorizeUrl, goThrough, makePkce, PASSWORD, type TestClient } from '../../support/actors.ts';
import { Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

describe('an issuer', () => {
  let scene: Scene;
  afterEach(() => scene.close());
  const open = async (issuer: string) => {
    scene = await openScene(anyDatabase, { issuer });
  };

  it.each(['https://as.test/tenant', 'https://as.test/a/b', 'https://as.test/tenant/'])(
    'with a path: %s',
    async (issuer) => {
      await open(issuer);
      const base = issuer.replace(/\/$/, '');
      const path = new URL(base).pathname;
      for (const url of [
        `/.well-known/oauth-authorization-server${path}`,
        `${path}/.well-known/oauth-authorization-server`,
        `/.well-known/openid-configuration${path}`,
        `${path}/.well-known/openid-configuration`,
      ]) {
        expect((await scene.app.inject(url)).json()).toMatchObject({
          issuer,
          authorization_endpoint: `${base}/oauth/authorize`,
          token_endpoint: `${base}/oauth/token`,
          jwks_uri: `${base}/.well-known/jwks.json`,
        });
      }
      expect((await scene.app.inject('/.well-known/oauth-authorization-server')).statusCode).toBe(404);
      expect((await scene.app.inject(`${path}/.well-known/jwks.json`)).json().keys).toHaveLength(2);
      const guarded = await scene.app.inject(`/.well-known/oauth-protected-resource${path}/oauth/userinfo`);
      expect(guarded.json()).toMatchObject({ resource: `${base}/oauth/userinfo`, authorization_servers: [issuer] });

      const pkce = makePkce();
      const browser = new Browser(scene.app);
      const back = await goThrough(browser, path + authorizeUrl(scene.client, pkce), scene.user);
      const answer = new URL(back.url).searchParams;
      expect(answer.get('iss')).toBe(issuer);
      const reply = await scene.app.inject({
        method: 'POST',
        url: `${path}/oauth/token`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(scene.client) },
        payload: new URLSearchParams({
          grant_type: 'authorization_code',
          code: answer.get('code') ?? '',
          code_verifier: pkce.verifier,
        }).toString(),
      });
      expect(reply.statusCode).toBe(200);
      expect(decodeJwt(reply.json().access_token).iss).toBe(issuer);
      // And not beside it.
      expect((await scene.app.inject({ method: 'POST', url: '/oauth/token' })).statusCode).toBe(404);
      expect((await scene.app.inject('/health/ready')).statusCode).toBe(200);
    },
  );

  it('under https: cookies that only this host over https receives', async () => {
    await open('https://as.test');
    const cookies = await cookiesOfASignIn(scene);
    expect(Object.keys(cookies).sort()).toEqual([
      '__Host-statehouse-browser',
      '__Host-statehouse-device',
      '__Host-statehouse-session',
    ]);
    for (const attributes of Object.values(cookies))
      expect(attributes.filter((one) => !one.startsWith('Max-Age='))).toEqual([
        'HttpOnly',
        'Path=/',
        'SameSite=Lax',
        'Secure',
      ]);
    expect((await scene.app.inject('/oauth/authorize')).headers).toHaveProperty('strict-transport-security');
  });

  it('under http on the loopback: the same without Secure, which browsers would not return', async () => {
    await open('http://localhost:3000');
    const cookies = await cookiesOfASignIn(scene);
    expect(Object.keys(cookies).sort()).toEqual(['statehouse-browser', 'statehouse-device', 'statehouse-session']);
    for (const attributes of Object.values(cookies))
      expect(attributes.filter((one) => !one.startsWith('Max-Age='))).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax']);
    expect((await scene.app.inject('/oauth/authorize')).headers).not.toHaveProperty('strict-transport-security');
  });

  it('ignores cookies under the other name, or of another format', async () => {
    await open('https://as.test');
    const browser = new Browser(scene.app);
    await goThrough(browser, authorizeUrl(scene.client, makePkce()), scene.user);
    const session = browser.cookies.get('__Host-statehouse-session') ?? '';
    for (const [name, value] of [
      ['statehouse-session', session],
      ['__Host-statehouse-session', `${session}A`],
      ['__Host-statehouse-session', session.slice(1)],
      ['__Host-statehouse-session', `"${session}"x`],
      ['__host-statehouse-session', session],
    ] as const) {
      const other = new Browser(scene.app);
      other.cookies.set(name, value);
      expect((await other.get(authorizeUrl(scene.client, makePkce()))).body).toContain('name="password"');
    }
  });

  it.each([
    ['https://as.test', '"cache", "storage"'],
    // The origin is not ours alone: other applications of it keep what they stored.
    ['https://as.test/tenant', '"cache"'],
    ['https://as.test/a/b/', '"cache"'],
  ])("%s: a sign-out clears the server's own data, and none of the origin beside it", async (issuer, cleared) => {
    await open(issuer);
    const path = new URL(issuer).pathname.replace(/\/$/, '');
    const browser = new Browser(scene.app);
    await browser.submit(await browser.get(`${path}/sign-in`), { username: scene.user.username, password: PASSWORD });
    const asked = await browser.get(`${path}/oauth/logout`);
    expect(asked.headers['clear-site-data']).toBeUndefined();
    const { action, fields } = formOf(asked.body);
    const done = await browser.send('POST', action, new URLSearchParams({ ...fields, decision: 'approve' }).toString());
    expect(done.headers['clear-site-data']).toBe(cleared);
  });
});

const basic = ({ clientId, secret }: TestClient) => `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;

/** Name → attributes, sorted, of every cookie that was set on the way. */
async function cookiesOfASignIn(scene: Scene): Promise<Record<string, string[]>> {
  const browser = new Browser(scene.app);
  const begun = await browser.send('GET', authorizeUrl(scene.client, makePkce()), null);
  const page = await browser.send('GET', String(begun.headers['location']), null);
  const { action, fields } = formOf(page.body);
  const form = new URLSearchParams({ ...fields, username: scene.user.username, password: PASSWORD });
  const signedIn = await browser.send('POST', action, form.toString());
  const set = [begun, page, signedIn].flatMap(({ headers }) => headers['set-cookie'] ?? []).map(String);
  return Object.fromEntries(
    set.map((cookie) => {
      const [pair = '', ...attributes] = cookie.split('; ');
      return [pair.split('=')[0] ?? '', attributes.sort()];
    }),
  );
}
