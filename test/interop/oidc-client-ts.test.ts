/** oidc-client-ts, the library of single-page apps, in a real browser: CORS decides which responses it may read. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeClient, makeUser, PASSWORD, type TestUser } from '../support/actors.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';
import { openSinglePageApp, type SinglePageApp } from './single-page-app.ts';

/** As the page shows it. */
type Shown = {
  readonly failed?: string;
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly profile?: Readonly<Record<string, unknown>>;
  readonly signedOut?: { readonly userState?: unknown };
  readonly user?: unknown;
};

describe.skipIf(chromiumPath === null)('oidc-client-ts in a real browser', () => {
  const judging = judged();
  let app: SinglePageApp;
  let stranger: SinglePageApp;
  let ada: TestUser;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    const { test } = judging.current;
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const client = await makeClient(test, {
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [`${origin}/callback`, `${origin}/silent`],
      postLogoutRedirectUris: [`${origin}/signed-out`],
    });
    ada = await makeUser(test, 'Ada', { email: 'ada@example.com' });
    app = await openSinglePageApp(port, test.issuer, client.clientId);
    stranger = await openSinglePageApp(await freePort(), test.issuer, client.clientId);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await stranger?.close();
  });
  beforeEach(async () => {
    context = await newContext(browser);
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const shown = async (): Promise<Shown> =>
    JSON.parse(await page.locator('output').filter({ hasText: /^\{/ }).innerText());
  const press = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    return shown();
  };

  async function signIn(): Promise<Shown> {
    await page.goto(app.origin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Username').fill(ada.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    // Once allowed, it is remembered.
    const allow = page.getByRole('button', { name: 'Allow' });
    await allow.or(page.locator('output')).first().waitFor();
    if (await allow.isVisible()) await allow.click();
    return shown();
  }

  it('signs in, and reads the subject from the UserInfo Endpoint', async () => {
    const user = await signIn();
    expect(user.profile).toMatchObject({ sub: ada.id, email: 'ada@example.com' });
    expect(user.access_token).toBeDefined();
  });

  it('renews by refresh token, without leaving the page', async () => {
    const first = await signIn();
    const second = await press('Renew');
    expect(second.refresh_token).toMatch(/^sh_rt_/);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.profile).toMatchObject({ sub: ada.id });
  });

  it('receives login_required in a frame: no cookie of the user is sent from another site', async () => {
    await signIn();
    expect(await press('Renew in a frame')).toEqual({ failed: 'login_required' });
  });

  it('revokes its tokens', async () => {
    const first = await signIn();
    expect(await press('Revoke')).not.toHaveProperty('failed');
    const { app: server } = judging.current.test;
    const headers = { authorization: `Bearer ${first.access_token}` };
    expect((await server.inject({ url: '/oauth/userinfo', headers })).statusCode).toBe(401);
  });

  it('signs the user out, and returns to the requested page', async () => {
    await signIn();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.pathname === '/signed-out');
    expect(await shown()).toMatchObject({ signedOut: { userState: 'what the app was doing' }, user: null });
    // The session at the server has ended too.
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor();
  });

  describe('on an unregistered origin', () => {
    it('gets a page of the server instead of an answer', async () => {
      await page.goto(stranger.origin);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'This app cannot be used here' }).waitFor();
    });

    /** The responses that a script on this page can read. */
    const read = (path: string, method: string, token: string | undefined) =>
      page.evaluate(
        `fetch(${JSON.stringify(judging.current.test.issuer + path)}, {
          method: ${JSON.stringify(method)},
          headers: ${JSON.stringify(token === undefined ? {} : { authorization: `Bearer ${token}` })},
          ...(${method === 'POST'} && { body: new URLSearchParams({ token: 'x' }) }),
        }).then((response) => response.status, (error) => error.name)`,
      );

    it.each([
      ['/oauth/token', 'POST', 400],
      ['/oauth/revoke', 'POST', 401],
      ['/oauth/userinfo', 'GET', 200],
    ] as const)('lets scripts read nothing from %s, even with valid tokens', async (path, method, status) => {
      const { access_token: token } = await signIn();
      const sent = path === '/oauth/userinfo' ? token : undefined;
      expect(await read(path, method, sent)).toBe(status);
      await page.goto(stranger.origin);
      expect(await read(path, method, sent)).toBe('TypeError');
    });

    it('lets scripts read public documents: metadata and keys', async () => {
      await page.goto(stranger.origin);
      expect(await read('/.well-known/openid-configuration', 'GET', undefined)).toBe(200);
      expect(await read('/.well-known/jwks.json', 'GET', undefined)).toBe(200);
      // But never the authorization endpoint.
      expect(await read('/oauth/authorize', 'GET', undefined)).toBe('TypeError');
    });
  });
});
