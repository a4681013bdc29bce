/** The reference page of the management API in a real browser: it shows operations, and sends requests to this server alone. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { listen } from '../support/listening.ts';
import { takePicture } from '../support/picture.ts';

// Left out, visibly, on machines without a Chromium; CI refuses to leave it out (test/support/chromium.ts).
describe.skipIf(chromiumPath === null)('the reference of the management API in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;

  beforeAll(async () => {
    opened = await openTestDatabase('embedded');
    test = await listen(opened.database);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.app.close();
    await opened?.close();
  });

  it.each([
    ['light', 1200, 'rgb(255, 255, 255)'],
    ['dark', 400, 'rgb(15, 15, 15)'],
  ] as const)('shows an operation, %s, %i pixels wide', async (colorScheme, width, background) => {
    const context = await newContext(browser, { colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    const asked: string[] = [];
    const said: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') said.push(message.text());
    });
    page.on('pageerror', (error) => said.push(String(error)));
    const api = `${test.issuer}/management/v1`;
    await page.goto(`${api}/reference`);
    await page.getByRole('heading', { name: 'Statehouse: administration' }).first().waitFor();
    await page.goto(`${api}/reference#tag/clients/POST/management/v1/clients`);
    await page.getByRole('heading', { name: 'Registers a client', exact: true }).first().waitFor();
    await page.getByText('application_type', { exact: true }).first().waitFor();
    await takePicture(page, `reference-${colorScheme}`);
    const color = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(color).toBe(background);
    const others = asked
      .filter((url) => !url.startsWith('data:') && !url.startsWith('blob:'))
      .map((url) => new URL(url));
    expect([...new Set(others.map(({ origin, pathname }) => origin + pathname))].toSorted()).toEqual([
      `${api}/openapi.json`,
      `${api}/reference`,
      `${api}/reference/scalar.js`,
    ]);
    // The policy of the page blocked no resource that the page needs.
    expect(said).toEqual([]);
    await context.close();
  });

  it('links to the document without JavaScript', async () => {
    const context = await newContext(browser, { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${test.issuer}/management/v1/reference`);
    await page.getByRole('link', { name: 'the OpenAPI document of the API' }).click();
    await page.waitForURL(`${test.issuer}/management/v1/openapi.json`);
    await context.close();
  });
});
