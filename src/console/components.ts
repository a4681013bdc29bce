/** The components of the console's pages. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Answer, Page } from './management-api.ts';
import type { Viewer } from './shown.ts';
import { shownText } from './shown-text.ts';

const MINUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** In UTC: the server does not know the reader's time zone. A script shows the time of the browser's. */
export function time(instant: string | null | undefined): Markup {
  if (!instant) return '';
  const at = new Date(instant);
  return Number.isNaN(at.getTime())
    ? html`${shownText(instant)}`
    : html`<time datetime="${at.toISOString()}">${MINUTE.format(at)} UTC</time>`;
}

export type Column<Item> = {
  readonly label: string;
  readonly cell: (item: Item) => Markup;
  readonly number?: true;
};

/** On a small screen each row becomes a card. */
export function table<Item>(caption: string, columns: readonly Column<Item>[], items: readonly Item[]): Markup {
  if (items.length === 0) return html`<p class="quiet">${caption}: none.</p>`;
  const classOf = ({ number }: Column<Item>): Markup => (number ? ' class="number"' : '');
  return html`<table class="cards">
<caption>${caption}</caption>
<thead><tr>!${columns.map((column) => html`<th scope="col"!${classOf(column)}>${column.label}</th>`).join('')}</tr></thead>
<tbody>
!${items
    .map(
      (item) =>
        html`<tr>!${columns.map((column) => html`<td!${classOf(column)} data-label="${column.label}">!${column.cell(item)}</td>`).join('')}</tr>`,
    )
    .join('\n')}
</tbody>
</table>`;
}

/** Omits empty values. */
export function facts(rows: readonly (readonly [string, Markup])[]): Markup {
  const shown = rows.filter(([, value]) => value !== '');
  return html`<dl class="facts">!${shown.map(([label, value]) => html`<dt>${label}</dt><dd>!${value}</dd>`).join('')}</dl>`;
}

export const link = (viewer: Viewer, path: string, label: string): Markup =>
  html`<a href="${viewer.path(path)}"><bdi>${shownText(label)}</bdi></a>`;

/** A link that looks like a button. */
export const button = (
  viewer: Viewer,
  path: string,
  label: string,
  kind: 'first' | 'second' | 'danger' = 'first',
): Markup => html`<a class="button ${kind}" href="${viewer.path(path)}">${label}</a>`;

export const withQuery = (path: string, query: Readonly<Record<string, string | null | undefined>>): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

/** Links to the first and the next page of a list. */
export function pager(
  viewer: Viewer,
  path: string,
  query: Readonly<Record<string, string>>,
  next: string | null,
): Markup {
  const { cursor, ...others } = query;
  const links = [
    ...(cursor ? [link(viewer, withQuery(path, others), 'First page')] : []),
    ...(next === null ? [] : [link(viewer, withQuery(path, { ...others, cursor: next }), 'Next page')]),
  ];
  return links.length === 0 ? '' : html`<nav class="row" aria-label="Pages">!${links.join(' ')}</nav>`;
}

/** A part of a page, or the reason why the API refuses it. */
export const shownOr = <Value>(answer: Answer<Value>, shown: (value: Value) => Markup): Markup =>
  answer.ok ? shown(answer.value) : html`<p class="warning">${answer.problem.title}</p>`;

/** The beginning of a list. @param answer null: the viewer may not see it. @param all the path of the page with the whole list. */
export function section<Item>(
  viewer: Viewer,
  { title, answer, all }: { readonly title: string; readonly answer: Answer<Page<Item>> | null; readonly all: string },
  shown: (items: readonly Item[]) => Markup,
): Markup {
  if (answer === null) return '';
  const whole = ({ next, total }: Page<Item>): Markup =>
    next === null
      ? ''
      : html`<p>!${link(viewer, all, total === undefined ? 'All of them' : `All ${plural(total, 'match', 'matches')}`)}</p>`;
  return html`<h2>${title}</h2>!${shownOr(answer, (found) => html`!${shown(found.items)}!${whole(found)}`)}`;
}

/** The part of a list that a search has looked at. */
export function searchedWords({ items, next, total }: Page<unknown>): Markup {
  if (total !== undefined) return html`<p class="quiet">${plural(total, 'match', 'matches')} in all.</p>`;
  return items.length > 0 || next === null
    ? ''
    : html`<p class="quiet">There is no match in this part of the list. The next page looks at the next part. A word of three letters or more searches the whole list.</p>`;
}

/** `refreshToken`, `refresh_token_reused` → `refresh token`, `refresh token reused`. The wire name stands beside it, or is a choice's value. */
export const wordsOf = (wireName: string): string =>
  wireName.replaceAll('_', ' ').replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Both, for tables and facts. */
export function worded(wireName: string | null): Markup {
  if (wireName === null || wireName === '') return '';
  const words = wordsOf(wireName);
  return words === wireName
    ? html`${shownText(words)}`
    : html`${shownText(words)} <code class="quiet">${shownText(wireName)}</code>`;
}

