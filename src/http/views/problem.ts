import { html } from 'ghtml';
import { page } from './page.ts';

/** What happened, why, and what to do next. */
export type ProblemView = {
  readonly title: string;
  readonly what: string;
  readonly next: string;
  /** For the client's developer: the common beginning of two texts, and where they differ. */
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

/** Marks the difference, or the end of the shorter text. */
const detail = ({ name, same, rest }: { name: string; same: string; rest: string }) =>
  html`<dt>${name}</dt><dd><code>${same}<mark>${rest === '' ? '(ends here)' : rest}</mark></code></dd>`;
