import { html } from 'ghtml';
import { sha256 } from '../../crypto/digest.ts';
import type { Look } from '../look.ts';
import { page } from './page.ts';

/** Sends the form immediately. Without JavaScript, the end-user presses the button. */
const SUBMIT = 'document.forms[0].submit()';

/** For `script-src`: allows only this script, only on this page. */
export const SUBMIT_SOURCE = `'sha256-${sha256(SUBMIT).toString('base64')}'`;

export const formPostPage = (look: Look, action: string, parameters: Readonly<Record<string, string>>): string =>
  page(
    look,
    look.words.formPost.title,
    html`<h1>${look.words.formPost.title}</h1>
<form method="post" action="${action}">
!${Object.entries(parameters)
      .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
      .join('\n')}
<button type="submit">${look.words.formPost.continue}</button>
</form>
<script>!${SUBMIT}</script>`,
  );
