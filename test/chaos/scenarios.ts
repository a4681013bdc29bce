/** A fault, and the promise for it. Each scenario waits until the fault takes effect, and heals it. */
import type { PostgresServer } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { type Cluster, DATABASE, type Replication, SECRETS } from './cluster.ts';
import type { AnswerKind } from './history.ts';
import type { Promised } from './judge.ts';
import type { Load } from './load.ts';
import type { Node } from './node.ts';
import type { Visitor } from './visitor.ts';

/** `chains`: how many rotate. */
export type Stage = Omit<Cluster, 'chains'> & {
  readonly load: Load;
  readonly visitor: Visitor;
  readonly chains: number;
};

export type Scenario = {
  readonly name: string;
  readonly happens: string;
  readonly promised: Promised;
  readonly replication: Replication;
  /** The next scenario needs fresh servers. */
  readonly spoils?: true;
  readonly strike: (stage: Stage) => Promise<void>;
};

/** Nothing was changed, and the client may try again. */
const AGAIN = ['try-again'] as const;
/** An answer that was on its way may be lost, and the server says so. */
const SAID = ['try-again', 'unknown'] as const;
const keeps = (failures: readonly AnswerKind[]): Promised => ({ failures, forgets: false });

const HOURS_13_MILLISECONDS = 13 * 3_600_000;
const RELOAD = 'select pg_reload_conf()';

const nodeOf = ({ nodes }: Stage, place: number): Node => {
  const node = nodes[place % nodes.length];
  if (node === undefined) throw new Error('no node');
  return node;
};

/** Felt by requests on their way: some were lost, or the next ones failed. The balancer has sent health checks, and served visitors, since. */
async function isFelt({ load, chains, balancer, visitor, nodes }: Stage): Promise<void> {
  await load.fails(chains, ['try-again', 'unknown', 'cut', 'not-sent']);
  await balancer.asksAll();
  // The first may have been on its way; the others go to each node.
  await visitor.visits(1 + nodes.length);
}

/** Out of traffic, and back in it: the next node stops only when the balancer sends requests to this one. */
async function restart({ load, balancer, chains }: Stage, node: Node, settings: Parameters<Node['start']>[0]) {
  await node.stop();
  await load.rotates(chains);
  await node.start(settings);
  await balancer.sendsTo(node);
  await load.rotates(chains);
}

async function killNode(stage: Stage): Promise<void> {
  const node = nodeOf(stage, 0);
  await node.kill();
  await isFelt(stage);
  await node.start();
}

async function killPrimary(stage: Stage): Promise<void> {
  await stage.primary.crash();
  await isFelt(stage);
  await stage.primary.restart();
}

async function pause(stage: Stage, server: PostgresServer): Promise<void> {
  server.pause();
  try {
    await isFelt(stage);
  } finally {
    server.resume();
  }
}

async function readOnly({ administer, primary }: Stage, value: boolean): Promise<void> {
  await administer(primary, `alter system set default_transaction_read_only = ${value}`, RELOAD);
}

async function restartEach(stage: Stage, settingsOf: (place: number) => Parameters<Node['start']>[0]): Promise<void> {
  for (const [place, node] of stage.nodes.entries()) await restart(stage, node, settingsOf(place));
}

/** Each step on every node before the next step on any; within a step, in either order. */
async function rotateSecret(stage: Stage, orders: readonly ('forwards' | 'backwards')[]): Promise<void> {
  const [older, newer] = SECRETS;
  const lists = [`${older},${newer}`, `${newer},${older}`, newer];
  for (const [step, secret] of lists.entries()) {
    const nodes = orders[step] === 'backwards' ? stage.nodes.toReversed() : stage.nodes;
    // No token and no row under the older secret is left.
    if (step === 2) {
      await stage.load.allRotate();
      const isRenewed = (node: Node) => node.log().includes('rows renewed under the first root secret');
      await until(() => stage.nodes.every(isRenewed));
    }
    for (const node of nodes) await restart(stage, node, { secret });
  }
}

const ORDERS = ['forwards', 'backwards'] as const;
const secretRotations = ORDERS.flatMap((append) =>
  ORDERS.flatMap((front) =>
    ORDERS.map(
      (drop): Scenario => ({
        name: `root-secret-${[append, front, drop].map((order) => order[0]).join('')}`,
        happens: `the root secret is rotated: appended ${append} over the nodes, moved to the front ${front}, dropped ${drop}`,
        promised: keeps([]),
        replication: 'none',
        spoils: true,
        strike: (stage) => rotateSecret(stage, [append, front, drop]),
      }),
    ),
  ),
);

