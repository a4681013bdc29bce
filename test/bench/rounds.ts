/** Rounds: every scenario on every server in turn, so that a machine that drifts, drifts for all. */
import type postgres from 'postgres';
import { load } from './load.ts';
import { type PostgresCpu, postgresCpu, postgresCpuBetween } from './postgres-cpu.ts';
import { type Held, holdNothing, type Scenario } from './scenarios/scenario.ts';
import { median, quantile } from './statistics.ts';
import type { Target } from './targets/target.ts';

/** Of one operation; times in milliseconds. */
export type Figures = {
  readonly serverCpu: number;
  /** Null: this system does not tell. */
  readonly postgresCpu: number | null;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
};

export type Measured = {
  readonly scenario: string;
  readonly inFlight: number;
  readonly server: string;
  readonly figures: Figures;
};

export type Extent = {
  readonly warmUp: number;
  readonly rounds: number;
  readonly requests: number;
  /** For every scenario, instead of its own numbers; null: its own. */
  readonly inFlight: readonly number[] | null;
};

type Setting = { readonly scenarios: readonly Scenario[]; readonly admin: postgres.Sql; readonly extent: Extent };

/** @returns the median of the rounds, for each scenario, number in flight and server. */
export async function measure(
  targets: readonly Target[],
  setting: Setting,
  progress: (line: string) => void,
): Promise<Measured[]> {
  const { warmUp, rounds, requests } = setting.extent;
  progress(`warming up: ${warmUp} operations a scenario and server`);
  await round(targets, setting, warmUp);
  const turns: Measured[] = [];
  for (let index = 0; index < rounds; index++) {
    progress(`round ${index + 1} of ${rounds}: ${requests} operations a scenario and server`);
    // No server is always first.
    const first = index % targets.length;
    turns.push(...(await round([...targets.slice(first), ...targets.slice(0, first)], setting, requests)));
  }
  const alike = Map.groupBy(turns, ({ scenario, inFlight, server }) => `${scenario} ${inFlight} ${server}`);
  return [...alike.values()]
    .flatMap((all) => all.slice(0, 1).map((one) => ({ ...one, figures: medians(all.map(({ figures }) => figures)) })))
    .toSorted((one, other) => placeOf(one) - placeOf(other));

  /** In the order of the list of scenarios and servers, whichever was first in the first round. */
  function placeOf({ scenario, server }: Measured): number {
    const row = setting.scenarios.findIndex(({ name }) => name === scenario);
    return row * targets.length + targets.findIndex(({ name }) => name === server);
  }
}

async function round(targets: readonly Target[], { scenarios, admin, extent }: Setting, count: number) {
  const held = new Map(targets.map((target) => [target, holdNothing()]));
  const measured: Measured[] = [];
  for (const scenario of scenarios) {
    for (const inFlight of extent.inFlight ?? scenario.inFlight) {
      for (const target of targets.filter(scenario.isKnownTo)) {
        const own = held.get(target) ?? holdNothing();
        const figures = await turn(scenario, target, own, admin, count, inFlight);
        measured.push({ scenario: scenario.name, inFlight, server: target.name, figures });
      }
    }
  }
  return measured;
}

async function turn(
  scenario: Scenario,
  target: Target,
  held: Held,
  admin: postgres.Sql,
  count: number,
  inFlight: number,
): Promise<Figures> {
  await scenario.prepare(target, held, count);
  const nodes = target.nodes ?? [target];
  const before = await spent(nodes, admin);
  const { seconds, milliseconds } = await load(count, inFlight, (send, index) =>
    scenario.operate({ target: nodes[index % nodes.length] ?? target, held, send, index }),
  ).catch((error: Error) => {
    throw new Error(`${target.name}, ${scenario.name}: ${error.message}`, { cause: error });
  });
  const after = await spent(nodes, admin);
  const inPostgres = postgresCpuBetween(before.postgres, after.postgres);
  return {
    serverCpu: (after.server - before.server) / 1000 / count,
    postgresCpu: inPostgres === null ? null : inPostgres / 1000 / count,
    perSecond: count / seconds,
    p50: quantile(milliseconds, 0.5),
    p95: quantile(milliseconds, 0.95),
    p99: quantile(milliseconds, 0.99),
  };
}

/** CPU time in microseconds since their start. They have the same database. */
async function spent(
  nodes: readonly Target[],
  admin: postgres.Sql,
): Promise<{ server: number; postgres: PostgresCpu | null }> {
  const usages = await Promise.all(nodes.map(({ child }) => child.ask('cpuUsage')));
  const server = usages.reduce((sum, { user, system }) => sum + user + system, 0);
  return { server, postgres: await postgresCpu(admin, nodes[0]?.database ?? '') };
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
