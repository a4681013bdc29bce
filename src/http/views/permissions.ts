import { html } from 'ghtml';
import type { AllowedClient } from '../../protocol/allowed-clients.ts';
import type { DescribedAccess } from '../../protocol/requested-access.ts';
import type { SignedInBrowser } from '../../protocol/signed-in-browsers.ts';
import { NOT_WHILE_AWAY, WHILE_AWAY } from './absence.ts';
import { browserName } from './browser-name.ts';
import { type Markup, page } from './page.ts';

export type PermissionsView = {
  /** Where the forms go. */
  readonly endAccess: string;
  readonly endSession: string;
  readonly csrf: string;
  readonly username: string;
  readonly allowed: readonly AllowedClient[];
  /** There are more than are shown. */
  readonly more: boolean;
  readonly browsers: readonly SignedInBrowser[];
  /** What the previous form ended; null: nothing. */
  readonly justEnded: keyof typeof ENDED | null;
  readonly signOut: string;
};

export const permissionsPage = (view: PermissionsView): string =>
  page(
    'What you have allowed',
    html`<h1>What you have allowed</h1>
<p class="quiet">Signed in as <strong>${view.username}</strong>. <a href="${view.signOut}">Sign out</a></p>
!${view.justEnded === null ? '' : html`<p class="done" role="status">${ENDED[view.justEnded]}</p>`}
!${view.allowed.length === 0 ? EMPTY : view.allowed.map((allowed, index) => client(view, allowed, index)).join('\n')}
!${view.more ? html`<p class="quiet">These are the newest. The others are shown when you end some of these.</p>` : ''}
<h2>Where you are signed in</h2>
<p>Apps that you have allowed go on when you sign out somewhere; end their access above.</p>
<ul class="browsers">
!${view.browsers.map((signedIn) => browser(view, signedIn)).join('\n')}
</ul>`,
    { wide: true },
  );

const EMPTY: Markup = html`<p>You have not allowed any app anything, or all of it has ended. When you sign in to an app and allow it something, it is listed here.</p>`;

const ENDED = {
  access:
    'Ended. That app gets nothing new and has to ask you again. What it holds already ends by itself, within the hour at the latest.',
  session: 'Signed out there. That browser has to sign in again.',
} as const;

const browser = ({ endSession, csrf }: PermissionsView, session: SignedInBrowser): Markup =>
  html`<li>
<p><strong>${browserName(session.userAgent)}</strong>!${session.isThis ? html` <em>(this browser)</em>` : ''}</p>
<p class="quiet">Signed in on !${minute(session.signedInAt)}, last used on !${minute(session.lastUsedAt)}.</p>
<form method="post" action="${endSession}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="session" value="${session.sid}">
<button type="submit" class="danger">Sign out ${session.isThis ? 'here' : `of ${browserName(session.userAgent)}`}</button>
</form>
</li>`;

const client = ({ endAccess, csrf }: PermissionsView, allowed: AllowedClient, index: number): Markup =>
  html`<section class="allowed" aria-labelledby="client-${String(index)}">
<h2 id="client-${String(index)}">${allowed.clientName}</h2>
!${allowed.access.map(access).join('\n')}
<p>${HOLDS[allowed.holds]}</p>
<p class="quiet">Allowed since !${day(allowed.since)}. !${allowed.lastUsedAt === null ? 'Not used yet.' : html`Last used on !${minute(allowed.lastUsedAt)}.`}</p>
<form method="post" action="${endAccess}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="client_id" value="${allowed.clientId}">
<button type="submit" class="danger">End access of ${allowed.clientName}</button>
</form>
</section>`;

const HOLDS: Readonly<Record<AllowedClient['holds'], string>> = {
  whileAway: WHILE_AWAY,
  nowOnly: NOT_WHILE_AWAY,
  nothing: 'It holds no access now. When you sign in to it again, it gets this without asking.',
};

const access = ({ resource, scopes }: DescribedAccess): Markup =>
  scopes.length === 0
    ? html`<p>At <strong>${resource ?? ''}</strong> it may be let in, with none of the permissions that exist there.</p>`
    : html`<p>!${resource === null ? 'It may' : html`At <strong>${resource}</strong> it may`}:</p>
<ul class="scopes">
!${scopes.map(({ name, description }) => html`<li>${description ?? `use “${name}”`}</li>`).join('\n')}
</ul>`;

/** In UTC: the server does not know the end-user's time zone. */
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
const day = (instant: Date): Markup => html`<time datetime="${instant.toISOString()}">${DAY.format(instant)}</time>`;
const minute = (instant: Date): Markup =>
  html`<time datetime="${instant.toISOString()}">${MINUTE.format(instant)} UTC</time>`;
