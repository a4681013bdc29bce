/** The overview of the console in a real browser: charts, their table, and alarms with an action, without a script. */
import axe from 'axe-core';
import { sql } from 'drizzle-orm';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statisticsStore } from '../../src/storage/statistics.ts';
import { makeClient, makeUser, obtainTokens, PASSWORD, refresh } from '../support/actors.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { type ConsoleApp, OPERATOR, openConsoleAppAt } from '../support/console.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { settled } from '../support/ledger.ts';
import { freePort } from '../support/listening.ts';
import { takePicture } from '../support/picture.ts';

describe.skipIf(chromiumPath === null)('the overview in a real browser', () => {
  let opened: TestDatabase;
  let test: ConsoleApp;
  let browser: Browser;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    test = await openConsoleAppAt(await freePort(), opened.database);
    browser = await launchChromium();
    const client = await makeClient(test, { clientId: 'photo-book' });
    const { refreshToken: first = '' } = await obtainTokens(test, client, await makeUser(test, 'grace'));
    await refresh(test, client, first);
    await refresh(test, client, first);
    const { drizzle: db } = opened.database;
    const statistics = statisticsStore(db, test.clock);
    await settled(db);
    await statistics.sampleChains();
    while ((await statistics.countEntries()) === 'more');
    await db.execute(sql`
      insert into statistics (at, series, count)
      select date_bin('5 minutes', ${test.clock.now().toISOString()}::timestamptz, '1970-01-01') - n * interval '5 minutes', series, 1 + (n * 7) % 40
      from generate_series(1, 2000) n cross join unnest(array['sign_ins', 'failed_sign_ins', 'rotations', 'active_chains', 'token_endpoint:3', 'token_endpoint:5']) series`);
  });
  afterAll(async () => {
    await browser?.close();
    await test?.app.close();
    await opened?.close();
  });

  async function inPage(
    { width = 1280, colorScheme = 'light' }: { width?: number; colorScheme?: 'light' | 'dark' },
    work: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await newContext(browser, { viewport: { width, height: 800 }, colorScheme });
    try {
      const page = await context.newPage();
      await page.goto(`${test.issuer}/console`);
      await page.getByLabel('Username').fill(OPERATOR);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const allow = page.getByRole('button', { name: 'Allow' });
      await allow.or(page.getByRole('navigation', { name: 'Console' })).waitFor();
      if (await allow.isVisible()) await allow.click();
      await page.getByRole('navigation', { name: 'Console' }).waitFor();
      await work(page);
    } finally {
      await context.close();
    }
  }

  async function violations(page: Page): Promise<readonly string[]> {
    await page.evaluate(axe.source);
    const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
    };
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  it('shows charts with their numbers in words and in a table, for each period', () =>
    inPage({}, async (page) => {
      const reuse = page.getByRole('img', { name: /^Detected reuse: 1 in all, at most 1 in 30 minutes$/ });
      await reuse.waitFor();
      expect(await page.locator('.charts svg').count()).toBe(8);
      expect(await reuse.locator('rect').count()).toBe(1);
      await page.getByText('The same numbers as a table').click();
      expect(
        await page
          .getByRole('table', { name: /each for 30 minutes/ })
          .locator('tbody tr')
          .count(),
      ).toBe(48);
      await page.getByRole('link', { name: '7 days' }).click();
      await page.getByRole('img', { name: /Detected reuse: 1 in all, at most 1 in 3 hours/ }).waitFor();
      expect(new URL(page.url()).search).toBe('?period=7d');
    }));

  it('names the alarm that holds, with the action, and leads to its entries', () =>
    inPage({}, async (page) => {
      const row = page.getByRole('row', { name: /A used refresh token came again/ });
      expect(await row.textContent()).toMatch(/once in the last 24 hours.*Look at the addresses in the ledger/s);
      await row.getByRole('link', { name: 'Reused refresh tokens in the ledger' }).click();
      await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
      expect(await page.locator('tbody tr').count()).toBeGreaterThan(0);
    }));

  it.each([
    { width: 1280, colorScheme: 'light' },
    { width: 1280, colorScheme: 'dark' },
    { width: 320, colorScheme: 'light' },
    { width: 320, colorScheme: 'dark' },
  ] as const)('is accessible and fits at $width in $colorScheme', (look) =>
    inPage(look, async (page) => {
      await takePicture(page, `console-overview-${look.width}-${look.colorScheme}-closed`);
      for (const details of await page.locator('details').all()) await details.locator('summary').click();
      await takePicture(page, `console-overview-${look.width}-${look.colorScheme}`);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(
        0,
      );
    }),
  );
});
