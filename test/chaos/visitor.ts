/** A client of the endpoints that need no database, through the balancer, for as long as a scenario lasts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.ts';

export type Visitor = {
  /** When every address was requested that many more times. */
  readonly visits: (count: number) => Promise<void>;
  /** @returns the requests that failed. */
  readonly finish: () => Promise<readonly string[]>;
};

/** By path: a part of each answer. */
const SERVED: Readonly<Record<string, (document: Readonly<Record<string, unknown>>) => boolean>> = {
  '/.well-known/jwks.json': ({ keys }) => Array.isArray(keys) && keys.length > 0,
  '/.well-known/openid-configuration': ({ issuer }) => typeof issuer === 'string',
  '/.well-known/oauth-authorization-server': ({ issuer }) => typeof issuer === 'string',
};
const PAUSE_MILLISECONDS = 50;

export function startVisitor(url: string): Visitor {
  const problems = new Map<string, number>();
  let done = 0;
  let stopping = false;

  async function visit(path: string, isRight: (typeof SERVED)[string]): Promise<void> {
    const answer = await fetch(`${url}${path}`);
    const text = await answer.text();
    if (answer.status === 200 && isRight(JSON.parse(text))) return;
    const problem = `${path}: ${answer.status}`;
    problems.set(problem, (problems.get(problem) ?? 0) + 1);
  }
  async function live(): Promise<void> {
    while (!stopping) {
      for (const [path, isRight] of Object.entries(SERVED)) await visit(path, isRight);
      done++;
      await sleep(PAUSE_MILLISECONDS);
    }
  }
  const life = live();

  return {
    visits: (count) => {
      const before = done;
      return until(() => done >= before + count);
    },
    finish: async () => {
      stopping = true;
      await life;
      return [...problems].map(([problem, times]) => `${problem}, ${times} times`);
    },
  };
}
