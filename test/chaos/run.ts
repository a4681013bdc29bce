/** Runs scenarios, those of the same kind of database one after the other on the same nodes, and has each judged. */
import { type Cluster, openCluster, type Replication } from './cluster.ts';
import { judge, type Promised, type Verdict } from './judge.ts';
import { startLoad } from './load.ts';
import type { Scenario } from './scenarios.ts';
import { startVisitor } from './visitor.ts';

export type Extent = {
  readonly nodes: number;
  /** In each scenario. */
  readonly chains: number;
  readonly deadlines: Readonly<Record<string, number>>;
};

export type Report = {
  readonly scenario: Scenario;
  readonly verdict: Verdict;
  /** As if no acknowledged rotation might be missing. */
  readonly strictly: Verdict;
  /** Requests without a need for a database that the balancer did not serve. */
  readonly unserved: readonly string[];
  readonly seconds: number;
};

const KINDS: readonly Replication[] = ['none', 'synchronous', 'asynchronous', 'spread'];

/** @param tell gets each report when it is there. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  extent: Extent,
  tell: (report: Report) => void,
): Promise<void> {
  for (const replication of KINDS) {
    const those = scenarios.filter((scenario) => scenario.replication === replication);
    let cluster: Cluster | null = null;
    try {
      for (const scenario of those) {
        cluster ??= await openCluster({ replication, ...extent });
        const begunAt = performance.now();
        const { judged, unserved } = await runScenario(scenario, cluster, extent.chains);
        const { promised } = scenario;
        const [verdict, strictly] = [judged(promised), judged({ ...promised, forgets: false })];
        tell({ scenario, verdict, strictly, unserved, seconds: (performance.now() - begunAt) / 1000 });
        if (!scenario.spoils) continue;
        await cluster.close();
        cluster = null;
      }
    } finally {
      await cluster?.close();
    }
  }
}

async function runScenario(
  scenario: Scenario,
  cluster: Cluster,
  chains: number,
): Promise<{ readonly judged: (promised: Promised) => Verdict; readonly unserved: readonly string[] }> {
  const { balancer, nodes } = cluster;
  for (const node of nodes) await balancer.sendsTo(node);
  const visitor = startVisitor(balancer.url);
  const load = startLoad(nodes, cluster.client, await cluster.chains(chains));
  try {
    await load.rotates(2 * chains);
    await scenario.strike({ ...cluster, load, visitor, chains });
    await Promise.all(nodes.map((node) => node.becomesReady()));
    for (const node of nodes) await balancer.sendsTo(node);
    const history = await load.finish();
    const stored = await cluster.stored(history.first);
    const judged = (promised: Promised) => judge(history, stored, cluster.readToken, promised);
    return { judged, unserved: await visitor.finish() };
  } finally {
    load.abandon();
    await visitor.finish();
  }
}

/** A line for each problem. */
export const problemsOf = ({ verdict, unserved }: Report): string[] => [
  ...verdict.problems.map(({ rule, chain, says }) => `${rule}: chain ${chain}: ${says}`),
  ...unserved.map((says) => `what needs no database is served: ${says}`),
];
