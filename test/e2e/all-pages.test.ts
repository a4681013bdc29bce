/**
 * Every page as people see it: in each language, Arabic from right to left among them, light and dark, on a small phone and on a desk. axe-core
 * finds nothing wrong, and nothing is wider than the screen. `npm run pictures` leaves a picture of each.
 */
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium } from '../support/chromium.ts';
import { allLooks, distinctSamples, emptyPage, SCHEMES, SCREENS, withoutScripts } from '../support/dressed-pages.ts';
import { ENGLISH } from '../support/look.ts';

describe.skipIf(chromiumPath === null)('every page', async () => {
  const shown = distinctSamples(ENGLISH.words);
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const looks = await allLooks();
  const cases = looks.flatMap(([name, look]) => SCHEMES.map((scheme) => [name, scheme, look] as const));

  it.each(cases)('in %s, %s', async (_, colorScheme, look) => {
    const page = await emptyPage(browser, { viewport: SCREENS.phone, colorScheme });
    // It stays when the content is another: loading it for each page takes longer than its work.
    await page.evaluate(axe.source);
    const problems: string[] = [];
    for (const sample of shown) {
      await page.setContent(withoutScripts(sample.html(look)));
      const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        'axe.run(document, { resultTypes: ["violations"] })',
      );
      problems.push(...found.violations.map(({ id, nodes }) => `${sample.name}: ${id}: ${nodes[0]?.html}`));
      for (const [screen, size] of Object.entries(SCREENS)) {
        await page.setViewportSize(size);
        const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
        if (isTooWide) problems.push(`${sample.name}: wider than a ${screen}`);
      }
      await page.setViewportSize(SCREENS.phone);
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
