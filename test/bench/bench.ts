/** `npm run bench`: Statehouse beside the least that a conforming server can do, and beside oidc-provider. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { constantSpace } from './constant-space.ts';
import { openDatabases } from './databases.ts';
import { formatReport, machine, type Report } from './report.ts';
import { measure } from './rounds.ts';
import { startFloor } from './targets/floor.ts';
import { startOidcProvider } from './targets/oidc-provider.ts';
import { startStatehouse } from './targets/statehouse.ts';
import type { Target } from './targets/target.ts';
import { verify } from './verify.ts';

const HELP = `npm run bench -- [--quick] [--in-flight N] [--beside FOLDER] [--json FILE]

  --quick      fewer rounds, requests and rotations: under a minute instead of a few; rougher ratios
  --in-flight N  requests that are under way at once; default 8
  --beside FOLDER  another checkout of Statehouse, installed, as one more server: what a change costs
  --json FILE  writes the figures there too
`;

/** `others`: authorizations that are there and left alone, since nobody runs a server on empty tables. */
const FULL = { others: 10_000, warmUp: 3000, rounds: 9, requests: 1500, rotations: 100_000 };
const QUICK = { others: 2000, warmUp: 1000, rounds: 3, requests: 500, rotations: 10_000 };

type Start = (databaseUrl: string) => Promise<Target>;
const SERVERS: Readonly<Record<string, Start>> = {
  statehouse: startStatehouse,
  floor: startFloor,
  oidc_provider: startOidcProvider,
};

/** The other checkout brings its own bench, so that its tables are filled by its own code. */
async function startBeside(folder: string): Promise<Start> {
  const { href } = pathToFileURL(resolve(folder, 'test/bench/targets/statehouse.ts'));
  const other: { readonly startStatehouse: Start } = await import(href);
  return async (databaseUrl) => ({ ...(await other.startStatehouse(databaseUrl)), name: 'beside' });
}

const progress = (line: string) => process.stderr.write(`${line}\n`);

async function bench({ quick, inFlight, beside }: Options, started: (() => Promise<void>)[]): Promise<Report> {
  const extent = { ...(quick ? QUICK : FULL), inFlight };
  const servers = beside === undefined ? SERVERS : { ...SERVERS, beside: await startBeside(beside) };
  progress(`starting Postgres and ${Object.keys(servers).length} servers`);
  const databases = await openDatabases();
  started.push(databases.close);
  const targets: Target[] = [];
  for (const [database, start] of Object.entries(servers)) {
    const url = await databases.create(database);
    const target = await start(url);
    started.push(target.stop);
    await verify(target);
    await target.seedCodes(extent.others);
    await databases.analyze(url);
    targets.push(target);
  }
  const measured = await measure(targets, databases.admin, extent, progress);
  await Promise.all(targets.map((one) => one.stop()));
  progress(`one chain through ${extent.rotations} rotations`);
  const space = await constantSpace(await databases.create('constant_space'), extent.rotations);
  return { machine: machine(), postgres: databases.settings, extent, measured, constantSpace: space };
}

type Options = {
  readonly quick: boolean;
  readonly inFlight: number;
  readonly beside: string | undefined;
  readonly json: string | undefined;
};

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean' },
        'in-flight': { type: 'string', default: '8' },
        beside: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    const inFlight = Number(values['in-flight']);
    if (!Number.isInteger(inFlight) || inFlight < 1) throw new Error('--in-flight takes a number from 1 on.');
    return { quick: values.quick ?? false, inFlight, beside: values.beside, json: values.json };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
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
  const report = await bench(options, started);
  process.stdout.write(`\n${formatReport(report)}`);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
} catch (error) {
  if (stopping === null) throw error;
} finally {
  await stopAll();
}
