/** Clients and end-users who continue while nodes are replaced. They address the nodes as a load balancer does. */
import { expect } from 'vitest';
import { exchange, makePkce, refresh, type TestClient, type TokenAnswer, token } from '../support/actors.ts';
import { introspect, revoke } from '../support/sent-token.ts';
import { until } from '../support/until.ts';
import { authorize, type Person, personAt } from './people.ts';
import type { Node } from './server-process.ts';

/** The nodes in service, by turns. A node that was taken out gets no request, and is empty when `takeOut` comes back. */
export class Balancer {
  readonly #nodes: Node[] = [];
  readonly #busy = new Map<Node, number>();

  add(node: Node): void {
    this.#nodes.push(node);
  }

  async takeOut(node: Node): Promise<void> {
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    await until(() => (this.#busy.get(node) ?? 0) === 0);
  }

  /** @param turn the next turn is another node's, where there are two. */
  async at<T>(turn: number, ask: (node: Node) => Promise<T>): Promise<T> {
    const node = this.#nodes[turn % this.#nodes.length];
    if (!node) throw new Error('no node is in service');
    this.#busy.set(node, (this.#busy.get(node) ?? 0) + 1);
    try {
      return await ask(node);
    } finally {
      this.#busy.set(node, (this.#busy.get(node) ?? 1) - 1);
    }
  }
}

/** As a client does after a 503 with `Retry-After`, which means that nothing happened. */
async function persistently(ask: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || answer.headers['retry-after'] === undefined) return answer;
  }
}

export type Traffic = {
  /** When each chain has rotated and each end-user has signed in as often again, from now on. */
  readonly goOn: (times: number) => Promise<void>;
  /** Waits for the requests in flight. @throws Error the failure, if one occurred. */
  readonly stop: () => Promise<void>;
  /** The newest refresh token of each chain. */
  readonly heads: () => readonly string[];
};

/** @param chains a refresh token of each. */
export function startTraffic(
  balancer: Balancer,
  client: TestClient,
  user: { readonly id: string; readonly username: string },
  chains: readonly string[],
): Traffic {
  const heads = [...chains];
  const done: number[] = [];
  let stopping = false;
  let failed = false;

  const repeatedly = async (actor: number, once: (turn: number) => Promise<void>) => {
    done[actor] = 0;
    for (let turn = actor; !stopping; turn++) {
      await once(turn);
      done[actor]++;
    }
  };
  const actors = [
    ...chains.map((_, chain) => (turn: number) => rotate(balancer, client, turn, heads, chain)),
    (turn: number) => wholeLife(balancer, client, user, turn),
  ];
  const running = actors.map((actor, index) => repeatedly(index, actor));
  for (const actor of running) actor.catch(() => (failed = true));

  return {
    heads: () => heads,
    goOn: async (times) => {
      const from = [...done];
      await until(() => failed || done.every((count, actor) => count >= (from[actor] ?? 0) + times));
      if (failed) await Promise.all(running);
    },
    stop: async () => {
      stopping = true;
      await Promise.all(running);
    },
  };
}

/** At one node after the other; the tokens of one are valid at the next. */
async function rotate(balancer: Balancer, client: TestClient, turn: number, heads: string[], chain: number) {
  const used = heads[chain] ?? '';
  const { status, json } = await persistently(() => balancer.at(turn, (node) => refresh(node, client, used)));
  expect({ status, json }).toMatchObject({ status: 200, json: { refresh_token: expect.any(String) } });
  heads[chain] = json.refresh_token ?? '';
  const about = (credential: string | undefined) =>
    balancer.at(turn + 1, (node) => introspect(node, client, credential ?? ''));
  expect((await about(json.access_token)).json).toMatchObject({ active: true });
  expect((await about(heads[chain])).json).toMatchObject({ active: true });
  expect((await about(used)).json).toEqual({ active: false });
}

/** Signs in at one node, the code is exchanged at the next, the tokens are given back at the first. */
async function wholeLife(balancer: Balancer, client: TestClient, user: Person['user'], turn: number) {
  const pkce = makePkce();
  const code = await balancer.at(turn, (node) => authorize(personAt(node, user), client, pkce));
  const { status, json } = await persistently(() =>
    balancer.at(turn + 1, (node) => exchange(node, client, { code, verifier: pkce.verifier })),
  );
  expect({ status, json }).toMatchObject({ status: 200, json: { refresh_token: expect.any(String) } });
  expect((await balancer.at(turn, (node) => revoke(node, client, json.refresh_token ?? ''))).status).toBe(200);
  const after = await persistently(() =>
    balancer.at(turn + 1, (node) => refresh(node, client, json.refresh_token ?? '')),
  );
  expect(after).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  const { json: seen } = await balancer.at(turn + 1, (node) => introspect(node, client, json.refresh_token ?? ''));
  expect(seen).toEqual({ active: false });
  const own = await persistently(() =>
    balancer.at(turn, (node) => token(node, client, { grant_type: 'client_credentials' })),
  );
  expect(own.status).toBe(200);
}
