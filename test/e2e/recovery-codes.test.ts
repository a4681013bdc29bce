/** The buttons of the page of the recovery codes, in a real browser: copy, download, print. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appWith } from '../../src/review/simulation/devices/authenticator-app.ts';
import { makeUser, PASSWORD, type TestUser } from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { listen } from '../support/listening.ts';

describe.skipIf(chromiumPath === null)('the recovery codes in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let user: TestUser;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    test = await listen(opened.database);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.app.close();
    await opened?.close();
  });

  /** The user sets up an authenticator app. */
  const openCodes = async (options: { readonly javaScriptEnabled: boolean }): Promise<Page> => {
    user = await makeUser(test);
    const context = await newContext(browser, { ...options, permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(`${test.issuer}/account/sign-in-methods`);
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const secret = (await page.locator('code').first().textContent()) ?? '';
    const code = appWith(secret.replaceAll(/\s/g, '')).codeAt(test.clock.now());
    await page.getByLabel('The code that the app shows now').fill(code);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    return page;
  };
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('are copied, downloaded and printed, with the service, the account and the day, and reach no URL and no log', async () => {
    const page = await openCodes({ javaScriptEnabled: true });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(`${request.url()} ${request.postData() ?? ''}`));
    const failures: string[] = [];
    page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
    const codes = await page.locator('ul.codes code').allTextContents();
    expect(codes).toHaveLength(10);
    const { host } = new URL(test.issuer);
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(test.clock.now());
    const text = [`Recovery codes of ${user.username} at ${host}, made on ${day}`, ...codes, ''].join('\n');

    await button(page, 'Copy').click();
    await page.getByRole('status').getByText('Copied.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(text);

    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
    expect(download.suggestedFilename()).toBe(`recovery-codes-${host.replace(':', '-')}.txt`);
    expect(readFileSync(await download.path(), 'utf8')).toBe(text);
    expect(download.url()).toMatch(/^blob:/);

    await page.evaluate('window.print = () => { document.title = "printed"; }');
    await button(page, 'Print').click();
    expect(await page.title()).toBe('printed');
    await page.emulateMedia({ media: 'print' });
    // As the browser lays the page out for paper.
    expect(
      (await page.locator('body').innerText())
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    ).toEqual(text.split('\n').filter(Boolean));
    expect(await button(page, 'Copy').isVisible()).toBe(false);

    expect(failures).toEqual([]);
    for (const code of codes) {
      expect(test.logs()).not.toContain(code);
      expect(requested.join('\n')).not.toContain(code);
    }
    await page.context().close();
  });

  it('have no buttons without scripts, and the page continues', async () => {
    const page = await openCodes({ javaScriptEnabled: false });
    for (const name of ['Copy', 'Download', 'Print']) expect(await button(page, name).isVisible()).toBe(false);
    expect(await page.locator('ul.codes code').count()).toBe(10);
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
    await page.context().close();
  });
});
