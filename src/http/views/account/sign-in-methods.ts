/** The end-user's passkeys, authenticator apps and recovery codes. */
import { html } from 'ghtml';
import type { Methods } from '../../../people/second-factor/methods.ts';
import type { Look } from '../../look.ts';
import { filled } from '../filled.ts';
import { minute } from '../instants.ts';
import type { Markup } from '../page.ts';

export type MethodsView = {
  readonly methods: Methods;
  /** The URLs of the forms, by name. */
  readonly at: (form: string) => string;
  readonly csrf: string;
  /**
   * The page where the end-user proves a factor first, after a sign-in by a password alone. Null: no need, or no
   * factor.
   */
  readonly prove: string | null;
};

export const signInMethods = (look: Look, view: MethodsView): Markup => {
  const words = look.words.accountMethods;
  return html`!${view.methods.isDemanded ? html`<p>${words.demanded}</p>` : ''}
!${view.prove === null ? '' : html`<p>${words.proveFirst} <a href="${view.prove}">${words.prove}</a></p>`}
!${passkeys(look, view)}
!${apps(look, view)}
!${codes(look, view)}`;
};

const hidden = (csrf: string, id?: string): Markup => html`<input type="hidden" name="csrf" value="${csrf}">
!${id === undefined ? '' : html`<input type="hidden" name="id" value="${id}">`}`;

function passkeys(look: Look, { methods, at, csrf }: MethodsView): Markup {
  const words = look.words.accountMethods.passkeys;
  return html`<h2>${words.title}</h2>
<p>${words.about}</p>
!${
    methods.passkeys.length === 0
      ? html`<p>${words.none}</p>`
      : html`<ul class="browsers">
!${methods.passkeys.map((passkey) => passkeyItem(look, { passkey, at, csrf })).join('\n')}
</ul>`
  }
<p><a href="${at('/passkey')}">${words.add}</a></p>`;
}

function passkeyItem(
  look: Look,
  { passkey, at, csrf }: Pick<MethodsView, 'at' | 'csrf'> & { readonly passkey: Methods['passkeys'][number] },
): Markup {
  const words = look.words.accountMethods.passkeys;
  const { id, name, createdAt, lastUsedAt, isSynced, isSecondFactorOnly } = passkey;
  const field = `name-${id}`;
  return html`<li>
<p><strong>${name}</strong></p>
<p class="quiet">!${filled(words.added, { added: minute(look, createdAt) })} !${lastUsedAt === null ? html`${words.neverUsed}` : filled(words.lastUsed, { lastUsed: minute(look, lastUsedAt) })} ${isSynced ? words.synced : ''} ${isSecondFactorOnly ? words.secondFactorOnly : ''}</p>
<form method="post" action="${at('/passkeys/rename')}">
!${hidden(csrf, id)}
<label for="${field}">${words.name}</label>
<input type="text" id="${field}" name="name" value="${name}" required maxlength="60" autocomplete="off">
<button type="submit" class="secondary">${words.rename}</button>
</form>
<form method="post" action="${at('/passkeys/remove')}">
!${hidden(csrf, id)}
<button type="submit" class="danger">${words.remove({ name })}</button>
</form>
</li>`;
}

function apps(look: Look, { methods, at, csrf }: MethodsView): Markup {
  const words = look.words.accountMethods.apps;
  return html`<h2>${words.title}</h2>
<p>${words.about}</p>
!${
    methods.apps.length === 0
      ? html`<p>${words.none}</p>`
      : html`<ul class="browsers">
!${methods.apps
          .map(
            ({ id, confirmedAt }) => html`<li>
<p class="quiet">!${filled(words.confirmed, { confirmed: minute(look, confirmedAt) })}</p>
<form method="post" action="${at('/apps/remove')}">
!${hidden(csrf, id)}
<button type="submit" class="danger">${words.remove}</button>
</form>
</li>`,
          )
          .join('\n')}
</ul>`
  }
<form method="post" action="${at('/apps/set-up')}">
!${hidden(csrf)}
<button type="submit" class="secondary">${words.add}</button>
</form>`;
}

function codes(look: Look, { methods, at, csrf }: MethodsView): Markup {
  const words = look.words.accountMethods.codes;
  const hasFactor = methods.apps.length + methods.passkeys.length > 0;
  return html`<h2>${words.title}</h2>
<p>${methods.recoveryCodesLeft === 0 && !hasFactor ? words.none : words.left({ count: methods.recoveryCodesLeft })}</p>
!${
    hasFactor
      ? html`<form method="post" action="${at('/recovery-codes')}">
!${hidden(csrf)}
<p class="quiet">${words.makeAbout}</p>
<button type="submit" class="secondary">${words.make}</button>
</form>`
      : ''
  }`;
}
