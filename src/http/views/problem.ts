import { html } from 'ghtml';
import type { WayBack } from '../../protocol/way-back.ts';
import type { Look } from '../look.ts';
import { page } from './page.ts';

/** The event, its reason, and the next step: plain text, from the words. */
export type ProblemView = {
  readonly title: string;
  readonly what: string;
  readonly next: string;
  /** The app that sent the browser. Absent: no link. */
  readonly wayBack?: WayBack;
  /** For the client's developer, as in the log: in English. */
  readonly technical?: string;
  /** For the client's developer too: the common prefix of two texts, and the difference. */
  readonly details?: readonly { readonly name: string; readonly same: string; readonly rest: string }[];
};

export const problemPage = (look: Look, { title, what, next, wayBack, technical, details = [] }: ProblemView): string =>
  page(
    look,
    title,
    html`<h1>${title}</h1>
<p>${what}!${technical === undefined ? '' : html` <span lang="en">${technical}</span>`}</p>
<p>${next}</p>
!${wayBack === undefined ? '' : html`<p><a class="button" href="${wayBack.href}">${look.words.wayBack.client({ client: wayBack.clientName })}</a></p>`}
!${details.length === 0 ? '' : html`<dl>!${details.map((shown) => detail(look, shown)).join('')}</dl>`}`,
    { wide: details.length > 0 },
  );

/** Marks the difference, or the end of the shorter text. */
const detail = ({ words }: Look, { name, same, rest }: { name: string; same: string; rest: string }) =>
  html`<dt>${name}</dt><dd><code>${same}<mark>${rest === '' ? words.unverified.endsHere : rest}</mark></code></dd>`;
