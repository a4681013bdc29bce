/** The real process, as an operator starts it; and its end, as a power cut would bring it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

const STATEHOUSE = new URL('../../src/cli/statehouse.js', import.meta.url).pathname;
const LONGEST_START_MILLISECONDS = 30_000;

export type ServerProcess = {
  readonly url: string;
  /** kill -9, and waits until it is gone. */
  readonly kill: () => Promise<void>;
};

export type ServerOptions = {
  readonly port: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** @returns when it is ready to serve. @throws Error with what it said, when it ended or took too long. */
export async function startServer({ port, cwd, env }: ServerOptions): Promise<ServerProcess> {
  const child = spawn(process.execPath, [STATEHOUSE, 'start'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOST: 'localhost', PORT: String(port), LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = listenTo(child);
  const url = `http://localhost:${port}`;
  const deadline = Date.now() + LONGEST_START_MILLISECONDS;
  while (!(await isReady(url))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (hasEnded || Date.now() > deadline) {
      await kill(child);
      throw new Error(`the server did not become ready:\n${said()}`);
    }
    await setTimeout(20);
  }
  return { url, kill: () => kill(child) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function listenTo(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      said = (said + chunk).slice(-5000);
    });
  }
  return () => said;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}
