/** End-users: find, show with grants and sessions, disable, enable, set a password, delete. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import {
  atLeast,
  button,
  type Done,
  doneWords,
  facts,
  filters,
  form,
  input,
  link,
  pager,
  plural,
  searchedWords,
  table,
  withQuery,
} from './components.ts';
import { type GrantItem, grantColumns } from './grants.ts';
import type { Answer, Page, Problem } from './management-api.ts';
import { type SessionItem, sessionColumns } from './sessions.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, name, shownText } from './shown-text.ts';

type User = {
  readonly sub: string;
  readonly username: string;
  readonly disabled: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
};
type Consequences = {
  readonly living_grants: number;
  readonly active_sessions: number;
  readonly clients: number;
  readonly exact: boolean;
};

const resourceOf = (sub: string, rest = ''): string => `/users/${encodeURIComponent(sub)}${rest}`;
const pageOf = (sub: string, rest = '', done?: string): string =>
  withQuery(`/console/end-user${rest}`, { id: sub, done });

const stateOf = ({ disabled }: User): Markup =>
  disabled ? html`<span class="badge bad">disabled</span>` : html`<span class="badge good">enabled</span>`;

async function list(viewer: Viewer, query: Fields): Promise<Shown> {
  const [q, disabled, cursor] = [query.get('q'), query.get('disabled'), query.get('cursor')];
  const answer = await viewer.api.list<User>('/users', { q, disabled, cursor });
  if (!answer.ok) return problem(answer.problem);
  return page(
    'End-users',
    html`!${doneWords(query.get('done'))}
!${viewer.may('users:write') ? html`<p>!${button(viewer, '/console/end-user/new', 'Register an end-user')}</p>` : ''}
!${filters(viewer, '/console/end-users', [
      { name: 'q', label: 'Part of a name, username or address', value: q },
      {
        name: 'disabled',
        label: 'State',
        value: disabled,
        choices: [
          ['', 'enabled or disabled'],
          ['false', 'enabled'],
          ['true', 'disabled'],
        ],
      },
    ])}
!${table(
      'End-users',
      [
        { label: 'Username', cell: (user: User) => link(viewer, pageOf(user.sub), user.username) },
        { label: 'Name', cell: ({ claims }) => claimOf(claims['name'] ?? '') },
        { label: 'E-mail', cell: ({ claims }) => claimOf(claims['email'] ?? '') },
        { label: 'sub', cell: (user) => code(user.sub) },
        { label: 'State', cell: stateOf },
      ],
      answer.value.items,
    )}
!${searchedWords(answer.value)}
!${pager(viewer, '/console/end-users', { q, disabled, cursor }, answer.value.next)}`,
  );
}

const NEWEST = { limit: 20 };

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  const sub = query.get('id');
  const [user, grants, sessions] = await Promise.all([
    viewer.api.get<User>(resourceOf(sub)),
    viewer.may('grants:read') ? viewer.api.list<GrantItem>(resourceOf(sub, '/grants'), NEWEST) : null,
    viewer.may('sessions:read') ? viewer.api.list<SessionItem>(resourceOf(sub, '/sessions'), NEWEST) : null,
  ]);
  if (!user.ok) return problem(user.problem);
  const { username, disabled, claims } = user.value;
  const mayChange = viewer.may('users:write');
  return page(
    username,
    html`!${doneWords(query.get('done'))}
!${facts([
      ['Username', name(username)],
      ['sub', code(sub)],
      ['State', stateOf(user.value)],
      ...Object.entries(claims).map(([claim, value]) => [shownText(claim), claimOf(value)] as const),
    ])}
!${
      !mayChange
        ? ''
        : html`<p class="row">!${disabled ? '' : button(viewer, pageOf(sub, '/disable'), 'Disable…', 'danger')} !${button(viewer, pageOf(sub, '/password'), 'Set a password…', 'second')} !${button(viewer, pageOf(sub, '/delete'), 'Delete…', 'danger')}</p>
!${disabled ? form(viewer, { action: '/console/end-user/enable', label: 'Enable', values: { id: sub, etag: user.etag ?? '' } }) : ''}`
    }
!${section('Grants', grants, (items) => table('The newest grants', grantColumns(viewer), items), withQuery('/console/grants', { sub }), viewer)}
!${section('Sessions', sessions, (items) => table('The newest sessions', sessionColumns(viewer), items), withQuery('/console/sessions', { sub }), viewer)}
!${viewer.may('ledger:read') ? html`<p>!${link(viewer, withQuery('/console/ledger', { sub }), 'Their ledger entries')}</p>` : ''}`,
  );
}

const claimOf = (value: unknown): Markup =>
  html`${shownText(typeof value === 'string' ? value : JSON.stringify(value), 500)}`;

function section<Item>(
  title: string,
  answer: Answer<Page<Item>> | null,
  shown: (items: readonly Item[]) => Markup,
  allOfThem: string,
  viewer: Viewer,
): Markup {
  if (answer === null) return '';
  if (!answer.ok) return html`<h2>${title}</h2><p class="warning">${answer.problem.title}</p>`;
  const { items, next } = answer.value;
  return html`<h2>${title}</h2>!${shown(items)}!${next === null ? '' : html`<p>!${link(viewer, allOfThem, 'All of them')}</p>`}`;
}

const registration = (viewer: Viewer, username = '', problems: Markup = ''): Shown =>
  page(
    'Register an end-user',
    html`!${problems}
!${form(viewer, {
      action: '/console/end-user/new',
      label: 'Register',
      wide: true,
      body: [
        input({ name: 'username', label: 'Username', value: username, required: true }),
        input({ ...NEW_PASSWORD, label: 'Password' }),
      ].join(''),
    })}`,
    problems === '' ? {} : { status: 400 },
  );

async function register(viewer: Viewer, fields: Fields): Promise<Shown> {
  const [username, password] = [fields.get('username'), fields.get('password')];
  const answer = await viewer.api.post<User>('/users', { username, password }, fields.get('once'));
  if (answer.ok) return goTo(pageOf(answer.value.sub, '', 'registered'));
  const { status } = answer.problem;
  const isAboutFields = status === 400 || status === 409 || status === 422;
  return isAboutFields ? registration(viewer, username, refusal(answer.problem)) : problem(answer.problem);
}

const refusal = ({ title, errors }: Problem): Markup =>
  html`<p class="alert" role="alert">${title}. ${errors.map(({ detail }) => shownText(detail, 1000)).join(' ')}</p>`;

const NEW_PASSWORD = {
  name: 'password',
  type: 'password',
  required: true,
  autocomplete: 'new-password',
  hint: 'It is stored hashed (argon2id), and never shown or logged.',
} as const;

type Change = {
  readonly title: (username: string) => string;
  /** The other effects, besides the ended sessions and grants. */
  readonly words: string;
  readonly label: string;
  readonly fields: Markup;
};

