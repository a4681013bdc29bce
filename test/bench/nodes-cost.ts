/**
 * `node test/bench/nodes-cost.ts`: the CPU of Postgres for a rotation (a load and a commit), while 1, 2, 4 and 8 nodes share the requests.
 * Each node is a store of the server with connections and batches of its own, all in this process: only Postgres is measured.
 * `nodes-cost.ts WORD …` measures only the settings with one of these words in their names.
 */
import type postgres from 'postgres';
import { readAuthorizationCode } from '../../src/crypto/authorization-code.ts';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { rowMacs } from '../../src/crypto/row-mac.ts';
import type { GrantStore } from '../../src/lifecycles/grant/lifecycle.ts';
import { authenticClients } from '../../src/storage/authentic-clients.ts';
import type { Database } from '../../src/storage/database.ts';
import { grantStore } from '../../src/storage/grant-store.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { openDatabases } from './databases.ts';
import { postgresCpu, postgresCpuBetween } from './postgres-cpu.ts';
import { rotated } from './rotation.ts';
import { CLIENT_ID, SERVER_SECRET } from './setting.ts';
import { median } from './statistics.ts';
import { insertGrants, insertOtherGrants, registerClientAndPerson } from './targets/statehouse-rows.ts';

const NODES = [1, 2, 4, 8];
const IN_FLIGHT = 32;
const ROTATIONS = 1_500;
const ROUNDS = 2;
const OTHERS = 20_000;

type Setting = {
  /** Of each node. */
  readonly connections: number;
  readonly batches: boolean;
  /** Microseconds that a commit waits for others, where at least five other transactions are open (`commit_siblings`). */
  readonly commitDelay: number;
};

const SHIPPED: Setting = { connections: 10, batches: true, commitDelay: 0 };
const SETTINGS: Readonly<Record<string, Setting>> = {
  'as shipped: 10 connections a node': SHIPPED,
  '4 connections': { ...SHIPPED, connections: 4 },
  '2 connections': { ...SHIPPED, connections: 2 },
  '1 connection': { ...SHIPPED, connections: 1 },
  'commit_delay 100 µs': { ...SHIPPED, commitDelay: 100 },
  'commit_delay 500 µs': { ...SHIPPED, commitDelay: 500 },
  '2 connections, commit_delay 500 µs': { ...SHIPPED, connections: 2, commitDelay: 500 },
  'no batches': { ...SHIPPED, batches: false },
  'no batches, pipelined on 2 connections': { ...SHIPPED, batches: false, connections: 2 },
};

const authentic = authenticClients(rowMacs(rootKeys([SERVER_SECRET])));
const databases = await openDatabases();
const words = process.argv.slice(2);
const chosen = Object.entries(SETTINGS).filter(
  ([name]) => words.length === 0 || words.some((word) => name.includes(word)),
);
try {
  const name = 'nodes_cost';
  const url = await databases.create(name);
  const seeding = openPostgres(url, { connections: 1 });
  await seeding.migrate();
  await registerClientAndPerson(seeding.drizzle);
  await insertOtherGrants(seeding.drizzle, OTHERS);
  const codes = await insertGrants(seeding.drizzle, IN_FLIGHT);
  const chains = codes.map((code) => readAuthorizationCode(code)?.grantId ?? '');
  await seeding.close();
  await databases.analyze(url);

  process.stdout.write(
    `µs of Postgres (and rotations a second, whole machine) with ${IN_FLIGHT} rotations in flight\n`,
  );
  process.stdout.write(`${NODES.map((nodes) => `${nodes} nodes`.padStart(16)).join('')}\n`);
  for (const [says, setting] of chosen) {
    await configure(databases.admin, setting);
    const cells = [];
    for (const nodes of NODES) {
      const rounds: Awaited<ReturnType<typeof measure>>[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const measured = await measure(url, name, chains, nodes, setting);
        if (round > 0) rounds.push(measured);
      }
      const [cpu, rate] = (['cpu', 'rate'] as const).map((what) => median(rounds.map((round) => round[what])));
      cells.push(`${cpu?.toFixed(0)} (${rate?.toFixed(0)})`.padStart(16));
    }
    process.stdout.write(`${cells.join('')}  ${says}\n`);
  }
} finally {
  await databases.close();
}

async function configure(admin: postgres.Sql, { commitDelay }: Setting): Promise<void> {
  await admin.unsafe(`alter system set commit_delay = ${commitDelay}`);
  await admin`select pg_reload_conf()`;
}

async function measure(url: string, database: string, chains: readonly string[], nodes: number, setting: Setting) {
  const opened: Database[] = Array.from({ length: nodes }, () =>
    openPostgres(url, { connections: setting.connections }),
  );
  const shared = opened.map(({ drizzle }) => grantStore(drizzle, databaseClock, authentic));
  // A store that is used by one request at a time sends no batch.
  const storeOf = (index: number): GrantStore => {
    const node = index % nodes;
    const store = setting.batches ? shared[node] : undefined;
    return store ?? grantStore((opened[node] as Database).drizzle, databaseClock, authentic);
  };
  try {
    const workers = chains.map((grantId, index) => ({ grantId, store: storeOf(index) }));
    // Opens the connections, and prepares the statements on each.
    await rotateAll(workers, chains.length * setting.connections);
    const [before, began] = [await postgresCpu(databases.admin, database), performance.now()];
    await rotateAll(workers, ROTATIONS);
    const seconds = (performance.now() - began) / 1000;
    const cpu = postgresCpuBetween(before, await postgresCpu(databases.admin, database)) ?? Number.NaN;
    return { cpu: cpu / ROTATIONS, rate: ROTATIONS / seconds };
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}

async function rotateAll(workers: readonly { grantId: string; store: GrantStore }[], count: number): Promise<void> {
  let left = count;
  await Promise.all(
    workers.map(async ({ grantId, store }) => {
      while (left > 0) {
        left--;
        await rotate(store, grantId);
      }
    }),
  );
}

async function rotate(store: GrantStore, grantId: string): Promise<void> {
  const { grant } = await store.load({ clientId: CLIENT_ID, grantId });
  if (grant === null) throw new Error('no grant');
  await rotated(store, grant);
}
