/** Processes that tests start. None outlives its test, nor this process, however that ends. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach } from 'vitest';
import { patient } from './patience.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '../..');

/** For `node`: code that runs before anything of the server. Stack frames name the module, so it is encoded. */
export const preload = (code: string): readonly string[] => [
  `--import=data:text/javascript;base64,${Buffer.from(code).toString('base64')}`,
];

/** For `node`: the server in that folder waits as long as said. @param values see patience.ts. */
export const waiting = (values: typeof patient = patient, root: string = ROOT): readonly string[] =>
  preload(`
    import { deadlines } from ${JSON.stringify(pathToFileURL(join(root, 'src/system/deadlines.ts')).href)};
    Object.assign(deadlines, ${JSON.stringify(values)});
  `);

/** For `node`: the server, as an operator starts it. */
export const START: readonly string[] = [join(ROOT, 'src/cli/statehouse.js'), 'start'];

const running = new Set<ChildProcess>();
let janitor: ChildProcess | null = null;

afterEach(async () => {
  await Promise.all([...running].map(killChild));
});

/** @param options of `child_process.spawn`. */
export function startChild(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  janitor ??= startJanitor();
  const { stdin } = janitor;
  const child = spawn(command, args, options);
  const { pid } = child;
  if (pid === undefined) return child;
  running.add(child);
  stdin?.write(`+${pid}\n`);
  child.once('exit', () => {
    running.delete(child);
    stdin?.write(`-${pid}\n`);
  });
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
    if (!(await accepts(hostname, Number(port)))) return false;
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

function startJanitor(): ChildProcess {
  const script = join(import.meta.dirname, 'child-janitor.ts');
  // Detached: an interrupt from the terminal goes to the tests, and must not take their janitor with them.
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  (child.stdin as (typeof child.stdin & { unref?: () => void }) | null)?.unref?.();
  return child;
}
