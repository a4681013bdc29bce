/** Hundreds of chains that rotate concurrently over all nodes, and a record of every answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.ts';
import type { Answer, AnswerKind, History, Presentation } from './history.ts';
import type { Address } from './node.ts';
import { type Credentials, present } from './present.ts';

export type Load = {
  /** When so many more rotations were acknowledged. */
  readonly rotates: (count: number) => Promise<void>;
  /** When so many more requests failed in one of these ways. */
  readonly fails: (count: number, kinds: readonly AnswerKind[]) => Promise<void>;
  /** When so many requests wait for an answer of this node. */
  readonly waitsFor: (node: Address, count: number) => Promise<void>;
  /** When each chain that lives has rotated from now on. */
  readonly allRotate: (times?: number) => Promise<void>;
  /**
   * From now on all is well: each chain rotates once more, and then its previous token is presented, which must end it. No request is in
   * flight afterwards.
   */
  readonly finish: () => Promise<History>;
  /** Ends it without a judgement, after a failure. */
  readonly abandon: () => void;
};

type Chain = {
  readonly id: number;
  newest: string;
  before: string | null;
  alive: boolean;
  rotations: number;
  /** Presents its token twice concurrently now and then. */
  readonly doubles: boolean;
};

const PAUSE_MILLISECONDS = 50;
/** Of those that double, every so manieth rotation. */
const DOUBLE_EVERY = 12;
/** And every so manieth chain is one of those. */
const DOUBLES_EVERY = 8;

/** @param tokens first tokens of fresh chains. */
export function startLoad(nodes: readonly Address[], client: Credentials, tokens: readonly string[]): Load {
  const presentations: Presentation[] = [];
  const counts: Partial<Record<AnswerKind, number>> = {};
  let at = 0;
  let turn = 0;
  let stopping = false;
  const chains = tokens.map((newest, id): Chain => {
    return { id, newest, before: null, alive: true, rotations: 0, doubles: id % DOUBLES_EVERY === 0 };
  });

  async function ask(chain: Chain, token: string, node: Address): Promise<Answer> {
    const begunAt = ++at;
    node.waiting++;
    const answer = await present(node, client, token);
    node.waiting--;
    counts[answer.kind] = (counts[answer.kind] ?? 0) + 1;
    presentations.push({ chain: chain.id, token, node: node.name, begunAt, endedAt: ++at, answer });
    if (answer.kind === 'refused') chain.alive = false;
    if (answer.kind === 'issued') {
      chain.before = token;
      chain.newest = answer.token;
      chain.rotations++;
    }
    return answer;
  }

  /** In turns; null: no node is in traffic. */
  function next(): Address | null {
    const open = nodes.filter(({ inTraffic }) => inTraffic);
    return open[turn++ % Math.max(1, open.length)] ?? null;
  }

  async function step(chain: Chain): Promise<void> {
    const node = next();
    if (node === null) return void (await sleep(PAUSE_MILLISECONDS));
    const token = chain.newest;
    const twice = chain.doubles && chain.rotations % DOUBLE_EVERY === DOUBLE_EVERY - 1;
    const answers = await Promise.all([node, ...(twice ? [next() ?? node] : [])].map((to) => ask(chain, token, to)));
    if (answers.some(({ kind }) => kind !== 'issued' && kind !== 'refused')) await sleep(PAUSE_MILLISECONDS);
  }

  async function live(chain: Chain): Promise<void> {
    while (chain.alive && !stopping) await step(chain);
  }
  const lives = chains.map(live);

  const living = () => chains.filter(({ alive }) => alive);
  const total = (kinds: readonly AnswerKind[]) => kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
  const more = (count: number, kinds: readonly AnswerKind[]) => {
    const before = total(kinds);
    return until(() => total(kinds) - before >= count || noneIsLeft());
  };
  /** No answer would ever come. */
  function noneIsLeft(): boolean {
    if (living().length === 0) throw new Error(`No chain is left: ${JSON.stringify(counts)}`);
    return false;
  }

  async function allRotate(times = 1): Promise<void> {
    const before = new Map(chains.map((chain) => [chain, chain.rotations]));
    await until(() => living().every((chain) => chain.rotations >= (before.get(chain) ?? 0) + times) || noneIsLeft());
  }

  return {
    rotates: (count) => more(count, ['issued']),
    fails: more,
    waitsFor: (node, count) => until(() => node.waiting >= count || noneIsLeft()),
    allRotate,
    finish: async () => {
      const healedAt = ++at;
      // The first of them may have been on its way.
      await allRotate(2);
      stopping = true;
      await Promise.all(lives);
      // Each repeated token was used, so each of these ends its chain.
      await Promise.all(
        living().map(async (chain) => {
          const { before, newest } = chain;
          const [first = null, second = null] = nodes;
          if (before === null || first === null) return;
          await ask(chain, before, first);
          await ask(chain, newest, second ?? first);
        }),
      );
      return { first: new Map(tokens.map((token, id) => [id, token])), presentations, healedAt };
    },
    abandon: () => {
      stopping = true;
    },
  };
}
