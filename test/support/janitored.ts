/** Child processes that do not outlive this process, however it ends. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { join } from 'node:path';

let janitor: ChildProcess | null = null;

/** @param options of `child_process.spawn`. */
export function spawnJanitored(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  janitor ??= startJanitor();
  const { stdin } = janitor;
  const child = spawn(command, args, options);
  const { pid } = child;
  if (pid === undefined) return child;
  stdin?.write(`+${pid}\n`);
  child.once('exit', () => stdin?.write(`-${pid}\n`));
  return child;
}

/** For `node`: code that runs before anything of the server. Stack frames name the module, so it is encoded. */
export const preload = (code: string): readonly string[] => [
  `--import=data:text/javascript;base64,${Buffer.from(code).toString('base64')}`,
];

function startJanitor(): ChildProcess {
  const script = join(import.meta.dirname, 'child-janitor.ts');
  // Detached: an interrupt from the terminal goes to the tests, and must not take their janitor with them.
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  (child.stdin as (typeof child.stdin & { unref?: () => void }) | null)?.unref?.();
  return child;
}
