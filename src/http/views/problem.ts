import { html } from 'ghtml';
import { page } from './page.ts';

/** What happened, why, and what to do next. */
export type ProblemView = {
  readonly title: string;
  readonly what: string;
  readonly next: string;
  /** For the developer of the client, shown as they are. */
  readonly details?: readonly { readonly name: string; readonly value: string }[];
};

export const problemPage = ({ title, what, next, details = [] }: ProblemView): string =>
  page(
    title,
    html`<h1>${title}</h1>
<p>${what}</p>
<p>${next}</p>
!${details.length === 0 ? '' : html`<dl>!${details.map(({ name, value }) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`).join('')}</dl>`}`,
    { wide: details.length > 0 },
  );
