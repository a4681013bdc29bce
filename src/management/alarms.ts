/**
 * Conditions that an operator acts on, from what the database and this node know. Each is an alert of docs/monitoring/alerts.yaml too,
 * with the same name, severity and limit (a test compares them), and has its runbook there.
 */
import type { EndedChains, FailedSignIns } from '../storage/alarms.ts';

export type AlarmFacts = {
  readonly chains: readonly EndedChains[];
  readonly failures: FailedSignIns;
  readonly failuresAllowed: number;
  readonly waitingEvents: readonly { readonly receiver: string; readonly oldestSeconds: number }[];
  readonly waitingMails: readonly { readonly purpose: string; readonly oldestSeconds: number }[];
  /** Without the rows that stay for as long as the ledger. */
  readonly overdue: readonly { readonly table: string; readonly oldestSeconds: number }[];
  readonly ledgerOpenSeconds: number;
  readonly ledgerDefaultEntries: number;
  /** How late the key that is latest should have been replaced, by algorithm; and the algorithms that no key signs. */
  readonly keys: { readonly unsigned: readonly string[]; readonly lateSeconds: number };
  readonly ignoredKeys: number;
  readonly operators: number;
  /** This node rejected its files. */
  readonly configurationRefused: boolean;
  /** Of the last minutes, on all nodes. */
  readonly responses: { readonly all: number; readonly errors: number; readonly tokensWithin: number | null };
};

export type Alarm = {
  /** As in alerts.yaml, and of the runbook. */
  readonly name: string;
  readonly severity: 'page' | 'look';
  /** The condition, in words. */
  readonly summary: string;
  readonly whatToDo: string;
  /** @returns the finding in words. Null: all is well. */
  readonly finding: (facts: AlarmFacts) => string | null;
};

/** In seconds, unless the name says otherwise; as in alerts.yaml. */
export const LIMITS = {
  webhookWaits: 3600,
  mailWaits: 900,
  ledgerOpen: 900,
  rowsOverdue: 4 * 3600,
  keyLate: 86_400,
  tokenMilliseconds: 500,
  errorShare: 0.01,
} as const;

/** Fewer responses say nothing about a share. */
const FEWEST_RESPONSES = 100;

