import { html } from 'ghtml';
import { page } from './page.ts';

/** What happened, why, and what to do next. */
export type ProblemView = {
  readonly title: string;
  readonly what: string;
  readonly next: string;
  /** For the developer of the client: what is the same, and from where on it differs. */
  readonly details?: readonly { readonly name: string; readonly same: string; readonly rest: string }[];
};

export const problemPage = ({ title, what, next, details = [] }: ProblemView): string =>
  page(
    title,
    html`<h1>${title}</h1>
<p>${what}</p>
<p>${next}</p>
!${details.length === 0 ? '' : html`<dl>!${details.map(detail).join('')}</dl>`}`,
    { wide: details.length > 0 },
  );

/** Where one of the two texts ends first, the mark says so. */
const detail = ({ name, same, rest }: { name: string; same: string; rest: string }) =>
  html`<dt>${name}</dt><dd><code>${same}<mark>${rest === '' ? '(ends here)' : rest}</mark></code></dd>`;
