/** The buttons of federated and delegated sign-in, and the page that explains why such a sign-in failed. */
import { html } from 'ghtml';
import type { ProviderPreset } from '../../config/configuration.ts';
import type { Look } from '../look.ts';
import { type Markup, page } from './page.ts';
import { providerMark } from './provider-marks.ts';

export type ExternalButtons = {
  readonly action: string;
  /** `name`: the value that the form sends. `preset`: the provider with a mark on the button. */
  readonly places: readonly {
    readonly name: string;
    readonly label: string;
    readonly preset?: ProviderPreset | undefined;
  }[];
};

/** @param isAlternative the page has another method before them. */
export const externalButtons = (
  look: Look,
  csrf: string,
  { action, places }: ExternalButtons,
  isAlternative = true,
): Markup => {
  const words = look.words.externalSignIn;
  return html`!${isAlternative ? html`<h2>${words.or}</h2>` : ''}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
!${places.map(({ name, label, preset }) => html`<button type="submit" name="provider" value="${name}" class="second">!${preset ? providerMark(preset) : ''}${words.continueWith({ label })}</button>`).join('')}
</form>`;
};

export type ExternalProblem = keyof Look['words']['externalSignIn']['problems'];

/** @param back the next page for the end-user. Null: none that this page may name. */
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
!${back === null ? '' : html`<p><a href="${back.href}">${textOf(words, problem, back)}</a></p>`}`,
  );
}

const textOf = (
  words: Look['words']['externalSignIn'],
  problem: ExternalProblem,
  { isAccount }: { readonly isAccount: boolean },
): string => (problem === 'addressKnown' ? words.toLink : isAccount ? words.backToAccount : words.back);
