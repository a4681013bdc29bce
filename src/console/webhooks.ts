/** Webhooks: the endpoints with their pending deliveries, the deliveries of events, and redelivery. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import { type Column, doneWords, facts, filters, form, link, pager, table, time, withQuery } from './components.ts';
import { shownNumber } from './numbers.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';

type Receiver = {
  readonly name: string;
  readonly url: string;
  readonly format: 'standard' | 'set';
  readonly events: readonly string[];
  readonly pending: number;
  readonly oldest_pending_at: string | null;
};

type Delivery = {
  readonly delivery_id: string;
  readonly receiver: string;
  /** The `webhook-id` of every attempt. */
  readonly event_id: string;
  readonly event_type: string;
  readonly occurred_at: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly state: 'pending' | 'delivered' | 'abandoned';
  /** The reason why it was dead-lettered. Null: it was not. */
  readonly reason: string | null;
  readonly attempts: number;
  readonly last_outcome: string | null;
  readonly next_attempt_at: string | null;
  readonly gives_up_at: string;
  readonly created_at: string;
  readonly ended_at: string | null;
};

const LIST = '/console/webhooks/deliveries';
const REPEAT = '/console/webhooks/delivery/repeat';
const TEST = '/console/webhooks/test';

const deliveryPage = (id: string, done?: string): string => withQuery('/console/webhooks/delivery', { id, done });
const resourceOf = (id: string, rest = ''): string => `/webhook-deliveries/${encodeURIComponent(id)}${rest}`;
const deliveriesOf = (viewer: Viewer, receiver: string): Markup =>
  link(viewer, withQuery(LIST, { receiver }), receiver);

const FORMATS: Readonly<Record<Receiver['format'], string>> = {
  standard: 'Standard Webhooks',
  set: 'Security Event Tokens',
};

const BADGES: Readonly<Record<Delivery['state'], Markup>> = {
  pending: html`<span class="badge">waiting</span>`,
  delivered: html`<span class="badge good">delivered</span>`,
  abandoned: html`<span class="badge bad">dead-lettered</span>`,
};