const ON_ONE_DATABASE: readonly Omit<Scenario, 'replication'>[] = [
  {
    name: 'node-killed',
    happens: 'kill -9 of a node, which starts again',
    promised: keeps(['cut', 'not-sent']),
    strike: killNode,
  },
  {
    name: 'node-paused',
    happens: 'a node is stopped where it is (SIGSTOP), and continues',
    promised: keeps(SAID),
    strike: async (stage) => {
      const node = nodeOf(stage, 0);
      node.pause();
      await stage.load.waitsFor(node, Math.ceil(stage.chains / 2));
      // Clients do not wait for it for ever.
      node.inTraffic = false;
      await stage.load.rotates(stage.chains);
      node.resume();
      node.inTraffic = true;
    },
  },
  {
    name: 'database-killed',
    happens: 'Postgres is shut down immediately (SIGQUIT), and starts again',
    promised: keeps(SAID),
    strike: killPrimary,
  },
  {
    name: 'database-paused',
    happens: 'all processes of Postgres are stopped where they are, and continue',
    promised: keeps(SAID),
    strike: (stage) => pause(stage, stage.primary),
  },
  {
    name: 'database-slow',
    happens: 'each message to and from Postgres takes 50 ms',
    promised: keeps(SAID),
    strike: async ({ ways, load, chains }) => {
      for (const way of ways) way.delay(50);
      await load.rotates(3 * chains);
      for (const way of ways) way.delay(0);
    },
  },
  {
    name: 'disk-full',
    happens: 'each statement fails with 53100: the disk of Postgres is full',
    promised: keeps(SAID),
    strike: async (stage) => {
      for (const way of stage.ways) way.refuse('53100');
      await isFelt(stage);
      for (const way of stage.ways) await way.restore();
    },
  },
  {
    name: 'read-only',
    happens: 'Postgres becomes read-only, and writable again',
    promised: keeps(AGAIN),
    strike: async (stage) => {
      await readOnly(stage, true);
      await isFelt(stage);
      await readOnly(stage, false);
    },
  },
  {
    name: 'no-connections',
    happens: 'connections are ended, and Postgres has none left for the nodes (53300)',
    promised: keeps(SAID),
    strike: async (stage) => {
      const { administer, primary } = stage;
      await administer(
        primary,
        `alter database ${DATABASE} connection limit 0`,
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'statehouse'`,
      );
      await isFelt(stage);
      await administer(primary, `alter database ${DATABASE} connection limit -1`);
    },
  },
  {
    name: 'network-cut',
    happens: 'the connections of one node to Postgres are cut, and refused',
    promised: keeps(SAID),
    strike: async (stage) => {
      stage.ways[0]?.cut();
      await isFelt(stage);
      await stage.ways[0]?.restore();
    },
  },
  {
    name: 'answers-lost',
    happens: 'what one node asks reaches Postgres; the answers do not come back, and later come late',
    promised: keeps(SAID),
    strike: async (stage) => {
      stage.ways[0]?.silence('all', 'answered');
      await isFelt(stage);
      stage.ways[0]?.letThrough();
    },
  },
  {
    name: 'questions-lost',
    happens: 'what one node asks does not reach Postgres, and later comes late',
    promised: keeps(SAID),
    strike: async (stage) => {
      stage.ways[0]?.silence('all', 'asked');
      await isFelt(stage);
      stage.ways[0]?.letThrough();
    },
  },
  {
    name: 'clocks-apart',
    happens: 'the clock of one node is 13 hours ahead, that of another 13 hours behind',
    promised: keeps([]),
    strike: async (stage) => {
      const settings = (place: number) => ({
        secret: SECRETS[0],
        aheadMilliseconds: [HOURS_13_MILLISECONDS, -HOURS_13_MILLISECONDS, 0][place % 3] ?? 0,
      });
      await restartEach(stage, settings);
      await stage.load.rotates(3 * stage.chains);
      await restartEach(stage, () => ({ secret: SECRETS[0] }));
    },
  },
  {
    name: 'rolling-restart',
    happens: 'each node is taken out of traffic, stopped (SIGTERM) and started again, one after the other',
    promised: keeps([]),
    strike: (stage) => restartEach(stage, () => undefined),
  },
];

/** The primary is gone, and the standby takes its place. */
async function failOver(stage: Stage): Promise<void> {
  await stage.primary.crash();
  await isFelt(stage);
  await stage.promote();
}

const WITH_A_STANDBY: readonly Scenario[] = [
  {
    name: 'failover-synchronous',
    happens: 'the primary is shut down immediately, and its synchronous standby is promoted',
    promised: keeps(SAID),
    replication: 'synchronous',
    spoils: true,
    strike: failOver,
  },
  {
    name: 'switchover',
    happens: 'the primary becomes read-only and still answers, and its standby is promoted once it has everything',
    promised: keeps(AGAIN),
    replication: 'asynchronous',
    spoils: true,
    strike: async (stage) => {
      await readOnly(stage, true);
      await isFelt(stage);
      const { administer, primary, standby } = stage;
      if (standby === null) throw new Error('There is no standby.');
      const [row] = await administer(primary, 'select pg_current_wal_lsn()::text as lsn');
      await until(async () => {
        const [seen] = await administer(standby, `select pg_last_wal_replay_lsn() >= '${row?.['lsn']}' as seen`);
        return seen?.['seen'] === true;
      });
      await stage.promote();
    },
  },
  {
    name: 'standby-away',
    happens: 'the synchronous standby is cut off, so that commits wait; it comes back',
    promised: keeps(SAID),
    replication: 'synchronous',
    spoils: true,
    strike: async (stage) => {
      stage.stream?.cut();
      await isFelt(stage);
      await stage.stream?.restore();
    },
  },
  {
    name: 'failover-asynchronous',
    happens: 'the standby falls behind; then the primary is shut down immediately, and the standby promoted',
    promised: { failures: SAID, forgets: true },
    replication: 'asynchronous',
    spoils: true,
    strike: async (stage) => {
      stage.stream?.silence('all');
      await stage.load.rotates(stage.chains);
      stage.stream?.cut();
      await failOver(stage);
    },
  },
];

const workerOf = ({ workers }: Stage, place: number) => {
  const worker = workers[place];
  if (worker === undefined) throw new Error('no worker');
  return worker;
};

/** The chains of the other workers rotate on meanwhile. */
async function isFeltByItsChains(stage: Stage): Promise<void> {
  await stage.load.fails(stage.chains, ['try-again', 'unknown']);
  await stage.load.rotates(stage.chains);
  await stage.balancer.asksAll();
}

const ON_A_CLUSTER: readonly Omit<Scenario, 'replication'>[] = [
  {
    name: 'worker-killed',
    happens: 'a worker is shut down immediately (SIGQUIT), and starts again; the chains of the others rotate on',
    promised: keeps(SAID),
    strike: async (stage) => {
      const worker = workerOf(stage, 1);
      await worker.crash();
      await isFeltByItsChains(stage);
      await worker.restart();
    },
  },
  {
    name: 'worker-paused',
    happens: 'all processes of a worker are stopped where they are, and continue',
    promised: keeps(SAID),
    strike: (stage) => pause(stage, workerOf(stage, 1)),
  },
  {
    name: 'coordinator-killed',
    happens: 'the coordinator is shut down immediately (SIGQUIT), and starts again',
    promised: keeps(SAID),
    strike: killPrimary,
  },
  {
    name: 'cluster-node-killed',
    happens: 'kill -9 of a node of a cluster, which starts again',
    promised: keeps(['cut', 'not-sent']),
    strike: killNode,
  },
  {
    name: 'worker-added',
    happens: 'the cluster gets one more worker, and shards move to it under load',
    promised: keeps([]),
    spoils: true,
    strike: async (stage) => {
      await stage.grow();
      await stage.load.rotates(stage.chains);
    },
  },
  {
    name: 'worker-failover',
    happens: 'a worker is shut down immediately, and its synchronous standby is promoted',
    promised: keeps(SAID),
    spoils: true,
    strike: async (stage) => {
      await workerOf(stage, 0).crash();
      await isFeltByItsChains(stage);
      await stage.promote();
      await stage.load.rotates(2 * stage.chains);
    },
  },
];

/** They need an installation of Citus (test/cluster/citus.ts). */
export const clusterScenarios: readonly Scenario[] = ON_A_CLUSTER.map((scenario) => ({
  ...scenario,
  replication: 'spread',
}));

export const scenarios: readonly Scenario[] = [
  ...ON_ONE_DATABASE.map((scenario): Scenario => ({ ...scenario, replication: 'none' })),
  ...secretRotations,
  ...WITH_A_STANDBY,
];
