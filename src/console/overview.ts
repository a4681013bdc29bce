/** The first page: the state of the server. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import { type Alarm, alarmTables, worst } from './alarms.ts';
import { charts, periodIn, type Statistics } from './charts.ts';
import { link, plural, shownOr, table, time, withQuery, wordsOf } from './components.ts';
import { type Fields, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';
import type { Check, State, Status } from './status.ts';

const TITLES: Readonly<Record<string, string>> = {
  reuse: 'Codes and refresh tokens',
  database: 'Database',
  signing_keys: 'Signing keys',
  failed_sign_ins: 'Failed sign-ins',
  nodes: 'Nodes',
  configuration: 'Configuration',
};

const WORDS: Readonly<Record<State, string>> = {
  good: 'OK',
  look: 'Check this',
  bad: 'Something is wrong',
};

const WHOLE: Readonly<Record<State, string>> = {
  good: 'Everything is OK.',
  look: 'Everything works, but check the following.',
  bad: 'Something is wrong.',
};

/** The page with the details of each item. */
const NEXT: Readonly<Record<string, readonly [path: string, label: string]>> = {
  reuse: ['/console/ledger?reason=refresh_token_reused', 'Reused refresh tokens in the ledger'],
  signing_keys: ['/console/keys', 'Keys'],
  configuration: ['/console/configuration', 'Configuration'],
};

const CLASSES: Readonly<Record<State, string>> = { good: 'calm', look: 'look', bad: 'alarm' };
const BOXES: Readonly<Record<State, string>> = { good: 'done', look: 'warning', bad: 'alert' };

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  if (!viewer.may('configuration:read')) return page('Console', html`<p>Choose what to see above.</p>`);
  const [answer, alarms, statistics] = await Promise.all([
    viewer.api.get<Status>('/status'),
    viewer.api.list<Alarm>('/alarms'),
    viewer.api.get<Statistics>(withQuery('/statistics', { period: periodIn(query.get('period')) })),
  ]);
  if (!answer.ok) return problem(answer.problem);
  const { checks, chains_ended: chains, nodes, failed_sign_ins: failed } = answer.value;
  const state = alarms.ok ? worst(answer.value.state, alarms.value.items) : answer.value.state;
  return page(
    'Overview',
    html`<p class="${BOXES[state]}"><strong>${WHOLE[state]}</strong></p>
!${shownOr(alarms, ({ items }) => alarmTables(viewer, items))}
<h2>The last hours and days</h2>
!${shownOr(statistics, (read) => charts(viewer, read))}
<h2>Checks</h2>
<ul class="tiles">
!${checks.map((check) => tile(viewer, check)).join('\n')}
</ul>
<h2>Chains that a decision ended in the last 24 hours</h2>
!${table(
      'By reason',
      [
        {
          label: 'Reason',
          cell: ({ reason }: (typeof chains)[number]) =>
            html`${wordsOf(reason)} <code>!${link(viewer, withQuery('/console/ledger', { reason }), reason)}</code>`,
        },
        { label: 'Times', number: true, cell: ({ times }) => html`${times.toLocaleString('en-GB')}` },
        { label: 'Last', cell: ({ last_at: at }) => time(at) },
      ],
      chains,
    )}
<h2>Nodes</h2>
!${table(
      'Nodes that serve on this database',
      [
        { label: 'Node', cell: ({ id }: (typeof nodes)[number]) => code(id) },
        { label: 'Version', cell: ({ version }) => code(version) },
        { label: 'Started', cell: ({ started_at: at }) => time(at) },
      ],
      nodes,
    )}
<p class="quiet">The server counts failed sign-ins per account, per address, and per account at an address: ${plural(failed.counters, 'counter')} in the running window, with ${plural(failed.most, 'failure')} at most.</p>`,
  );
}

function tile(viewer: Viewer, { name, state, detail }: Check): Markup {
  const next = NEXT[name];
  return html`<li class="${CLASSES[state]}"><h3>${TITLES[name] ?? shownText(name)}</h3><p><strong>${WORDS[state]}</strong></p><p>${shownText(detail, 500)}</p>!${next ? html`<p>!${link(viewer, ...next)}</p>` : ''}</li>`;
}

export const OVERVIEW_SCREENS: readonly Screen[] = [{ path: '/console', area: 'overview', scope: null, show }];
