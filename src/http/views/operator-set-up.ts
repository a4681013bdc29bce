/** The pages of the link that makes the first operator. */
import { html } from 'ghtml';
import type { SetUpProblem, UselessSetUp } from '../../people/operator-set-up/use.ts';
import type { Look } from '../look.ts';
import { problemOf } from './account/password.ts';
import { alert, type Markup, page } from './page.ts';
import { passwordField, passwordScript } from './password-field.ts';

export type SetUpPageView = {
  readonly action: string;
  readonly csrf: string;
  /** The secret of the link, which the form sends back. */
  readonly secret: string;
  /** Whom the link is for; null: the form asks for the username. */
  readonly given: string | null;
  /** As typed. */
  readonly username: string;
  readonly minimumCharacters: number;
  readonly problem: SetUpProblem | null;
  /** The button that makes a passkey instead, with its script. Null: none. */
  readonly passkey: Markup | null;
};

export function operatorSetUpPage(look: Look, view: SetUpPageView): string {
  const { operatorSetUp: own, email } = look.words;
  const problem = wordsOf(look, view.problem);
  return page(
    look,
    own.title,
    html`<h1>${own.title}</h1>
<p>${own.about}</p>
!${alert(problem)}
<form method="post" action="${view.action}">
<input type="hidden" name="csrf" value="${view.csrf}">
<input type="hidden" name="t" value="${view.secret}">
<label for="username">${email.username}</label>
<input type="text" id="username" name="username" value="${view.given ?? view.username}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="256" !${view.given === null ? '' : 'readonly'}>
!${passwordField(look, { name: 'password', label: email.password, autocomplete: 'new-password', describedBy: ['hint'] })}
<p class="quiet" id="hint">${email.passwordHint({ atLeast: view.minimumCharacters })}</p>
<button type="submit">${own.submit}</button>
!${passwordScript}
</form>
!${view.passkey ?? ''}`,
  );
}

/** Of the form of the passkey. The username is typed into the form above it. */
export const setUpPasskeyFields = (secret: string): Markup =>
  html`<input type="hidden" name="t" value="${secret}">
<input type="hidden" name="username" value="" data-copy-of="username">`;

function wordsOf(look: Look, problem: SetUpProblem | null): string | null {
  if (problem === null || typeof problem !== 'string') return problemOf(look, problem);
  return problem === 'usernameNotExpected'
    ? look.words.operatorSetUp.usernameNotExpected
    : look.words.email.problems[problem];
}

export type OperatorMadeView = {
  readonly username: string;
  /** operators.yaml names the operator already. */
  readonly isDeclared: boolean;
  readonly console: string;
};

export function operatorMadePage(look: Look, { username, isDeclared, console }: OperatorMadeView): string {
  const { done } = look.words.operatorSetUp;
  return page(
    look,
    done.title,
    html`<h1>${done.title}</h1>
<p role="status">${done.factor}</p>
!${
      isDeclared
        ? ''
        : html`<p>${done.commit}</p>
<pre dir="ltr" tabindex="0"><code>${operatorLines(username)}</code></pre>
<p class="quiet">${done.until}</p>`
    }
<p><a class="button" href="${console}">${done.console}</a></p>`,
  );
}

/** YAML, in which a text in double quotes is as in JSON. */
export const operatorLines = (username: string): string => `operators:\n  - ${JSON.stringify(username)}\n`;

export function uselessSetUpPage(look: Look, reason: UselessSetUp, signIn: string): string {
  const { useless } = look.words.operatorSetUp;
  return page(
    look,
    look.words.email.useless.title,
    html`<h1>${look.words.email.useless.title}</h1>
<p>${useless[reason]}</p>
<p><a href="${signIn}">${look.words.email.toSignIn}</a></p>`,
  );
}
