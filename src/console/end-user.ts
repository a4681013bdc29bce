/** One end-user: the account, its ways to sign in, its browsers and apps, and its activity. Change the account, remove a way to sign in. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document, Item } from '../management/client/documents.ts';
import { jsonIn } from '../oauth/sent-text.ts';
import { browserOf } from './browser.ts';
import { button, doneWords, facts, form, input, link, section, shownOr, table, time, withQuery } from './components.ts';
import { type GrantItem, grantColumns } from './grants.ts';
import { type Devices, linesTable } from './ledger.ts';
import { askedIn, linesFrom } from './ledger-lines.ts';
import type { Answer, Page, Problem } from './management-api.ts';
import { type SessionItem, sessionColumns } from './sessions.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, name, shownText } from './shown-text.ts';
import { type TrustedBrowserItem, trustedBrowsers } from './trusted-browsers.ts';

export type EndUser = Document<'GET', '/users/{sub}'>;
type SecondFactor = Document<'GET', '/users/{sub}/second-factor'>;
type Passkey = Item<'/users/{sub}/passkeys'>;
type Identity = Item<'/users/{sub}/linked-identities'>;

export const userResource = (sub: string, rest = ''): string => `/users/${encodeURIComponent(sub)}${rest}`;
export const endUserPage = (sub: string, rest = '', done?: string): string =>
  withQuery(`/console/end-user${rest}`, { id: sub, done });

export const stateOf = ({ disabled }: EndUser): Markup =>
  disabled ? html`<span class="badge bad">disabled</span>` : html`<span class="badge good">enabled</span>`;

export const claimOf = (value: unknown): Markup =>
  html`${shownText(typeof value === 'string' ? value : JSON.stringify(value), 500)}`;

const NEWEST = { limit: 20 };
const LINES = 20;

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  const sub = query.get('id');
  const when = <Value>(scope: string, ask: () => Promise<Value>) => (viewer.may(scope) ? ask() : null);
  const [user, secondFactor, passkeys, identities, grants, sessions, trusted, activity] = await Promise.all([
    viewer.api.get<EndUser>(userResource(sub)),
    viewer.api.get<SecondFactor>(userResource(sub, '/second-factor')),
    viewer.api.list<Passkey>(userResource(sub, '/passkeys')),
    viewer.api.list<Identity>(userResource(sub, '/linked-identities')),
    when('grants:read', () => viewer.api.list<GrantItem>(userResource(sub, '/grants'), NEWEST)),
    when('sessions:read', () => viewer.api.list<SessionItem>(userResource(sub, '/sessions'), NEWEST)),
    when('sessions:read', () => viewer.api.list<TrustedBrowserItem>(userResource(sub, '/trusted-browsers'))),
    when('ledger:read', () => linesFrom(viewer.api, { ...askedIn(query), sub }, '', LINES)),
  ]);
  if (!user.ok) return problem(user.problem);
  const devices = devicesOf(sessions);
  return page(
    user.value.username,
    html`!${doneWords(query.get('done'))}
!${accountOf(viewer, sub, user.value, user.etag)}
<h2>Ways to sign in</h2>
!${facts([
      ['Password', user.value.has_password ? 'set' : 'none'],
      ['Last sign-in', time(user.value.last_sign_in_at) || 'none is known'],
    ])}
!${shownOr(secondFactor, (factor) => secondFactorOf(viewer, sub, factor))}
!${shownOr(passkeys, ({ items }) => table('Passkeys', passkeyColumns(viewer, sub), items))}
!${shownOr(identities, ({ items }) => table('Accounts at other providers', identityColumns(viewer, sub), items))}
!${section(viewer, { title: 'Signed in', answer: sessions, all: withQuery('/console/sessions', { sub }) }, (items) => table('The newest sessions', sessionColumns(viewer), items))}
!${section(viewer, { title: 'Trusted browsers', answer: trusted, all: '' }, (items) => trustedBrowsers(viewer, sub, items))}
!${section(viewer, { title: 'Apps with access', answer: grants, all: withQuery('/console/grants', { sub }) }, (items) => table('The newest grants', grantColumns(viewer, devices), items))}
!${activity === null ? '' : html`<h2>Activity</h2>`}
!${activity?.kind === 'lines' ? linesTable(viewer, activity.lines, devices) : ''}
!${activity === null ? '' : html`<p>!${link(viewer, withQuery('/console/ledger', { sub }), 'Their ledger entries')}</p>`}`,
  );
}

/** Of the sessions that the page shows: of a sign-in that failed, or is older, the server knows no browser. */
const devicesOf = (sessions: Answer<Page<SessionItem>> | null): Devices =>
  new Map(sessions?.ok ? sessions.value.items.map(({ sid, user_agent: agent }) => [sid, browserOf(agent)]) : []);

