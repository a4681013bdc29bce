/** The passkey button, with its script. It is hidden until the script finds that the browser supports passkeys. */
import { readFileSync } from 'node:fs';
import { html } from 'ghtml';
import { sha256 } from '../../crypto/digest.ts';
import type { Look } from '../look.ts';
import type { Markup } from './page.ts';

const SCRIPT = readFileSync(new URL('./passkey-in-page.js', import.meta.url), 'utf8');
/** For `script-src`. */
export const PASSKEY_SCRIPT_SOURCE = `'sha256-${sha256(SCRIPT).toString('base64')}'`;

export type PasskeyButton = {
  /** The URL for the authenticator's answer. */
  readonly action: string;
  readonly csrf: string;
  /** The options of WebAuthn, as JSON. */
  readonly options: string;
  /** Whether the field of the username offers passkeys too. */
  readonly autofill: boolean;
  /** Further fields of the form, which the end-user does not see. */
  readonly hidden?: Markup;
};

export const passkeyButton = (
  look: Look,
  { action, csrf, options, autofill, hidden }: PasskeyButton,
  words: {
    readonly button: string;
    /** Above the button. */
    readonly about?: string;
    readonly failed: string;
    /** The text of a registration for a device that already has a passkey of the account. */
    readonly known?: string;
    readonly fields?: Markup;
  },
): Markup =>
  html`<div data-passkey="${options}" !${autofill ? 'data-autofill="yes"' : ''} lang="${look.language}" hidden>
!${words.about === undefined ? '' : html`<p>${words.about}</p>`}
<p class="alert" role="alert" data-failed hidden>${words.failed}</p>
!${words.known === undefined ? '' : html`<p class="alert" role="alert" data-known hidden>${words.known}</p>`}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="credential" value="">
!${hidden ?? ''}
!${words.fields ?? ''}
<button type="${words.fields === undefined ? 'button' : 'submit'}" class="secondary" disabled>${words.button}</button>
</form>
</div>
<script>!${SCRIPT}</script>`;
