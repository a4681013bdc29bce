/** The sessions of the end-user. */
import { html } from 'ghtml';
import type { Origin } from '../../../people/account/origins.ts';
import type { ListedBrowser } from '../../../people/trust/trust.ts';
import type { SignedInBrowser } from '../../../protocol/signed-in-browsers.ts';
import type { Look } from '../../look.ts';
import { browserName } from '../browser-name.ts';
import { filled } from '../filled.ts';
import { minute } from '../instants.ts';
import type { Markup } from '../page.ts';

export type DevicesView = {
  /** The URLs of the forms. `endOthers` null: the page has no such form. */
  readonly end: string;
  readonly endOthers: string | null;
  readonly csrf: string;
  readonly browsers: readonly SignedInBrowser[];
  /** By `sid`. Absent: the page shows none. */
  readonly origins?: ReadonlyMap<string, Origin>;
  /** Absent: the page has no list of trusted browsers. */
  readonly trust?: {
    readonly end: string;
    readonly endAll: string;
    readonly browsers: readonly ListedBrowser[];
  };
};

export const devices = (look: Look, view: DevicesView): Markup => html`<p>${look.words.accountDevices.stays}</p>
<ul class="browsers">
!${view.browsers.map((signedIn) => browser(look, view, signedIn)).join('\n')}
</ul>
!${view.endOthers === null || view.browsers.every(({ isThis }) => isThis) ? '' : endOthers(look, view, view.endOthers)}
!${view.trust === undefined || view.trust.browsers.length === 0 ? '' : trusted(look, view.csrf, view.trust)}`;

function trusted(look: Look, csrf: string, { end, endAll, browsers }: NonNullable<DevicesView['trust']>): Markup {
  const words = look.words.accountDevices.trusted;
  return html`<h2>${words.title}</h2>
<p>${words.about}</p>
<ul class="browsers">
!${browsers.map((one) => trustedItem(look, { action: end, csrf }, one)).join('\n')}
</ul>
<form method="post" action="${endAll}">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit" class="danger">${words.endAll}</button>
</form>`;
}

function trustedItem(
  look: Look,
  { action, csrf }: { readonly action: string; readonly csrf: string },
  { id, userAgent, createdAt, lastUsedAt, endsAt }: ListedBrowser,
): Markup {
  const words = look.words.accountDevices.trusted;
  const name = browserName(userAgent, look.words.browser);
  return html`<li>
<p><strong>${name}</strong></p>
<p class="quiet">!${filled(words.item, { since: minute(look, createdAt), until: minute(look, endsAt) })} !${lastUsedAt === null ? html`${words.neverUsed}` : filled(words.lastUsed, { lastUsed: minute(look, lastUsedAt) })}</p>
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="id" value="${id}">
<button type="submit" class="danger">${words.end({ browser: name })}</button>
</form>
</li>`;
}

function browser(look: Look, { end, csrf, origins }: DevicesView, session: SignedInBrowser): Markup {
  const words = look.words.accountDevices;
  const name = browserName(session.userAgent, look.words.browser);
  const { signedInAt, lastUsedAt, isThis, amr, sid } = session;
  const how = html`${howSignedIn(look, amr)}`;
  const from = origins?.get(sid);
  return html`<li>
<p><strong>${name}</strong>!${isThis ? html` <em>${words.thisBrowser}</em>` : ''}</p>
<p class="quiet">!${filled(words.signedIn, { signedIn: minute(look, signedInAt), how, lastUsed: minute(look, lastUsedAt) })}</p>
!${from === undefined ? '' : html`<p class="quiet">!${origin(look, from)}</p>`}
<form method="post" action="${end}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="session" value="${sid}">
<button type="submit" class="danger">${isThis ? words.signOutHere : name === look.words.browser.unknown ? words.signOutThere : words.signOutOf({ browser: name })}</button>
</form>
</li>`;
}

function origin({ words: { accountDevices: words } }: Look, { address, place }: Origin): Markup {
  const shown = html`<span dir="ltr">${address}</span>`;
  if (place === null) return filled(words.from, { address: shown });
  const [city, country] = [place.city, place.country].map((name) => name && html`${name}`);
  if (city && country) return filled(words.fromCity, { city, country, address: shown });
  return filled(words.fromPlace, { place: city ?? country ?? '', address: shown });
}

const endOthers = (
  { words: { accountDevices: words } }: Look,
  { csrf }: DevicesView,
  action: string,
): Markup => html`<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<p class="quiet">${words.endOthersAbout}</p>
<button type="submit" class="danger">${words.endOthers}</button>
</form>`;

/** `mfa` only means that there were several methods, which the list shows. */
export function howSignedIn({ locale, words }: Look, amr: readonly string[]): string {
  const { methods, anotherWay } = words.accountDevices;
  const known: Readonly<Record<string, string>> = methods;
  const ways = amr
    .filter((method) => method !== 'mfa' && method !== 'user')
    .map((method) => known[method] ?? anotherWay);
  if (ways.length === 0) return anotherWay;
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(new Set(ways));
}
