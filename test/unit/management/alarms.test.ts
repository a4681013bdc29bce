/** Each alarm at its limit, and the same conditions in the alert rules for Prometheus. Without a database. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALARMS, type AlarmFacts, LIMITS, lasting } from '../../../src/management/alarms.ts';
import { alarms, documentsOf, responsesOf } from '../../../src/management/resources/alarms.ts';
import { noDurations } from '../../../src/model/statistics.ts';

const WELL: AlarmFacts = {
  chains: [],
  failures: { counters: 3, most: 4 },
  failuresAllowed: 5,
  waitingEvents: [{ receiver: 'audit', oldestSeconds: 3600 }],
  waitingMails: [{ purpose: 'link', oldestSeconds: 900 }],
  overdue: [{ table: 'sessions', oldestSeconds: 14_400 }],
  ledgerOpenSeconds: 900,
  ledgerDefaultEntries: 0,
  keys: { unsigned: [], lateSeconds: 86_400 },
  ignoredKeys: 0,
  operators: 1,
  configurationRefused: false,
  responses: { all: 1000, errors: 10, tokensWithin: 500 },
};

const firing = (change: Partial<AlarmFacts>) =>
  documentsOf({ ...WELL, ...change }).flatMap(({ name, detail, firing }) => (firing ? [[name, detail]] : []));
const lastAt = new Date('2031-05-10T12:34:56Z');
const chain = (reason: string, times: number) => ({ chains: [{ reason, times, lastAt }] });

describe('alarms', () => {
  it('are quiet at their limits, and have the shape of the answer', () => {
    expect(firing({})).toEqual([]);
    const answer = { items: documentsOf(WELL), _links: { self: { href: 'https://as.test/management/v1/alarms' } } };
    expect(alarms.methods.GET.answer?.parse(answer)).toEqual(answer);
  });

  it.each<readonly [string, Partial<AlarmFacts>, string]>([
    ['ChainBehindToken', chain('chain_behind_token', 1), 'once in the last 24 hours, last at 2031-05-10 12:34 UTC'],
    [
      'RefreshTokenReused',
      chain('refresh_token_reused', 3),
      '3 times in the last 24 hours, last at 2031-05-10 12:34 UTC',
    ],
    [
      'AuthorizationCodeReused',
      chain('authorization_code_reused', 1),
      'once in the last 24 hours, last at 2031-05-10 12:34 UTC',
    ],
    ['SigningKeyLate', { keys: { unsigned: ['ES256'], lateSeconds: 0 } }, 'no key signs ES256'],
    ['SigningKeyLate', { keys: { unsigned: [], lateSeconds: 2 * 86_400 } }, 'the successor is late by 2 days'],
    ['SigningKeysIgnored', { ignoredKeys: 2 }, '2 of the stored keys'],
    [
      'Unavailable',
      { responses: { all: 1000, errors: 11, tokensWithin: 2 } },
      '11 of 1000 responses in the last minutes',
    ],
    ['WebhooksLate', { waitingEvents: [{ receiver: 'audit', oldestSeconds: 7200 }] }, 'audit: for 2 hours'],
    ['MailsLate', { waitingMails: [{ purpose: 'link', oldestSeconds: 901 }] }, 'link: for 15 minutes'],
    ['TokensSlow', { responses: { all: 9, errors: 0, tokensWithin: 1000 } }, '99 in 100 took up to 1000 ms'],
    ['PasswordsGuessed', { failures: { counters: 1, most: 5 } }, '5 failures in the running window'],
    ['LedgerOpen', { ledgerOpenSeconds: 901 }, 'the oldest is 15 minutes old'],
    ['LedgerUnpartitioned', { ledgerDefaultEntries: 7 }, '7'],
    ['LedgerUnpartitioned', { ledgerDefaultEntries: 1000 }, '1000 or more'],
    ['HousekeepingBehind', { overdue: [{ table: 'sessions', oldestSeconds: 14_401 }] }, 'sessions: for 4 hours'],
    ['ConfigurationRefused', { configurationRefused: true }, 'the last reload'],
    ['NoOperator', { operators: 0 }, 'operators.yaml names no operator'],
  ])('%s fires alone for %j: %s', (name, change, detail) => {
    expect(firing(change)).toEqual([[`Statehouse${name}`, detail]]);
  });

  it('come first when they fire, the urgent ones before the others', () => {
    const names = documentsOf({ ...WELL, operators: 0, ignoredKeys: 1 }).map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['StatehouseSigningKeysIgnored', 'StatehouseNoOperator']);
    expect(names.toSorted()).toEqual(ALARMS.map(({ name }) => name).toSorted());
  });

  it('a few responses say nothing about a share of errors', () => {
    expect(firing({ responses: { all: 99, errors: 50, tokensWithin: null } })).toEqual([]);
    expect(firing({ responses: { all: 100, errors: 50, tokensWithin: null } })).toHaveLength(1);
  });

  it.each([
    [59, '0 minutes'],
    [7199, '119 minutes'],
    [7200, '2 hours'],
    [172_799, '47 hours'],
    [172_800, '2 days'],
  ])('%i seconds are %s', (seconds, words) => expect(lasting(seconds)).toBe(words));
});

describe('responses of the last buckets', () => {
  const bucket = (index: number, count: number, errors = 0) =>
    ({
      durations: {
        token_endpoint: noDurations().map((_, n) => (n === index ? count : 0)),
        other_endpoints: noDurations().map((_, n) => (n === 0 ? 1 : 0)),
      },
      counts: { server_errors: errors },
    }) as unknown as Parameters<typeof responsesOf>[0][number];

  it('are added up', () => {
    expect(responsesOf([bucket(0, 98), bucket(8, 2, 3)])).toEqual({ all: 102, errors: 3, tokensWithin: 1000 });
    expect(responsesOf([bucket(0, 99), bucket(8, 1)]).tokensWithin).toBe(2);
  });
  it('that are slower than every bound are slow', () => {
    expect(responsesOf([bucket(11, 1)]).tokensWithin).toBe(Number.POSITIVE_INFINITY);
  });
  it('that do not exist have no duration', () => {
    expect(responsesOf([bucket(0, 0)]).tokensWithin).toBeNull();
  });
});

describe('the alert rules for Prometheus', () => {
  const FOLDER = new URL('../../../docs/monitoring/', import.meta.url);
  type Rule = { readonly alert: string; readonly expr: string; readonly labels: { readonly severity: string } };
  const rules: readonly Rule[] = parse(readFileSync(new URL('alerts.yaml', FOLDER), 'utf8')).groups.flatMap(
    ({ rules }: { readonly rules: readonly Rule[] }) => rules,
  );
  /** No metric has the operators. */
  const ONLY_HERE = ['StatehouseNoOperator'];

  it.each(ALARMS.filter(({ name }) => !ONLY_HERE.includes(name)).map((alarm) => [alarm.name, alarm] as const))(
    '%s is an alert of the same severity',
    (name, { severity }) => {
      expect(rules.find(({ alert }) => alert === name)?.labels.severity).toBe(severity);
    },
  );

  it.each(ALARMS.map(({ name }) => name))('%s has a runbook', (name) => {
    expect(existsSync(new URL(`runbooks/${name}.md`, FOLDER))).toBe(true);
  });

  it.each([
    ['StatehouseWebhooksLate', `> ${LIMITS.webhookWaits}`],
    ['StatehouseMailsLate', `> ${LIMITS.mailWaits}`],
    ['StatehouseLedgerOpen', `> ${LIMITS.ledgerOpen}`],
    ['StatehouseHousekeepingBehind', `> ${LIMITS.rowsOverdue / 3600} * 3600`],
    ['StatehouseHousekeepingBehind', 'table!~"passkeys|recovery_codes"'],
    ['StatehouseSigningKeyLate', `+ ${LIMITS.keyLate}`],
    ['StatehouseTokensSlow', `> ${LIMITS.tokenMilliseconds / 1000}`],
    ['StatehouseUnavailable', `> ${LIMITS.errorShare} *`],
  ])('%s has the same limit: %s', (name, limit) => {
    expect(rules.find(({ alert }) => alert === name)?.expr).toContain(limit);
  });
});
