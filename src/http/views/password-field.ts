/** The field of a password, with a button that shows what is typed. A script shows the button. */
import { readFileSync } from 'node:fs';
import { html } from 'ghtml';
import { sha256 } from '../../crypto/digest.ts';
import type { Look } from '../look.ts';
import type { Markup } from './page.ts';

const SCRIPT = readFileSync(new URL('./password-in-page.js', import.meta.url), 'utf8');

/** For `script-src`. */
export const PASSWORD_SCRIPT_SOURCE = `'sha256-${sha256(SCRIPT).toString('base64')}'`;

/** The last element of a form with such fields. */
export const passwordScript: Markup = html`<script>!${SCRIPT}</script>`;

export type PasswordField = {
  /** Its id too. */
  readonly name: string;
  readonly label: string;
  readonly autocomplete: 'current-password' | 'new-password';
  readonly focus?: boolean;
  /** The ids of the elements that describe it. Absent: none. */
  readonly describedBy?: readonly string[];
};

export const passwordField = (
  { words: { passwordField: words } }: Look,
  { name, label, autocomplete, focus = false, describedBy = [] }: PasswordField,
): Markup => {
  const more = [
    ...(focus ? ['autofocus'] : []),
    ...(describedBy.length === 0 ? [] : [`aria-describedby="${describedBy.join(' ')}"`]),
  ];
  return html`<label for="${name}">${label}</label>
<input type="password" id="${name}" name="${name}" autocomplete="${autocomplete}" required maxlength="1024" !${more.join(' ')}>
<button type="button" class="reveal" data-reveals="${name}" data-hide="${words.hide}" hidden>${words.show}</button>`;
};
