/** From an empty production database to the console: the link, the account, a second factor, in a real browser. */
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addAuthenticator, chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { type EmptyProduction, openEmptyProduction } from '../support/empty-production.ts';
import { appWith } from '../support/factors.ts';

const PASSWORD = 'a long and plain passphrase of ada';

describe.skipIf(chromiumPath === null)('the first operator in a real browser', () => {
  let production: EmptyProduction;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    production = await openEmptyProduction();
    context = await newContext(browser);
    page = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    await production.close();
  });

  const accessible = async () => {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(async () => (globalThis as never as { axe: typeof axe }).axe.run());
    expect(violations.map(({ id }) => id)).toEqual([]);
  };

  const openConsole = async () => {
    await page.getByText('operators:').waitFor();
    expect(await page.locator('pre').innerText()).toContain('- "ada"');
    await accessible();
    await page.getByRole('link', { name: 'Open the console' }).click();
  };
  const allow = async () => {
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console');
  };

  it('signs in to the console with an authenticator app', async () => {
    await page.goto(production.link);
    await accessible();
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create the operator', exact: true }).click();
    await openConsole();
    // The password alone opens nothing.
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const secret = (await page.locator('#secret').innerText()).replaceAll(' ', '');
    await page.getByLabel('The code that the app shows now').fill(appWith(secret).codeAt(production.clock.now()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await allow();
  });

  it('signs in to the console with a passkey, and the link works once', async () => {
    await addAuthenticator(page);
    await page.goto(production.link);
    await page.getByLabel('Username').fill('ada');
    await page.getByRole('button', { name: 'Create the operator with a passkey' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    // No mail reaches an account without an address.
    expect(await page.locator('main').innerText()).toContain(
      'Set a password in your account: if you lose your passkey',
    );
    expect(await page.locator('main').innerText()).not.toContain('Forgot your password?');
    await accessible();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await openConsole();
    await allow();
    await page.goto(production.link);
    await page.getByText('works only once').waitFor();
  });
});
