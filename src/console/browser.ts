import { browserName } from '../http/views/browser-name.ts';
import { languageOf } from '../http/words/languages.ts';

/** The console is in English only. */
const { browser } = (await languageOf('en')).words;

/** @param userAgent null: not sent. */
export const browserOf = (userAgent: string | null): string => browserName(userAgent, browser);
