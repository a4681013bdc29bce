import { html } from 'ghtml';
import { type Markup, page } from './page.ts';

export type LogoutView = {
  readonly action: string;
  /** Sent with `decision`: the CSRF token and the parameters of the request. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly username: string;
  /** Null: the request names no client. */
  readonly clientName: string | null;
  /** Where the browser goes after a sign-out; null: it stays. */
  readonly destination: string | null;
  readonly permissions: string;
};

export const logoutPage = (view: LogoutView): string =>
  page(
    'Sign out?',
    html`<h1>Sign out?</h1>
<p>!${view.clientName === null ? '' : html`<strong>${view.clientName}</strong> asks to end your session. `}You are signed in here as <strong>${view.username}</strong>.</p>
!${view.destination === null ? '' : html`<p class="quiet">Afterwards you will be sent to <strong>${view.destination}</strong>.</p>`}
<form method="post" action="${view.action}">
!${Object.entries(view.hidden).map(hiddenField).join('\n')}
<div class="choices">
<button type="submit" name="decision" value="approve">Sign out</button>
<button type="submit" name="decision" value="deny" class="second">Stay signed in</button>
</div>
</form>
!${stays(view.permissions)}`,
  );

const hiddenField = ([name, value]: [string, string]): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`;

/** A sign-out ends the session of this browser; a grant ends only by revocation. */
const stays = (permissions: string): Markup =>
  html`<p class="quiet">Signing out ends nothing that you have allowed apps to do. <a href="${permissions}">See what you have allowed</a></p>`;

export const signedOutPage = ({ wasSignedIn, permissions }: { wasSignedIn: boolean; permissions: string }): string =>
  page(
    wasSignedIn ? 'Signed out' : 'Not signed in',
    html`<h1>${wasSignedIn ? 'You are signed out' : 'You are not signed in here'}</h1>
<p>${wasSignedIn ? 'Your session in this browser has ended. Apps keep sessions of their own: sign out of those too.' : 'This browser has no session at this server, so there is nothing to end.'}</p>
!${stays(permissions)}`,
  );

export const stillSignedInPage = (view: {
  readonly username: string;
  /** The client that asked, and where it wants the browser to return. */
  readonly back: { readonly name: string; readonly href: string } | null;
  readonly permissions: string;
}): string =>
  page(
    'Still signed in',
    html`<h1>You are still signed in</h1>
<p>Nothing has changed: you are signed in here as <strong>${view.username}</strong>.</p>
!${view.back === null ? '' : html`<p><a href="${view.back.href}">Go back to ${view.back.name}</a></p>`}
!${stays(view.permissions)}`,
  );

export const refusedLogoutPage = (view: {
  readonly what: string;
  /** The URL of a sign-out without the app's parameters. */
  readonly signOut: string;
}): string =>
  page(
    'This sign-out cannot be done',
    html`<h1>This sign-out cannot be done</h1>
<p>${view.what} For your safety you are not sent anywhere, and you are signed in or out as before.</p>
<p>To end your session at this server all the same: <a href="${view.signOut}">sign out here</a>. If the app is yours, compare its settings with its registration; the log of this server has the details.</p>`,
  );
