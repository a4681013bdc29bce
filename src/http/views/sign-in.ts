import { html } from 'ghtml';
import type { Look } from '../look.ts';
import type { SignInHelp } from '../sign-in-help.ts';
import { emphasised } from './filled.ts';
import { type Markup, page } from './page.ts';

type Words = Look['words']['signIn'];
export type Identifiers = keyof Words['identifier'];

/** The text above the repeated form. */
export type SignInProblem =
  | keyof Words['refused']
  /** Whole seconds until the server checks the next attempt. */
  | { readonly throttledSeconds: number };

/** @param identifiers of the current policy */
export function problemWords(words: Words, problem: SignInProblem, identifiers: Identifiers): string {
  if (typeof problem !== 'string') return throttledFor(words, problem.throttledSeconds);
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
  /** Below the form: other methods to sign in. */
  readonly more?: readonly Markup[];
};

export function signInPage(
  look: Look,
  { action, csrf, clientName, username, identifiers, again = false, problem, goOn, help, more = [] }: SignInView,
): string {
  const words = look.words.signIn;
  return page(
    look,
    problem === null ? words.title : words.titleAfterProblem,
    html`<h1>${words.title}</h1>
<p class="quiet">!${clientName === null ? html`${again ? words.again : words.forAccount}` : emphasised(words.forClient, { client: clientName })}</p>
!${problem === null ? '' : html`<p class="alert" role="alert" id="problem">${problemWords(words, problem, identifiers)}</p>`}
!${
      goOn === null
        ? ''
        : html`<form method="post" action="${goOn.action}">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit">${words.goOnAs({ username: goOn.username })}</button>
</form>
<h2>${words.orAsAnother}</h2>`
    }
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="username">${words.identifier[identifiers]}</label>
<input type="text" !${identifiers === 'username' ? '' : 'inputmode="email"'} id="username" name="username" value="${username}" autocomplete="username webauthn" autocapitalize="none" spellcheck="false" required maxlength="256" !${problem === null ? 'autofocus' : 'aria-describedby="problem"'}>
<label for="password">${words.password}</label>
<input type="password" id="password" name="password" autocomplete="current-password" required maxlength="1024" !${problem === null ? '' : 'autofocus aria-describedby="problem"'}>
<button type="submit">${words.submit}</button>
</form>
!${helpOf(look, help)}
!${more.join('\n')}`,
  );
}

function helpOf({ words: { email } }: Look, { forgot, signUp }: SignInHelp): Markup {
  const links = [
    ...(forgot === null ? [] : [html`<a href="${forgot}">${email.forgot.link}</a>`]),
    ...(signUp === null ? [] : [html`<a href="${signUp}">${email.signUp.link}</a>`]),
  ];
  return links.length === 0 ? '' : html`<p class="help">!${links.join(' · ')}</p>`;
}
