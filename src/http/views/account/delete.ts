import { html } from 'ghtml';
import type { Look } from '../../look.ts';
import { emphasised } from '../filled.ts';
import { type Markup, page } from '../page.ts';

export type DeleteView = {
  readonly action: string;
  readonly csrf: string;
  readonly username: string;
  /** The end-user administers this server. */
  readonly mayNot: boolean;
};

export function deleteForm({ words }: Look, { action, csrf, username, mayNot }: DeleteView): Markup {
  const said = words.account.delete;
  if (mayNot) return html`<p>${said.isAdministrator}</p>`;
  return html`<p>${said.what}</p>
<p class="quiet">${said.kept}</p>
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="username">!${emphasised(said.typeUsername, { username })}</label>
<input type="text" id="username" name="username" value="" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="256">
<button type="submit" class="danger">${said.submit}</button>
</form>`;
}

export function deletedPage(look: Look, { home }: { readonly home: string }): string {
  const said = look.words.account.delete;
  return page(
    look,
    said.doneTitle,
    html`<h1>${said.doneTitle}</h1>
<p>${said.done}</p>
<p><a href="${home}">${said.home}</a></p>`,
  );
}
