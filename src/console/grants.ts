/** Grants: find, show a life with its reason in words, end. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document } from '../management/client/documents.ts';
import {
  ACTIVE_OR_ENDED,
  button,
  type Column,
  doneWords,
  facts,
  filters,
  form,
  link,
  pager,
  table,
  time,
  withQuery,
  worded,
} from './components.ts';
import { eventsOf, type Life, pictureOf, summaryOf } from './life.ts';
import { PERSON_LABEL, personIn } from './person.ts';
import { type Action, all, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, name, shownText } from './shown-text.ts';

export type GrantItem = Document<'GET', '/grants/{grant_id}'>;

export const grantPage = (id: string, done?: string): string => withQuery('/console/grant', { id, done });
const resourceOf = (id: string, rest = ''): string => `/grants/${encodeURIComponent(id)}${rest}`;

/** @param devices the names of browsers by `sid`. Absent: the table has no column for them. */
export function grantColumns(viewer: Viewer, devices?: ReadonlyMap<string, string>): readonly Column<GrantItem>[] {
  return [
    { label: 'Grant', cell: (grant) => link(viewer, grantPage(grant.grant_id), grant.grant_id) },
    {
      label: 'Client',
      cell: (grant) => link(viewer, withQuery('/console/client', { id: grant.client_id }), grant.client_id),
    },
    {
      label: 'End-user',
      cell: (grant) => link(viewer, withQuery('/console/end-user', { id: grant.sub }), grant.username),
    },
    ...(devices === undefined
      ? []
      : [{ label: 'Browser', cell: ({ sid }: GrantItem) => html`${devices.get(sid ?? '') ?? '—'}` }]),
    { label: 'State', cell: stateOf },
    { label: 'Made', cell: (grant) => time(grant.created_at) },
    { label: 'Last used', cell: (grant) => time(grant.last_used_at) },
  ];
}

/** `active`, or the reason. Time alone ends a grant without a decision. */
const stateOf = ({ state, reason }: GrantItem): Markup =>
  state === 'active'
    ? html`<span class="badge good">active</span>`
    : html`<span class="badge bad">ended</span> !${reason === null ? 'by time' : worded(reason)}`;

async function list(viewer: Viewer, query: Fields): Promise<Shown> {
  const sent = Object.fromEntries(
    ['client_id', 'sub', 'state', 'from', 'to', 'cursor'].map((field) => [field, query.get(field)]),
  );
  const id = query.get('grant_id').trim();
  if (id !== '') return goTo(grantPage(id));
  const person = await personIn(viewer, query);
  if (person.kind === 'problem') return problem(person.problem);
  const answer = await viewer.api.list<GrantItem>('/grants', {
    ...sent,
    sub: person.sub,
    from: instantOf(query.get('from')),
    to: instantOf(query.get('to')),
  });
  if (!answer.ok) return problem(answer.problem);
  const { items, next } = answer.value;
  return page(
    'Grants',
    html`!${doneWords(query.get('done'))}
!${filters(viewer, '/console/grants', [
      { name: 'client_id', label: 'Client id', value: query.get('client_id') },
      { name: 'sub', label: PERSON_LABEL, value: query.get('sub') },
      { name: 'state', label: 'State', value: query.get('state'), choices: ACTIVE_OR_ENDED },
      { name: 'from', label: 'Made from (UTC)', value: query.get('from'), type: 'datetime-local' },
      { name: 'to', label: 'Made before (UTC)', value: query.get('to'), type: 'datetime-local' },
      { name: 'grant_id', label: 'Or a grant id', value: '' },
    ])}
!${table('Grants, the newest first', grantColumns(viewer), items)}
!${pager(viewer, '/console/grants', sent, next)}`,
  );
}

/**
 * Converts the value of an input of the type datetime-local, in UTC, for the API. Passes on an invalid value: the API
 * names the problem.
 */
export function instantOf(local: string): string {
  if (local === '') return '';
  const at = new Date(`${local}Z`);
  return Number.isNaN(at.getTime()) ? local : at.toISOString();
}

