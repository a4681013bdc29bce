/** Behaviour that only a real browser shows: a double click, the language, directions, colours, and the rest after a sign-out. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_BRANDING } from '../../src/config/branding.ts';
import { authorizeUrl, makeClient, makePkce, makeUser, PASSWORD, type TestClient } from '../support/actors.ts';
import { shippedConfiguration, type TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, listen, openCallback } from '../support/listening.ts';

describe.skipIf(chromiumPath === null)('pages in a browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let callback: Callback;
  let client: TestClient;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    test = await listen(opened.database);
    callback = await openCallback();
    browser = await launchChromium();
    client = await makeClient(test, {
      redirectUris: [callback.redirectUri],
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await opened?.close();
  });

  /** At consent. */
  async function asked(options: BrowserContextOptions = {}): Promise<Page> {
    const user = await makeUser(test);
    const page = await (await newContext(browser, options)).newPage();
    await page.goto(`${test.issuer}${authorizeUrl(client, makePkce())}`);
    await page.locator('#username').fill(user.username);
    await page.locator('#password').fill(PASSWORD);
    await page.locator('button[type=submit]').click();
    await page.locator('button[value=approve]').waitFor();
    return page;
  }

  it.each([true, false])(
    'issue one code after a double click on "Allow"; with JavaScript: %s',
    async (javaScriptEnabled) => {
      const page = await asked({ javaScriptEnabled });
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') sent.push(request.url());
      });
      const violations: string[] = [];
      page.on('console', (message) => violations.push(message.text()));
      const before = callback.received.length;
      await page.locator('button[value=approve]').dblclick();
      await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
      expect(new Set(callback.received.slice(before).map((received) => received.get('code'))).size).toBe(1);
      if (javaScriptEnabled) expect(sent).toHaveLength(1);
      expect(violations).toEqual([]);
      await page.context().close();
    },
  );

  it('use the language of the browser', async () => {
    const page = await asked({ locale: 'de-DE' });
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.getByRole('button', { name: 'Erlauben' }).waitFor();
    await page.context().close();
  });

  it('load the font of the team from this server, and nothing that their policy forbids', async () => {
    // The browser asks for it, and then finds that it is empty.
    const regular = { hash: 'font', type: 'font/woff2', bytes: Buffer.from('wOF2') } as const;
    const branding = { ...NO_BRANDING, font: { regular, bold: null } };
    const branded = await listen(opened.database, { configuration: { ...shippedConfiguration, branding } });
    const page = await (await newContext(browser)).newPage();
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    const font = page.waitForResponse(`${branded.issuer}/fonts/font`);
    await page.goto(`${branded.issuer}/sign-in`);
    expect((await font).status()).toBe(200);
    expect(said.join('\n')).not.toContain('Content Security Policy');
    await page.context().close();
    await branded.app.close();
  });

  it('show Arabic from right to left, and an address in it from left to right', async () => {
    const page = await (await newContext(browser, { locale: 'ar-EG' })).newPage();
    await page.goto(`${test.issuer}/sign-in`);
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    // The text of a label ends on the left, and begins at its right edge.
    const fromRightEdge = await page.evaluate<number>(`(() => {
      const label = document.querySelector('label[for=password]');
      const text = document.createRange();
      text.selectNodeContents(label);
      return label.getBoundingClientRect().right - text.getBoundingClientRect().right;
    })()`);
    expect(Math.abs(fromRightEdge)).toBeLessThan(2);
    await page.locator('#username').fill('ada@example.com');
    const bidi = await page.evaluate<string>(`getComputedStyle(document.querySelector('#username')).unicodeBidi`);
    expect(bidi).toBe('plaintext');
    await page.context().close();
  });

  it('clear the stored data of this origin at a sign-out, and of the cookies only that of the session', async () => {
    const page = await asked();
    await page.evaluate('localStorage.setItem("left", "behind")');
    await page.context().addCookies([{ name: 'of-another-app', value: 'x', url: test.issuer }]);
    await page.goto(`${test.issuer}/oauth/logout`);
    const answered = page.waitForResponse((response) => response.url().endsWith('/oauth/logout/decision'));
    await page.locator('button[value=approve]').click();
    await answered;
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect(await page.evaluate('localStorage.getItem("left")')).toBeNull();
    const names = (await page.context().cookies()).map(({ name }) => name);
    expect(names).toContain('of-another-app');
    expect(names).toContain('statehouse-browser');
    expect(names).not.toContain('statehouse-session');
    await page.context().close();
  });
});
