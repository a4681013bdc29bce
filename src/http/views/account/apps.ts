/** The apps that the end-user has allowed. */
import { html } from 'ghtml';
import type { AllowedChain, AllowedClient } from '../../../protocol/allowed-clients.ts';
import type { SignedInBrowser } from '../../../protocol/signed-in-browsers.ts';
import type { Look } from '../../look.ts';
import { accessList } from '../access.ts';
import { browserName } from '../browser-name.ts';
import { filled } from '../filled.ts';
import { day, minute } from '../instants.ts';
import type { Markup } from '../page.ts';

export type AppsView = {
  /** The URLs of the forms. */
  readonly end: string;
  /** Absent: the page does not show the devices of an app. */
  readonly endOne?: string;
  readonly csrf: string;
  /** The active sessions, which have the names of the devices. */
  readonly browsers: readonly Pick<SignedInBrowser, 'sid' | 'userAgent'>[];
  readonly allowed: readonly AllowedClient[];
  /** The end-user has more of them than the page shows. */
  readonly more: boolean;
};

export const apps = (look: Look, view: AppsView): Markup => html`!${
  view.allowed.length === 0
    ? html`<p>${look.words.accountApps.none}</p>`
    : view.allowed.map((allowed, index) => client(look, view, allowed, index)).join('\n')
}
!${view.more ? html`<p class="quiet">${look.words.accountApps.more}</p>` : ''}`;

/** Beyond them, the end-user ends older ones first. */
const MAX_CHAINS = 20;

function client(look: Look, view: AppsView, allowed: AllowedClient, index: number): Markup {
  const { end, csrf } = view;
  const words = look.words.accountApps;
  const said = { here: words.may, at: words.mayAt, inAt: words.letInAt };
  const { since, lastUsedAt, asksAgainFrom } = allowed;
  const used = usedAt(look, lastUsedAt);
  return html`<section class="allowed" aria-labelledby="client-${String(index)}">
<h2 id="client-${String(index)}">${allowed.clientName}</h2>
!${allowed.access.map((access) => accessList(look.words, access, said)).join('\n')}
<p>${holds(look)[allowed.holds]}</p>
<p class="quiet">!${filled(words.since, { since: day(look, since) })} !${used} !${asksAgainFrom === null ? '' : filled(words.asksAgainFrom, { day: day(look, asksAgainFrom) })}</p>
!${view.endOne === undefined || allowed.chains.length < 2 ? '' : chains(look, { ...view, endOne: view.endOne }, allowed)}
<form method="post" action="${end}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="client_id" value="${allowed.clientId}">
<button type="submit" class="danger">${words.end({ client: allowed.clientName })}</button>
</form>
</section>`;
}

const usedAt = (look: Look, at: Date | null): Markup => {
  const { neverUsed, lastUsed } = look.words.accountApps;
  return at === null ? html`${neverUsed}` : filled(lastUsed, { lastUsed: minute(look, at) });
};

/** Several installations of one app, such as a laptop and a phone. */
const chains = (
  look: Look,
  view: AppsView & { readonly endOne: string },
  { clientId, chains }: AllowedClient,
): Markup =>
  html`<p>${look.words.accountApps.eachDevice}</p>
<ul class="browsers">
!${chains
    .slice(0, MAX_CHAINS)
    .map((chain) => device(look, view, { clientId, chain }))
    .join('\n')}
</ul>`;

function device(
  look: Look,
  { endOne, csrf, browsers }: AppsView & { readonly endOne: string },
  { clientId, chain }: { readonly clientId: string; readonly chain: AllowedChain },
): Markup {
  const words = look.words.accountApps;
  const signedIn = browsers.find(({ sid }) => sid === chain.sid);
  const name = browserName(signedIn?.userAgent ?? null, look.words.browser);
  return html`<li>
<p><strong>${name}</strong></p>
<p class="quiet">!${filled(words.deviceSince, { since: minute(look, chain.since) })} !${usedAt(look, chain.lastUsedAt)}</p>
<form method="post" action="${endOne}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="client_id" value="${clientId}">
<input type="hidden" name="grant" value="${chain.grantId}">
<button type="submit" class="danger">${words.endOne({ browser: name })}</button>
</form>
</li>`;
}

const holds = ({ words: { access, accountApps } }: Look): Readonly<Record<AllowedClient['holds'], string>> => ({
  whileAway: access.whileAway,
  nowOnly: access.notWhileAway,
  nothing: accountApps.holdsNothing,
});
