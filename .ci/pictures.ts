/**
 * Pictures of all pages and mails, in each language, light and dark, on a phone and on a desk. They are in
 * test-results/pages.
 *
 * - `npm run pictures`: all of them, some minutes.
 * - `npm run pictures -- sign-in consent`: those whose name begins so.
 * - `npm run pictures -- --docs`: the few that the documentation shows, in docs/pictures.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { SAMPLE_KINDS, sampleMail } from '../src/boot/mail/sample-mails.ts';
import type { Look } from '../src/http/look.ts';
import { chromiumPath, launchChromium } from '../test/support/chromium.ts';
import {
  allLooks,
  distinctSamples,
  emptyPage,
  MAIL_LOOK,
  SCHEMES,
  SCREENS,
  withoutSending,
} from '../test/support/dressed-pages.ts';
import { PICTURES_IN_DOCS } from './pictures-in-docs.ts';

type Scheme = (typeof SCHEMES)[number];
type Screen = keyof typeof SCREENS;
type Pictured = { readonly name: string; readonly language: string; readonly html: string };

const ALL = 'test-results/pages';
const IN_DOCS = 'docs/pictures';
/** The marks around the data of the samples (test/support/pages.ts). */
const DATA_MARKS = /[‹›]/g;

async function everything(): Promise<Pictured[]> {
  const looks = await allLooks();
  const pages = looks.flatMap(([language, look]) => pagesOf(language, look));
  const mails = looks.flatMap(([language]) => SAMPLE_KINDS.map((kind) => ({ kind, language })));
  return [...pages, ...(await Promise.all(mails.map(mailOf)))];
}

const pagesOf = (language: string, look: Look): Pictured[] =>
  distinctSamples(look.words).map(({ name, html }) => ({
    name,
    language,
    html: withoutSending(html(look)).replaceAll(DATA_MARKS, ''),
  }));

async function mailOf({ kind, language }: { readonly kind: string; readonly language: string }): Promise<Pictured> {
  const { html } = await sampleMail('https://login.example', MAIL_LOOK, { kind, language, to: 'alice@example.com' });
  return { name: `mail-${kind}`, language, html };
}

async function inBrowser(work: (browser: Browser) => Promise<void>): Promise<void> {
  if (chromiumPath === null) throw new Error('No browser: install Debian’s chromium, or set CHROMIUM_PATH.');
  const browser = await launchChromium();
  await work(browser).finally(() => browser.close());
}

async function pictureAll(browser: Browser, wanted: readonly string[]): Promise<void> {
  const shown = (await everything()).filter(
    ({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
  );
  mkdirSync(ALL, { recursive: true });
  for (const colorScheme of SCHEMES) {
    const page = await emptyPage(browser, { colorScheme });
    for (const { name, language, html } of shown) {
      await page.setContent(html);
      for (const [screen, size] of Object.entries(SCREENS)) {
        await page.setViewportSize(size);
        await page.screenshot({ path: join(ALL, `${name}-${language}-${colorScheme}-${screen}.png`), fullPage: true });
      }
    }
  }
  process.stdout.write(`wrote ${shown.length * SCHEMES.length * Object.keys(SCREENS).length} pictures to ${ALL}\n`);
}

async function pictureForDocs(browser: Browser): Promise<void> {
  const all = await everything();
  rmSync(IN_DOCS, { recursive: true, force: true });
  mkdirSync(IN_DOCS, { recursive: true });
  for (const { file, page: name, language, scheme, screen } of PICTURES_IN_DOCS) {
    const shown = all.find((one) => one.name === name && one.language === language);
    if (shown === undefined) throw new Error(`expected a page, found ${name} in ${language}`);
    const page = await sized(browser, scheme, screen);
    await page.setContent(shown.html);
    writeFileSync(join(IN_DOCS, file), await webpOf(page));
    await page.context().close();
  }
  process.stdout.write(`wrote ${PICTURES_IN_DOCS.length} pictures to ${IN_DOCS}\n`);
}

const sized = (browser: Browser, colorScheme: Scheme, screen: Screen): Promise<Page> =>
  emptyPage(browser, { colorScheme, viewport: SCREENS[screen], deviceScaleFactor: 1.5 });

/** WebP takes a third of a PNG. Only the protocol of the browser makes it. */
async function webpOf(page: Page): Promise<Buffer> {
  const browser = await page.context().newCDPSession(page);
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ width: page.viewportSize()?.width ?? SCREENS.desk.width, height });
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  return Buffer.from(data, 'base64');
}

const wanted = process.argv.slice(2).filter((argument) => argument !== '--docs');
await inBrowser((browser) => (process.argv.includes('--docs') ? pictureForDocs(browser) : pictureAll(browser, wanted)));
