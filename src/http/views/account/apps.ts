/** The apps that the end-user has allowed. */
import { html } from 'ghtml';
import type { AllowedClient } from '../../../protocol/allowed-clients.ts';
import type { Look } from '../../look.ts';
import { accessList } from '../access.ts';
import { filled } from '../filled.ts';
import { day, minute } from '../instants.ts';
import type { Markup } from '../page.ts';

export type AppsView = {
  /** The URLs of the forms. */
  readonly end: string;
  readonly csrf: string;
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

function client(look: Look, { end, csrf }: AppsView, allowed: AllowedClient, index: number): Markup {
  const words = look.words.accountApps;
  const said = { here: words.may, at: words.mayAt, inAt: words.letInAt };
  const { since, lastUsedAt, asksAgainFrom } = allowed;
  const used =
    lastUsedAt === null ? html`${words.neverUsed}` : filled(words.lastUsed, { lastUsed: minute(look, lastUsedAt) });
  return html`<section class="allowed" aria-labelledby="client-${String(index)}">
<h2 id="client-${String(index)}">${allowed.clientName}</h2>
!${allowed.access.map((access) => accessList(look.words, access, said)).join('\n')}
<p>${holds(look)[allowed.holds]}</p>
<p class="quiet">!${filled(words.since, { since: day(look, since) })} !${used} !${asksAgainFrom === null ? '' : filled(words.asksAgainFrom, { day: day(look, asksAgainFrom) })}</p>
<form method="post" action="${end}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="client_id" value="${allowed.clientId}">
<button type="submit" class="danger">${words.end({ client: allowed.clientName })}</button>
</form>
</section>`;
}

const holds = ({ words: { access, accountApps } }: Look): Readonly<Record<AllowedClient['holds'], string>> => ({
  whileAway: access.whileAway,
  nowOnly: access.notWhileAway,
  nothing: accountApps.holdsNothing,
});
