/** Rounds: every scenario on every server in turn, so that a machine that drifts, drifts for all. */
import type postgres from 'postgres';
import { load } from './load.ts';
import { type PostgresCpu, postgresCpu, postgresCpuBetween } from './postgres-cpu.ts';
import { type Held, type Scenario, scenarios } from './scenarios.ts';
import { median, quantile } from './statistics.ts';
import type { Target } from './targets/target.ts';

/** Of one request; times in milliseconds. */
export type Figures = {
  readonly serverCpu: number;
  /** Null: this system does not tell. */
  readonly postgresCpu: number | null;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
};

export type Measured = { readonly scenario: string; readonly server: string; readonly figures: Figures };

export type Extent = {
  readonly warmUp: number;
  readonly rounds: number;
  readonly requests: number;
  readonly inFlight: number;
};

/** @returns the median of the rounds, for each scenario and server. */
export async function measure(
  targets: readonly Target[],
  admin: postgres.Sql,
  { warmUp, rounds, requests, inFlight }: Extent,
  progress: (line: string) => void,
): Promise<Measured[]> {
  progress(`warming up: ${warmUp} requests a scenario and server`);
  await round(targets, admin, warmUp, inFlight);
  const turns: Measured[] = [];
  for (let index = 0; index < rounds; index++) {
    progress(`round ${index + 1} of ${rounds}: ${requests} requests a scenario and server`);
    // Nobody is always first.
    const first = index % targets.length;
    turns.push(...(await round([...targets.slice(first), ...targets.slice(0, first)], admin, requests, inFlight)));
  }
  return scenarios.flatMap(({ name: scenario }) =>
    targets.map(({ name: server }) => {
      const own = turns.filter((one) => one.scenario === scenario && one.server === server);
      return { scenario, server, figures: medians(own.map((one) => one.figures)) };
    }),
  );
}

async function round(
  targets: readonly Target[],
  admin: postgres.Sql,
  requests: number,
  inFlight: number,
): Promise<Measured[]> {
  const held = new Map<Target, Held>();
  const measured: Measured[] = [];
  for (const scenario of scenarios) {
    for (const target of targets) {
      // Codes are made just before they are exchanged: they do not live long.
      if (scenario.name === 'code exchange') {
        held.set(target, { codes: await target.seedCodes(requests), heads: [], used: [] });
      }
      const figures = await turn(scenario, target, held.get(target) ?? NOTHING, admin, requests, inFlight);
      measured.push({ scenario: scenario.name, server: target.name, figures });
    }
  }
  return measured;
}

const NOTHING: Held = { codes: [], heads: [], used: [] };

async function turn(
  scenario: Scenario,
  target: Target,
  held: Held,
  admin: postgres.Sql,
  requests: number,
  inFlight: number,
): Promise<Figures> {
  const bodies = Array.from({ length: requests }, (_, index) =>
    new URLSearchParams(scenario.fields(held, index)).toString(),
  );
  const before = await spent(target, admin);
  const { answers, seconds } = await load(target.tokenUrl, bodies, inFlight);
  const after = await spent(target, admin);

  const wrong = answers.find(({ status }) => status !== scenario.expectedStatus);
  if (wrong) throw new Error(`${target.name}, ${scenario.name}: ${wrong.status} ${wrong.text}`);
  scenario.keep(held, answers);
  const latencies = answers.map(({ milliseconds }) => milliseconds);
  const inPostgres = postgresCpuBetween(before.postgres, after.postgres);
  return {
    serverCpu: (after.server - before.server) / 1000 / requests,
    postgresCpu: inPostgres === null ? null : inPostgres / 1000 / requests,
    perSecond: requests / seconds,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
  };
}

/** CPU time in microseconds since its start. */
async function spent(
  { child, database }: Target,
  admin: postgres.Sql,
): Promise<{ server: number; postgres: PostgresCpu | null }> {
  const { user, system } = await child.ask('cpuUsage');
  return { server: user + system, postgres: await postgresCpu(admin, database) };
}

function medians(all: readonly Figures[]): Figures {
  const of = (name: Exclude<keyof Figures, 'postgresCpu'>) => median(all.map((one) => one[name]));
  const postgresCpus = all.flatMap((one) => one.postgresCpu ?? []);
  return {
    serverCpu: of('serverCpu'),
    postgresCpu: postgresCpus.length > 0 ? median(postgresCpus) : null,
    perSecond: of('perSecond'),
    p50: of('p50'),
    p95: of('p95'),
    p99: of('p99'),
  };
}
