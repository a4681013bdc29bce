/** The e-mail address of the account. */
import { html } from 'ghtml';
import type { Look } from '../../look.ts';
import { emphasised } from '../filled.ts';
import type { Markup } from '../page.ts';

export type AddressView = {
  /** The URLs of the forms. */
  readonly verify: string;
  readonly change: string;
  readonly csrf: string;
  /** Null: the account has none. */
  readonly current: { readonly address: string; readonly isVerified: boolean } | null;
};

export function addressPage(
  { words: { accountEmail: words } }: Look,
  { verify, change, csrf, current }: AddressView,
): Markup {
  const says =
    current === null
      ? html`${words.none}`
      : emphasised(current.isVerified ? words.isVerified : words.isNotVerified, { address: current.address });
  return html`<p>!${says}</p>
!${
    current === null || current.isVerified
      ? ''
      : html`<form method="post" action="${verify}">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit">${words.verify}</button>
</form>`
  }
<h2>${words.changeTitle}</h2>
<p>${words.changeAbout}</p>
<form method="post" action="${change}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="email">${words.newAddress}</label>
<input type="email" id="email" name="email" autocomplete="email" required maxlength="254">
<button type="submit">${words.change}</button>
</form>`;
}
