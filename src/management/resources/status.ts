/** The health of the server, for an operator on call. */
import { z } from 'zod';
import { configurationWarnings } from '../../config/configuration-warnings.ts';
import { keyLifetimes } from '../../config/key-lifetimes.ts';
import { forecastOf } from '../../explanation/key-forecast.ts';
import { signerAmong } from '../../model/signing-key.ts';
import { describedScopeNames } from '../../registration/client-review.ts';
import { introspectorsIn, introspectorWarnings, scopeWarnings } from '../../registration/unknown-names.ts';
import { databaseFacts, endedChains, failedSignIns } from '../../storage/alarms.ts';
import { clientsBeyond, clientsNamed } from '../../storage/clients.ts';
import { listNodes } from '../../storage/nodes.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { keptFor } from '../kept.ts';
import { selfLink } from '../page.ts';
import { found, resource } from '../resource.ts';

const DAY_SECONDS = 86_400;
/** All requests within this time get the same answer. */
const LOOKED_EVERY_MILLISECONDS = 2000;
/** A handover that is late by this much is no matter of clocks. */
const LATE_MILLISECONDS = 120_000;
/** So many clients with a scope that nothing describes are named; `statehouse check` names all. */
const CLIENTS_NAMED = 20;

/** Reasons that no healthy client and no healthy database cause. */
const ALARMS: readonly string[] = ['refresh_token_reused', 'authorization_code_reused', 'chain_behind_token'];

const check = z.object({
  name: z.enum(['reuse', 'database', 'signing_keys', 'failed_sign_ins', 'nodes', 'configuration']),
  state: z.enum(['good', 'look', 'bad']),
  detail: z.string(),
});

const shape = z.object({
  state: z.enum(['good', 'look', 'bad']).describe('The worst of the checks.'),
  checks: z.array(check),
  chains_ended: z
    .array(z.object({ reason: z.string(), times: z.int(), last_at: shownInstant }))
    .describe('By decision, within the last 24 hours.'),
  failed_sign_ins: z.object({
    counters: z.int().describe('Accounts, addresses, and accounts at an address with failures in the running window.'),
    most: z.int().describe('The failures of one of them.'),
  }),
  database: z.object({ version: z.string(), bytes: z.int() }),
  nodes: z.array(z.object({ id: z.uuid(), version: z.string(), started_at: shownInstant })),
  configuration: z.object({
    warnings: z.array(z.string()),
    last_reload: z
      .object({
        at: shownInstant,
        accepted: z
          .boolean()
          .describe('False: the server rejected the files, and the previous configuration stays in force.'),
        changes: z.array(z.object({ key: z.string(), from: z.unknown(), to: z.unknown() })),
        problems: z.array(z.string()),
      })
      .nullable()
      .describe('Of this node; null: none since its start.'),
  }),
  _links: selfLink,
});

type Check = z.infer<typeof check>;

const look = keptFor(LOOKED_EVERY_MILLISECONDS, async (deps: ManagementDeps) => {
  const { db, clock } = deps;
  const configuration = deps.configuration();
  const [chains, failures, facts, nodes, { keys }, introspectors, beyond] = await Promise.all([
    endedChains(db, clock, DAY_SECONDS),
    failedSignIns(db, clock),
    databaseFacts(db, clock),
    listNodes(db, clock),
    deps.signingKeys.store.load(),
    clientsNamed(db, introspectorsIn(configuration)),
    clientsBeyond(db, describedScopeNames(configuration), CLIENTS_NAMED),
  ]);
  const warnings = [
    ...configurationWarnings(configuration),
    ...introspectorWarnings(configuration, introspectors),
    ...scopeWarnings(configuration, beyond),
  ];
  return { chains, failures, facts, nodes, keys, warnings };
});

export type Looked = Awaited<ReturnType<typeof look>>;

export const status = resource('/status', 'the state of the server', {}, (method) => ({
  GET: method({
    summary: 'The health of the server.',
    answer: shape,
    run: async (deps) => found(documentOf(deps, await look(deps))),
  }),
}));

