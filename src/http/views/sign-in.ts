/** The pages of a sign-in: identifier and password together, or one after the other. */
import { html } from 'ghtml';
import type { BotCheckProblem } from '../bot-check.ts';
import type { Look } from '../look.ts';
import type { SignInHelp } from '../sign-in-help.ts';
import { emphasised } from './filled.ts';
import { alert, type Markup, page } from './page.ts';
import { passwordField, passwordScript } from './password-field.ts';

type Words = Look['words']['signIn'];
export type Identifiers = keyof Words['identifier'];

/** The text above the repeated form. */
export type SignInProblem =
  | keyof Words['refused']
  /** Whole seconds until the server checks the next attempt. */
  | { readonly throttledSeconds: number }
  | BotCheckProblem;

/** @param identifiers of the current policy */
export function problemWords(
  { signIn: words, botCheck }: Pick<Look['words'], 'signIn' | 'botCheck'>,
  problem: SignInProblem,
  identifiers: Identifiers,
): string {
  if (typeof problem !== 'string')
    return 'botCheck' in problem ? botCheck[problem.botCheck] : throttledFor(words, problem.throttledSeconds);
  const refused = words.refused[problem];
  return typeof refused === 'string' ? refused : refused({ identifiers });
}

const throttledFor = (words: Words, seconds: number): string =>
  seconds <= 90
    ? words.throttledForSeconds({ seconds })
    : words.throttledForMinutes({ minutes: Math.ceil(seconds / 60) });

export type SignInView = {
  readonly action: string;
  readonly csrf: string;
  /** Null: no client requested the sign-in. */
  readonly clientName: string | null;
  /** As typed before. */
  readonly username: string;
  readonly identifiers: Identifiers;
  /** A user is signed in, and their request needs a recent sign-in. */
  readonly again?: boolean;
  /** The reason why the previous attempt failed. Null: there was none. */
  readonly problem: SignInProblem | null;
  /** For prompt=select_account: the signed-in account to continue with. */
  readonly goOn: { readonly action: string; readonly username: string } | null;
  readonly help: SignInHelp;
  /** The widget of a challenge service. Null: the form has none. */
  readonly botCheck: Markup | null;
  /** Below the form: other methods to sign in. */
  readonly more?: readonly Markup[];
};

/** Identifier and password together. */
export function signInPage(look: Look, view: SignInView): string {
  const words = look.words.signIn;
  const { problem } = view;
  return framed(
    look,
    view,
    html`!${identifierField(words, view)}
!${passwordField(look, { ...PASSWORD, label: words.password, focus: problem !== null, describedBy: describing(view) })}
!${view.botCheck ?? ''}
<button type="submit">${words.submit}</button>
!${passwordScript}`,
  );
}

/**
 * The first of two pages. Password managers fill in both fields, so the form sends both. The password is for them alone.
 */
export function identifierPage(look: Look, view: SignInView): string {
  return framed(
    look,
    view,
    html`!${identifierField(look.words.signIn, view)}
<input type="password" id="password" name="password" class="unseen" data-filled autocomplete="current-password" tabindex="-1" aria-hidden="true" maxlength="1024">
<button type="submit">${look.words.signInPage.next}</button>
!${passwordScript}`,
  );
}

export type MethodsView = Omit<SignInView, 'goOn'> & {
  /** The first page, for another identifier. */
  readonly change: string;
  /** Whether the form asks for the password. */
  readonly password: boolean;
  /** Before the form: the passkeys of the account. Null: none. */
  readonly first: Markup | null;
};

/** The second of two pages. */
export function methodsPage(look: Look, view: MethodsView): string {
  const { signIn: words, signInPage: own } = look.words;
  const { username, change, password, first } = view;
  const whose = html`<p>!${emphasised(own.as, { identifier: username })} <a href="${change}">${own.change}</a></p>
!${first ?? ''}
!${first === null || password ? '' : html`<noscript><p class="alert">${look.words.factor.passkeyNeedsScript}</p></noscript>`}`;
  if (!password) return framed(look, { ...view, goOn: null }, null, whose);
  // Password managers read the field of the username, which the page does not show.
  return framed(
    look,
    { ...view, goOn: null },
    html`<input type="text" class="unseen" name="username" value="${username}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
!${passwordField(look, { ...PASSWORD, label: words.password, focus: true, describedBy: describing(view) })}
!${view.botCheck ?? ''}
<button type="submit">${words.submit}</button>
!${passwordScript}`,
    whose,
  );
}

const PASSWORD = { name: 'password', autocomplete: 'current-password' } as const;

const describing = ({ problem }: Pick<SignInView, 'problem'>): readonly string[] =>
  problem === null ? [] : ['problem'];

const identifierField = (words: Words, { username, identifiers, problem }: SignInView): Markup =>
  html`<label for="username">${words.identifier[identifiers]}</label>
<input type="text" !${identifiers === 'username' ? '' : 'inputmode="email"'} id="username" name="username" value="${username}" autocomplete="username webauthn" autocapitalize="none" spellcheck="false" required maxlength="256" !${problem === null ? 'autofocus' : 'aria-describedby="problem"'}>`;

/** @param fields of the form. Null: the page has no form. */
function framed(
  look: Look,
  { action, csrf, clientName, identifiers, again = false, problem, goOn, help, more = [] }: SignInView,
  fields: Markup | null,
  before: Markup = '',
): string {
  const words = look.words.signIn;
  return page(
    look,
    problem === null ? words.title : words.titleAfterProblem,
    html`<h1>${words.title}</h1>
<p class="quiet">!${clientName === null ? html`${again ? words.again : words.forAccount}` : emphasised(words.forClient, { client: clientName })}</p>
!${alert(problem && problemWords(look.words, problem, identifiers))}
!${
      goOn === null
        ? ''
        : html`<form method="post" action="${goOn.action}">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit">${words.goOnAs({ username: goOn.username })}</button>
</form>
<h2>${words.orAsAnother}</h2>`
    }
!${before}
!${
      fields === null
        ? ''
        : html`<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
!${fields}
</form>`
    }
!${helpOf(look, help)}
!${more.join('\n')}`,
  );
}

function helpOf({ words: { email, mailedCode } }: Look, { forgot, signUp, code }: SignInHelp): Markup {
  const links = [
    ...(code === null ? [] : [html`<a href="${code}">${mailedCode.link}</a>`]),
    ...(forgot === null ? [] : [html`<a href="${forgot}">${email.forgot.link}</a>`]),
    ...(signUp === null ? [] : [html`<a href="${signUp}">${email.signUp.link}</a>`]),
  ];
  return links.length === 0 ? '' : html`<p class="help">!${links.join(' · ')}</p>`;
}
