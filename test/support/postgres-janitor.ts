/**
 * Runs beside a test server, with the test process at the other end of its standard input. However that process ends,
 * kill -9 included, the input ends too: then the server is stopped and its folder removed.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: postgres-janitor.ts FOLDER');

process.stdin
  .on('close', cleanUp)
  .on('error', () => {})
  .resume();

async function cleanUp(): Promise<void> {
  // Immediate shutdown: this data is not needed again. The server writes until it has removed its pid file.
  for (let pid = processId(); pid !== null; pid = processId()) {
    if (!signal(pid, 'SIGQUIT')) break;
    await setTimeout(50);
  }
  rmSync(folder as string, { recursive: true, force: true });
}

function processId(): number | null {
  try {
    const [pid] = readFileSync(join(folder as string, 'data', 'postmaster.pid'), 'utf8').split('\n');
    return Number(pid);
  } catch {
    return null;
  }
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
