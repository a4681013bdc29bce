/** The pages around links in mails. */
import { html } from 'ghtml';
import type { FormProblem, LinkPurpose, LinkRefusal, UsableLinkView } from '../../people/email/using.ts';
import type { BotCheckProblem } from '../bot-check.ts';
import type { Look } from '../look.ts';
import { problemOf } from './account/password.ts';
import { emphasised } from './filled.ts';
import { alert, type Markup, page } from './page.ts';
import { passwordField, passwordScript } from './password-field.ts';
import { type Progress, progressLine } from './progress.ts';
import type { Identifiers } from './sign-in.ts';

/** The requests that need only an address. */
export type AskFor = 'forgot' | 'signUp';

export type AskView = {
  readonly what: AskFor;
  readonly action: string;
  readonly csrf: string;
  /** A hidden field: the interaction that the browser resumes. */
  readonly resumption: string | null;
  readonly address: string;
  readonly identifiers: Identifiers;
  readonly problem: AskProblem | null;
  readonly signIn: string;
  /** The widget of a challenge service. Null: the form has none. */
  readonly botCheck: Markup | null;
  readonly progress: Progress | null;
};

type AskProblem = 'addressRefused' | 'throttled' | 'queueFull' | BotCheckProblem;

const askProblemWords = ({ words: { email, botCheck } }: Look, problem: AskProblem): string =>
  typeof problem === 'string' ? email[problem] : botCheck[problem.botCheck];

export function askPage(
  look: Look,
  { what, action, csrf, resumption, address, identifiers, problem, signIn, botCheck, progress }: AskView,
): string {
  const words = look.words.email;
  const own = words[what];
  // For a new password, the username does as well.
  const isAddress = what === 'signUp' || identifiers === 'email';
  return page(
    look,
    own.title,
    html`!${progressLine(look, progress)}
<h1>${own.title}</h1>
<p>${own.about}</p>
!${alert(problem === null ? null : askProblemWords(look, problem))}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
!${resumption === null ? '' : html`<input type="hidden" name="for" value="${resumption}">`}
<label for="email">${isAddress ? words.address : look.words.signIn.identifier.both}</label>
<input type="${isAddress ? 'email' : 'text'}" inputmode="email" id="email" name="email" value="${address}" autocomplete="${isAddress ? 'email' : 'username'}" autocapitalize="none" spellcheck="false" required maxlength="256" !${problem === null ? 'autofocus' : 'aria-describedby="problem" autofocus'}>
!${botCheck ?? ''}
<button type="submit">${own.submit}</button>
</form>
<p><a href="${signIn}">${words.toSignIn}</a></p>`,
  );
}

/** The same for every address. */
export function askedPage(look: Look, what: AskFor): string {
  const { asked } = look.words.email;
  return page(
    look,
    asked.title,
    html`<h1>${asked.title}</h1>
<p role="status">${what === 'forgot' ? asked.reset : asked.signUp}</p>
<p class="quiet">${asked.nothingCame}</p>`,
  );
}

export type LostFactorsView = {
  readonly username: string;
  readonly action: string;
  readonly csrf: string;
  /** The page where the user types a recovery code. */
  readonly back: string;
  readonly problem:
    | 'noAddress'
    | 'passwordFromMail'
    | 'passwordNotShown'
    | 'refused'
    | 'throttled'
    | 'queueFull'
    | null;
};

/** For a user who has typed the password, and has no factor left. */
export function lostFactorsPage(look: Look, { username, action, csrf, back, problem }: LostFactorsView): string {
  const words = look.words.email;
  const own = words.lostFactors;
  return page(
    look,
    own.title,
    html`<h1>${own.title}</h1>
<p>!${emphasised(look.words.factor.signedInAs, { username })}</p>
<p>${own.about}</p>
!${alert(problem === null ? null : problem === 'throttled' || problem === 'queueFull' ? words[problem] : own.problems[problem])}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit">${own.submit}</button>
</form>
<p><a href="${back}">${look.words.factor.code}</a></p>`,
  );
}

