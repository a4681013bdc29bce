/** Nodes and commands of a version, as an operator runs them, each in a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestApp } from '../support/app.ts';
import { becomesReady, hasEnded, outputOf, startChild, waiting } from '../support/child-process.ts';
import { freePort } from '../support/listening.ts';

const ROOT = join(import.meta.dirname, '../..');
type Environment = Readonly<Record<string, string>>;

export type Version = {
  readonly name: string;
  /** Its checkout. */
  readonly folder: string;
  /** For `node`, before the program. */
  readonly preloaded: readonly string[];
  readonly env: Environment;
};

/** With patience for a slow machine. */
const version = (name: string, folder: string, env: Environment): Version => ({
  name,
  folder,
  preloaded: waiting(undefined, folder),
  env,
});
export const present = (env: Environment): Version => version('present', ROOT, env);
export const previous = (folder: string, env: Environment): Version => version('previous', folder, env);

/** A node that takes what the functions of support/actors.ts and support/sent-token.ts send to an app. */
export type Node = Pick<TestApp, 'app'> & {
  readonly version: Version;
  readonly url: string;
  /** As a supervisor stops it: SIGTERM. @returns its exit status. */
  readonly stop: () => Promise<number | null>;
  readonly output: () => string;
};

function launch({ folder, preloaded, env }: Version, words: readonly string[], more: Environment): ChildProcess {
  const program = join(folder, 'src/cli/statehouse.js');
  return startChild(process.execPath, [...preloaded, program, ...words], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] ?? '', ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function startNode(version: Version): Promise<Node> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const child = launch(version, ['start'], { HOST: 'localhost', PORT: String(port), LOG_LEVEL: 'warn' });
  const output = outputOf(child);
  await becomesReady(child, url, output);
  return {
    version,
    url,
    output,
    app: { inject: injectInto(url) } as unknown as TestApp['app'],
    stop: async () => {
      const ended = once(child, 'exit');
      if (!hasEnded(child)) child.kill('SIGTERM');
      const [status] = await ended;
      return status;
    },
  };
}

type Sent = {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string;
};

const injectInto =
  (origin: string) =>
  async ({ method, url, headers = {}, payload }: Sent) => {
    const answer = await fetch(new URL(url, origin), { method, headers, redirect: 'manual', body: payload ?? null });
    const body = await answer.text();
    return {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body,
      json: () => (body === '' ? {} : JSON.parse(body)),
    };
  };

/** @returns the output of the command. @throws Error with its whole output, when it failed. */
export async function command(version: Version, words: readonly string[], more: Environment = {}): Promise<string> {
  const child = launch(version, words, more);
  const [printed, said] = [outputOf({ ...child, stdout: child.stdout, stderr: null } as ChildProcess), outputOf(child)];
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`statehouse ${words.join(' ')} (${version.name}) ended with ${status}:\n${said()}`);
  return printed();
}
