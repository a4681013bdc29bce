import { html } from 'ghtml';
import { page } from './page.ts';

export type SignInView = {
  readonly action: string;
  readonly csrf: string;
  /** Null: no client asked for the sign-in. */
  readonly clientName: string | null;
  readonly username: string;
  /** Why the previous attempt failed; null: there was none. */
  readonly problem: string | null;
  /** For prompt=select_account: the signed-in account to continue with. */
  readonly goOn: { readonly action: string; readonly username: string } | null;
};

export const signInPage = ({ action, csrf, clientName, username, problem, goOn }: SignInView): string =>
  page(
    problem === null ? 'Sign in' : 'Sign in: not yet',
    html`<h1>Sign in</h1>
<p class="quiet">!${clientName === null ? 'to see what you have allowed, and to end it' : html`to continue to <strong>${clientName}</strong>`}</p>
!${problem === null ? '' : html`<p class="alert" role="alert" id="problem">${problem}</p>`}
!${
      goOn === null
        ? ''
        : html`<form method="post" action="${goOn.action}">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit">Continue as ${goOn.username}</button>
</form>
<h2>Or as another person</h2>`
    }
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="username">Username</label>
<input type="text" id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="256" !${problem === null ? 'autofocus' : 'aria-describedby="problem"'}>
<label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required maxlength="1024" !${problem === null ? '' : 'autofocus aria-describedby="problem"'}>
<button type="submit">Sign in</button>
</form>`,
  );
