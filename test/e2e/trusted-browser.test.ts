import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeUser, PASSWORD, type TestUser } from '../support/actors.ts';
import { shippedConfiguration, type TestApp } from '../support/app.ts';
import { Browser as Client } from '../support/browser.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Enrolled, enrol } from '../support/factors.ts';
import { listen } from '../support/listening.ts';

describe.skipIf(chromiumPath === null)('a trusted browser, in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let user: TestUser;
  let enrolled: Enrolled;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    const signIn = { ...shippedConfiguration.signIn, trustedBrowserLifetimeSeconds: 30 * 86_400 };
    test = await listen(opened.database, { configuration: { ...shippedConfiguration, signIn } });
    browser = await launchChromium();
    user = await makeUser(test, 'Ada');
    enrolled = await enrol(test, new Client(test.app), user);
  });
  afterAll(async () => {
    await browser?.close();
    await test?.app.close();
    await opened?.close();
  });
  beforeEach(async () => {
    context = await newContext(browser);
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const signIn = async () => {
    await context.clearCookies({ name: /session$/ });
    await page.goto(`${test.issuer}/sign-in`);
    await page.locator('#username').fill('Ada');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const code = () => page.getByLabel('Code from your authenticator app');
  const signedIn = () => page.getByText('Signed in as Ada').waitFor();

  it('asks for the code once, and again after the end-user has ended the trust', async () => {
    await signIn();
    test.clock.advanceSeconds(30);
    await code().fill(enrolled.app.codeAt(test.clock.now()));
    await page.getByLabel('Trust this browser for 30 days').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await signedIn();

    await signIn();
    await signedIn();

    await page.goto(`${test.issuer}/account/devices`);
    await page.getByRole('heading', { name: 'Trusted browsers' }).waitFor();
    await page.getByRole('button', { name: 'No longer trust' }).click();
    await page.getByText('That browser is no longer trusted').waitFor();
    expect(await page.getByRole('heading', { name: 'Trusted browsers' }).count()).toBe(0);

    await signIn();
    await code().waitFor();
  });
});
