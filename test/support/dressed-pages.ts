/** Every page in every language, with the branding of a made-up team except in English: for the tests in a browser, and for pictures. */
import type { Browser, Page } from 'playwright-core';
import { type Branding, NO_BRANDING } from '../../src/config/branding.ts';
import { makeBrand } from '../../src/http/brand.ts';
import type { Look } from '../../src/http/look.ts';
import { LANGUAGES } from '../../src/http/words/languages.ts';
import { newPage } from './chromium.ts';
import { lookIn } from './look.ts';
import { samples } from './pages.ts';

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#7a1fa2"/><circle cx="32" cy="32" r="16" fill="#fff"/></svg>`;

const BRANDING: Branding = {
  ...NO_BRANDING,
  organization: 'Example Ltd',
  logo: { hash: 'logo', type: 'image/svg+xml', bytes: Buffer.from(LOGO) },
  accentColor: { light: '#7a1fa2', dark: '#e0b0ff' },
  background: { light: '#f6eefa', dark: '#0c0710' },
  cornerRadius: 12,
  links: {
    help: 'https://example.com/help',
    terms: 'https://example.com/terms',
    privacy: 'https://example.com/privacy',
  },
  footer: 'Example Ltd, 1 Main Street, Exampletown',
};

/** Of the same team, for mails. */
export const MAIL_LOOK = { branding: BRANDING, ownMails: [] };

const branded = (look: Look): Look => ({ ...look, brand: makeBrand(BRANDING, 'https://as.test').brand });

/** Of a language, in a time zone that has another date. */
export const dressedLook = async (tag: string): Promise<Look> =>
  tag === 'en' ? lookIn('en', 'en-GB') : branded(await lookIn(tag, tag, 'Europe/Berlin'));

export const allLooks = (): Promise<(readonly [string, Look])[]> =>
  Promise.all(LANGUAGES.map(async (tag) => [tag, await dressedLook(tag)] as const));

/** 320 pixels are also a desk of 640 pixels at 200 % and of 1280 at 400 % (WCAG 2.2, 1.4.4 and 1.4.10). */
export const SCREENS = { phone: { width: 320, height: 640 }, desk: { width: 1280, height: 800 } } as const;
export const SCHEMES = ['light', 'dark'] as const;

/** Most problems differ in their words alone: those have one picture for all. */
const isLikeAnother = (name: string) =>
  /^(problem-(?!notFound|kept)|unverified-(?!redirect_uri_mismatch)|sign-out-(?!client_missing)|sign-in-(?!mismatch|choose))/.test(
    name,
  );

export const distinctSamples = (words: Look['words']) => samples(words).filter(({ name }) => !isLikeAnother(name));

/** An empty page of the server, whose images are there. */
export async function emptyPage(browser: Browser, options: Parameters<typeof newPage>[1]): Promise<Page> {
  const page = await newPage(browser, options);
  await page.route('https://as.test/', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.route('https://as.test/images/*', (route) => route.fulfill({ contentType: 'image/svg+xml', body: LOGO }));
  await page.goto('https://as.test/');
  return page;
}

/** The page that returns to the app would be gone before its picture. */
export const withoutSending = (html: string): string => html.replace('<script>document.forms[0].submit()</script>', '');
