/** The pages of the sign-in with a code by mail. They are the same for every typed text, whether or not an account has it. */
import { html } from 'ghtml';
import type { BotCheckProblem } from '../bot-check.ts';
import type { Look } from '../look.ts';
import { alert, type Markup, page } from './page.ts';
import { type Identifiers, problemWords } from './sign-in.ts';

type Words = Look['words']['mailedCode'];

type Place = {
  readonly action: string;
  readonly csrf: string;
  readonly identifiers: Identifiers;
  /** The sign-in page. */
  readonly back: string;
};

export type CodeProblem =
  | Exclude<keyof Words['refused'], 'identifier'>
  /** Whole seconds until the server checks the next attempt. */
  | { readonly throttledSeconds: number }
  | BotCheckProblem;

export type AskForCodeView = Place & {
  /** As typed before. */
  readonly username: string;
  readonly problem: CodeProblem | 'identifier' | 'mailsThrottled' | 'queueFull' | null;
  /** The widget of a challenge service. Null: the form has none. */
  readonly botCheck: Markup | null;
};

export function askForCodePage(look: Look, view: AskForCodeView): string {
  const { mailedCode: words, signIn, email } = look.words;
  const { action, csrf, identifiers, username, problem } = view;
  const text =
    problem === 'identifier'
      ? words.refused.identifier({ identifiers })
      : problem === 'mailsThrottled'
        ? email.throttled
        : problem === 'queueFull'
          ? email.queueFull
          : problem && codeProblemWords(look, problem, identifiers);
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
<p>${words.about}</p>
!${alert(text)}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="username">${signIn.identifier[identifiers]}</label>
<input type="text" !${identifiers === 'username' ? '' : 'inputmode="email"'} id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="256" !${problem === null ? 'autofocus' : 'aria-describedby="problem" autofocus'}>
!${view.botCheck ?? ''}
<button type="submit">${words.submit}</button>
</form>
<p class="help"><a href="${view.back}">${words.otherWay}</a></p>`,
  );
}

export type TypeCodeView = Place & {
  /** Names the code, in this browser alone. */
  readonly reference: string;
  /** The page that sends another code. */
  readonly another: string;
  readonly problem: CodeProblem | null;
};

export function typeCodePage(look: Look, view: TypeCodeView): string {
  const words = look.words.mailedCode;
  const { action, csrf, identifiers, reference, another, back, problem } = view;
  return page(
    look,
    words.sentTitle,
    html`<h1>${words.sentTitle}</h1>
<p role="status">${words.sent({ identifiers })}</p>
!${alert(problem && codeProblemWords(look, problem, identifiers))}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="reference" value="${reference}">
<label for="code">${words.code}</label>
<input type="text" inputmode="numeric" id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required maxlength="32" !${problem === null ? 'autofocus' : 'aria-describedby="problem" autofocus'}>
<button type="submit">${words.signIn}</button>
</form>
<p class="quiet">${look.words.email.asked.nothingCame}</p>
<p class="help"><a href="${another}">${words.another}</a> · <a href="${back}">${words.otherWay}</a></p>`,
  );
}

const codeProblemWords = ({ words }: Look, problem: CodeProblem, identifiers: Identifiers): string =>
  typeof problem === 'string' ? words.mailedCode.refused[problem] : problemWords(words, problem, identifiers);