const CHANGES = {
  disable: {
    title: (username) => `Disable ${username}?`,
    words: 'They cannot sign in until you enable them again. Their ended sessions and grants stay ended.',
    label: 'Disable',
    fields: '',
  },
  password: {
    title: (username) => `Set a password for ${username}`,
    words: 'This signs out every person who knew the old password.',
    label: 'Set the password',
    fields: input({ ...NEW_PASSWORD, label: 'New password' }),
  },
  delete: {
    title: (username) => `Delete ${username}?`,
    words: 'This erases username, password and claims. The sub stays, and no other user ever gets it.',
    label: 'Delete the end-user',
    fields: '',
  },
} as const satisfies Readonly<Record<string, Change>>;

const confirm =
  (kind: keyof typeof CHANGES): Screen['show'] =>
  async (viewer, query) =>
    confirmation(viewer, kind, query.get('id'));

async function confirmation(
  viewer: Viewer,
  kind: keyof typeof CHANGES,
  sub: string,
  problems: Markup = '',
): Promise<Shown> {
  const { title, words, label, fields }: Change = CHANGES[kind];
  const [user, consequences] = await Promise.all([
    viewer.api.get<User>(resourceOf(sub)),
    viewer.api.get<Consequences>(resourceOf(sub, '/consequences')),
  ]);
  if (!user.ok) return problem(user.problem);
  if (!consequences.ok) return problem(consequences.problem);
  const { living_grants: grants, active_sessions: sessions, clients, exact } = consequences.value;
  return page(
    title(shownText(user.value.username)),
    html`!${problems}
<p class="warning">This ends <strong>${atLeast(exact)}${plural(grants, 'chain')} of ${plural(clients, 'client')}</strong> and <strong>${plural(sessions, 'session')}</strong>, immediately and for good. ${words}</p>
!${form(viewer, {
      action: `/console/end-user/${kind}`,
      label,
      danger: true,
      values: { id: sub, etag: user.etag ?? '' },
      body: fields,
      wide: true,
    })}
<p>!${link(viewer, pageOf(sub), 'Change nothing')}</p>`,
    problems === '' ? {} : { status: 400 },
  );
}

