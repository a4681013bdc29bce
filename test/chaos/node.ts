/** A node: `statehouse start` in production, as a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { preload, spawnJanitored } from '../support/janitored.ts';
import { until } from '../support/until.ts';

export type NodeSettings = {
  /** `STATEHOUSE_SECRET`. */
  readonly secret: string;
  /** How far its clock is ahead of all others. */
  readonly aheadMilliseconds?: number;
};

/** As clients know it. */
export type Address = {
  readonly name: string;
  readonly url: string;
  /** The connections of clients to it. */
  readonly agent: Agent;
  /** A load balancer sends requests to it. */
  inTraffic: boolean;
  /** Requests that wait for its answer. */
  waiting: number;
};

export type Node = Address & {
  /** @returns when it is ready. @throws Error with what it wrote, when it ends before. */
  readonly start: (settings?: NodeSettings) => Promise<void>;
  readonly becomesReady: () => Promise<void>;
  /** kill -9. */
  readonly kill: () => Promise<void>;
  /** As deploying.md says: out of traffic, SIGTERM. @throws Error when it does not end with status 0. */
  readonly stop: () => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Its output since its last start, without the lines of requests. */
  readonly log: () => string;
};

export type NodeOptions = {
  readonly name: string;
  readonly port: number;
  readonly issuer: string;
  readonly databaseUrl: string;
  readonly settings: NodeSettings;
  /** Shorter than the server's own, so that a fault ends sooner. */
  readonly deadlines: Readonly<Record<string, number>>;
};

const ROOT = join(import.meta.dirname, '../..');
const DEADLINES = pathToFileURL(join(ROOT, 'src/system/deadlines.ts')).href;

export function makeNode(options: NodeOptions): Node {
  let settings = options.settings;
  let child: ChildProcess | null = null;
  let log = '';
  const url = `http://127.0.0.1:${options.port}`;
  const agent = new Agent({ keepAlive: true });
  const hasEnded = () => child === null || child.exitCode !== null || child.signalCode !== null;

  const becomesReady = () =>
    until(async () => {
      if (hasEnded()) throw new Error(`The node ${options.name} ended before it was ready.\n${log}`);
      return fetch(`${url}/health/database`).then(
        ({ ok }) => ok,
        () => false,
      );
    });

  async function endBy(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (hasEnded()) return;
    const gone = once(child as ChildProcess, 'exit');
    child?.kill(signal);
    await gone;
  }

  const node: Node = {
    name: options.name,
    url,
    agent,
    inTraffic: false,
    waiting: 0,
    start: async (changed) => {
      settings = changed ?? settings;
      log = '';
      child = spawnJanitored(process.execPath, argumentsOf(options, settings), {
        cwd: tmpdir(),
        env: environmentOf(options, settings),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const input of [child.stdout, child.stderr]) {
        if (input)
          createInterface({ input }).on('line', (line) => {
            if (!isOfRequest(line)) log += `${line}\n`;
          });
      }
      await becomesReady();
      node.inTraffic = true;
    },
    becomesReady,
    kill: () => endBy('SIGKILL'),
    stop: async () => {
      node.inTraffic = false;
      // A request that is sent while the server closes its idle connections would be lost, and the client could not know.
      await until(() => node.waiting === 0);
      await endBy('SIGTERM');
      if (child?.exitCode !== 0) throw new Error(`The node ${options.name} ended with ${child?.exitCode}.\n${log}`);
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    log: () => log,
  };
  return node;
}

function argumentsOf({ deadlines }: NodeOptions, { aheadMilliseconds = 0 }: NodeSettings): string[] {
  const shorter = preload(
    `import { deadlines } from ${JSON.stringify(DEADLINES)}; Object.assign(deadlines, ${JSON.stringify(deadlines)});`,
  );
  const otherClock = aheadMilliseconds === 0 ? [] : preload(clockAhead(aheadMilliseconds));
  return [...otherClock, ...shorter, join(ROOT, 'src/cli/statehouse.js'), 'start'];
}

const isOfRequest = (line: string): boolean => line.includes('"milliseconds":') && line.includes('"route":');

/** As if the machine had that clock. Measurements of durations continue unchanged. */
const clockAhead = (milliseconds: number) => `
  const Own = Date;
  globalThis.Date = class Date extends Own {
    constructor(...given) {
      if (given.length === 0) super(Own.now() + ${milliseconds});
      else super(...given);
    }
    static now() {
      return Own.now() + ${milliseconds};
    }
  };`;

function environmentOf({ port, issuer, databaseUrl }: NodeOptions, { secret }: NodeSettings): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    STATEHOUSE_ALLOW_TABLE_OWNER: 'true',
    STATEHOUSE_ISSUER: issuer,
    STATEHOUSE_SECRET: secret,
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'info',
  };
}
