import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestClient,
  type TestUser,
} from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, listen, openCallback } from '../support/listening.ts';
import { takePicture } from '../support/picture.ts';

// Left out, visibly, on machines without a Chromium; CI refuses to leave it out (test/support/chromium.ts).
describe.skipIf(chromiumPath === null)('sign-in and consent in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let callback: Callback;
  let user: TestUser;
  let client: TestClient;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    test = await listen(opened.database);
    callback = await openCallback();
    browser = await launchChromium();
    user = await makeUser(test, 'Ada');
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await opened?.close();
  });

  beforeEach(async () => {
    client = await makeClient(test, {
      clientName: 'Photo <Book>',
      redirectUris: [callback.redirectUri],
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    context = await newContext(browser);
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const open = async (change: Readonly<Record<string, string | undefined>> = {}) => {
    const pkce = makePkce();
    await page.goto(`${test.issuer}${authorizeUrl(client, pkce, change)}`);
    return pkce;
  };
  const signIn = async (password = PASSWORD) => {
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const atClient = () => page.getByRole('heading', { name: 'Welcome back' }).waitFor();
  const lastAnswer = () => callback.received.at(-1) ?? new URLSearchParams();

  it('return a code that yields tokens', async () => {
    const pkce = await open({ scope: 'read' });
    await takePicture(page, 'sign-in');
    await signIn();
    await page.getByRole('heading', { name: 'Allow Photo <Book>?' }).waitFor();
    expect(await page.getByText('see your data').isVisible()).toBe(true);
    expect(await page.getByText(new URL(callback.redirectUri).host).isVisible()).toBe(true);
    await takePicture(page, 'consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await atClient();
    expect(lastAnswer().get('iss')).toBe(test.issuer);
    expect(lastAnswer().get('state')).toBe('a-state');
    const { status, json } = await exchange(test, client, {
      code: lastAnswer().get('code') ?? '',
      verifier: pkce.verifier,
    });
    expect({ status, scope: json.scope }).toEqual({ status: 200, scope: 'read' });
  });

  it('explain a wrong password, keep the username, and allow another attempt', async () => {
    await open();
    await signIn('not the password');
    await page.getByRole('alert').waitFor();
    await takePicture(page, 'wrong-password');
    expect(await page.getByLabel('Username').inputValue()).toBe(user.username);
    await signIn();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
  });

  it('return access_denied after a denial', async () => {
    await open();
    await signIn();
    await page.getByRole('button', { name: 'Deny' }).click();
    await atClient();
    expect(lastAnswer().get('error')).toBe('access_denied');
    expect(lastAnswer().get('code')).toBeNull();
  });

  it('show a page, without a redirect, for an unregistered redirect URI', async () => {
    const before = callback.received.length;
    await open({ redirect_uri: `${callback.redirectUri}/` });
    await page.getByRole('heading', { name: 'This app cannot be used here' }).waitFor();
    await takePicture(page, 'wrong-redirect-uri');
    expect(new URL(page.url()).origin).toBe(test.issuer);
    expect(callback.received.length).toBe(before);
  });

  it('show an explanation after the back button, and issue no second code', async () => {
    await open();
    await signIn();
    await page.getByRole('button', { name: 'Allow' }).click();
    await atClient();
    const before = callback.received.length;
    await page.goBack();
    await page.reload();
    await page.getByRole('heading', { name: 'Already answered' }).waitFor();
    await takePicture(page, 'back-button');
    expect(callback.received.length).toBe(before);
  });

  it('answer a double click with one and the same code', async () => {
    const before = callback.received.length;
    const pkce = await open();
    await signIn();
    await page.getByRole('button', { name: 'Allow' }).dblclick();
    await atClient();
    const codes = callback.received.slice(before).map((one) => one.get('code'));
    expect(new Set(codes).size).toBe(1);
    const { status } = await exchange(test, client, { code: codes.at(-1) ?? '', verifier: pkce.verifier });
    expect(status).toBe(200);
  });

  it('work by keyboard alone, and without JavaScript, on a small dark screen', async () => {
    await context.close();
    context = await newContext(browser, {
      javaScriptEnabled: false,
      colorScheme: 'dark',
      viewport: { width: 320, height: 640 },
    });
    page = await context.newPage();
    await open();
    await page.locator('#username:focus').waitFor();
    await page.keyboard.type(user.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await takePicture(page, 'consent-small-dark');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await atClient();
    expect(lastAnswer().get('code')).toMatch(/^sh_ac_/);
  });

  it('bind an interaction to the browser that began it', async () => {
    await open();
    const stranger = await newContext(browser);
    const elsewhere = await stranger.newPage();
    await elsewhere.goto(page.url());
    await elsewhere.getByRole('heading', { name: 'This page belongs to another browser' }).waitFor();
    await stranger.close();
  });
});
