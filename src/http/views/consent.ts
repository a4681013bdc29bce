import { html } from 'ghtml';
import type { DescribedAccess } from '../../grants/requested-access.ts';
import { type Markup, page } from './page.ts';

export type ConsentView = {
  readonly action: string;
  readonly csrf: string;
  readonly clientName: string;
  readonly username: string;
  /** Where the answer goes, for people to judge: a host, or the scheme of an app. */
  readonly destination: string;
  readonly access: readonly DescribedAccess[];
  readonly switchUser: string;
};

export const consentPage = (view: ConsentView): string =>
  page(
    `Allow ${view.clientName}?`,
    html`<h1>Allow ${view.clientName}?</h1>
!${view.access.map(access).join('')}
<p class="quiet">You will be sent to <strong>${view.destination}</strong>. If you did not expect that, deny.</p>
<form method="post" action="${view.action}">
<input type="hidden" name="csrf" value="${view.csrf}">
<div class="choices">
<button type="submit" name="decision" value="approve">Allow</button>
<button type="submit" name="decision" value="deny" class="second">Deny</button>
</div>
</form>
<p class="quiet">Signed in as <strong>${view.username}</strong>. <a href="${view.switchUser}">Use another account</a></p>`,
  );

const access = ({ resource, scopes }: DescribedAccess): Markup =>
  html`<p>At <strong>${resource}</strong> it wants to:</p>
<ul class="scopes">
!${scopes.map(({ name, description }) => html`<li>${description ?? `use “${name}”`}</li>`).join('\n')}
</ul>`;
