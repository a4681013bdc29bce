/** A text with markup inside: the words stay plain text, and the view says what stands out. */
import { html } from 'ghtml';
import type { Markup } from './page.ts';

/** Private-use characters, which stand for the markup until the text around it is escaped. */
const FIRST = 0xe000;
const PLACE = /[\uE000-\uE00F]/g;

/**
 * @param text a function of the words, called with a place for each part.
 * @returns the text escaped, and the parts as they are.
 */
export function filled(text: (...parts: string[]) => string, ...parts: readonly Markup[]): Markup {
  const places = parts.map((_, index) => String.fromCharCode(FIRST + index));
  return html`${text(...places)}`.replace(PLACE, (place) => parts[place.charCodeAt(0) - FIRST] ?? '');
}

/** With each value escaped and in bold; the style isolates its direction from that of the text. */
export const emphasised = (text: (...parts: string[]) => string, ...values: readonly string[]): Markup =>
  filled(text, ...values.map((value) => html`<strong>${value}</strong>`));
