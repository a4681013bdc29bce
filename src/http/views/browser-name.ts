/** A browser's name for people. A User-Agent is only a hint, and nothing depends on it. */
import Bowser from 'bowser';
import type { Words } from '../words/words.ts';

/** @param userAgent the User-Agent header; null: none was sent. @returns such as "Firefox on Windows". */
export function browserName(userAgent: string | null, words: Words['browser']): string {
  if (userAgent === null || userAgent === '') return words.unknown;
  const { browser, os } = Bowser.parse(userAgent);
  const name = browser.name || words.unknown;
  return os.name ? words.on({ name, system: os.name }) : name;
}