export function lostFactorsAskedPage(look: Look): string {
  const { asked, lostFactors } = look.words.email;
  return page(
    look,
    asked.title,
    html`<h1>${asked.title}</h1>
<p role="status">${lostFactors.asked}</p>
<p class="quiet">${asked.nothingCame}</p>`,
  );
}

export type LinkPageView = Pick<UsableLinkView, 'purpose' | 'address' | 'asksForUsername' | 'minimumCharacters'> & {
  readonly action: string;
  readonly csrf: string;
  /** The secret of the link, which the form sends back. */
  readonly secret: string;
  /** The username of the account. Null: it does not exist yet. */
  readonly account: string | null;
  /** As typed, for a new account. */
  readonly username: string;
  readonly problem: FormProblem | null;
  /** The button that makes a passkey instead, with its script. Null: none. */
  readonly passkey: Markup | null;
  readonly progress: Progress | null;
};

export function linkPage(look: Look, view: LinkPageView): string {
  const words = look.words.email;
  const own = words.purposes[view.purpose];
  return page(
    look,
    own.title,
    html`!${progressLine(look, view.progress)}
<h1>${own.title}</h1>
<p>${own.about({ username: view.account ?? '', address: view.address })}</p>
!${alert(typeof view.problem === 'string' ? words.problems[view.problem] : problemOf(look, view.problem))}
<form method="post" action="${view.action}">
<input type="hidden" name="csrf" value="${view.csrf}">
<input type="hidden" name="t" value="${view.secret}">
!${fieldsOf(look, view)}
<button type="submit">${own.submit}</button>
!${view.minimumCharacters === null ? '' : passwordScript}
</form>
!${view.passkey ?? ''}`,
  );
}

function fieldsOf(look: Look, view: LinkPageView): Markup {
  const words = look.words.email;
  const { account, address, username, asksForUsername, minimumCharacters } = view;
  if (minimumCharacters === null) return '';
  const name = asksForUsername
    ? html`<label for="username">${words.username}</label>
<input type="text" id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="256">`
    : // For password managers, which store the new password under it.
      html`<input type="hidden" name="account" value="${account ?? address}" autocomplete="username">`;
  return html`!${name}
!${passwordField(look, { name: 'password', label: words.password, autocomplete: 'new-password', describedBy: ['hint'] })}
<p class="quiet" id="hint">${words.passwordHint({ atLeast: minimumCharacters })}</p>`;
}

/** Of the form of the passkey. The username is typed into the form above it. */
export const passkeyFields = ({ secret, asksForUsername }: Pick<LinkPageView, 'secret' | 'asksForUsername'>): Markup =>
  html`<input type="hidden" name="t" value="${secret}">
!${asksForUsername ? html`<input type="hidden" name="username" value="" data-copy-of="username">` : ''}`;

export type LinkDoneView = {
  readonly purpose: LinkPurpose;
  /** The next page. Null: none. */
  readonly next: { readonly href: string; readonly text: 'toSignIn' | 'forgot' } | null;
};

export function linkDonePage(look: Look, { purpose, next }: LinkDoneView): string {
  const words = look.words.email;
  const link =
    next &&
    html`<p><a href="${next.href}">${next.text === 'forgot' ? words.purposes.reset_password.title : words.toSignIn}</a></p>`;
  return page(
    look,
    words.doneTitle,
    html`<h1>${words.doneTitle}</h1>
<p role="status">${words.purposes[purpose].done}</p>
!${link ?? ''}`,
  );
}

export function uselessLinkPage(look: Look, reason: LinkRefusal, signIn: string): string {
  const words = look.words.email;
  return page(
    look,
    words.useless.title,
    html`<h1>${words.useless.title}</h1>
<p>${words.useless[reason]}</p>
<p><a href="${signIn}">${words.toSignIn}</a></p>`,
  );
}
