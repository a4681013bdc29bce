/** A person looks after themselves: sees what they have allowed, ends it, signs out. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  refresh,
  type TestClient,
  type TestUser,
} from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, listen, openCallback } from '../support/listening.ts';
import { takePicture } from '../support/picture.ts';

const SMALL_DARK = { colorScheme: 'dark', viewport: { width: 320, height: 640 } } as const;

describe.skipIf(chromiumPath === null)('permissions and sign-out in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let callback: Callback;
  let user: TestUser;
  let client: TestClient;
  let context: BrowserContext;
  let page: Page;
  let after: string;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    test = await listen(opened.database);
    callback = await openCallback();
    after = callback.redirectUri.replace('/callback', '/signed-out');
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await opened?.close();
  });
  beforeEach(async () => {
    user = await makeUser(test);
    client = await makeClient(test, {
      clientName: 'Photo <Book>',
      redirectUris: [callback.redirectUri],
      postLogoutRedirectUris: [after],
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    context = await newContext(browser);
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const look = (name: string) => takePicture(page, name);
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const signIn = async () => {
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  /** Signs in where the page requires it, allows, and exchanges. */
  const allow = async (scope: string) => {
    const pkce = makePkce();
    await page.goto(`${test.issuer}${authorizeUrl(client, pkce, { scope })}`);
    if (await page.getByLabel('Username').isVisible()) await signIn();
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading('Welcome back');
    const code = callback.received.at(-1)?.get('code') ?? '';
    const { json } = await exchange(test, client, { code, verifier: pkce.verifier });
    return { refreshToken: json.refresh_token ?? '', idToken: json.id_token ?? '' };
  };

  it('lists what the user allowed and ends it: the refresh token is rejected, and the app needs consent again', async () => {
    const { refreshToken } = await allow('openid email read offline_access');
    await page.goto(`${test.issuer}/permissions`);
    await heading('What you have allowed');
    await page.getByText('see your data').waitFor();
    await page.getByText('The app keeps this access while you are away.').waitFor();
    await look('permissions');
    await page.getByRole('button', { name: 'End access of Photo <Book>' }).click();
    await page.getByRole('status').waitFor();
    await page.getByText('You have not allowed any app access').waitFor();
    await look('permissions-empty');
    expect((await refresh(test, client, refreshToken)).json.error).toBe('invalid_grant');
    await page.goto(`${test.issuer}${authorizeUrl(client, makePkce())}`);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
  });

  it('signs in to the account page alone, by keyboard, without JavaScript, on a small dark screen', async () => {
    await allow('read');
    await context.close();
    context = await newContext(browser, { javaScriptEnabled: false, ...SMALL_DARK });
    page = await context.newPage();
    await page.goto(`${test.issuer}/permissions`);
    await page.locator('#username:focus').waitFor();
    await look('permissions-sign-in-small-dark');
    await page.keyboard.type(user.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('What you have allowed');
    await look('permissions-small-dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    for (const reached of ['a:focus', 'a:focus', 'button:focus']) {
      await page.keyboard.press('Tab');
      await page.locator(reached).waitFor();
    }
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
  });

  it('signs out after confirmation, and returns to the app', async () => {
    await allow('read');
    const query = new URLSearchParams({ client_id: client.clientId, post_logout_redirect_uri: after, state: 's' });
    await page.goto(`${test.issuer}/oauth/logout?${query}`);
    await heading('Sign out?');
    await look('sign-out');
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await heading('You are still signed in');
    await look('still-signed-in');
    await page.goBack();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading('Welcome back');
    expect(page.url()).toBe(`${after}?state=s`);
    await page.goto(`${test.issuer}/permissions`);
    await page.getByLabel('Username').waitFor();
  });

  it('signs out without a question, given the ID Token of this session, from a form on the app’s own site', async () => {
    const { idToken } = await allow('openid read');
    const fields = { id_token_hint: idToken, post_logout_redirect_uri: after, state: 's' };
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
    // From another origin: no SameSite=Lax cookie travels with this POST.
    await page.goto(callback.redirectUri.replace('/callback', '/app'));
    await page.setContent(
      `<form method="post" action="${test.issuer}/oauth/logout">${inputs.join('')}<button>Out</button>`,
    );
    await page.getByRole('button', { name: 'Out' }).click();
    await heading('Welcome back');
    expect(page.url()).toBe(`${after}?state=s`);
    await page.goto(`${test.issuer}/oauth/logout`);
    await heading('You are not signed in here');
  });

  it('asks for confirmation, confirms the sign-out, and fits a small dark screen', async () => {
    await context.close();
    context = await newContext(browser, { javaScriptEnabled: false, ...SMALL_DARK });
    page = await context.newPage();
    await page.goto(`${test.issuer}/permissions`);
    await signIn();
    await page.getByRole('link', { name: 'Sign out' }).click();
    await heading('Sign out?');
    await look('sign-out-small-dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading('You are signed out');
    await look('signed-out-small-dark');
    await page.goto(`${test.issuer}/oauth/logout?post_logout_redirect_uri=https://evil.test/`);
    await heading('Sign-out failed');
    await look('sign-out-refused-small-dark');
    expect(new URL(page.url()).origin).toBe(test.issuer);
  });

  it('warns of an app whose answers all go to this device', async () => {
    await page.setViewportSize({ width: 800, height: 700 });
    await page.goto(`${test.issuer}${authorizeUrl(client, makePkce())}`);
    await signIn();
    await page.getByText('any app on this device could pretend to be this one').waitFor();
    await look('consent-on-this-device');
    await page.emulateMedia({ colorScheme: 'dark' });
    await look('consent-on-this-device-dark');
  });
});
