import { html } from 'ghtml';
import { page } from './page.ts';

export type SignInView = {
  readonly action: string;
  readonly csrf: string;
  readonly clientName: string;
  readonly username: string;
  /** What went wrong the last time; null on the first. */
  readonly problem: string | null;
};

export const signInPage = ({ action, csrf, clientName, username, problem }: SignInView): string =>
  page(
    problem === null ? 'Sign in' : 'Sign in: not yet',
    html`<h1>Sign in</h1>
<p class="quiet">to continue to <strong>${clientName}</strong></p>
!${problem === null ? '' : html`<p class="alert" role="alert" id="problem">${problem}</p>`}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="username">Username</label>
<input type="text" id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="256" !${problem === null ? 'autofocus' : 'aria-describedby="problem"'}>
<label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" required maxlength="1024" !${problem === null ? '' : 'autofocus aria-describedby="problem"'}>
<button type="submit">Sign in</button>
</form>`,
  );
