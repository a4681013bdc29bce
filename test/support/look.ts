/** The look of pages for a reader of English, or of another language. */
import { NO_BRANDING } from '../../src/config/branding.ts';
import { makeBrand } from '../../src/http/brand.ts';
import type { Look } from '../../src/http/look.ts';
import { languageOf } from '../../src/http/words/languages.ts';

/** @param tag of a language that is there. */
export async function lookIn(tag: string, locale = tag, timeZone = 'UTC', branding = NO_BRANDING): Promise<Look> {
  const { direction, words } = await languageOf(tag);
  return { language: tag, direction, locale, timeZone, words, brand: makeBrand(branding, 'https://as.test').brand };
}

export const ENGLISH: Look = await lookIn('en', 'en-GB');
