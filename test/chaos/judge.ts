/**
 * Names each broken promise, from what clients saw and what the database holds in the end. It has no knowledge of a server: a rule is a
 * sentence about one chain.
 */
import {
  type AnswerKind,
  type History,
  isUncertain,
  type Place,
  type Presentation,
  type StoredChain,
} from './history.ts';

export type Promised = {
  /** How requests may fail; a refusal always has to have a cause. */
  readonly failures: readonly AnswerKind[];
  /** Commits that the standby did not have are gone: acknowledged rotations may be missing, and then their chain ends. */
  readonly forgets: boolean;
};

export type Problem = { readonly rule: string; readonly chain: number; readonly says: string };

export type Verdict = {
  readonly problems: readonly Problem[];
  readonly answers: Readonly<Partial<Record<AnswerKind, number>>>;
  readonly chains: number;
  /** Ended, each with a cause. */
  readonly ended: number;
  /** Had an acknowledged rotation that is missing from the database. */
  readonly forgotten: number;
};

type Issue = Presentation & { readonly answer: { readonly kind: 'issued'; readonly token: string } };
type Refusal = Presentation & { readonly answer: { readonly kind: 'refused' } };

type Chain = {
  readonly first: string;
  readonly all: readonly Presentation[];
  readonly issued: readonly Issue[];
  readonly refused: readonly Refusal[];
  readonly uncertain: readonly Presentation[];
  /** Presented again although it was used, or twice concurrently. */
  readonly repeated: readonly Presentation[];
  /** The acknowledged token of the highest generation. */
  readonly newest: Place;
  readonly stored: StoredChain | null;
  readonly read: (token: string) => Place;
  readonly healedAt: number;
};

/** @returns the problem, in words; null: none. */
type Rule = (chain: Chain, promised: Promised) => string | null;

const RULES: Readonly<Record<string, Rule>> = {
  'one token is issued upon once': ({ issued }) => {
    const twice = issued.find((one) => issued.some((other) => other !== one && other.token === one.token));
    return twice ? `two answers issued upon the token of generation ${twice.token.slice(-12)}` : null;
  },
  'a chain has one head': ({ issued, read }) => {
    const heads = new Map<number, string>();
    for (const { answer } of issued) {
      const { generation } = read(answer.token);
      const known = heads.get(generation);
      if (known !== undefined && known !== answer.token) return `two tokens of generation ${generation}`;
      heads.set(generation, answer.token);
    }
    return null;
  },
  'a successor is the next generation': ({ issued, read }) => {
    const wrong = issued.find(({ token, answer }) => read(answer.token).generation !== read(token).generation + 1);
    return wrong ? `${read(wrong.token).generation} was followed by ${read(wrong.answer.token).generation}` : null;
  },
  'what was acknowledged is stored': ({ newest, stored }, { forgets }) => {
    if (stored === null) return 'the chain is gone';
    if (stored.generation < newest.generation) {
      return forgets ? null : `acknowledged generation ${newest.generation}, stored ${stored.generation}`;
    }
    const isOther = stored.generation === newest.generation && stored.nonce !== newest.nonce;
    return isOther ? `another token of generation ${newest.generation} is stored` : null;
  },
  'what was not acknowledged was at least asked for': ({ newest, stored, uncertain }) => {
    const ahead = (stored?.generation ?? 0) - newest.generation;
    return ahead > uncertain.length ? `${ahead} ahead of the client, after ${uncertain.length} lost answers` : null;
  },
  'the ledger has each generation once': ({ stored }) => {
    const expected = Array.from({ length: (stored?.generation ?? -1) + 1 }, (_, generation) => generation);
    const found = [...(stored?.ledger ?? [])].sort((one, other) => one - other);
    return found.join() === expected.join() ? null : `generations ${found.join()} of ${expected.length}`;
  },
  'a refusal has a cause': ({ refused, uncertain, repeated, stored }, { forgets }) => {
    const causes = [...uncertain, ...repeated];
    const isBehind = forgets && stored?.reason === 'chain_behind_token';
    const wrong = refused.find(
      ({ answer, endedAt }) =>
        answer.error !== 'invalid_grant' || !(isBehind || causes.some(({ begunAt }) => begunAt < endedAt)),
    );
    return wrong ? `${wrong.answer.status} ${wrong.answer.error} for a token that was good` : null;
  },
  'an ended chain stays ended': ({ issued, refused }, { forgets }) => {
    if (forgets) return null;
    const late = issued.find(({ begunAt }) => refused.some(({ endedAt }) => endedAt < begunAt));
    return late ? 'issued after the chain had ended' : null;
  },
  'a chain ends for a reason that it had': ({ stored, newest, refused, uncertain, repeated }, { forgets }) => {
    if (stored === null) return null;
    const isForgotten = forgets && stored.generation < newest.generation;
    if (stored.state === 'active') return refused.length > 0 && !forgets ? 'it was refused, and is active' : null;
    const reasons = forgets ? ['refresh_token_reused', 'chain_behind_token'] : ['refresh_token_reused'];
    if (!reasons.includes(stored.reason ?? '')) return `ended: ${stored.reason}`;
    return uncertain.length + repeated.length > 0 || isForgotten ? null : `ended without a cause: ${stored.reason}`;
  },
  'what is forgotten ends at the next presentation': ({ stored, newest, refused }) =>
    stored !== null && stored.generation < newest.generation && refused.length > 0 && stored.state === 'active'
      ? 'the database is behind the client, and the chain lives'
      : null,
  'every failure is one of those that are promised': ({ all }, { failures }) => {
    const wrong = all.find(
      ({ answer }) => answer.kind !== 'issued' && answer.kind !== 'refused' && !failures.includes(answer.kind),
    );
    if (!wrong) return null;
    return wrong.answer.kind === 'unclear' ? wrong.answer.says : wrong.answer.kind;
  },
  'once all is well, a chain continues': ({ issued, refused, healedAt }) =>
    refused.length === 0 && !issued.some(({ begunAt }) => begunAt > healedAt) ? 'nothing was issued any more' : null,
};

