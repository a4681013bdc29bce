/** A new password. */
import { html } from 'ghtml';
import type { PasswordProblem } from '../../../people/account/password.ts';
import type { Look } from '../../look.ts';
import type { Markup } from '../page.ts';
import { passwordField, passwordScript } from '../password-field.ts';
import { problemWords, type SignInView } from '../sign-in.ts';

export type PasswordView = {
  readonly action: string;
  readonly csrf: string;
  readonly username: string;
  /** False: the account has no password yet. */
  readonly asksForCurrent: boolean;
  /** For the new password. */
  readonly minimumCharacters: number;
  /** The reason why the password was not changed. Null: the form was not sent. */
  readonly problem:
    | PasswordProblem
    | { readonly reason: 'form_incomplete' | 'repetition_differs' | 'same_as_before' }
    /** For the current password. */
    | { readonly reason: 'sign_in_refused'; readonly problem: NonNullable<SignInView['problem']> }
    | null;
};

/** @returns the sentence. Null: there is no problem. */
export function problemOf({ words }: Look, problem: PasswordView['problem']): string | null {
  if (problem === null) return null;
  const said = words.account.password.problems;
  switch (problem.reason) {
    case 'too_short':
    case 'repetitive':
      return said[problem.reason]({ atLeast: problem.atLeast });
    case 'too_long':
      return said.too_long({ atMost: problem.atMost });
    case 'sign_in_refused':
      // The form has no username: the problem is the password.
      return problem.problem === 'mismatch' ? said.current_is_wrong : problemWords(words, problem.problem, 'username');
    default:
      return said[problem.reason];
  }
}

export function passwordForm(look: Look, view: PasswordView): Markup {
  const { words } = look;
  const said = words.account.password;
  const problem = view.problem === null ? [] : ['problem'];
  const chosen = [...problem, 'hint'];
  return html`!${view.asksForCurrent ? '' : html`<p>${said.none}</p>`}
<p>${said.ends}</p>
<form method="post" action="${view.action}">
<input type="hidden" name="csrf" value="${view.csrf}">
<input type="hidden" name="username" value="${view.username}" autocomplete="username">
!${view.asksForCurrent ? passwordField(look, { name: 'current', label: said.current, autocomplete: 'current-password', describedBy: problem }) : ''}
!${passwordField(look, { ...NEW, name: 'chosen', label: said.chosen, describedBy: chosen })}
<p class="quiet" id="hint">${words.email.passwordHint({ atLeast: view.minimumCharacters })}</p>
!${passwordField(look, { ...NEW, name: 'repeated', label: said.repeated, describedBy: chosen })}
<button type="submit">${view.asksForCurrent ? said.submit : words.email.purposes.reset_password.submit}</button>
!${passwordScript}
</form>`;
}

const NEW = { autocomplete: 'new-password' } as const;
