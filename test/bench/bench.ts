/** `npm run bench`: Statehouse beside the least that a conforming server can do, and beside oidc-provider. */
import { writeFileSync } from 'node:fs';
import { besideSealing } from './beside-sealing.ts';
import { besideSignIns } from './beside-sign-ins.ts';
import { clusterCost } from './cluster-cost.ts';
import { constantSpace } from './constant-space.ts';
import { openDatabases } from './databases.ts';
import { gateOf } from './gate.ts';
import { type Options, readOptions } from './options.ts';
import { formatReport, machine, type Report, tablesOf } from './report.ts';
import { measure } from './rounds.ts';
import { withNeeded } from './scenarios/all.ts';
import { serversOf } from './servers.ts';
import { measureStarts } from './starts.ts';
import { startStatehouse } from './targets/statehouse.ts';
import type { Target } from './targets/target.ts';
import { verify } from './verify.ts';
import { writeFigures } from './write.ts';

const progress = (line: string) => process.stderr.write(`${line}\n`);

async function bench(options: Options, started: (() => Promise<void>)[]): Promise<Report> {
  const { extent, only } = options;
  const servers = await serversOf(options);
  progress(`starting Postgres and ${servers.length} servers`);
  const databases = await openDatabases();
  started.push(databases.close);
  const targets: Target[] = [];
  const databaseUrls = new Map<string, string>();
  for (const { name, start } of servers) {
    const url = await databases.create(name);
    databaseUrls.set(name, url);
    const target = await start(url);
    started.push(target.stop);
    await verify(target);
    progress(`${name}: as it should be; making ${extent.grants} other authorizations`);
    await (target.seedOthers ?? target.seedCodes)(extent.grants);
    // So that plans are made for tables with rows in them.
    await target.seedBrowsers?.(Math.min(extent.grants, 1000));
    await databases.analyze(url);
    targets.push(target);
  }

  const setting = { scenarios: withNeeded(only), admin: databases.admin, extent };
  const measured = setting.scenarios.length === 0 ? [] : await measure(targets, setting, progress);
  await Promise.all(targets.map((target) => target.stop()));

  const startExtent = {
    starts: only.has('start') ? extent.starts : 0,
    operations: only.has('memory') ? extent.operations : 0,
  };
  if (only.has('start') || only.has('memory')) progress('starts on the databases as they are now, and memory');
  const stopped = servers
    .filter(({ onlyOperates = false }) => !onlyOperates)
    .map(({ name, start }) => ({ name, start, databaseUrl: databaseUrls.get(name) ?? '' }));
  const starts = await measureStarts(stopped, startExtent, (target) => started.push(target.stop));

  const rotationsBeside = async <T>(name: string, measure: (target: Target) => Promise<T>): Promise<T | null> => {
    if (!only.has(name)) return null;
    progress(`rotations, ${name}`);
    const target = await startStatehouse(databaseUrls.get('statehouse') ?? '');
    started.push(target.stop);
    return measure(target).finally(target.stop);
  };

  return {
    servers: targets.map(({ name }) => name),
    machine: machine(),
    postgres: databases.settings,
    extent,
    measured: measured.filter(({ scenario }) => only.has(scenario)),
    starts,
    besideSignIns: await rotationsBeside('beside-sign-ins', (target) => besideSignIns(target, extent)),
    besideSealing: await rotationsBeside('beside-sealing', (target) => besideSealing(target, extent)),
    constantSpace: only.has('one-chain') ? await oneChain(await databases.create('one_chain'), extent.rotations) : null,
  };
}

function oneChain(databaseUrl: string, rotations: number): Promise<Report['constantSpace']> {
  progress(`one chain through ${rotations} rotations`);
  return constantSpace(databaseUrl, rotations);
}

const options = readOptions();
const started: (() => Promise<void>)[] = [];
let stopping: Promise<void> | null = null;
const stopAll = (): Promise<void> => {
  stopping ??= (async () => {
    for (const stop of started.toReversed()) await stop().catch((error: Error) => progress(error.message));
  })();
  return stopping;
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stopAll().then(() => process.exit(130)));
}

try {
  if (options.cluster === null) await benchAll();
  else await clusterCost(options.cluster, (line) => process.stdout.write(`${line}\n`));
} catch (error) {
  if (stopping === null) throw error;
} finally {
  await stopAll();
}

async function benchAll(): Promise<void> {
  const report = await bench(options, started);
  process.stdout.write(`\n${formatReport(report)}\n`);
  if (options.write) writeFigures(tablesOf(report));
  if (options.gate) {
    const { table, isPassed } = gateOf(report.measured, report.starts);
    process.stdout.write(`${table.join('\n')}\n`);
    if (!isPassed) process.exitCode = 1;
  }
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}
