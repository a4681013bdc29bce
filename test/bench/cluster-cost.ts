/** The CPU of a rotation, and of its load alone, on one Postgres and on clusters of Citus. A store sends no batch, as on a cluster. */
import postgres from 'postgres';
import { readAuthorizationCode } from '../../src/crypto/authorization-code.ts';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { rowMacs } from '../../src/crypto/row-mac.ts';
import type { GrantStore } from '../../src/lifecycles/grant/lifecycle.ts';
import { authenticClients } from '../../src/storage/authentic-clients.ts';
import type { Database } from '../../src/storage/database.ts';
import { grantStore } from '../../src/storage/grant-store.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { citusPath, inDatabase, startCitus } from '../cluster/citus.ts';
import { postgresCpu, postgresCpuBetween } from './postgres-cpu.ts';
import { rotated } from './rotation.ts';
import { CLIENT_ID, SERVER_SECRET } from './setting.ts';
import { median } from './statistics.ts';
import { insertGrants, registerClientAndPerson } from './targets/statehouse-rows.ts';

const DATABASE = 'cluster_cost';
const IN_FLIGHT = 16;
const ROTATIONS = 1_500;
const ROUNDS = 3;
const CHAINS = 64;

const authentic = authenticClients(rowMacs(rootKeys([SERVER_SECRET])));
type Step = 'load' | 'commit' | 'rotation';

/** A line for each step, with one Postgres first. */
export async function clusterCost(clusters: readonly number[], tell: (line: string) => void): Promise<void> {
  if (citusPath === null) {
    tell('NOT CHECKED: CITUS_PATH names no installation of Postgres with Citus.');
    return;
  }
  for (const workers of [0, ...clusters]) await costOf(workers, tell);
}

async function costOf(workers: number, tell: (line: string) => void): Promise<void> {
  const cluster = await startCitus(workers, { durable: true });
  try {
    const url = workers === 0 ? await oneDatabase(cluster.coordinator.url) : await cluster.makeDatabase(DATABASE);
    const seeding = openPostgres(url, { connections: 1 });
    await seeding.migrate();
    await registerClientAndPerson(seeding.drizzle);
    const codes = await insertGrants(seeding.drizzle, CHAINS);
    if (workers > 0) await seeding.distribute?.();
    await seeding.close();
    const chains = codes.map((code) => readAuthorizationCode(code)?.grantId ?? '');
    const servers = [cluster.coordinator, ...cluster.workers];
    const admins = servers.map((server) => postgres(server.url, { max: 1, onnotice: () => {} }));
    const entrances: Record<string, readonly string[]> = { coordinator: [url] };
    if (workers > 0) entrances['workers'] = cluster.workers.map((worker) => inDatabase(worker, DATABASE));
    for (const [name, urls] of Object.entries(entrances)) {
      for (const step of ['rotation', 'load'] as const) {
        const rounds: Cost[] = [];
        for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(urls, admins, chains, step));
        const [coordinator = 0, ...others] = servers.map((_, at) =>
          middle(rounds.map((each) => each.servers[at] ?? 0)),
        );
        tell(
          [
            `${String(workers).padStart(2)} workers, by the ${name.padEnd(11)}`,
            `${step.padEnd(8)} µs of Postgres: ${others
              .reduce((sum, one) => sum + one, coordinator)
              .toFixed(0)
              .padStart(5)}`,
            `coordinator ${coordinator.toFixed(0)}`,
            `workers ${others.map((one) => one.toFixed(0)).join(' ') || '-'}`,
            `node ${middle(rounds.map((each) => each.node)).toFixed(0)}`,
          ].join(', '),
        );
      }
    }
    await Promise.all(admins.map((admin) => admin.end()));
  } finally {
    await cluster.stop();
  }
}

/** Microseconds of a step: of each server, and of the process that asks. */
type Cost = { readonly servers: readonly number[]; readonly node: number };

const middle = (values: readonly number[]): number => median(values) ?? 0;

async function oneDatabase(url: string): Promise<string> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  await admin`create database ${admin(DATABASE)}`.finally(() => admin.end());
  const named = new URL(url);
  named.pathname = `/${DATABASE}`;
  return named.href;
}

async function measure(
  urls: readonly string[],
  admins: readonly postgres.Sql[],
  chains: readonly string[],
  step: Step,
): Promise<Cost> {
  const opened: Database[] = urls.map((url) => openPostgres(url, { connections: IN_FLIGHT }));
  // The first statement learns whether the tables are spread.
  for (const { drizzle } of opened) await drizzle.execute('select 1');
  // A store that is used by one request at a time sends no batch.
  const storeOf = (at: number): GrantStore => {
    const { drizzle } = opened[at % opened.length] as Database;
    return grantStore(drizzle, databaseClock, authentic);
  };
  const stores = Array.from({ length: IN_FLIGHT }, (_, at) => storeOf(at));
  const cpu = () => Promise.all(admins.map((admin) => postgresCpu(admin, DATABASE)));
  try {
    await runAll(stores, chains, step, ROTATIONS / 2);
    const [before, began] = [await cpu(), process.cpuUsage()];
    await runAll(stores, chains, step, ROTATIONS);
    const { user, system } = process.cpuUsage(began);
    const after = await cpu();
    return {
      servers: before.map((one, at) => (postgresCpuBetween(one, after[at] ?? null) ?? Number.NaN) / ROTATIONS),
      node: (user + system) / ROTATIONS,
    };
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}

/** Each store has chains of its own. */
async function runAll(stores: readonly GrantStore[], chains: readonly string[], step: Step, count: number) {
  let left = count;
  await Promise.all(
    stores.map(async (store, at) => {
      const own = chains.filter((_, index) => index % stores.length === at);
      for (let turn = 0; left-- > 0; turn++) {
        const grantId = own[turn % own.length] as string;
        const { grant } = await store.load({ clientId: CLIENT_ID, grantId });
        if (grant === null) throw new Error('no grant');
        if (step === 'rotation') await rotated(store, grant);
      }
    }),
  );
}