function accountOf(viewer: Viewer, sub: string, user: EndUser, etag: string | null): Markup {
  const { username, disabled, claims } = user;
  return html`!${facts([
    ['Username', name(username)],
    ['sub', code(user.sub)],
    ['State', stateOf(user)],
    ...Object.entries(claims).map(([claim, value]) => [labelOfClaim(claim), claimOf(value)] as const),
    ...('email' in claims && !('email_verified' in claims) ? [[labelOfClaim('email_verified'), 'false'] as const] : []),
  ])}
!${
    !viewer.may('users:write')
      ? ''
      : html`<p class="row">!${button(viewer, endUserPage(sub, '/edit'), 'Change…')} !${button(viewer, endUserPage(sub, '/link'), 'Send a link…', 'second')} !${button(viewer, endUserPage(sub, '/password'), 'Set a password…', 'second')} !${disabled ? '' : button(viewer, endUserPage(sub, '/disable'), 'Disable…', 'danger')} !${button(viewer, endUserPage(sub, '/delete'), 'Delete…', 'danger')}</p>
!${disabled ? form(viewer, { action: '/console/end-user/enable', label: 'Enable', values: { id: sub, etag: etag ?? '' } }) : ''}`
  }`;
}

function secondFactorOf(
  viewer: Viewer,
  sub: string,
  { apps, required, recovery_codes_left: codes }: SecondFactor,
): Markup {
  const [newest] = apps;
  return html`!${facts([
    [
      'Authenticator apps',
      newest === undefined ? 'none' : html`${String(apps.length)}, since !${time(newest.confirmed_at)}`,
    ],
    ['Recovery codes', html`${codes === 0 ? 'none' : `${codes} left`}`],
    ['Second factor', html`${required ? 'required by sign-in.yaml' : 'not required'}`],
  ])}
!${apps.length + codes === 0 ? '' : removalLink(viewer, sub, 'second-factor', '', 'Remove the authenticator apps and recovery codes…')}`;
}

const passkeyColumns = (viewer: Viewer, sub: string) => [
  { label: 'Passkey', cell: (passkey: Passkey) => name(passkey.name) },
  { label: 'Kind', cell: ({ synced }: Passkey) => html`${synced ? 'synced' : 'of one device'}` },
  { label: 'Added', cell: (passkey: Passkey) => time(passkey.added_at) },
  { label: 'Last used', cell: (passkey: Passkey) => time(passkey.last_used_at) || 'never' },
  { label: 'Action', cell: ({ id }: Passkey) => removalLink(viewer, sub, 'passkeys', id, 'Remove…') },
];

const identityColumns = (viewer: Viewer, sub: string) => [
  { label: 'Provider', cell: (identity: Identity) => name(identity.provider) },
  { label: 'Account there', cell: (identity: Identity) => code(identity.subject) },
  { label: 'Linked', cell: (identity: Identity) => time(identity.linked_at) },
  { label: 'Action', cell: ({ id }: Identity) => removalLink(viewer, sub, 'linked-identities', id, 'Remove…') },
];

/** The removable ways to sign in, by the last part of their address. */
const REMOVALS = {
  'second-factor': {
    title: 'Remove the authenticator apps and recovery codes of',
    words:
      'The next sign-in needs the password alone, or sets up a second factor where sign-in.yaml requires one. Sessions stay: end those of a lost device too.',
  },
  passkeys: {
    title: 'Remove a passkey of',
    words: 'A device with it can no longer sign in. Its sessions stay: end those of a lost device too.',
  },
  'linked-identities': {
    title: 'Remove the account at another provider of',
    words: 'A sign-in there no longer signs in here.',
  },
} as const;
type Removal = keyof typeof REMOVALS;

const removalIn = (fields: Fields): Removal | null => {
  const what = fields.get('what');
  return Object.hasOwn(REMOVALS, what) ? (what as Removal) : null;
};

const removalPath = (sub: string, what: string, item: string): string =>
  withQuery('/console/end-user/remove', { id: sub, what, item });

const removalLink = (viewer: Viewer, sub: string, what: Removal, item: string, label: string): Markup =>
  viewer.may('users:write') ? link(viewer, removalPath(sub, what, item), label) : '';

async function confirmRemoval(viewer: Viewer, query: Fields): Promise<Shown> {
  const [sub, item, what] = [query.get('id'), query.get('item'), removalIn(query)];
  const user = await viewer.api.get<EndUser>(userResource(sub));
  if (!user.ok) return problem(user.problem);
  if (what === null) return goTo(endUserPage(sub));
  return page(
    `${REMOVALS[what].title} ${shownText(user.value.username)}?`,
    html`<p class="warning">${REMOVALS[what].words} The end-user gets a mail about it, at a verified address.</p>
!${form(viewer, { action: '/console/end-user/remove', label: 'Remove', danger: true, values: { id: sub, what, item } })}
<p>!${link(viewer, endUserPage(sub), 'Change nothing')}</p>`,
  );
}

async function remove(viewer: Viewer, fields: Fields): Promise<Shown> {
  const [sub, item, what] = [fields.get('id'), fields.get('item'), removalIn(fields)];
  if (what === null) return goTo(endUserPage(sub));
  const path = item === '' ? `/${what}` : `/${what}/${encodeURIComponent(item)}`;
  const answer = await viewer.api.remove(userResource(sub, path));
  return answer.ok ? goTo(endUserPage(sub, '', 'removed')) : problem(answer.problem);
}

