/** A browser's name for display. A User-Agent is only a hint, and no decision depends on it. */
import Bowser from 'bowser';
import type { Words } from '../words/words.ts';

/** @param userAgent the User-Agent header. Null: not sent. @returns such as "Firefox on Windows". */
export function browserName(userAgent: string | null, words: Words['browser']): string {
  if (userAgent === null || userAgent === '') return words.unknown;
  const { browser, os } = Bowser.parse(userAgent);
  const name = browser.name || words.unknown;
  return os.name ? words.on({ name, system: os.name }) : name;
}
