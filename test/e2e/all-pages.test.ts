/**
 * Every page as people see it: in each language, light and dark, on a phone and on a desk, and from right to left. axe-core finds nothing
 * wrong, and nothing is wider than the screen. With PICTURES=all in the environment, a picture of each is left in test-results/pages.
 */
import { mkdirSync } from 'node:fs';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Branding } from '../../src/config/branding.ts';
import { makeBrand } from '../../src/http/brand.ts';
import type { Look } from '../../src/http/look.ts';
import { chromiumPath, launchChromium, newPage } from '../support/chromium.ts';
import { lookIn } from '../support/look.ts';
import { samples } from '../support/pages.ts';

const PICTURES = 'test-results/pages';
/** They are for people, and take half of the time. */
const isPictured = process.env['PICTURES'] !== undefined;
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#7a1fa2"/><circle cx="32" cy="32" r="16" fill="#fff"/></svg>`;

const branding: Branding = {
  organization: 'Example Ltd',
  logo: { hash: 'logo', type: 'image/svg+xml', bytes: Buffer.from(LOGO) },
  favicon: null,
  accentColor: { light: '#7a1fa2', dark: '#e0b0ff' },
  links: {
    help: 'https://example.com/help',
    terms: 'https://example.com/terms',
    privacy: 'https://example.com/privacy',
  },
  footer: 'Example Ltd, 1 Main Street, Exampletown',
};

const SCREENS = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } } as const;
const SCHEMES = ['light', 'dark'] as const;

/** Most problems differ in their words alone: those have one picture for all. */
const isLikeAnother = (name: string) =>
  /^(problem-(?!notFound|kept)|unverified-(?!redirect_uri_mismatch)|sign-out-(?!client_missing)|sign-in-(?!mismatch|choose))/.test(
    name,
  );

describe.skipIf(chromiumPath === null)('every page', async () => {
  const english = await lookIn('en', 'en-GB');
  const branded = (look: Look): Look => ({ ...look, brand: makeBrand(branding, 'https://as.test').brand });
  const looks: readonly (readonly [string, Look])[] = [
    ['en', english],
    ['de', branded(await lookIn('de', 'de-DE', 'Europe/Berlin'))],
    // Left-to-right text inside a right-to-left page: the position of the elements is what the test looks at.
    ['rtl', { ...branded(english), direction: 'rtl' }],
  ];
  const shown = samples(english.words).filter(({ name }) => !isLikeAnother(name));
  let browser: Browser;
  beforeAll(async () => {
    if (isPictured) mkdirSync(PICTURES, { recursive: true });
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const cases = looks.flatMap(([name, look]) => SCHEMES.map((scheme) => [name, scheme, look] as const));

  it.each(cases)('in %s, %s', async (name, colorScheme, look) => {
    const page = await newPage(browser, { viewport: SCREENS.phone, colorScheme });
    await page.route('https://as.test/', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.route('https://as.test/images/*', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: LOGO }),
    );
    await page.goto('https://as.test/');
    // It stays when the content is another: loading it for each page takes longer than its work.
    await page.evaluate(axe.source);
    const problems: string[] = [];
    for (const sample of shown) {
      await page.setContent(sample.html(look).replace(/<script>.*?<\/script>/s, ''));
      const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        'axe.run(document, { resultTypes: ["violations"] })',
      );
      problems.push(...found.violations.map(({ id, nodes }) => `${sample.name}: ${id}: ${nodes[0]?.html}`));
      for (const [screen, size] of Object.entries(SCREENS)) {
        await page.setViewportSize(size);
        const path = `${PICTURES}/${sample.name}-${name}-${colorScheme}-${screen}.png`;
        if (isPictured) await page.screenshot({ path, fullPage: true });
        const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
        if (isTooWide) problems.push(`${sample.name}: wider than a ${screen}`);
      }
      await page.setViewportSize(SCREENS.phone);
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
