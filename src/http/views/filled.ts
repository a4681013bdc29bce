/** A text that contains markup. The texts stay plain, and the view adds the emphasis. */
import { html } from 'ghtml';
import type { Message } from '../words/arguments.ts';
import type { Markup } from './page.ts';

/** Private-use characters, in place of the markup until the text around it is escaped. */
const FIRST = 0xe000;
const PLACE = /[\uE000-\uE00F]/g;

/**
 * @param text a message of the words, called with a placeholder for each part.
 * @returns the text escaped, and the parts unchanged.
 */
export function filled<Name extends string>(text: Message<Name>, parts: Readonly<Record<Name, Markup>>): Markup {
  const markup: readonly Markup[] = Object.values(parts);
  const places = mapped(parts, (_, index) => String.fromCharCode(FIRST + index));
  return html`${text(places)}`.replace(PLACE, (place) => markup[place.charCodeAt(0) - FIRST] ?? '');
}

/** With each value escaped and in bold. The style isolates its direction from that of the text. */
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
