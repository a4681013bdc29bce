/** The secrets that the configuration names: where each comes from, and a form for a new value. No page shows a value. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Item } from '../management/client/documents.ts';
import { type Column, doneWords, form, input, link, table, time, withQuery } from './components.ts';
import { refusalOf } from './end-user.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';

type Secret = Item<'/secrets'>;

const LIST = '/console/secrets';
const SET = '/console/secret/set';
const REMOVE = '/console/secret/remove';

const setPath = (name: string): string => withQuery(SET, name === '' ? {} : { name });
const resourceOf = (name: string): string => `/secrets/${encodeURIComponent(name)}`;

const SOURCES: Readonly<Record<NonNullable<Secret['source']>, Markup>> = {
  environment: html`a variable of the environment`,
  file: html`a file, which the environment names`,
  row: html`the value that is set here`,
};

const sourceOf = ({ source, problem: words }: Secret): Markup => {
  const from = source === null ? html`<span class="badge bad">missing</span>` : SOURCES[source];
  return words === null ? from : html`!${from} <span class="badge bad">unreadable</span> ${shownText(words, 300)}`;
};

const useOf = ({ file, key }: Secret['used_by'][number]): Markup =>
  file === null ? html`mails of this server` : html`!${code(file)} <span class="quiet">${shownText(key ?? '')}</span>`;

const hiddenWords = ({ source, stored_at: at }: Secret): Markup =>
  at === null || source === 'row' ? '' : html` <span class="quiet">not in force</span>`;

async function list(viewer: Viewer, query: Fields): Promise<Shown> {
  const answer = await viewer.api.list<Secret>('/secrets');
  if (!answer.ok) return problem(answer.problem);
  const mayChange = viewer.may('secrets:write');
  return page(
    'Secrets',
    html`!${doneWords(query.get('done'))}
<p>The secrets that the files name, and the URL of the mail server (<code>STATEHOUSE_SMTP_URL</code>). A value that you set here is sealed in the database, works on every node within seconds, and is never shown. A variable or a file of the environment goes before it.</p>
!${mayChange ? html`<p class="row"><a class="button" href="${viewer.path(setPath(''))}">Set another secret</a></p>` : ''}
!${table(
      'Secrets',
      [
        { label: 'Name', cell: ({ name }: Secret) => code(name) },
        { label: 'Comes from', cell: sourceOf },
        { label: 'Set here', cell: (secret) => html`!${time(secret.stored_at)}!${hiddenWords(secret)}` },
        { label: 'Used by', cell: ({ used_by: uses }) => uses.map(useOf).join('<br>') },
        ...(mayChange ? [actionColumn(viewer)] : []),
      ],
      answer.value.items,
    )}`,
  );
}

const actionColumn = (viewer: Viewer): Column<Secret> => ({
  label: 'Action',
  cell: ({ name, stored_at: at }) =>
    html`!${link(viewer, setPath(name), at === null ? `Set ${name}` : `Replace ${name}`)}
!${at === null ? '' : form(viewer, { action: REMOVE, label: `Remove ${name}`, second: true, values: { name } })}`,
});

function setForm(viewer: Viewer, name: string, refused: Markup = ''): Shown {
  const named = input({
    name: 'name',
    label: 'Name',
    hint: 'As the file names it: the name of a variable, such as CRM_WEBHOOK_SECRET. You may set it before the file.',
    required: true,
  });
  const value = input({
    name: 'value',
    label: 'Value',
    type: 'password',
    hint: 'No page and no log shows it.',
    required: true,
    autocomplete: 'off',
  });
  return page(
    name === '' ? 'Set a secret' : `Set ${name}`,
    html`!${refused}
!${form(viewer, { action: SET, label: 'Set', values: name === '' ? {} : { name }, body: name === '' ? html`!${named}!${value}` : value, wide: true })}
<p>!${link(viewer, LIST, 'Change nothing')}</p>`,
    refused === '' ? {} : { status: 400 },
  );
}

async function set(viewer: Viewer, fields: Fields): Promise<Shown> {
  const name = fields.get('name').trim();
  const answer = await viewer.api.put<Secret>(resourceOf(name), { value: fields.get('value') });
  if (answer.ok) return goTo(withQuery(LIST, { done: 'secret-set' }));
  const { status } = answer.problem;
  return [404, 409, 422].includes(status) ? setForm(viewer, name, refusalOf(answer.problem)) : problem(answer.problem);
}

async function remove(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.remove(resourceOf(fields.get('name')));
  return answer.ok ? goTo(withQuery(LIST, { done: 'removed' })) : problem(answer.problem);
}

const area = 'configuration';
const scope = 'secrets:write';

export const SECRET_SCREENS: readonly Screen[] = [
  { path: LIST, area, scope: 'configuration:read', show: list },
  {
    path: SET,
    area,
    scope,
    show: async (viewer, query) => setForm(viewer, query.get('name')),
    needsRecentSignIn: true,
  },
];

export const SECRET_ACTIONS: readonly Action[] = [
  { path: SET, area, scope, act: set, recentSignInFor: (fields) => setPath(fields.get('name')) },
  { path: REMOVE, area, scope, act: remove, recentSignInFor: () => LIST },
];
