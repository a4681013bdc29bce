import { html } from 'ghtml';
import type { DescribedAccess } from '../../protocol/requested-access.ts';
import { NOT_WHILE_AWAY, WHILE_AWAY } from './absence.ts';
import { type Markup, page } from './page.ts';

export type ConsentView = {
  readonly action: string;
  readonly csrf: string;
  readonly clientName: string;
  readonly username: string;
  /** Where the response goes, as a host or an app's scheme, so that the end-user can judge it. */
  readonly destination: string;
  /** Every redirect URI of the client leads to the end-user's own device. */
  readonly onThisDevice: boolean;
  readonly access: readonly DescribedAccess[];
  /** It goes on after the end-user has left. */
  readonly whileAway: boolean;
  readonly switchUser: string;
};

export const consentPage = (view: ConsentView): string =>
  page(
    `Allow ${view.clientName}?`,
    html`<h1>Allow ${view.clientName}?</h1>
!${view.access.map(access).join('')}
<p>${view.whileAway ? WHILE_AWAY : NOT_WHILE_AWAY}</p>
<p class="quiet">You will be sent to <strong>${view.destination}</strong>. If you did not expect that, deny.</p>
!${view.onThisDevice ? ON_THIS_DEVICE : ''}
<form method="post" action="${view.action}">
<input type="hidden" name="csrf" value="${view.csrf}">
<div class="choices">
<button type="submit" name="decision" value="approve" !${view.onThisDevice ? 'aria-describedby="on-this-device"' : ''}>Allow</button>
<button type="submit" name="decision" value="deny" class="second">Deny</button>
</div>
</form>
<p class="quiet">Signed in as <strong>${view.username}</strong>. <a href="${view.switchUser}">Use another account</a></p>`,
  );

/**
 * RFC 8252 §8.6: a redirect URI on the device itself does not identify the client, so the end-user decides. The MCP authorization
 * specification asks for this warning when all redirect URIs are loopback URIs.
 */
const ON_THIS_DEVICE: Markup = html`<p class="warning" id="on-this-device"><strong>Have you just started this yourself?</strong> Its answer goes to an app on this device, and any app on this device could pose as it. If you did not start it, deny.</p>`;

const access = ({ resource, scopes }: DescribedAccess): Markup =>
  scopes.length === 0
    ? html`<p>At <strong>${resource ?? ''}</strong> it wants to be let in, with none of the permissions that exist there.</p>`
    : html`<p>!${resource === null ? 'It' : html`At <strong>${resource}</strong> it`} wants to:</p>
<ul class="scopes">
!${scopes.map(({ name, description }) => html`<li>${description ?? `use “${name}”`}</li>`).join('\n')}
</ul>`;
