/** End-users: find, register, disable, enable, set a password, delete. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document } from '../management/client/documents.ts';
import {
  atLeast,
  button,
  type Done,
  doneWords,
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
import { claimOf, type EndUser, endUserPage, refusalOf, stateOf, userResource } from './end-user.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';

type Consequences = Document<'GET', '/users/{sub}/consequences'>;

async function list(viewer: Viewer, query: Fields): Promise<Shown> {
  const [q, disabled, cursor] = [query.get('q'), query.get('disabled'), query.get('cursor')];
  const answer = await viewer.api.list<EndUser>('/users', { q, disabled, cursor });
  if (!answer.ok) return problem(answer.problem);
  return page(
    'End-users',
    html`!${doneWords(query.get('done'))}
!${viewer.may('users:write') ? html`<p class="row">!${button(viewer, '/console/end-user/new', 'Register an end-user')} !${button(viewer, '/console/invitations', 'Invite…', 'second')}</p>` : ''}
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
        { label: 'Username', cell: (user: EndUser) => link(viewer, endUserPage(user.sub), user.username) },
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
  const answer = await viewer.api.post<EndUser>('/users', { username, password }, fields.get('once'));
  if (answer.ok) return goTo(endUserPage(answer.value.sub, '', 'registered'));
  const { status } = answer.problem;
  const isAboutFields = status === 400 || status === 409 || status === 422;
  return isAboutFields ? registration(viewer, username, refusalOf(answer.problem)) : problem(answer.problem);
}

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
    viewer.api.get<EndUser>(userResource(sub)),
    viewer.api.get<Consequences>(userResource(sub, '/consequences')),
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
<p>!${link(viewer, endUserPage(sub), 'Change nothing')}</p>`,
    problems === '' ? {} : { status: 400 },
  );
}

async function change(viewer: Viewer, fields: Fields, patch: object, done: Done): Promise<Shown> {
  const sub = fields.get('id');
  const answer = await viewer.api.patch(userResource(sub), patch, fields.get('etag') || null);
  return answer.ok ? goTo(endUserPage(sub, '', done)) : problem(answer.problem);
}

/** The console never shows the password again, not even to the operator who typed it. */
async function setPassword(viewer: Viewer, fields: Fields): Promise<Shown> {
  const sub = fields.get('id');
  const answer = await viewer.api.patch(
    userResource(sub),
    { password: fields.get('password') },
    fields.get('etag') || null,
  );
  if (answer.ok) return goTo(endUserPage(sub, '', 'password-set'));
  const { status } = answer.problem;
  if (status !== 400 && status !== 422) return problem(answer.problem);
  return confirmation(viewer, 'password', sub, refusalOf(answer.problem));
}

async function remove(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.remove(userResource(fields.get('id')), fields.get('etag') || null);
  return answer.ok ? goTo('/console/end-users?done=deleted') : problem(answer.problem);
}

const area = 'end-users';
const scope = 'users:write';

export const END_USERS_SCREENS: readonly Screen[] = [
  { path: '/console/end-users', area, scope: 'users:read', show: list },
  { path: '/console/end-user/new', area, scope, show: async (viewer) => registration(viewer) },
  { path: '/console/end-user/disable', area, scope, show: confirm('disable') },
  { path: '/console/end-user/password', area, scope, show: confirm('password'), needsRecentSignIn: true },
  { path: '/console/end-user/delete', area, scope, show: confirm('delete'), needsRecentSignIn: true },
];

export const END_USERS_ACTIONS: readonly Action[] = [
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