/** The claims with a field of their own. */
const TEXTS = [
  ['name', 'Name'],
  ['given_name', 'Given name'],
  ['family_name', 'Family name'],
  ['email', 'E-mail address'],
] as const;

/** The name on the wire stands beside the words. */
function labelOfClaim(claim: string): string {
  const words = claim === 'email_verified' ? 'Address verified' : TEXTS.find(([known]) => known === claim)?.[1];
  return words === undefined ? shownText(claim) : `${words} (${claim})`;
}

const VERIFIED = [
  ['', 'not verified'],
  ['true', 'verified'],
] as const;

async function edit(viewer: Viewer, query: Fields): Promise<Shown> {
  const sub = query.get('id');
  const user = await viewer.api.get<EndUser>(userResource(sub));
  if (!user.ok) return problem(user.problem);
  const { username, claims } = user.value;
  const known = new Set<string>([...TEXTS.map(([claim]) => claim), 'email_verified']);
  const others = Object.fromEntries(Object.entries(claims).filter(([claim]) => !known.has(claim)));
  return editing(viewer, sub, user.etag ?? '', {
    username,
    ...Object.fromEntries(TEXTS.map(([claim]) => [claim, typeof claims[claim] === 'string' ? claims[claim] : ''])),
    email_verified: claims['email_verified'] === true ? 'true' : '',
    others: JSON.stringify(others, null, 2),
  });
}

type Values = Readonly<Record<string, string>>;

const editing = (viewer: Viewer, sub: string, etag: string, values: Values, problems: Markup = ''): Shown =>
  page(
    'Change an end-user',
    html`!${problems}
!${form(viewer, {
      action: '/console/end-user/edit',
      label: 'Save',
      wide: true,
      values: { id: sub, etag },
      body: [
        input({ name: 'username', label: 'Username', value: values['username'] ?? '', required: true }),
        ...TEXTS.map(([claim, label]) => input({ name: claim, label, value: values[claim] ?? '' })),
        input({
          name: 'email_verified',
          label: 'The address is',
          value: values['email_verified'] ?? '',
          choices: VERIFIED,
        }),
        input({
          name: 'others',
          label: 'Other claims, as a JSON object',
          value: values['others'] ?? '{}',
          lines: true,
        }),
      ].join('\n'),
    })}
<p>!${link(viewer, endUserPage(sub), 'Change nothing')}</p>`,
    problems === '' ? {} : { status: 400 },
  );

async function change(viewer: Viewer, fields: Fields): Promise<Shown> {
  const [sub, etag] = [fields.get('id'), fields.get('etag')];
  const names = ['username', ...TEXTS.map(([claim]) => claim), 'email_verified', 'others'];
  const values = Object.fromEntries(names.map((field) => [field, fields.get(field)]));
  const others = objectIn(fields.get('others'));
  const again = (problems: Markup) => editing(viewer, sub, etag, values, problems);
  if (others === null)
    return again(
      html`<p class="alert" role="alert">Nothing was changed. The other claims are not a JSON object such as {"locale": "de"}.</p>`,
    );
  const before = await viewer.api.get<EndUser>(userResource(sub));
  if (!before.ok) return problem(before.problem);
  const texts = TEXTS.flatMap(([claim]) => (fields.get(claim) === '' ? [] : [[claim, fields.get(claim)] as const]));
  const claims = {
    ...Object.fromEntries(Object.keys(before.value.claims).map((claim) => [claim, null])),
    ...others,
    ...Object.fromEntries(texts),
    ...(fields.get('email') !== '' && { email_verified: fields.get('email_verified') === 'true' }),
  };
  const answer = await viewer.api.patch(userResource(sub), { username: fields.get('username'), claims }, etag || null);
  if (answer.ok) return goTo(endUserPage(sub, '', 'changed'));
  const { status } = answer.problem;
  return status === 400 || status === 409 || status === 422
    ? again(refusalOf(answer.problem))
    : problem(answer.problem);
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  const read = jsonIn(text.trim() || '{}');
  return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Record<string, unknown>) : null;
}

export const refusalOf = ({ title, errors }: Problem): Markup =>
  html`<p class="alert" role="alert">${title}. ${errors.map(({ detail }) => shownText(detail, 1000)).join(' ')}</p>`;

const area = 'end-users';
const scope = 'users:write';

export const END_USER_SCREENS: readonly Screen[] = [
  { path: '/console/end-user', area, scope: 'users:read', show },
  { path: '/console/end-user/edit', area, scope, show: edit, needsRecentSignIn: true },
  { path: '/console/end-user/remove', area, scope, show: confirmRemoval, needsRecentSignIn: true },
];

export const END_USER_ACTIONS: readonly Action[] = [
  {
    path: '/console/end-user/edit',
    area,
    scope,
    act: change,
    // A verified address is as much as a password: a link in a mail sets that.
    recentSignInFor: (form) => endUserPage(form.get('id'), '/edit'),
  },
  {
    path: '/console/end-user/remove',
    area,
    scope,
    act: remove,
    recentSignInFor: (form) => removalPath(form.get('id'), form.get('what'), form.get('item')),
  },
];
