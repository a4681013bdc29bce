/** Starts on a database that is there: the CPU time until the server is ready, and its memory afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from './load.ts';
import { holdNothing } from './scenarios/scenario.ts';
import { codeExchange, rotation } from './scenarios/token-requests.ts';
import { median } from './statistics.ts';
import type { Start, Target } from './targets/target.ts';

export type StartFigures = {
  readonly server: string;
  /** Median; null: not asked for. */
  readonly cpuSeconds: number | null;
  /** Resident megabytes; null: not asked for, or this bench of another checkout does not tell. */
  readonly memory: { readonly idle: number; readonly after: number } | null;
};

export type StartExtent = {
  /** Of each server; 0: none is measured. */
  readonly starts: number;
  /** Before the second reading of the memory; 0: none is taken. */
  readonly operations: number;
};

type Stopped = { readonly name: string; readonly start: Start; readonly databaseUrl: string };

/** @param keep receives every running server, in case of a failure. */
export async function measureStarts(
  servers: readonly Stopped[],
  { starts, operations }: StartExtent,
  keep: (target: Target) => void,
): Promise<StartFigures[]> {
  const cpuSeconds = new Map(servers.map(({ name }) => [name, [] as number[]]));
  for (let index = 0; index < starts; index++) {
    for (const { name, start, databaseUrl } of servers) {
      const target = await start(databaseUrl);
      keep(target);
      const { user, system } = await target.child.ask('cpuUsage');
      cpuSeconds.get(name)?.push((user + system) / 1e6);
      await target.stop();
    }
  }
  if (starts + operations === 0) return [];
  const measured: StartFigures[] = [];
  for (const { name, start, databaseUrl } of servers) {
    const all = cpuSeconds.get(name) ?? [];
    const memory = operations === 0 ? null : await memoryOf(start, databaseUrl, operations, keep);
    measured.push({ server: name, cpuSeconds: all.length > 0 ? median(all) : null, memory });
  }
  return measured;
}

const CHAINS = 1000;
const IN_FLIGHT = 8;
/** The deferred work of a start is done by then. */
const SETTLED_MILLISECONDS = 2000;

async function memoryOf(start: Start, databaseUrl: string, operations: number, keep: (target: Target) => void) {
  const target = await start(databaseUrl);
  keep(target);
  const { memory } = target.child;
  if (memory === undefined) return target.stop().then(() => null);
  const megabytes = async () => (await memory()) / 2 ** 20;
  await sleep(SETTLED_MILLISECONDS);
  const idle = await megabytes();
  await rotate(target, operations);
  const after = await megabytes();
  await target.stop();
  return { idle, after };
}

/** The chains in turn, each after the others, so that no head is presented twice. */
async function rotate(target: Target, operations: number): Promise<void> {
  const held = holdNothing();
  await codeExchange.prepare(target, held, CHAINS);
  for (let left = operations, { operate } = codeExchange; left > 0; left -= CHAINS, { operate } = rotation) {
    await load(Math.min(left, CHAINS), IN_FLIGHT, (send, index) => operate({ target, held, send, index }));
  }
}
