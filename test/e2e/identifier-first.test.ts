/** The sign-in on two pages in a real browser: on a phone, with a password manager's eyes, with a passkey, and without scripts. */
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authorizeUrl, makeClient, makePkce, makeUser, PASSWORD, type TestClient } from '../support/actors.ts';
import { shippedConfiguration, type TestApp } from '../support/app.ts';
import { addAuthenticator, chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, listen, openCallback } from '../support/listening.ts';
import { upstreamOf } from '../support/upstream.ts';

const PHONE = { width: 320, height: 640 };

describe.skipIf(chromiumPath === null)('the identifier first, in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let callback: Callback;
  let client: TestClient;
  let context: BrowserContext;
  let page: Page;
  let username: string;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    const signIn = { ...shippedConfiguration.signIn, signInPage: 'identifierFirst' } as const;
    const upstreams = [upstreamOf({ issuer: 'https://company.test', client_id: 'x' })];
    test = await listen(opened.database, { configuration: { ...shippedConfiguration, signIn, upstreams } });
    callback = await openCallback();
    browser = await launchChromium();
    client = await makeClient(test, { redirectUris: [callback.redirectUri], tokenEndpointAuthMethod: 'none' });
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await opened?.close();
  });
  const open = async (javaScriptEnabled: boolean) => {
    context = await newContext(browser, { viewport: PHONE, javaScriptEnabled });
    page = await context.newPage();
  };
  beforeEach(async () => {
    ({ username } = await makeUser(test));
    await open(true);
  });
  afterEach(() => context.close());

  const start = (change: Readonly<Record<string, string>> = {}) =>
    page.goto(`${test.issuer}${authorizeUrl(client, makePkce(), change)}`);
  const identifier = () => page.getByLabel('E-mail address or username');
  const password = () => page.getByLabel('Password');
  const next = () => page.getByRole('button', { name: 'Continue', exact: true }).click();
  const submit = () => page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const asksForConsent = () => page.getByRole('button', { name: 'Allow' }).waitFor();
  const attributes = (selector: string) =>
    page.evaluate<object>(
      `Object.fromEntries([...document.querySelector('${selector}').attributes].map(({ name, value }) => [name, value]))`,
    );
  /** As a password manager does it, without a key. */
  const fillIn = (password: string) => page.evaluate(`document.getElementById('password').value = '${password}'`);

  async function isFaultless(): Promise<void> {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<{ violations: { id: string }[] }>(
      'axe.run(document, { resultTypes: ["violations"] })',
    );
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  }
  const hasFocus = (name: string) => page.evaluate<boolean>(`document.activeElement?.name === '${name}'`);

  it('asks for the identifier, then for the password, which the user can look at', async () => {
    await start();
    await isFaultless();
    expect(await hasFocus('username')).toBe(true);
    expect(await attributes('#username')).toMatchObject({ autocomplete: 'username webauthn' });
    const filled = { autocomplete: 'current-password', tabindex: '-1', 'aria-hidden': 'true', type: 'password' };
    expect(await attributes('#password')).toMatchObject(filled);
    await identifier().fill(username);
    await identifier().press('Enter');
    await page.getByText(`Signing in as ${username}`).waitFor();
    await isFaultless();
    expect(await hasFocus('password')).toBe(true);
    expect(await attributes('[name=username]')).toMatchObject({ autocomplete: 'username', value: username });
    expect(await attributes('#password')).toMatchObject({ autocomplete: 'current-password' });

    await password().fill('not the password');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await attributes('#password')).toMatchObject({ type: 'text' });
    await isFaultless();
    await page.getByRole('button', { name: 'Hide password' }).click();
    expect(await attributes('#password')).toMatchObject({ type: 'password' });
    await page.getByRole('button', { name: 'Show password' }).click();
    await submit();
    await page.getByText('the password is wrong').waitFor();
    await page.getByText(`Signing in as ${username}`).waitFor();
    expect(await attributes('#password')).toMatchObject({ type: 'password' });
    await isFaultless();
    await password().fill(PASSWORD);
    await submit();
    await asksForConsent();
  });

  it('signs in at the first page where a password manager fills in both fields', async () => {
    await start();
    await identifier().fill(username);
    await fillIn(PASSWORD);
    await next();
    await asksForConsent();
  });

  it('does not send a filled-in password with another identifier that the user types', async () => {
    await start();
    await fillIn('the password of another account');
    await identifier().pressSequentially(username);
    await next();
    await password().fill(PASSWORD);
    await submit();
    await asksForConsent();
  });

  it('leads from a login_hint to the second page, and back', async () => {
    await start({ login_hint: 'grace' });
    await page.getByText('Signing in as grace').waitFor();
    await page.getByRole('link', { name: 'Change account' }).click();
    expect(await identifier().inputValue()).toBe('');
    await identifier().fill(username);
    await next();
    await password().fill(PASSWORD);
    await submit();
    await asksForConsent();
  });

  it('offers the passkey first in a browser where its user has signed in', async () => {
    const { device, authenticatorId } = await addAuthenticator(page);
    const touch = (enabled: boolean) =>
      device.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    await touch(false);
    await page.goto(`${test.issuer}/account/sign-in-methods`);
    await identifier().fill(username);
    await next();
    await page.getByRole('button', { name: 'Continue with Company' }).waitFor();
    await password().fill(PASSWORD);
    await submit();
    await touch(true);
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name').fill('Phone');
    await page.getByRole('button', { name: 'Create the passkey' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    const cookies = await context.cookies();
    await context.clearCookies();
    await context.addCookies(cookies.filter(({ name }) => !name.endsWith('session')));
    await touch(false);
    await start({ login_hint: username });
    await isFaultless();
    expect(await page.getByRole('button', { name: 'Continue with Company' }).count()).toBe(0);
    const passkey = page.getByRole('button', { name: 'Use a passkey' });
    await passkey.waitFor();
    const isBefore = await page.evaluate<boolean>(
      `(document.querySelector('[data-passkey]').compareDocumentPosition(document.getElementById('password')) & 4) !== 0`,
    );
    expect(isBefore).toBe(true);
    await touch(true);
    await passkey.click();
    await asksForConsent();
  });

  it('works without scripts, where no button shows a password', async () => {
    await context.close();
    await open(false);
    await start();
    await identifier().fill(username);
    await next();
    expect(await page.getByRole('button', { name: 'Show password' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await password().fill(PASSWORD);
    await submit();
    await asksForConsent();
  });
});
