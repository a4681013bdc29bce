/** Sessions: the browsers in which end-users are signed in. Find, end. */
import { html } from 'ghtml';
import type { Document } from '../management/client/documents.ts';
import { browserOf } from './browser.ts';
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
import { PERSON_LABEL, personIn } from './person.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, name } from './shown-text.ts';

export type SessionItem = Document<'GET', '/sessions/{sid}'>;

const isActive = ({ state }: SessionItem): boolean => state === 'active';

export function sessionColumns(viewer: Viewer): readonly Column<SessionItem>[] {
  return [
    {
      label: 'End-user',
      cell: (session) => link(viewer, withQuery('/console/end-user', { id: session.sub }), session.username),
    },
    { label: 'Browser', cell: ({ user_agent: agent }) => html`${browserOf(agent)}` },
    { label: 'Signed in', cell: (session) => html`!${time(session.signed_in_at)} (${session.amr.join(' ')})` },
    { label: 'Last used', cell: (session) => time(session.last_used_at) },
    {
      label: 'State',
      cell: (session) =>
        isActive(session)
          ? html`<span class="badge good">signed in</span>`
          : html`<span class="badge">ended</span> !${worded(session.reason)}`,
    },
    {
      label: 'Action',
      cell: (session) =>
        viewer.may('sessions:end') && isActive(session)
          ? link(viewer, withQuery('/console/session/end', { id: session.sid }), 'End…')
          : '',
    },
  ];
}

async function list(viewer: Viewer, query: Fields): Promise<Shown> {
  const sent = Object.fromEntries(['sub', 'state', 'cursor'].map((field) => [field, query.get(field)]));
  const person = await personIn(viewer, query);
  if (person.kind === 'problem') return problem(person.problem);
  const answer = await viewer.api.list<SessionItem>('/sessions', { ...sent, sub: person.sub });
  if (!answer.ok) return problem(answer.problem);
  return page(
    'Sessions',
    html`!${doneWords(query.get('done'))}
!${filters(viewer, '/console/sessions', [
      { name: 'sub', label: PERSON_LABEL, value: query.get('sub') },
      { name: 'state', label: 'State', value: query.get('state'), choices: ACTIVE_OR_ENDED },
    ])}
!${table('Sessions, the newest first', sessionColumns(viewer), answer.value.items)}
!${pager(viewer, '/console/sessions', sent, answer.value.next)}`,
  );
}

async function confirmEnd(viewer: Viewer, query: Fields): Promise<Shown> {
  const sid = query.get('id');
  const answer = await viewer.api.get<SessionItem>(`/sessions/${encodeURIComponent(sid)}`);
  if (!answer.ok) return problem(answer.problem);
  const session = answer.value;
  return page(
    'End this session?',
    html`<p class="warning">This signs <strong>!${name(session.username)}</strong> out of this server in one browser. Apps that they have allowed keep their access: end their grants separately.</p>
!${facts([
      ['Session', code(session.sid)],
      ['Browser', html`${browserOf(session.user_agent)}`],
      ['Signed in', html`!${time(session.signed_in_at)} (${session.amr.join(' ')})`],
      ['Last used', time(session.last_used_at)],
    ])}
!${form(viewer, { action: '/console/session/end', label: 'End the session', danger: true, values: { id: sid } })}
<p>!${button(viewer, '/console/sessions', 'Keep it', 'second')}</p>`,
  );
}

async function end(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.remove(`/sessions/${encodeURIComponent(fields.get('id'))}`);
  return answer.ok ? goTo('/console/sessions?done=session-ended') : problem(answer.problem);
}

const area = 'sessions';

export const SESSION_SCREENS: readonly Screen[] = [
  { path: '/console/sessions', area, scope: 'sessions:read', show: list },
  { path: '/console/session/end', area, scope: 'sessions:end', show: confirmEnd },
];

export const SESSION_ACTIONS: readonly Action[] = [
  { path: '/console/session/end', area, scope: 'sessions:end', act: end },
];
