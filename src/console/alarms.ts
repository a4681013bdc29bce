/** The alarms of the overview: those that hold, each with the action and the page of its details. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Item } from '../management/client/documents.ts';
import { type Column, link, plural, table } from './components.ts';
import type { Viewer } from './shown.ts';
import { shownText } from './shown-text.ts';
import type { State } from './status.ts';

export type Alarm = Item<'/alarms'>;

const PAGES: Readonly<Record<string, readonly [path: string, label: string]>> = {
  StatehouseChainBehindToken: ['/console/ledger?reason=chain_behind_token', 'Such tokens in the ledger'],
  StatehouseRefreshTokenReused: ['/console/ledger?reason=refresh_token_reused', 'Reused refresh tokens in the ledger'],
  StatehouseAuthorizationCodeReused: ['/console/ledger?reason=authorization_code_reused', 'Reused codes in the ledger'],
  StatehousePasswordsGuessed: ['/console/ledger?machine=signIn&to_state=refused', 'Refused sign-ins in the ledger'],
  StatehouseSigningKeyLate: ['/console/keys', 'Keys'],
  StatehouseSigningKeysIgnored: ['/console/keys', 'Keys'],
  StatehouseWebhooksLate: ['/console/webhooks', 'Webhooks'],
  StatehouseMailsLate: ['/console/mails', 'Mails'],
  StatehouseConfigurationRefused: ['/console/configuration', 'Configuration'],
};

const URGENCY: Readonly<Record<Alarm['severity'], string>> = { page: 'Act now', look: 'On the next working day' };

/** The state of the checks, unless an alarm is worse. */
export function worst(checks: State, alarms: readonly Alarm[]): State {
  const firing = alarms.filter((alarm) => alarm.firing);
  if (checks === 'bad' || firing.some(({ severity }) => severity === 'page')) return 'bad';
  return firing.length > 0 ? 'look' : checks;
}

export function alarmTables(viewer: Viewer, alarms: readonly Alarm[]): Markup {
  const [firing, quiet] = [alarms.filter((alarm) => alarm.firing), alarms.filter((alarm) => !alarm.firing)];
  return html`<h2>Alarms</h2>
!${firing.length === 0 ? html`<p>No alarm.</p>` : table('Conditions that need an action', columnsFor(viewer), firing)}
<details><summary>${plural(quiet.length, 'condition')} that the server watches and that do not hold</summary>
!${table('Watched conditions', [CONDITION, ...WATCHED], quiet)}
</details>`;
}

const CONDITION: Column<Alarm> = {
  label: 'Condition',
  cell: ({ summary, detail }) =>
    html`<strong>${shownText(summary, 500)}</strong>!${detail === null ? '' : html`<br>${shownText(detail, 500)}`}`,
};

/** A narrow column breaks it before the name of the file, and not in the middle of a word. */
function pathOf(path: string): Markup {
  const name = path.lastIndexOf('/') + 1;
  return html`<code>${shownText(path.slice(0, name))}<wbr>${shownText(path.slice(name))}</code>`;
}

const WATCHED: readonly Column<Alarm>[] = [
  { label: 'Urgency', cell: ({ severity }) => html`${URGENCY[severity]}` },
  { label: 'Runbook', cell: ({ runbook }) => pathOf(runbook) },
];

const columnsFor = (viewer: Viewer): readonly Column<Alarm>[] => [
  {
    ...CONDITION,
    cell: (alarm) =>
      html`<span class="badge!${alarm.severity === 'page' ? ' bad' : ''}">${URGENCY[alarm.severity]}</span><br>!${CONDITION.cell(alarm)}`,
  },
  {
    label: 'What to do',
    cell: ({ what_to_do: words, runbook }) =>
      html`${shownText(words, 500)} <span class="quiet">More: !${pathOf(runbook)}</span>`,
  },
  {
    label: 'Details',
    cell: ({ name }) => {
      const details = PAGES[name];
      return details === undefined ? '' : link(viewer, ...details);
    },
  },
];
