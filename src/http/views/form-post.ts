import { html } from 'ghtml';
import { sha256 } from '../../crypto/digest.ts';
import { page } from './page.ts';

/** Sends the form at once; without JavaScript the end-user presses the button. */
const SUBMIT = 'document.forms[0].submit()';

/** For `script-src`: allows only this script, only on this page. */
export const SUBMIT_SOURCE = `'sha256-${sha256(SUBMIT).toString('base64')}'`;

export const formPostPage = (action: string, parameters: Readonly<Record<string, string>>): string =>
  page(
    'Back to the app',
    html`<h1>Back to the app</h1>
<form method="post" action="${action}">
!${Object.entries(parameters)
      .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
      .join('\n')}
<button type="submit">Continue</button>
</form>
<script>!${SUBMIT}</script>`,
  );
