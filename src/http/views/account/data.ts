import { html } from 'ghtml';
import type { Look } from '../../look.ts';
import type { Markup } from '../page.ts';

export const dataForm = (
  { words: { account } }: Look,
  { action, csrf }: { readonly action: string; readonly csrf: string },
): Markup => html`<p>${account.data.what}</p>
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit">${account.data.submit}</button>
</form>`;
