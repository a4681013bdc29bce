import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authorizeUrl, makeClient, makePkce, makeUser, PASSWORD, type TestClient } from '../support/actors.ts';
import { shippedConfiguration, type TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, listen, openCallback } from '../support/listening.ts';
import { keptMails, type Mails } from '../support/mails.ts';

const NEW_PASSWORD = 'another long passphrase';

describe.skipIf(chromiumPath === null)('sign-in by address in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let mails: Mails;
  let browser: Browser;
  let callback: Callback;
  let client: TestClient;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    mails = keptMails();
    const signIn = { ...shippedConfiguration.signIn, identifiers: 'both', signUp: 'open' } as const;
    test = await listen(opened.database, { mail: mails, configuration: { ...shippedConfiguration, signIn } });
    mails.of(test);
    callback = await openCallback();
    browser = await launchChromium();
    client = await makeClient(test, { redirectUris: [callback.redirectUri], tokenEndpointAuthMethod: 'none' });
    await makeUser(test, 'Ada', { email: 'ada@example.org', email_verified: true });
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await opened?.close();
  });
  beforeEach(async () => {
    context = await newContext(browser);
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const signIn = async (typed: string, password: string) => {
    await page.getByLabel('E-mail address or username').fill(typed);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const signedInAs = (name: string) => page.getByText(`Signed in as ${name}`).waitFor();

  it('accepts either identifier, and a login_hint fills the field', async () => {
    await page.goto(`${test.issuer}${authorizeUrl(client, makePkce(), { login_hint: 'ada@example.org' })}`);
    expect(await page.getByLabel('E-mail address or username').inputValue()).toBe('ada@example.org');
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The e-mail address, the username or the password is wrong').waitFor();
    expect(await page.getByLabel('E-mail address or username').inputValue()).toBe('ada@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
  });

  it('makes an account of an address alone, which signs in by the address', async () => {
    await page.goto(`${test.issuer}/sign-up`);
    await page.getByLabel('E-mail address').fill('Grace@example.org');
    await page.getByRole('button', { name: 'Send the mail' }).click();
    await page.getByRole('heading', { name: 'Check your mailbox' }).waitFor();
    await page.goto(`${test.issuer}${await mails.link('Grace@example.org')}`);
    expect(await page.getByLabel('Username').count()).toBe(0);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await signedInAs('Grace@example.org');
    await context.clearCookies();
    await page.goto(`${test.issuer}/sign-in`);
    await signIn('grace@EXAMPLE.org', NEW_PASSWORD);
    await signedInAs('Grace@example.org');
  });
});
