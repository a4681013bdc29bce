/** A text with markup inside: the words stay plain text, and the view says what stands out. */
import { html } from 'ghtml';
import type { Message } from '../words/words.ts';
import type { Markup } from './page.ts';

/** Private-use characters, which stand for the markup until the text around it is escaped. */
const FIRST = 0xe000;
const PLACE = /[\uE000-\uE00F]/g;

/**
 * @param text a message of the words, called with a place for each part.
 * @returns the text escaped, and the parts as they are.
 */
export function filled<Name extends string>(text: Message<Name>, parts: Readonly<Record<Name, Markup>>): Markup {
  const markup: readonly Markup[] = Object.values(parts);
  const places = mapped(parts, (_, index) => String.fromCharCode(FIRST + index));
  return html`${text(places)}`.replace(PLACE, (place) => markup[place.charCodeAt(0) - FIRST] ?? '');
}

/** With each value escaped and in bold; the style isolates its direction from that of the text. */
export const emphasised = <Name extends string>(text: Message<Name>, values: Readonly<Record<Name, string>>): Markup =>
  filled(
    text,
    mapped(values, (value) => html`<strong>${value}</strong>`),
  );

const mapped = <Name extends string>(
  values: Readonly<Record<Name, string>>,
  to: (value: string, index: number) => string,
): Record<Name, string> =>
  Object.fromEntries(Object.entries<string>(values).map(([name, value], index) => [name, to(value, index)])) as Record<
    Name,
    string
  >;