async function change(viewer: Viewer, fields: Fields, patch: object, done: Done): Promise<Shown> {
  const sub = fields.get('id');
  const answer = await viewer.api.patch(resourceOf(sub), patch, fields.get('etag') || null);
  return answer.ok ? goTo(pageOf(sub, '', done)) : problem(answer.problem);
}

/** The console never shows the password again, not even to the operator who typed it. */
async function setPassword(viewer: Viewer, fields: Fields): Promise<Shown> {
  const sub = fields.get('id');
  const answer = await viewer.api.patch(
    resourceOf(sub),
    { password: fields.get('password') },
    fields.get('etag') || null,
  );
  if (answer.ok) return goTo(pageOf(sub, '', 'password-set'));
  const { status } = answer.problem;
  if (status !== 400 && status !== 422) return problem(answer.problem);
  return confirmation(viewer, 'password', sub, refusal(answer.problem));
}

async function remove(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.remove(resourceOf(fields.get('id')), fields.get('etag') || null);
  return answer.ok ? goTo('/console/end-users?done=deleted') : problem(answer.problem);
}

const area = 'end-users';
const scope = 'users:write';

export const END_USER_SCREENS: readonly Screen[] = [
  { path: '/console/end-users', area, scope: 'users:read', show: list },
  { path: '/console/end-user', area, scope: 'users:read', show },
  { path: '/console/end-user/new', area, scope, show: async (viewer) => registration(viewer) },
  { path: '/console/end-user/disable', area, scope, show: confirm('disable') },
  { path: '/console/end-user/password', area, scope, show: confirm('password'), needsRecentSignIn: true },
  { path: '/console/end-user/delete', area, scope, show: confirm('delete'), needsRecentSignIn: true },
];

export const END_USER_ACTIONS: readonly Action[] = [
  { path: '/console/end-user/new', area, scope, act: register },
  {
    path: '/console/end-user/disable',
    area,
    scope,
    act: (viewer, fields) => change(viewer, fields, { disabled: true }, 'disabled'),
  },
  {
    path: '/console/end-user/enable',
    area,
    scope,
    act: (viewer, fields) => change(viewer, fields, { disabled: false }, 'enabled'),
  },
  {
    path: '/console/end-user/password',
    area,
    scope,
    act: setPassword,
    recentSignInFor: (form) => withQuery('/console/end-user/password', { id: form.get('id') }),
  },
  {
    path: '/console/end-user/delete',
    area,
    scope,
    act: remove,
    recentSignInFor: (form) => withQuery('/console/end-user/delete', { id: form.get('id') }),
  },
];
