/**
 * Every page and mail as people see it. In each language nothing is wider than a small phone or a desk, and axe-core finds nothing wrong
 * in either direction of writing, light and dark. `npm run pictures` leaves a picture of each.
 */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_KINDS, sampleMail } from '../../src/boot/mail/sample-mails.ts';
import { LANGUAGES } from '../../src/http/words/languages.ts';
import { chromiumPath, launchChromium } from '../support/chromium.ts';
import {
  allLooks,
  distinctSamples,
  emptyPage,
  MAIL_LOOK,
  SCHEMES,
  SCREENS,
  withoutSending,
} from '../support/dressed-pages.ts';
import { ENGLISH } from '../support/look.ts';

/** A mail is a part of the page of a mail client, which has the landmarks and the headings. */
const ALL = [] as const;
const OF_COLORS = ['color-contrast', 'link-in-text-block'] as const;
const OF_MAILS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] as const;
/** The markup of a page is the same in both schemes. */
const RULES_IN = { light: ALL, dark: OF_COLORS } as const;
/** The markup is the same in every language, but for its direction. English has no branding; the others share one. */
const CHECKED_BY_AXE = ['en', 'ar'];

/** @param rules empty: all of axe-core. */
async function foundByAxe(page: Page, rules: readonly string[], name: string): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) };
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return found.violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0]?.html}`);
}

async function tooWide(page: Page, name: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [screen, size] of Object.entries(SCREENS)) {
    await page.setViewportSize(size);
    const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
    if (isTooWide) problems.push(`${name}: wider than a ${screen}`);
  }
  await page.setViewportSize(SCREENS.phone);
  return problems;
}

describe.skipIf(chromiumPath === null)('every page', async () => {
  const shown = distinctSamples(ENGLISH.words);
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const looks = await allLooks();
  const cases = looks
    .filter(([tag]) => CHECKED_BY_AXE.includes(tag))
    .flatMap(([tag, look]) => SCHEMES.map((scheme) => [tag, scheme, look] as const));

  it.each(cases)('has nothing that axe-core finds wrong in %s, %s', async (_, colorScheme, look) => {
    const page = await emptyPage(browser, { viewport: SCREENS.phone, colorScheme });
    // It stays when the content is another: loading it for each page takes longer than its work.
    await page.evaluate(axe.source);
    const problems: string[] = [];
    for (const { name, html } of shown) {
      await page.setContent(withoutSending(html(look)));
      problems.push(...(await foundByAxe(page, RULES_IN[colorScheme], name)));
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it.each(looks)('fits the screen in %s', async (_, look) => {
    const page = await emptyPage(browser, { viewport: SCREENS.phone });
    const problems: string[] = [];
    for (const { name, html } of shown) {
      await page.setContent(withoutSending(html(look)));
      problems.push(...(await tooWide(page, name)));
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it.each(LANGUAGES)('mails in %s', async (language) => {
    const page = await emptyPage(browser, { viewport: SCREENS.phone });
    await page.evaluate(axe.source);
    const problems: string[] = [];
    for (const kind of SAMPLE_KINDS) {
      const { html } = await sampleMail('https://login.example', MAIL_LOOK, {
        kind,
        language,
        to: 'alice@example.com',
      });
      await page.setContent(html);
      problems.push(...(await foundByAxe(page, OF_MAILS, kind)), ...(await tooWide(page, kind)));
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
