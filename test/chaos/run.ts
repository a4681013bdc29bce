/** Runs scenarios, those of the same kind of database one after the other on the same nodes, and has each judged. */
import { type Cluster, openCluster, type Replication } from './cluster.ts';
import { judge, type Promised, type Verdict } from './judge.ts';
import { startLoad } from './load.ts';
import type { Scenario } from './scenarios.ts';

export type Extent = {
  readonly nodes: number;
  /** In each scenario. */
  readonly chains: number;
  readonly deadlines: Readonly<Record<string, number>>;
};

export type Report = {
  readonly scenario: Scenario;
  readonly verdict: Verdict;
  /** As if nothing acknowledged might be forgotten. */
  readonly strictly: Verdict;
  readonly seconds: number;
};

const KINDS: readonly Replication[] = ['none', 'synchronous', 'asynchronous'];

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
        const judged = await runScenario(scenario, cluster, extent.chains);
        const { promised } = scenario;
        const [verdict, strictly] = [judged(promised), judged({ ...promised, forgets: false })];
        tell({ scenario, verdict, strictly, seconds: (performance.now() - begunAt) / 1000 });
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
): Promise<(promised: Promised) => Verdict> {
  const load = startLoad(cluster.nodes, cluster.client, await cluster.chains(chains));
  try {
    await load.rotates(2 * chains);
    await scenario.strike({ ...cluster, load, chains });
    await Promise.all(cluster.nodes.map((node) => node.becomesReady()));
    const history = await load.finish();
    const stored = await cluster.stored(history.first);
    return (promised) => judge(history, stored, cluster.readToken, promised);
  } finally {
    load.abandon();
  }
}

/** A line for each problem. */
export const problemsOf = ({ verdict }: Report): string[] =>
  verdict.problems.map(({ rule, chain, says }) => `${rule}: chain ${chain}: ${says}`);
