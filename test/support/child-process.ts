/** Processes that tests start. None outlives its test, nor this process, however that ends. */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach } from 'vitest';
import { preload, spawnJanitored } from './janitored.ts';
import { patient } from './patience.ts';
import { until } from './until.ts';

export { preload } from './janitored.ts';

const ROOT = join(import.meta.dirname, '../..');

/** For `node`: the server in that folder waits as long as said. @param values see patience.ts. */
export const waiting = (values: typeof patient = patient, root: string = ROOT): readonly string[] =>
  preload(`
    import { deadlines } from ${JSON.stringify(pathToFileURL(join(root, 'src/system/deadlines.ts')).href)};
    Object.assign(deadlines, ${JSON.stringify(values)});
  `);

/** For `node`: the server, as an operator starts it. */
export const START: readonly string[] = [join(ROOT, 'src/cli/statehouse.js'), 'start'];

const running = new Set<ChildProcess>();

afterEach(async () => {
  await Promise.all([...running].map(killChild));
});

/** @param options of `child_process.spawn`. */
export function startChild(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawnJanitored(command, args, options);
  if (child.pid === undefined) return child;
  running.add(child);
  child.once('exit', () => void running.delete(child));
  return child;
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** kill -9, and waits until it is gone. */
export async function killChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** All that it has written to its standard output and error. */
export function outputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  return () => output;
}

/** @returns when the server is ready to serve at that address. @throws Error with what it wrote, when it ended before. */
export async function becomesReady(server: ChildProcess, url: string, output: () => string = () => ''): Promise<void> {
  const { hostname, port } = new URL(url);
  await until(async () => {
    if (hasEnded(server)) throw new Error(`The server ended before it was ready.\n${output()}`);
    // A server that starts is asked many times: a connection that is refused is cheap, a request that fails is not.
    if (!(await accepts(hostname.replace(/^\[|\]$/g, ''), Number(port)))) return false;
    return fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
}

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    const tell = (accepted: boolean) => () => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', tell(true)).once('error', tell(false));
  });
