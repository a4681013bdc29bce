/** The first page of the account: each section with its state, or with the next step of an empty one. */
import { html } from 'ghtml';
import type { AccountSummary } from '../../../people/account/summary.ts';
import type { Look } from '../../look.ts';
import { browserName } from '../browser-name.ts';
import { emphasised, filled } from '../filled.ts';
import { day, minute } from '../instants.ts';
import type { Markup } from '../page.ts';
import { howSignedIn } from './devices.ts';
import type { AccountFrame, SectionId } from './frame.ts';

export const overview = (frame: AccountFrame, summary: AccountSummary): Markup => html`!${person(frame, summary)}
<ul class="overview">
!${frame.sections.map((section) => item(frame.look, summary, section)).join('\n')}
</ul>`;

/** Initials, and no picture: the page loads no image of another server. */
const person = ({ username, look }: AccountFrame, { name }: AccountSummary): Markup =>
  html`<p class="person"><span class="initials" data-initials="${initialsOf(name ?? username, look)}" aria-hidden="true"></span> <strong>${name ?? username}</strong></p>`;

const MAX_INITIALS = 2;

/** The first letters of the first and the last word. */
function initialsOf(name: string, { locale }: Look): string {
  const letters = name.split(/\s+/).flatMap((word) => /\p{L}|\p{N}/u.exec(word)?.[0] ?? []);
  const shown = letters.length > MAX_INITIALS ? [letters[0], letters.at(-1)] : letters;
  return shown.join('').toLocaleUpperCase(locale);
}

function item(look: Look, summary: AccountSummary, { id, href }: AccountFrame['sections'][number]): Markup {
  const { title, about } = look.words.account.sections[id];
  const states = STATES[id]?.(look, summary, href) ?? [];
  return html`<li>
<h2><a href="${href}">${title}</a></h2>
!${states.length === 0 ? html`<p class="quiet">${about}</p>` : states.map((state) => html`<p class="quiet">!${state}</p>`).join('\n')}
</li>`;
}

type States = (look: Look, summary: AccountSummary, href: string) => readonly Markup[];

/** The other sections have no state: the page describes them. */
const STATES: Partial<Readonly<Record<SectionId, States>>> = {
  profile: ({ words: { accountSummary: words } }, { name }) => (name === null ? [html`${words.noName}`] : []),
  password: ({ words: { accountSummary: words } }, { hasPassword }) => [
    html`${hasPassword ? words.hasPassword : words.noPassword}`,
  ],
  'sign-in-methods': methods,
  devices: (look, { browsers, lastSignIn }) => {
    const words = look.words.accountSummary;
    if (lastSignIn === null) return [];
    const { signedInAt, amr, userAgent } = lastSignIn;
    const parts = {
      browser: html`${browserName(userAgent, look.words.browser)}`,
      signedIn: minute(look, signedInAt),
      how: html`${howSignedIn(look, amr)}`,
    };
    return [html`${words.browsers({ count: browsers })}`, filled(words.lastSignIn, parts)];
  },
  apps: ({ words: { accountSummary: words } }, { clientsWithAccess: count }) => [
    html`${count === 0 ? words.noClient : words.clients({ count })}`,
  ],
  email: ({ words: { accountEmail: words } }, { email }) => [
    email === null
      ? html`${words.none}`
      : emphasised(email.isVerified ? words.isVerified : words.isNotVerified, { address: email.address }),
  ],
  'linked-identities': ({ words: { accountSummary: words } }, { linkedIdentities: count }) => [
    html`${count === 0 ? words.noIdentity : words.identities({ count })}`,
  ],
};

function methods(look: Look, summary: AccountSummary, href: string): readonly Markup[] {
  const words = look.words.accountSummary;
  const { passkeys, authenticatorApps: apps, recoveryCodes } = summary;
  if (passkeys + apps.count === 0) {
    return [html`${words.noFactor} <a href="${href}/passkey">${look.words.accountMethods.passkeys.add}</a>`];
  }
  return [
    ...(passkeys === 0 ? [] : [html`${words.passkeys({ count: passkeys })}`]),
    ...(apps.since === null ? [] : [filled(words.appSince, { since: day(look, apps.since) })]),
    html`${recoveryCodes === 0 ? words.noCode : words.codes({ count: recoveryCodes })}`,
  ];
}
