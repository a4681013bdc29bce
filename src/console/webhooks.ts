/** Webhooks: the endpoints with their pending deliveries, the deliveries of events, and redelivery. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Item } from '../management/client/documents.ts';
import {
  type Column,
  doneWords,
  facts,
  filters,
  form,
  link,
  pager,
  shownOr,
  table,
  time,
  withQuery,
  worded,
} from './components.ts';
import { shownNumber } from './numbers.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';

type Receiver = Item<'/webhook-receivers'>;

type Attempt = Item<'/webhook-deliveries/{delivery_id}/attempts'>;

type Delivery = Item<'/webhook-deliveries'>;

const LIST = '/console/webhooks/deliveries';
const REPEAT = '/console/webhooks/delivery/repeat';
const TEST = '/console/webhooks/test';
const PAUSE = '/console/webhooks/pause';
const RESUME = '/console/webhooks/resume';
const REDELIVER = '/console/webhooks/redeliver';

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

async function receivers(viewer: Viewer, query: Fields): Promise<Shown> {
  const answer = await viewer.api.list<Receiver>('/webhook-receivers', {});
  if (!answer.ok) return problem(answer.problem);
  return page(
    'Webhooks',
    html`!${doneWords(query.get('done'))}
<p>Other systems that receive events of this server. <code>webhooks.yaml</code>, in the folder of policies, names them. While an endpoint is off, its events wait, and the server sends it tests alone.</p>
!${table(
      'Receivers',
      [
        { label: 'Receiver', cell: ({ name }: Receiver) => deliveriesOf(viewer, name) },
        { label: 'Host', cell: ({ url }) => code(hostOf(url)) },
        { label: 'Format', cell: ({ format }) => html`${FORMATS[format] ?? format}` },
        { label: 'Events', cell: ({ events }) => html`${events.join(', ')}` },
        { label: 'Sending', cell: sendingOf },
        { label: 'Waiting', cell: ({ pending }) => bounded(pending), number: true },
        { label: 'Oldest', cell: ({ oldest_pending_at: at }) => time(at) },
        { label: 'Failed', cell: (receiver) => failedOf(viewer, receiver), number: true },
        ...(viewer.may('webhooks:send') ? [actionColumn(viewer)] : []),
      ],
      answer.value.items,
    )}
<p>!${link(viewer, LIST, 'All deliveries')}, also those of endpoints that are no longer in the file.</p>`,
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** What the API counts at most. */
const MAX_COUNTED = 10_000;
const bounded = (count: number): Markup =>
  html`${count < MAX_COUNTED ? shownNumber(count) : `${shownNumber(count)} or more`}`;

const sendingOf = ({ paused_at: at }: Receiver): Markup =>
  at === null ? html`<span class="badge good">on</span>` : html`<span class="badge bad">off</span> since !${time(at)}`;

const failedOf = (viewer: Viewer, { name, abandoned }: Receiver): Markup =>
  abandoned === 0
    ? html`0`
    : html`<a href="${viewer.path(withQuery(LIST, { receiver: name, state: 'abandoned' }))}">!${bounded(abandoned)}</a>`;

const actionColumn = (viewer: Viewer): Column<Receiver> => ({
  label: 'Action',
  cell: ({ name, paused_at: pausedAt, abandoned }) => {
    const action = (path: string, label: string): Markup =>
      form(viewer, { action: path, label, second: true, values: { receiver: name } });
    return [
      action(TEST, `Test ${name}`),
      pausedAt === null ? action(PAUSE, `Switch ${name} off`) : action(RESUME, `Switch ${name} on`),
      abandoned === 0 ? '' : action(REDELIVER, `Redeliver all failed of ${name}`),
    ].join('\n');
  },
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

const stateOf = ({ state, reason }: Delivery): Markup => html`!${BADGES[state]} !${worded(reason)}`;

async function delivery(viewer: Viewer, query: Fields): Promise<Shown> {
  const id = query.get('id');
  const [answer, attempts] = await Promise.all([
    viewer.api.get<Delivery>(resourceOf(id)),
    viewer.api.list<Attempt>(resourceOf(id, '/attempts')),
  ]);
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
!${shownOr(attempts, ({ items }) => table('Attempts, the newest first', ATTEMPT_COLUMNS, items))}
!${toldOf(shown)}`,
  );
}

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  { label: 'Begun', cell: ({ at }) => time(at) },
  { label: 'Outcome', cell: ({ outcome }) => html`${OUTCOMES[outcome] ?? outcome} !${code(outcome)}` },
  { label: 'HTTP status', cell: ({ status }) => html`${status ?? 'no answer'}`, number: true },
  { label: 'Took', cell: ({ milliseconds }) => html`${shownNumber(milliseconds)} ms`, number: true },
];

const OUTCOMES: Readonly<Record<string, string>> = {
  delivered: 'Delivered',
  gone: 'The endpoint wants no more of it',
  redirected: 'Redirected, and not followed',
  refused: 'Refused',
  failed: 'The endpoint failed',
  timed_out: 'No answer in time',
  certificate_not_trusted: 'The certificate is not trusted',
  address_not_public: 'The address is not public',
  unreachable: 'No connection',
};

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
  const answer = await viewer.api.post<Delivery>(receiverOf(fields, '/tests'), {}, fields.get('once'));
  return answer.ok ? goTo(deliveryPage(answer.value.delivery_id, 'test-recorded')) : problem(answer.problem);
}

async function pause(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.put(receiverOf(fields, '/pause'));
  return answer.ok ? goTo('/console/webhooks?done=paused') : problem(answer.problem);
}

async function resume(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.remove(receiverOf(fields, '/pause'));
  return answer.ok ? goTo('/console/webhooks?done=resumed') : problem(answer.problem);
}

async function redeliver(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.post<{ readonly left: number }>(
    receiverOf(fields, '/redeliveries'),
    {},
    fields.get('once'),
  );
  if (!answer.ok) return problem(answer.problem);
  return goTo(withQuery('/console/webhooks', { done: answer.value.left === 0 ? 'redelivered' : 'redelivered-some' }));
}

const receiverOf = (fields: Fields, rest: string): string =>
  `/webhook-receivers/${encodeURIComponent(fields.get('receiver'))}${rest}`;

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
  { path: PAUSE, area, scope: 'webhooks:send', act: pause },
  { path: RESUME, area, scope: 'webhooks:send', act: resume },
  { path: REDELIVER, area, scope: 'webhooks:send', act: redeliver },
];