export function documentOf(deps: Pick<ManagementDeps, 'issuer' | 'configuration' | 'lastReload'>, looked: Looked) {
  const { chains, failures, facts, nodes } = looked;
  const reload = deps.lastReload();
  const checks: readonly Check[] = [
    reuseCheck(looked),
    { name: 'database', state: 'good', detail: `Postgres ${facts.version}, ${megabytes(facts.bytes)} MB` },
    keyCheck(deps, looked),
    failureCheck(deps, looked),
    nodeCheck(looked),
    configurationCheck(deps, looked),
  ];
  return {
    state: (['bad', 'look', 'good'] as const).find((state) => checks.some((one) => one.state === state)) ?? 'good',
    checks,
    chains_ended: chains.map(({ reason, times, lastAt }) => ({ reason, times, last_at: lastAt.toISOString() })),
    failed_sign_ins: failures,
    database: { version: facts.version, bytes: facts.bytes },
    nodes: nodes.map(({ id, version, startedAt }) => ({ id, version, started_at: startedAt.toISOString() })),
    configuration: {
      warnings: looked.warnings,
      last_reload: reload && { ...reload, at: reload.at.toISOString() },
    },
    ...links({ self: addressOf(deps.issuer, 'status') }),
  };
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000);

function reuseCheck({ chains }: Looked): Check {
  const alarms = chains.filter(({ reason }) => ALARMS.includes(reason));
  const detail =
    alarms.map(({ reason, times }) => `${reason}: ${times}`).join(', ') ||
    'no code and no refresh token was used twice';
  // The database has lost commits: SECURITY.md, "statehouse recover".
  const isBehind = alarms.some(({ reason }) => reason === 'chain_behind_token');
  return { name: 'reuse', state: isBehind ? 'bad' : alarms.length > 0 ? 'look' : 'good', detail };
}

function keyCheck({ configuration }: Pick<ManagementDeps, 'configuration'>, { keys, facts }: Looked): Check {
  const { signingKeys: policy } = configuration();
  const ofToday = { algorithms: policy.algorithms, lifetimes: keyLifetimes(policy) };
  const unsigned = policy.algorithms.filter((alg) => !signerAmong(keys, alg));
  if (unsigned.length > 0) return { name: 'signing_keys', state: 'bad', detail: `no key signs ${unsigned.join(', ')}` };
  const next = keys.flatMap((key) => forecastOf(key, keys, ofToday).next ?? []).toSorted((a, b) => +a.at - +b.at)[0];
  const isLate = next !== undefined && +next.at < +facts.now - LATE_MILLISECONDS;
  const detail = next
    ? `next: ${next.what} at ${next.at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    : 'nothing is planned';
  return { name: 'signing_keys', state: isLate ? 'bad' : 'good', detail: isLate ? `late, ${detail}` : detail };
}

function failureCheck({ configuration }: Pick<ManagementDeps, 'configuration'>, { failures }: Looked): Check {
  const { failuresPerAccountAndAddress } = configuration().signIn;
  const state = failures.most >= failuresPerAccountAndAddress ? 'look' : 'good';
  const detail =
    failures.counters === 0
      ? 'none in the running window'
      : `at most ${failures.most} of one account or address in the running window`;
  return { name: 'failed_sign_ins', state, detail };
}

function nodeCheck({ nodes }: Looked): Check {
  const versions = [...new Set(nodes.map(({ version }) => version))];
  const detail = `${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}, version ${versions.join(' and ') || 'unknown'}`;
  return { name: 'nodes', state: versions.length > 1 ? 'look' : 'good', detail };
}

function configurationCheck(
  { lastReload }: Pick<ManagementDeps, 'lastReload'>,
  { warnings: { length } }: Looked,
): Check {
  if (lastReload()?.accepted === false) {
    return {
      name: 'configuration',
      state: 'bad',
      detail: 'the files were rejected; the previous configuration stays in force',
    };
  }
  const detail = length === 0 ? 'no warnings' : `${length} ${length === 1 ? 'warning' : 'warnings'}`;
  return { name: 'configuration', state: length === 0 ? 'good' : 'look', detail };
}
