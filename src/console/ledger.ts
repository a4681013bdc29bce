/** The ledger: filter it, follow an entry to its subject, and export it as CSV or JSON lines. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Item } from '../management/client/documents.ts';
import { clientIn } from './client-filter.ts';
import { filters, type Input, link, pager, table, time, withQuery, wordsOf } from './components.ts';
import { csvOf, jsonLinesOf, MAX_EXPORTED } from './export.ts';
import { instantOf } from './grants.ts';
import { type Asked, askedIn, type LedgerLine, linesFrom } from './ledger-lines.ts';
import { isId, PERSON_LABEL, personIn, personNamed } from './person.ts';
import { type Fields, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { name, shownText } from './shown-text.ts';

const LINES = 50;

/** The filters of links from other pages, shown only with a value. */
const NARROWER = [
  { name: 'from_state', label: 'From the state' },
  { name: 'grant_id', label: 'Grant' },
  { name: 'session_id', label: 'Session' },
] as const;

/** In the form for the API: times in UTC, and users by their `sub`. */
async function meantBy(viewer: Viewer, query: Fields) {
  const [person, actor, client] = await Promise.all([
    personIn(viewer, query),
    actorIn(viewer, query.get('actor').trim()),
    clientIn(viewer, query),
  ]);
  if (person.kind === 'problem') return person;
  if (actor.kind === 'problem') return actor;
  if (client.kind === 'problem') return client;
  const typed = askedIn(query);
  const { from, to } = typed;
  const asked: Asked = {
    ...typed,
    sub: person.sub,
    ...actor.asked,
    client_id: client.id,
    from: instantOf(from),
    to: instantOf(to),
  };
  return { kind: 'asked', asked } as const;
}

/** As entries name actors. */
const NAMED_ACTOR = /^(command_line|configuration|server|(operator|end_user|client|upstream) .+)$/;

/** Other text is the username or the `sub` of an operator or end-user. */
async function actorIn(viewer: Viewer, typed: string) {
  if (NAMED_ACTOR.test(typed)) return { kind: 'found', asked: { actor: typed, actor_sub: '' } } as const;
  const person = await personNamed(viewer, typed);
  return person.kind === 'problem' ? person : ({ kind: 'found', asked: { actor: '', actor_sub: person.sub } } as const);
}

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  const asked = askedIn(query);
  const cursor = query.get('cursor');
  const [meant, kinds] = await Promise.all([meantBy(viewer, query), viewer.api.list<Kind>('/transition-kinds')]);
  if (meant.kind === 'problem') return problem(meant.problem);
  if (!kinds.ok) return problem(kinds.problem);
  const answer = await linesFrom(viewer.api, meant.asked, cursor, LINES);
  if (answer.kind === 'problem') return problem(answer.problem);
  const { lines, next } = answer;
  return page(
    'Ledger',
    html`<p class="quiet">Every decision that changed a state, the newest first. Entries never change, and the server keeps them for as long as <code>ledger.yaml</code> says.</p>
!${filters(viewer, '/console/ledger', inputsFor(asked, kinds.value.items))}
!${lines.length === 0 && next !== null ? html`<p>None among the entries that were read so far. The next page continues.</p>` : linesTable(viewer, lines)}
!${pager(viewer, '/console/ledger', { ...asked, cursor }, next)}
<p class="row">!${link(viewer, '/console/ledger/verify', 'Verify the ledger')} !${link(viewer, withQuery('/console/ledger.csv', asked), 'Export as CSV')} !${link(viewer, withQuery('/console/ledger.jsonl', asked), 'Export as JSON lines')} <span class="quiet">up to ${MAX_EXPORTED.toLocaleString('en-GB')} entries</span></p>`,
  );
}

type Kind = Item<'/transition-kinds'>;

/** Of the chosen machine; without one, of all. */
function inputsFor(asked: Asked, kinds: readonly Kind[]): readonly Input[] {
  const chosen = kinds.filter(({ machine }) => asked.machine === '' || machine === asked.machine);
  const choice = (name: keyof Asked, label: string, any: string, names: readonly string[]): Input => {
    const value = asked[name];
    // A link may name a value that this version has no more.
    const all = [...new Set([...names, ...(value === '' ? [] : [value])])];
    const labelled = all.map((wireName) => [wireName, wordsOf(wireName)] as const);
    return {
      name,
      label,
      value,
      choices: [['', any], ...labelled.toSorted(([, a], [, b]) => a.localeCompare(b, 'en'))],
    };
  };
  return [
    choice(
      'machine',
      'About',
      'anything',
      kinds.map(({ machine }) => machine),
    ),
    choice(
      'event',
      'Event',
      'any event',
      chosen.flatMap(({ events }) => events),
    ),
    choice(
      'to_state',
      'Outcome',
      'any outcome',
      chosen.flatMap(({ states }) => states),
    ),
    choice(
      'reason',
      'Reason',
      'any reason',
      chosen.flatMap(({ reasons }) => reasons),
    ),
    { name: 'sub', label: PERSON_LABEL, value: asked.sub },
    { name: 'actor', label: 'Requested by (username, sub, or an actor such as command_line)', value: asked.actor },
    { name: 'client_id', label: 'Client (id or name)', value: asked.client_id },
    { name: 'address', label: 'Network address', value: asked.address },
    { name: 'user_agent', label: 'Browser that reused a token', value: asked.user_agent },
    { name: 'from', label: 'From (UTC)', value: asked.from, type: 'datetime-local' },
    { name: 'to', label: 'Before (UTC)', value: asked.to, type: 'datetime-local' },
    ...NARROWER.filter(({ name }) => asked[name] !== '').map((field) => ({ ...field, value: asked[field.name] })),
  ];
}

