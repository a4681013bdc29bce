/** A browser's name for people. A User-Agent is only a hint, and nothing depends on it. */
import Bowser from 'bowser';

/** @param userAgent the User-Agent header; null: none was sent. @returns such as "Firefox on Windows". */
export function browserName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'A browser';
  const { browser, os } = Bowser.parse(userAgent);
  const name = browser.name || 'A browser';
  return os.name ? `${name} on ${os.name}` : name;
}
