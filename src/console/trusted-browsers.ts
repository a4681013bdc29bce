/** Browsers in which an end-user skips the second factor, on the page of the end-user. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Item } from '../management/client/documents.ts';
import { browserOf } from './browser.ts';
import { type Column, form, table, time, withQuery } from './components.ts';
import { type Action, type Fields, goTo, problem, type Shown, type Viewer } from './shown.ts';

export type TrustedBrowserItem = Item<'/users/{sub}/trusted-browsers'>;

const END = '/console/trusted-browser/end';

export function trustedBrowsers(viewer: Viewer, sub: string, items: readonly TrustedBrowserItem[]): Markup {
  const mayEnd = viewer.may('sessions:end');
  const columns: readonly Column<TrustedBrowserItem>[] = [
    { label: 'Browser', cell: ({ user_agent: agent }) => html`${browserOf(agent)}` },
    { label: 'Trusted', cell: (item) => time(item.trusted_at) },
    { label: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : time(at)) },
    { label: 'Ends', cell: (item) => time(item.ends_at) },
    {
      label: 'Action',
      cell: ({ id }) =>
        mayEnd
          ? form(viewer, { action: END, label: 'End the trust', danger: true, values: { id: sub, browser: id } })
          : '',
    },
  ];
  return html`!${table('Browsers that skip the second factor', columns, items)}
!${mayEnd && items.length > 1 ? form(viewer, { action: END, label: 'End the trust in all', danger: true, values: { id: sub } }) : ''}`;
}

/** Without `browser`: in each of them. */
async function end(viewer: Viewer, fields: Fields): Promise<Shown> {
  const [sub, id] = [fields.get('id'), fields.get('browser')];
  const all = `/users/${encodeURIComponent(sub)}/trusted-browsers`;
  const answer = await viewer.api.remove(id === '' ? all : `${all}/${encodeURIComponent(id)}`);
  return answer.ok ? goTo(withQuery('/console/end-user', { id: sub, done: 'trust-ended' })) : problem(answer.problem);
}

export const TRUSTED_BROWSER_ACTIONS: readonly Action[] = [
  { path: END, area: 'end-users', scope: 'sessions:end', act: end },
];