export type Input = {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly type?: 'text' | 'password' | 'datetime-local';
  /** Value and label of each. */
  readonly choices?: readonly (readonly [string, string])[];
  readonly hint?: string;
  readonly required?: true;
  readonly lines?: true;
  /** Lines of a file. */
  readonly tall?: true;
  readonly autocomplete?: string;
};

export function input({
  name,
  label,
  value = '',
  type = 'text',
  choices,
  hint,
  required,
  lines,
  tall,
  // With `off`, a browser empties the form to which an operator goes back, such as after a renewed sign-in.
  autocomplete = type === 'password' ? 'off' : 'on',
}: Input): Markup {
  const id = `field-${name}`;
  const more = html`id="${id}" name="${name}"!${required ? ' required' : ''}!${hint ? html` aria-describedby="${id}-hint"` : ''}`;
  const control = choices
    ? html`<select !${more}>!${choices.map(([choice, words]) => html`<option value="${choice}"!${choice === value ? ' selected' : ''}>${words}</option>`).join('')}</select>`
    : lines
      ? html`<textarea !${more} spellcheck="false"!${tall ? ' rows="24" class="code" dir="ltr"' : ' rows="3"'}>
${value}</textarea>`
      : html`<input type="${type}" !${more} value="${value}" autocomplete="${autocomplete}" spellcheck="false"!${type === 'datetime-local' ? ' step="1"' : ''}>`;
  return html`<div class="field"><label for="${id}">${label}</label>!${control}!${hint ? html`<p class="quiet" id="${id}-hint">${hint}</p>` : ''}</div>`;
}

/** The choices of a filter: the state of a grant or a session. */
export const ACTIVE_OR_ENDED = [
  ['', 'active or ended'],
  ['active', 'active'],
  ['ended', 'ended'],
] as const;

/** A search form, sent by GET. */
export const filters = (viewer: Viewer, path: string, inputs: readonly Input[]): Markup =>
  html`<form method="get" action="${viewer.path(path)}" class="row" role="search" aria-label="This list">
!${inputs.map(input).join('\n')}
<button type="submit" class="second">Find</button>
</form>`;

export type Form = {
  readonly action: string;
  readonly label: string;
  readonly danger?: boolean;
  /** Values that the user does not type. */
  readonly values?: Readonly<Record<string, string>>;
  readonly body?: Markup;
  readonly wide?: boolean;
  readonly second?: boolean;
};

/** A form that changes state. It carries the token that binds it to this user. */
export const form = (viewer: Viewer, { action, label, danger, values = {}, body = '', wide, second }: Form): Markup =>
  html`<form method="post" action="${viewer.path(action)}" class="${wide ? 'action wide' : 'action'}">
!${viewer.hidden}
!${Object.entries(values)
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
    .join('')}
!${body}
<button type="submit" class="${danger ? 'danger' : second ? 'second' : 'first'}">${label}</button>
</form>`;

export const DONE_WORDS = {
  registered: 'Registered.',
  changed: 'Changed.',
  deleted: 'Deleted.',
  'secret-removed': 'The secret is removed. From now on, the server rejects a client that still uses it.',
  disabled: 'Disabled, and signed out everywhere.',
  enabled: 'Enabled. Their old sessions and grants stay ended: they sign in again.',
  'password-set': 'The password is set. Older sessions and grants have ended.',
  removed: 'Removed.',
  'secret-set': 'The secret is set. Every node uses it within seconds.',
  'grant-ended': 'Ended. From now on, the server rejects its refresh token. Issued access tokens expire soon.',
  'session-ended': 'Ended: that browser has to sign in again.',
  'trust-ended': 'Ended: the next sign-in in that browser asks for the second factor.',
  rotated: 'Rotated.',
  revoked: 'Revoked.',
  'sent-again': 'The server sends it again, within a second or two. Reload this page to see the result.',
  paused: 'Switched off: its events wait, and nothing is lost.',
  resumed: 'Switched on: the server sends the events that waited.',
  redelivered: 'The server sends them again, within seconds.',
  'redelivered-some': 'The server sends the oldest 500 again. Press the button again for the others.',
  'test-recorded':
    'The server sends the test event within a second or two. Reload this page to see whether the endpoint accepted it.',
  'link-mailed': 'The server sends the link within a second or two.',
  invited: 'The server sends the invitation within a second or two.',
  withdrawn: 'Withdrawn: the link of the mail is invalid.',
  'test-mailed':
    'The server sends the test within a second or two. If it does not arrive, the log says whether the relay accepted it.',
} as const;
export type Done = keyof typeof DONE_WORDS;

/** The result of the form before this page. */
export function doneWords(done: string): Markup {
  return Object.hasOwn(DONE_WORDS, done) ? html`<p class="done" role="status">${DONE_WORDS[done as Done]}</p>` : '';
}

export const plural = (count: number, word: string, words = `${word}s`): string =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? word : words}`;

/** "ends 412 chains of 3 end-users". Marks an estimate. */
export const atLeast = (exact: boolean | undefined): string => (exact === false ? 'about ' : '');