async function receivers(viewer: Viewer): Promise<Shown> {
  const answer = await viewer.api.list<Receiver>('/webhook-receivers', {});
  if (!answer.ok) return problem(answer.problem);
  return page(
    'Webhooks',
    html`<p>Other systems that receive events of this server. <code>webhooks.yaml</code>, in the folder of policies, names them.</p>
!${table(
      'Receivers',
      [
        { label: 'Receiver', cell: ({ name }: Receiver) => deliveriesOf(viewer, name) },
        { label: 'Host', cell: ({ url }) => code(hostOf(url)) },
        { label: 'Format', cell: ({ format }) => html`${FORMATS[format] ?? format}` },
        { label: 'Events', cell: ({ events }) => html`${events.join(', ')}` },
        { label: 'Waiting', cell: ({ pending }) => waiting(pending), number: true },
        { label: 'Oldest', cell: ({ oldest_pending_at: at }) => time(at) },
        ...(viewer.may('webhooks:send') ? [testColumn(viewer)] : []),
      ],
      answer.value.items,
    )}
<p>!${link(viewer, LIST, 'All deliveries')}, also those of endpoints that are no longer in the file.</p>`,
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** What the API counts at most. */
const MAX_COUNTED = 10_000;
const waiting = (pending: number): Markup =>
  html`${pending < MAX_COUNTED ? shownNumber(pending) : `${shownNumber(pending)} or more`}`;

const testColumn = (viewer: Viewer): Column<Receiver> => ({
  label: 'Action',
  cell: ({ name }) => form(viewer, { action: TEST, label: `Test ${name}`, second: true, values: { receiver: name } }),
});

const STATES = [
  ['', 'in any state'],
  ['pending', 'waiting'],
  ['delivered', 'delivered'],
  ['abandoned', 'dead-lettered'],
] as const;

async function deliveries(viewer: Viewer, query: Fields): Promise<Shown> {
  const sent = Object.fromEntries(['receiver', 'state', 'cursor'].map((field) => [field, query.get(field)]));
  const answer = await viewer.api.list<Delivery>('/webhook-deliveries', sent);
  if (!answer.ok) return problem(answer.problem);
  const { items, next } = answer.value;
  return page(
    'Deliveries of events',
    html`!${filters(viewer, LIST, [
      { name: 'receiver', label: 'Receiver', value: query.get('receiver') },
      { name: 'state', label: 'State', value: query.get('state'), choices: STATES },
    ])}
!${items.length === 0 && next !== null ? html`<p>None among the deliveries that were read so far. The next page continues.</p>` : table('Deliveries, the newest first', deliveryColumns(viewer), items)}
!${pager(viewer, LIST, sent, next)}`,
  );
}

const deliveryColumns = (viewer: Viewer): readonly Column<Delivery>[] => [
  {
    label: 'Delivery',
    cell: ({ delivery_id: id }) => link(viewer, deliveryPage(id), id.slice(0, 8)),
  },
  { label: 'Event', cell: ({ event_type: type }) => code(type) },
  { label: 'Receiver', cell: ({ receiver }) => deliveriesOf(viewer, receiver) },
  { label: 'Occurred', cell: ({ occurred_at: at }) => time(at) },
  { label: 'State', cell: stateOf },
  { label: 'Attempts', cell: ({ attempts }) => html`${shownNumber(attempts)}`, number: true },
  { label: 'Last outcome', cell: ({ last_outcome: outcome }) => html`${shownText(outcome ?? '')}` },
  { label: 'Next attempt', cell: ({ next_attempt_at: at }) => time(at) },
];

const stateOf = ({ state, reason }: Delivery): Markup => html`!${BADGES[state]} ${shownText(reason ?? '')}`;

async function delivery(viewer: Viewer, query: Fields): Promise<Shown> {
  const id = query.get('id');
  const answer = await viewer.api.get<Delivery>(resourceOf(id));
  if (!answer.ok) return problem(answer.problem);
  const shown = answer.value;
  return page(
    'The delivery of an event',
    html`!${doneWords(query.get('done'))}
!${facts([
      ['Event', code(shown.event_type)],
      ['Receiver', deliveriesOf(viewer, shown.receiver)],
      ['State', stateOf(shown)],
      ['Attempts', html`${shownNumber(shown.attempts)}, since it was recorded or redelivered`],
      ['Last outcome', shown.last_outcome === null ? '' : code(shown.last_outcome)],
      ['Next attempt', time(shown.next_attempt_at)],
      ['Dead-lettered at the latest', shown.state === 'pending' ? time(shown.gives_up_at) : ''],
      ['Ended', time(shown.ended_at)],
      ['Occurred', time(shown.occurred_at)],
      ['Recorded', time(shown.created_at)],
      ['webhook-id', code(shown.event_id)],
      ['Delivery', code(shown.delivery_id)],
    ])}
!${viewer.may('webhooks:send') ? repetition(viewer, shown) : ''}
!${toldOf(shown)}`,
  );
}

/** A test has no data. */
function toldOf({ data }: Delivery): Markup {
  const members = Object.entries(data);
  if (members.length === 0) return '';
  return html`<h2>The data for the endpoint</h2>
!${facts(members.map(([member, value]) => [shownText(member), code(textOf(value))]))}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const repetition = (viewer: Viewer, { delivery_id: id, receiver }: Delivery): Markup =>
  html`<p>Sent again, it goes to ${shownText(receiver)} immediately, with a new series of attempts. The receiver recognises it by the same <code>webhook-id</code>.</p>
!${form(viewer, { action: REPEAT, label: 'Send it again', values: { id } })}`;

async function repeat(viewer: Viewer, fields: Fields): Promise<Shown> {
  const id = fields.get('id');
  const answer = await viewer.api.post(resourceOf(id, '/repetitions'), {}, fields.get('once'));
  return answer.ok ? goTo(deliveryPage(id, 'sent-again')) : problem(answer.problem);
}

async function test(viewer: Viewer, fields: Fields): Promise<Shown> {
  const receiver = encodeURIComponent(fields.get('receiver'));
  const answer = await viewer.api.post<Delivery>(`/webhook-receivers/${receiver}/tests`, {}, fields.get('once'));
  return answer.ok ? goTo(deliveryPage(answer.value.delivery_id, 'test-recorded')) : problem(answer.problem);
}

const area = 'webhooks';
const scope = 'webhooks:read';

export const WEBHOOK_SCREENS: readonly Screen[] = [
  { path: '/console/webhooks', area, scope, show: receivers },
  { path: LIST, area, scope, show: deliveries },
  { path: '/console/webhooks/delivery', area, scope, show: delivery },
];

export const WEBHOOK_ACTIONS: readonly Action[] = [
  { path: REPEAT, area, scope: 'webhooks:send', act: repeat },
  { path: TEST, area, scope: 'webhooks:send', act: test },
];