export const ALARMS: readonly Alarm[] = [
  {
    name: 'StatehouseChainBehindToken',
    severity: 'page',
    summary: 'The database has forgotten rotations that it had acknowledged.',
    whatToDo: 'Find out whether a backup or a lagging replica replaced the database. Then run "statehouse recover".',
    finding: ({ chains }) => endedBy(chains, 'chain_behind_token'),
  },
  {
    name: 'StatehouseSigningKeyLate',
    severity: 'page',
    summary: 'A signing key should have been replaced, or an algorithm has no key that signs.',
    whatToDo: 'Look for failed rounds of "signing_keys" in the log. Rotate the key on the page of the keys.',
    finding: ({ keys }) =>
      keys.unsigned.length > 0
        ? `no key signs ${keys.unsigned.join(', ')}`
        : keys.lateSeconds > LIMITS.keyLate
          ? `the successor is late by ${lasting(keys.lateSeconds)}`
          : null,
  },
  {
    name: 'StatehouseSigningKeysIgnored',
    severity: 'page',
    summary: 'The server ignores rows of signing keys, whose MAC is under no listed root secret.',
    whatToDo: 'Add the missing root secret to STATEHOUSE_SECRET, or find out who wrote the rows.',
    finding: ({ ignoredKeys }) => (ignoredKeys > 0 ? `${ignoredKeys} of the stored keys` : null),
  },
  {
    name: 'StatehouseUnavailable',
    severity: 'page',
    summary: 'More than one response in a hundred is a server error.',
    whatToDo: 'Read the reasons in the log, and look at the database first.',
    finding: ({ responses: { all, errors } }) =>
      all >= FEWEST_RESPONSES && errors > LIMITS.errorShare * all
        ? `${errors} of ${all} responses in the last minutes`
        : null,
  },
  {
    name: 'StatehouseRefreshTokenReused',
    severity: 'look',
    summary: 'A used refresh token came again, and its chain was revoked.',
    whatToDo:
      'Look at the addresses in the ledger. One client: it presents tokens twice, or stores them badly. One end-user: ask them, and end their sessions.',
    finding: ({ chains }) => endedBy(chains, 'refresh_token_reused'),
  },
  {
    name: 'StatehouseAuthorizationCodeReused',
    severity: 'look',
    summary: 'A used authorization code came again with its verifier, and its chain was revoked.',
    whatToDo: 'Ask the team of the client why it exchanges a code twice. Codes may also stand in a log.',
    finding: ({ chains }) => endedBy(chains, 'authorization_code_reused'),
  },
  {
    name: 'StatehouseWebhooksLate',
    severity: 'look',
    summary: 'Events have waited for an endpoint for more than an hour.',
    whatToDo: 'Read the outcomes of the deliveries, and repair the endpoint. The server sends the events then.',
    finding: ({ waitingEvents }) =>
      longest(
        waitingEvents.map(({ receiver, oldestSeconds }) => ({ name: receiver, oldestSeconds })),
        LIMITS.webhookWaits,
      ),
  },
  {
    name: 'StatehouseMailsLate',
    severity: 'look',
    summary: 'A mail has waited for more than a quarter of an hour.',
    whatToDo: 'Read the log lines about the mail relay, and send yourself a test on the page of a mail.',
    finding: ({ waitingMails }) =>
      longest(
        waitingMails.map(({ purpose, oldestSeconds }) => ({ name: purpose, oldestSeconds })),
        LIMITS.mailWaits,
      ),
  },
  {
    name: 'StatehouseTokensSlow',
    severity: 'look',
    summary: 'One token request in a hundred takes longer than half a second.',
    whatToDo: 'Look at the processor of the nodes and of the database, and at long statements.',
    finding: ({ responses: { tokensWithin } }) =>
      tokensWithin !== null && tokensWithin > LIMITS.tokenMilliseconds
        ? `99 in 100 took up to ${tokensWithin === Number.POSITIVE_INFINITY ? 'more than five seconds' : `${tokensWithin} ms`}`
        : null,
  },
  {
    name: 'StatehousePasswordsGuessed',
    severity: 'look',
    summary: 'Many sign-ins of one account or address failed.',
    whatToDo:
      'Look at the refused sign-ins in the ledger: one address is an attacker or a broken app, many addresses one attack.',
    finding: ({ failures, failuresAllowed }) =>
      failures.most >= failuresAllowed ? `${failures.most} failures in the running window` : null,
  },
  {
    name: 'StatehouseLedgerOpen',
    severity: 'look',
    summary: 'Entries of the ledger are in no sealed segment.',
    whatToDo: 'Look for failed rounds of "ledger_sealing" in the log, and for a transaction that stays open.',
    finding: ({ ledgerOpenSeconds }) =>
      ledgerOpenSeconds > LIMITS.ledgerOpen ? `the oldest is ${lasting(ledgerOpenSeconds)} old` : null,
  },
  {
    name: 'StatehouseLedgerUnpartitioned',
    severity: 'look',
    summary: 'Entries of the ledger are in the partition of no month, where retention does not reach them.',
    whatToDo: 'Run "statehouse migrate", which moves them to their months.',
    finding: ({ ledgerDefaultEntries }) =>
      ledgerDefaultEntries > 0 ? `${ledgerDefaultEntries >= 1000 ? '1000 or more' : ledgerDefaultEntries}` : null,
  },
  {
    name: 'StatehouseHousekeepingBehind',
    severity: 'look',
    summary: 'Ended rows are not removed.',
    whatToDo: 'Look for failed rounds of "housekeeping" in the log.',
    finding: ({ overdue }) =>
      longest(
        overdue.map(({ table, oldestSeconds }) => ({ name: table, oldestSeconds })),
        LIMITS.rowsOverdue,
      ),
  },
  {
    name: 'StatehouseConfigurationRefused',
    severity: 'look',
    summary: 'The node refused its policy files, and continues with the previous configuration.',
    whatToDo: 'Correct the file that the page of the configuration names. The server reads it again within a second.',
    finding: ({ configurationRefused }) => (configurationRefused ? 'the last reload' : null),
  },
  {
    name: 'StatehouseNoOperator',
    severity: 'look',
    summary: 'No end-user may administer this server.',
    whatToDo: 'Name at least one under "operators" in operators.yaml.',
    finding: ({ operators }) => (operators === 0 ? 'operators.yaml names no operator' : null),
  },
];

function endedBy(chains: readonly EndedChains[], reason: string): string | null {
  const ended = chains.find((chain) => chain.reason === reason);
  if (ended === undefined) return null;
  const last = ended.lastAt.toISOString().slice(0, 16).replace('T', ' ');
  return `${ended.times === 1 ? 'once' : `${ended.times} times`} in the last 24 hours, last at ${last} UTC`;
}

function longest(
  waiting: readonly { readonly name: string; readonly oldestSeconds: number }[],
  limitSeconds: number,
): string | null {
  const late = waiting.filter(({ oldestSeconds }) => oldestSeconds > limitSeconds);
  return late.length === 0
    ? null
    : late.map(({ name, oldestSeconds }) => `${name}: for ${lasting(oldestSeconds)}`).join(', ');
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** The largest unit that there are two of. */
export function lasting(seconds: number): string {
  const [unit, word] = seconds >= 2 * DAY ? [DAY, 'days'] : seconds >= 2 * HOUR ? [HOUR, 'hours'] : [MINUTE, 'minutes'];
  return `${Math.floor(seconds / unit)} ${word}`;
}
