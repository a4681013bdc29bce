/** Conditions that an operator acts on. */
import { z } from 'zod';
import { keyLifetimes } from '../../config/key-lifetimes.ts';
import { forecastOf } from '../../explanation/key-forecast.ts';
import { signerAmong } from '../../model/signing-key.ts';
import { boundAt } from '../../model/statistics.ts';
import { databaseFacts, endedChains, failedSignIns } from '../../storage/alarms.ts';
import { ledgerDefaultEntries } from '../../storage/ledger-partitions.ts';
import { sealStanding } from '../../storage/ledger-seals.ts';
import { waitingMails } from '../../storage/mails.ts';
import { overdueRows } from '../../storage/overdue.ts';
import { ignoredSigningKeys } from '../../storage/signing-keys.ts';
import { readStatistics } from '../../storage/statistics.ts';
import { waitingEvents } from '../../storage/webhook-list.ts';
import { ALARMS, type AlarmFacts } from '../alarms.ts';
import type { ManagementDeps } from '../deps.ts';
import { keptFor } from '../kept.ts';
import { pageBody, pageOf } from '../page.ts';
import { found, resource } from '../resource.ts';

const DAY_SECONDS = 86_400;
const LOOKED_EVERY_MILLISECONDS = 10_000;
/** The running bucket and the two before it: ten to fifteen minutes. */
const LAST_BUCKETS = 3;

/** Their rows stay for as long as the ledger. */
const STAY: readonly string[] = ['passkeys', 'recovery_codes'];

const shape = z
  .object({
    name: z.string().describe('As the alert of docs/monitoring/alerts.yaml, and the runbook.'),
    severity: z.enum(['page', 'look']).describe('`page`: act now. `look`: act on the next working day.'),
    firing: z.boolean(),
    summary: z.string().describe('The condition.'),
    detail: z.string().nullable().describe('The finding. Null: the condition does not hold.'),
    what_to_do: z.string(),
    runbook: z.string().describe('A file of the repository, with more about the condition.'),
  })
  .meta({ id: 'Alarm' });

export const alarms = resource('/alarms', 'the alarms', {}, (method) => ({
  GET: method({
    summary: 'Conditions that an operator acts on, those that hold first.',
    answer: pageOf(shape),
    run: async (deps, { href }) => found(pageBody({ items: documentsOf(await look(deps)), next: null }, href)),
  }),
}));

export function documentsOf(facts: AlarmFacts): readonly z.infer<typeof shape>[] {
  return ALARMS.map(({ name, severity, summary, whatToDo, finding }) => {
    const detail = finding(facts);
    const runbook = `docs/monitoring/runbooks/${name}.md`;
    return { name, severity, firing: detail !== null, summary, detail, what_to_do: whatToDo, runbook };
  }).toSorted((one, other) => Number(other.firing) - Number(one.firing));
}

const look = keptFor(LOOKED_EVERY_MILLISECONDS, async (deps: ManagementDeps): Promise<AlarmFacts> => {
  const { db, clock, macs } = deps;
  const { signIn, operators } = deps.configuration();
  const [chains, failures, events, mails, overdue, ledger, unpartitioned, ignored, { buckets }, keys] =
    await Promise.all([
      endedChains(db, clock, DAY_SECONDS),
      failedSignIns(db, clock),
      waitingEvents(db, clock),
      waitingMails(db, clock),
      overdueRows(db, clock),
      sealStanding(db, clock, deps.seals()),
      ledgerDefaultEntries(db),
      ignoredSigningKeys(db, macs),
      readStatistics(db, clock, '3h'),
      keysOf(deps),
    ]);
  return {
    chains,
    failures,
    failuresAllowed: signIn.failuresPerAccountAndAddress,
    waitingEvents: events,
    waitingMails: mails,
    overdue: overdue.filter(({ table }) => !STAY.includes(table)),
    ledgerOpenSeconds: ledger.openSeconds,
    ledgerDefaultEntries: unpartitioned,
    keys,
    ignoredKeys: ignored.length,
    operators: operators.operators.length,
    configurationRefused: deps.lastReload()?.accepted === false,
    responses: responsesOf(buckets.slice(-LAST_BUCKETS)),
  };
});

type Buckets = Awaited<ReturnType<typeof readStatistics>>['buckets'];

export function responsesOf(buckets: Buckets): AlarmFacts['responses'] {
  const summed = (of: (bucket: Buckets[number]) => readonly number[]) =>
    buckets.map(of).reduce<number[]>((sums, counts) => counts.map((count, n) => count + (sums[n] ?? 0)), []);
  const tokens = summed(({ durations }) => durations.token_endpoint);
  const others = summed(({ durations }) => durations.other_endpoints);
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  return {
    all: total(tokens) + total(others),
    errors: total(buckets.map(({ counts }) => counts.server_errors)),
    tokensWithin: total(tokens) === 0 ? null : (boundAt(tokens, 0.99) ?? Number.POSITIVE_INFINITY),
  };
}

async function keysOf({ db, clock, signingKeys, configuration }: ManagementDeps): Promise<AlarmFacts['keys']> {
  const { signingKeys: policy } = configuration();
  const ofToday = { algorithms: policy.algorithms, lifetimes: keyLifetimes(policy) };
  const [{ keys }, { now }] = await Promise.all([signingKeys.store.load(), databaseFacts(db, clock)]);
  const due = keys.flatMap((key) => forecastOf(key, keys, ofToday).next ?? []).map(({ at }) => at.getTime());
  return {
    unsigned: policy.algorithms.filter((alg) => !signerAmong(keys, alg)),
    lateSeconds: Math.max(0, ...due.map((at) => (now.getTime() - at) / 1000)),
  };
}