/** The browsers of the sessions that sign-ins began, by session. */
export type Devices = ReadonlyMap<string, string>;

export const linesTable = (viewer: Viewer, lines: readonly LedgerLine[], devices: Devices = new Map()): Markup =>
  table(
    'Ledger entries',
    [
      { label: 'At', cell: (line: LedgerLine) => time(line.at) },
      {
        label: 'What',
        cell: (line) =>
          html`${wordsOf(line.machine)}: <strong>${wordsOf(line.event)}</strong><br><code class="quiet">${shownText(line.event)}</code> <span class="quiet">${wordsOf(line.from)} → ${wordsOf(line.to)}</span>`,
      },
      { label: 'Reason', cell: ({ reason }) => (reason === null ? '' : withWireName(reason)) },
      { label: 'Who and which', cell: (line) => about(viewer, line) },
      { label: 'Requested by, or from', cell: (line) => askedBy(viewer, line, devices) },
      { label: 'Fields', cell: (line) => html`${(line.fields ?? []).map((field) => wordsOf(field)).join(', ')}` },
    ],
    lines,
  );

const withWireName = (name: string): Markup => html`${wordsOf(name)}<br><code class="quiet">${shownText(name)}</code>`;

/** For a sign-in, its address. For a reused code or token, its presenter. */
function askedBy(viewer: Viewer, line: LedgerLine, devices: Devices): Markup | string {
  const { actor, address, place, user_agent: agent, begun_session_id: session } = line;
  if (actor !== null) return actorNamed(viewer, actor, line);
  if (address === null) return '';
  const where = [place?.city, place?.country].filter((part) => typeof part === 'string').join(', ');
  const device = agent ?? (session === null ? null : (devices.get(session) ?? null));
  return [
    html`<code>${shownText(address)}</code>`,
    ...(where === '' ? [] : [name(where)]),
    ...(device === null ? [] : [name(device)]),
  ].join('<br>');
}

/** An operator by username. Without one, the first part of the id leads to the end-user. */
function actorNamed(viewer: Viewer, actor: string, { actor_sub: id, actor_username: username }: LedgerLine): Markup {
  const [kind = '', of = ''] = actor.split(' ');
  if (kind === 'client') return html`client !${named(viewer, '/console/client', of, null)}`;
  if (id === null) return name(actor);
  if (username !== null) return html`${kind} !${named(viewer, '/console/end-user', id, username)}`;
  return html`${kind} !${link(viewer, withQuery('/console/end-user', { id }), shortened(id))}`;
}

/** An id by its first part. */
const shortened = (id: string): string => (isId(id) ? id.slice(0, 8) : id);

function about(viewer: Viewer, line: LedgerLine): Markup {
  const { grant_id: grant, client_id: client, sub, session_id: session, signing_key_id: key } = line;
  return [
    grant === null ? '' : html`grant !${link(viewer, withQuery('/console/grant', { id: grant }), grant.slice(0, 8))}`,
    client === null ? '' : html`client !${named(viewer, '/console/client', client, line.client_name)}`,
    sub === null ? '' : html`end-user !${named(viewer, '/console/end-user', sub, line.username)}`,
    session === null ? '' : html`session ${shownText(session.slice(0, 8))}`,
    key === null ? '' : html`key ${shownText(key.slice(0, 8))}`,
  ]
    .filter((part) => part !== '')
    .join('<br>');
}

/** By name, with the id beside it. */
const named = (viewer: Viewer, path: string, id: string, known: string | null): Markup =>
  known === null
    ? link(viewer, withQuery(path, { id }), id)
    : html`!${link(viewer, withQuery(path, { id }), known)} <code class="quiet">${shownText(shortened(id))}</code>`;

const exported =
  (type: string, ending: string, linesOf: typeof csvOf) =>
  async (viewer: Viewer, query: Fields): Promise<Shown> => {
    const meant = await meantBy(viewer, query);
    if (meant.kind === 'problem') return problem(meant.problem);
    const { asked } = meant;
    // The first request is made here, so that an error in the filter becomes a page, and not a broken file.
    const first = await linesFrom(viewer.api, asked, '', LINES);
    if (first.kind === 'problem') return problem(first.problem);
    return { kind: 'file', type, fileName: `ledger.${ending}`, lines: linesOf(viewer.api, asked, first) };
  };

const area = 'ledger';
const scope = 'ledger:read';

export const LEDGER_SCREENS: readonly Screen[] = [
  { path: '/console/ledger', area, scope, show },
  { path: '/console/ledger.csv', area, scope, show: exported('text/csv; charset=utf-8', 'csv', csvOf) },
  {
    path: '/console/ledger.jsonl',
    area,
    scope,
    show: exported('application/jsonl; charset=utf-8', 'jsonl', jsonLinesOf),
  },
];
