/** The ledger: filter it, follow an entry to its subject, and export it as CSV or JSON lines. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import { filters, link, pager, table, time, withQuery } from './components.ts';
import { csvOf, jsonLinesOf, MAX_EXPORTED } from './export.ts';
import { instantOf } from './grants.ts';
import { type Asked, askedIn, type LedgerLine, linesFrom } from './ledger-lines.ts';
import { PERSON_LABEL, personIn } from './person.ts';
import { type Fields, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { name, shownText } from './shown-text.ts';

const LINES = 50;

/** The filters of links from other pages, shown only with a value. */
const NARROWER = [
  { name: 'from_state', label: 'From the state' },
  { name: 'to_state', label: 'To the state' },
  { name: 'grant_id', label: 'Grant' },
  { name: 'session_id', label: 'Session' },
] as const;

/** In the form for the API: times in UTC, and users by their `sub`. */
async function meantBy(viewer: Viewer, query: Fields) {
  const person = await personIn(viewer, query);
  if (person.kind === 'problem') return person;
  const typed = askedIn(query);
  const { from, to } = typed;
  const asked: Asked = { ...typed, sub: person.sub, from: instantOf(from), to: instantOf(to) };
  return { kind: 'asked', asked } as const;
}

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  const asked = askedIn(query);
  const cursor = query.get('cursor');
  const meant = await meantBy(viewer, query);
  if (meant.kind === 'problem') return problem(meant.problem);
  const answer = await linesFrom(viewer.api, meant.asked, cursor, LINES);
  if (answer.kind === 'problem') return problem(answer.problem);
  const { lines, next } = answer;
  return page(
    'Ledger',
    html`<p class="quiet">Every decision that changed a state, the newest first. Entries never change, and the server keeps them for 90 days.</p>
!${filters(viewer, '/console/ledger', [
      { name: 'reason', label: 'Reason', value: asked.reason },
      { name: 'client_id', label: 'Client id', value: asked.client_id },
      { name: 'sub', label: PERSON_LABEL, value: asked.sub },
      { name: 'from', label: 'From (UTC)', value: asked.from, type: 'datetime-local' },
      { name: 'to', label: 'Before (UTC)', value: asked.to, type: 'datetime-local' },
      { name: 'machine', label: 'Machine', value: asked.machine },
      { name: 'event', label: 'Event', value: asked.event },
      ...NARROWER.filter(({ name: field }) => asked[field] !== '').map((field) => ({
        ...field,
        value: asked[field.name],
      })),
    ])}
!${lines.length === 0 && next !== null ? html`<p>None among the entries that were read so far. The next page continues.</p>` : linesTable(viewer, lines)}
!${pager(viewer, '/console/ledger', { ...asked, cursor }, next)}
<p class="row">!${link(viewer, withQuery('/console/ledger.csv', asked), 'Export as CSV')} !${link(viewer, withQuery('/console/ledger.jsonl', asked), 'Export as JSON lines')} <span class="quiet">up to ${MAX_EXPORTED.toLocaleString('en-GB')} entries</span></p>`,
  );
}

export const linesTable = (viewer: Viewer, lines: readonly LedgerLine[]): Markup =>
  table(
    'Ledger entries',
    [
      { label: 'At', cell: (line: LedgerLine) => time(line.at) },
      {
        label: 'What',
        cell: (line) =>
          html`${shownText(line.machine)} <strong>${shownText(line.event)}</strong>: ${shownText(line.from)} → ${shownText(line.to)}`,
      },
      { label: 'Reason', cell: (line) => (line.reason === null ? '' : html`<code>${shownText(line.reason)}</code>`) },
      { label: 'About', cell: (line) => about(viewer, line) },
      { label: 'Requested by, or from', cell: (line) => askedBy(line) },
      { label: 'Fields', cell: (line) => html`${(line.fields ?? []).map((field) => shownText(field)).join(', ')}` },
    ],
    lines,
  );

/** For a sign-in, its address. For a reused code or token, its presenter. */
function askedBy({ actor, address, user_agent: agent }: LedgerLine): Markup | string {
  if (actor !== null) return name(actor);
  if (address === null) return '';
  return html`<code>${shownText(address)}</code>${agent === null ? '' : html` ${shownText(agent)}`}`;
}

function about(viewer: Viewer, line: LedgerLine): Markup {
  const { grant_id: grant, client_id: client, sub, session_id: session, signing_key_id: key } = line;
  return [
    grant === null ? '' : html`grant !${link(viewer, withQuery('/console/grant', { id: grant }), grant.slice(0, 8))}`,
    client === null ? '' : html`client !${link(viewer, withQuery('/console/client', { id: client }), client)}`,
    sub === null ? '' : html`end-user !${link(viewer, withQuery('/console/end-user', { id: sub }), sub.slice(0, 8))}`,
    session === null ? '' : html`session ${shownText(session.slice(0, 8))}`,
    key === null ? '' : html`key ${shownText(key.slice(0, 8))}`,
  ]
    .filter((part) => part !== '')
    .join('<br>');
}

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
