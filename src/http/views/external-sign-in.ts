/** The buttons that lead to other places, and the page that says why somebody who came back is not signed in. */
import { html } from 'ghtml';
import type { Look } from '../look.ts';
import { type Markup, page } from './page.ts';

export type ExternalButtons = {
  readonly action: string;
  /** `name`: as the form sends it. */
  readonly places: readonly { readonly name: string; readonly label: string }[];
};

export const externalButtons = (look: Look, csrf: string, { action, places }: ExternalButtons): Markup => {
  const words = look.words.externalSignIn;
  return html`<h2>${words.or}</h2>
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
!${places.map(({ name, label }) => html`<button type="submit" name="provider" value="${name}" class="second">${words.continueWith({ label })}</button>`).join('')}
</form>`;
};

export type ExternalProblem = keyof Look['words']['externalSignIn']['problems'];

/** @param back where the end-user can go on; null: nowhere that this page may name. */
export function externalProblemPage(
  look: Look,
  problem: ExternalProblem,
  back: { readonly href: string; readonly isAccount: boolean } | null,
): string {
  const words = look.words.externalSignIn;
  const { title, what } = words.problems[problem];
  return page(
    look,
    title,
    html`<h1>${title}</h1>
<p>${what}</p>
!${back === null ? '' : html`<p><a href="${back.href}">${back.isAccount ? words.backToAccount : words.back}</a></p>`}`,
  );
}
