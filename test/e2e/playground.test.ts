import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClient, makeUser, PASSWORD, type TestUser } from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { freePort, openTestAppAt } from '../support/listening.ts';
import { takePicture } from '../support/picture.ts';

// Left out, visibly, on machines without a Chromium; CI refuses to leave it out (test/support/chromium.ts).
describe.skipIf(chromiumPath === null)('the playground in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let user: TestUser;

  beforeAll(async () => {
    opened = await openTestDatabase('embedded');
    const port = await freePort();
    const redirectUri = `http://localhost:${port}/playground/callback`;
    const client = { clientId: 'demo-app', redirectUri };
    test = await openTestAppAt(port, opened.database, {
      change: (deps) => ({ ...deps, demo: { app: client, username: 'demo', password: 'shown' } }),
    });
    await makeClient(test, {
      clientId: client.clientId,
      tokenEndpointAuthMethod: 'none',
      redirectUris: [redirectUri],
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    user = await makeUser(test);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.app.close();
    await opened?.close();
  });

  const heading = (page: Page, words: string) => page.getByRole('heading', { level: 1, name: words }).waitFor();
  const state = (page: Page, what: string) => page.getByRole('img', { name: what }).waitFor();

  it.each([
    ['light', 1200],
    ['dark', 360],
  ] as const)('leads by keyboard to a chain ended by reuse, %s, %i pixels wide', async (colorScheme, width) => {
    const context = await newContext(browser, {
      colorScheme,
      viewport: { width, height: 900 },
      javaScriptEnabled: false,
    });
    const page = await context.newPage();
    const press = async (name: string) => {
      await page.getByRole('button', { name }).or(page.getByRole('link', { name })).focus();
      await page.keyboard.press('Enter');
    };
    await page.goto(`${test.issuer}/playground`);
    await state(page, 'Authorization code: none yet');
    await takePicture(page, `playground-1-${colorScheme}`);
    await press('Send it');
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await press('Allow');
    await heading(page, 'a code came back');
    await state(page, 'Authorization code: active');
    await press('Exchange the code');
    await heading(page, 'the app has tokens');
    await takePicture(page, `playground-3-${colorScheme}`);
    // The tokens are in boxes that scroll. Before, the page was 2,400 pixels long.
    const height = await page.evaluate('document.documentElement.scrollHeight');
    expect(height).toBeLessThan(width > 800 ? 1200 : 1900);
    const answer = page.getByRole('region', { name: 'The answer' });
    expect(await answer.evaluate((box) => box.scrollHeight > box.clientHeight)).toBe(true);
    expect(await answer.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
    await page.getByText('The ID Token, decoded').click();
    await page.getByRole('region', { name: 'The ID Token, decoded: claims' }).waitFor();
    await state(page, 'Authorization code: used');
    await state(page, 'Newest refresh token: active');
    await press('Refresh with the newest token');
    await heading(page, 'the chain has moved on');
    await state(page, 'The one before: used');
    await press('Present the old refresh token again');
    await heading(page, 'the chain is dead');
    await state(page, 'Newest refresh token: revoked');
    await takePicture(page, `playground-5-${colorScheme}`);
    await press('Refresh with the newest token');
    await page.getByText('The grant has been revoked.').waitFor();
    // No horizontal scrolling.
    expect(await page.locator('main').evaluate((main) => main.scrollWidth <= main.clientWidth)).toBe(true);
    await context.close();
  });

  it.each([1200, 360])('shows a denial with no request to the token endpoint, %i pixels wide', async (width) => {
    const context = await newContext(browser, { viewport: { width, height: 900 }, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${test.issuer}/playground`);
    await page.getByRole('link', { name: 'Send it' }).click();
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Deny' }).click();
    await heading(page, 'denied');
    const text = await page.locator('main').innerText();
    expect(text).toContain('GET /playground/callback');
    expect(text).toContain('access_denied');
    expect(text).not.toContain('POST /oauth/token');
    await takePicture(page, `playground-denied-${width}`);
    await context.close();
  });

  it('rejects an answer to a request of another browser', async () => {
    const reply = await test.app.inject('/playground/callback?code=stolen&state=of-another-browser');
    expect(reply.statusCode).toBe(400);
  });

  it('is absent without demo data', async () => {
    const port = await freePort();
    const without = await openTestAppAt(port, opened.database, {});
    expect((await without.app.inject('/playground')).statusCode).toBe(404);
    await without.app.close();
  });
});