export function judge(
  history: History,
  stored: ReadonlyMap<number, StoredChain>,
  read: (token: string) => Place,
  promised: Promised,
): Verdict {
  const problems: Problem[] = [];
  let ended = 0;
  let forgotten = 0;
  const byChain = Map.groupBy(history.presentations, ({ chain }) => chain);
  for (const [id, first] of history.first) {
    const chain = chainOf(first, byChain.get(id) ?? [], stored.get(id) ?? null, read, history.healedAt);
    if (chain.refused.length > 0) ended++;
    if (chain.stored !== null && chain.stored.generation < chain.newest.generation) forgotten++;
    for (const [rule, broken] of Object.entries(RULES)) {
      const says = broken(chain, promised);
      if (says !== null) problems.push({ rule, chain: id, says });
    }
  }
  const answers: Partial<Record<AnswerKind, number>> = {};
  for (const { answer } of history.presentations) answers[answer.kind] = (answers[answer.kind] ?? 0) + 1;
  return { problems, answers, chains: history.first.size, ended, forgotten };
}

function chainOf(
  first: string,
  all: readonly Presentation[],
  stored: StoredChain | null,
  read: (token: string) => Place,
  healedAt: number,
): Chain {
  const issued = all.filter((one): one is Issue => one.answer.kind === 'issued');
  const acknowledged = [first, ...issued.map(({ answer }) => answer.token)].map(read);
  return {
    first,
    all,
    issued,
    refused: all.filter((one): one is Refusal => one.answer.kind === 'refused'),
    uncertain: all.filter(isUncertain),
    repeated: all.filter((one) => issued.some((other) => isRepeated(one, other))),
    newest: acknowledged.reduce((newest, place) => (place.generation > newest.generation ? place : newest)),
    stored,
    read,
    healedAt,
  };
}

/** The same token again, immediately or later. */
const isRepeated = (one: Presentation, issued: Issue): boolean =>
  one !== issued && one.token === issued.token && one.endedAt > issued.begunAt;

/** The names of all rules, for the tests of the judge. */
export const ruleNames: readonly string[] = Object.keys(RULES);
