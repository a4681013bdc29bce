/** The linked identities with which the end-user signs in. */
import { html } from 'ghtml';
import type { ShownIdentity } from '../../../people/account/linked-identities.ts';
import type { Look } from '../../look.ts';
import { filled } from '../filled.ts';
import { day } from '../instants.ts';
import type { Markup } from '../page.ts';

export type LinkedIdentitiesView = {
  /** The URLs of the forms. */
  readonly remove: string;
  readonly link: string;
  readonly csrf: string;
  readonly linked: readonly ShownIdentity[];
  readonly places: readonly { readonly name: string; readonly label: string }[];
};

export function linkedIdentities(look: Look, { remove, link, csrf, linked, places }: LinkedIdentitiesView): Markup {
  const words = look.words.externalSignIn.linked;
  const identity = ({ id, label, linkedAt }: ShownIdentity) => html`<li>
<p><strong>${label}</strong> <span class="quiet">!${filled(words.since, { date: day(look, linkedAt) })}</span></p>
<form method="post" action="${remove}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="identity" value="${id}">
<button type="submit" class="danger">${words.remove({ label })}</button>
</form>
</li>`;
  const button = ({ name, label }: LinkedIdentitiesView['places'][number]) =>
    html`<button type="submit" name="provider" value="${name}" class="second">${words.link({ label })}</button>`;
  return html`<p>${words.intro}</p>
!${
    linked.length === 0
      ? html`<p>${words.none}</p>`
      : html`<ul class="browsers">
!${linked.map(identity).join('\n')}
</ul>`
  }
!${
    places.length === 0
      ? ''
      : html`<form method="post" action="${link}">
<input type="hidden" name="csrf" value="${csrf}">
<p class="quiet">${words.linkIntro}</p>
!${places.map(button).join('\n')}
</form>`
  }`;
}