const show = (viewer: Viewer, query: Fields): Promise<Shown> =>
  lifePage(viewer, query.get('id'), doneWords(query.get('done')));

/** @param first the markup above the life. */
async function lifePage(viewer: Viewer, id: string, first: Markup): Promise<Shown> {
  const [grant, life] = await Promise.all([
    viewer.api.get<GrantItem>(resourceOf(id)),
    viewer.api.get<Life>(resourceOf(id, '/transitions')),
  ]);
  // Housekeeping removes rows. Ledger entries stay longer.
  if (!life.ok) return problem(life.problem);
  if (!grant.ok && grant.problem.status !== 404) return problem(grant.problem);
  return page(
    'The life of a grant',
    html`!${first}
!${summaryOf(life.value)}
!${pictureOf(life.value)}
!${grant.ok ? factsOf(viewer, grant.value) : html`<p>Its row no longer exists: the server removes rows an hour after the end of their chain. The ledger still has the following entries.</p>`}
!${viewer.may('grants:revoke') && life.value.active ? html`<p>!${button(viewer, withQuery('/console/grant/end', { id }), 'End this grant…', 'danger')}</p>` : ''}
<h2>What happened</h2>
!${eventsOf(life.value)}`,
  );
}

type Explained = Document<'POST', '/explanations'>;

/** @param credential a token or a code, which the page never shows. */
export async function explanationPage(viewer: Viewer, credential: string): Promise<Shown> {
  const answer = await viewer.api.post<Explained>('/explanations', { credential }, null);
  if (!answer.ok) return problem(answer.problem);
  const { grant_id: id, presented } = answer.value;
  const says = presented?.says ?? '';
  if (id === null) return page('A token without a grant', html`<p>${shownText(says, 1000)}</p>`);
  return lifePage(viewer, id, html`<p class="warning"><strong>You pasted ${shownText(says, 1000)}.</strong></p>`);
}

const factsOf = (viewer: Viewer, grant: GrantItem): Markup =>
  facts([
    ['Grant', code(grant.grant_id)],
    ['Client', link(viewer, withQuery('/console/client', { id: grant.client_id }), grant.client_id)],
    ['End-user', link(viewer, withQuery('/console/end-user', { id: grant.sub }), grant.username)],
    ['Scope', code(grant.scope)],
    ['Resources', grant.resources.map(code).join('<br>')],
    ['Rotations', html`${grant.rotations === null ? 'none: the code was not exchanged' : String(grant.rotations)}`],
    ['Made', time(grant.created_at)],
    ['Last used', time(grant.last_used_at)],
  ]);

async function confirmEnd(viewer: Viewer, query: Fields): Promise<Shown> {
  const id = query.get('id');
  const read = await all({ grant: viewer.api.get<GrantItem>(resourceOf(id)) });
  if (!read.ok) return problem(read.problem);
  const { grant } = read.values;
  return page(
    'End this grant?',
    html`<p class="warning">This ends <strong>one chain</strong> of !${name(grant.client_id)} for !${name(grant.username)}, immediately and for good. The server rejects its refresh token, and its access tokens wherever an API asks this server. Other APIs accept an issued access token until it expires.</p>
!${factsOf(viewer, grant)}
!${form(viewer, { action: '/console/grant/end', label: 'End the grant', danger: true, values: { id } })}
<p>!${link(viewer, grantPage(id), 'Keep it')}</p>`,
  );
}

async function end(viewer: Viewer, fields: Fields): Promise<Shown> {
  const id = fields.get('id');
  const answer = await viewer.api.remove(resourceOf(id));
  return answer.ok ? goTo(grantPage(id, 'grant-ended')) : problem(answer.problem);
}

const area = 'grants';

export const GRANT_SCREENS: readonly Screen[] = [
  { path: '/console/grants', area, scope: 'grants:read', show: list },
  { path: '/console/grant', area, scope: 'grants:read', show },
  { path: '/console/grant/end', area, scope: 'grants:revoke', show: confirmEnd },
];

export const GRANT_ACTIONS: readonly Action[] = [
  { path: '/console/grant/end', area, scope: 'grants:revoke', act: end },
];
