import { html } from 'ghtml';
import type { RefusedLogout } from '../../protocol/logout-request.ts';
import type { Look } from '../look.ts';
import { emphasised } from './filled.ts';
import { type Markup, page } from './page.ts';

export type LogoutView = {
  readonly action: string;
  /** Sent with `decision`: the CSRF token and the parameters of the request. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly username: string;
  /** Null: the request names no client. */
  readonly clientName: string | null;
  /** The destination after a sign-out. Null: none. */
  readonly destination: string | null;
  readonly permissions: string;
};

export function logoutPage(look: Look, view: LogoutView): string {
  const words = look.words.logout.ask;
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
<p>!${view.clientName === null ? '' : html`!${emphasised(words.clientAsks, { client: view.clientName })} `}!${emphasised(words.signedInAs, { username: view.username })}</p>
!${view.destination === null ? '' : html`<p class="quiet">!${emphasised(words.sentTo, { destination: view.destination })}</p>`}
<form method="post" action="${view.action}">
!${Object.entries(view.hidden).map(hiddenField).join('\n')}
<div class="choices">
<button type="submit" name="decision" value="approve">${words.signOut}</button>
<button type="submit" name="decision" value="deny" class="second">${words.stay}</button>
</div>
</form>
!${stays(look, view.permissions)}`,
  );
}

const hiddenField = ([name, value]: [string, string]): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`;

const stays = ({ words: { logout } }: Look, permissions: string): Markup =>
  html`<p class="quiet">${logout.endsNothingAllowed} <a href="${permissions}">${logout.seeAllowed}</a></p>`;

export function signedOutPage(
  look: Look,
  { wasSignedIn, permissions }: { readonly wasSignedIn: boolean; readonly permissions: string },
): string {
  const words = wasSignedIn ? look.words.logout.signedOut : look.words.logout.notSignedIn;
  return page(
    look,
    words.title,
    html`<h1>${words.heading}</h1>
<p>${words.what}</p>
!${stays(look, permissions)}`,
  );
}

export function stillSignedInPage(
  look: Look,
  view: {
    readonly username: string;
    /** The requesting client, and the URL to which it returns the browser. */
    readonly back: { readonly name: string; readonly href: string } | null;
    readonly permissions: string;
  },
): string {
  const words = look.words.logout.stillSignedIn;
  return page(
    look,
    words.title,
    html`<h1>${words.heading}</h1>
<p>!${emphasised(words.what, { username: view.username })}</p>
!${view.back === null ? '' : html`<p><a href="${view.back.href}">${words.back({ client: view.back.name })}</a></p>`}
!${stays(look, view.permissions)}`,
  );
}

export function refusedLogoutPage(
  look: Look,
  view: {
    readonly reason: RefusedLogout['reason'];
    /** The URL of a sign-out without the app's parameters. */
    readonly signOut: string;
  },
): string {
  const words = look.words.logout.refused;
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
<p>${words.reasons[view.reason]} ${words.notSent}</p>
<p>${words.allTheSame} <a href="${view.signOut}">${words.signOutHere}</a>. ${words.yours}</p>`,
  );
}
