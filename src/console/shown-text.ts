/** Names that others chose, for pages. No name can rearrange, hide or fill the page. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';

/**
 * Control characters, direction marks and overrides, line separators, and characters without width. Joiners belong to
 * scripts and emoji.
 */
const HIDDEN =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}]|\u{34f}/gu;
const MAX_CHARACTERS = 200;

/** As plain text, for titles and labels: `[U+202E]` stands for an invisible character. */
export function shownText(text: string, max = MAX_CHARACTERS): string {
  const characters = [...text];
  const cut = characters.length > max ? `${characters.slice(0, max).join('')}…` : text;
  return cut.replaceAll(
    HIDDEN,
    (hidden) => `[U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

/** Isolated, so that a name in another direction does not rearrange the text beside it. */
export const name = (text: string): Markup => html`<bdi>${shownText(text)}</bdi>`;
export const code = (text: string): Markup => html`<code>${shownText(text, 2048)}</code>`;
