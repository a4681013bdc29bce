/** The judge by itself: an honest server has no problem, and a rule detects each lie. */
import { describe, expect, test } from 'vitest';
import type { Answer, AnswerKind, History, Presentation, StoredChain } from './history.ts';
import { judge, ruleNames } from './judge.ts';

/** A server of a few lines, with a database that lies on request. Tokens are GENERATION-NAME. */
const read = (token: string) => {
  const [generation = '', nonce = ''] = token.split('-');
  return { generation: Number(generation), nonce };
};

type Life = {
  readonly says: readonly [token: string, answer: Answer, at?: readonly [number, number]][];
  readonly stored: Partial<StoredChain>;
  readonly healedAt?: number;
};
const issued = (token: string): Answer => ({ kind: 'issued', token });
const refused: Answer = { kind: 'refused', status: 400, error: 'invalid_grant' };
const failed = (kind: Exclude<AnswerKind, 'issued' | 'refused' | 'unclear'>): Answer => ({ kind });

const HONEST: Life = {
  says: [
    ['0-a', issued('1-b')],
    ['1-b', failed('try-again')],
    ['1-b', issued('2-c')],
  ],
  stored: { generation: 2, nonce: 'c', ledger: [2, 0, 1] },
};
const ALL: readonly AnswerKind[] = ['try-again', 'unknown', 'cut', 'not-sent'];

function problemsOf({ says, stored, healedAt = 0 }: Life, failures = ALL, forgets = false): string[] {
  const presentations: Presentation[] = says.map(([token, answer, at], place) => ({
    chain: 7,
    token,
    node: 'one',
    begunAt: at?.[0] ?? 2 * place + 1,
    endedAt: at?.[1] ?? 2 * place + 2,
    answer,
  }));
  const history: History = { first: new Map([[7, '0-a']]), presentations, healedAt };
  const kept = { state: 'active', reason: null, generation: 0, nonce: 'a', ledger: [0], ...stored };
  return judge(history, new Map([[7, kept]]), read, { failures, forgets }).problems.map(({ rule }) => rule);
}

const ended = { state: 'revoked', reason: 'refresh_token_reused' };
const at = (generation: number, nonce: string): Partial<StoredChain> => ({
  generation,
  nonce,
  ledger: Array.from({ length: generation + 1 }, (_, reached) => reached),
});

describe('finds no problem in', () => {
  test.each<[string, Life]>([
    ['an honest chain', HONEST],
    [
      'a lost answer that was committed, and the reuse after it',
      {
        says: [
          ['0-a', failed('cut')],
          ['0-a', refused],
        ],
        stored: { ...at(1, 'b'), ...ended },
      },
    ],
    [
      'a lost answer that was not committed',
      {
        says: [
          ['0-a', failed('unknown')],
          ['0-a', issued('1-b')],
        ],
        stored: at(1, 'b'),
      },
    ],
    [
      'a token that was presented twice, concurrently',
      {
        says: [
          ['0-a', issued('1-b'), [1, 4]],
          ['0-a', refused, [2, 3]],
        ],
        stored: { ...at(1, 'b'), ...ended },
      },
    ],
    [
      'a used token that is refused',
      {
        says: [
          ['0-a', issued('1-b')],
          ['0-a', refused],
          ['1-b', refused],
        ],
        stored: { ...at(1, 'b'), ...ended },
      },
    ],
  ])('%s', (_, life) => {
    expect(problemsOf(life)).toEqual([]);
  });

  test('a forgotten rotation, where the scenario permits it', () => {
    const life: Life = {
      says: [
        ['0-a', issued('1-b')],
        ['1-b', refused],
      ],
      stored: { ...at(0, 'a'), state: 'revoked', reason: 'chain_behind_token' },
    };
    expect(problemsOf(life, ALL, true)).toEqual([]);
    expect(problemsOf(life)).not.toEqual([]);
    // Forgetting explains no other end.
    expect(problemsOf({ ...life, stored: { ...at(1, 'b'), ...ended } }, ALL, true)).not.toEqual([]);
    expect(problemsOf({ ...HONEST, stored: { ...at(2, 'c'), ...ended } }, ALL, true)).not.toEqual([]);
  });
});

describe('finds', () => {
  const LIES: readonly [string, string, Life][] = [
    [
      'a server that issues twice',
      'one token is issued upon once',
      {
        says: [
          ['0-a', issued('1-b')],
          ['0-a', issued('1-c')],
        ],
        stored: at(1, 'c'),
      },
    ],
    [
      'two heads',
      'a chain has one head',
      {
        says: [
          ['0-a', issued('1-b')],
          ['1-b', issued('2-c')],
          ['1-b', issued('2-d')],
        ],
        stored: at(2, 'd'),
      },
    ],
    [
      'a generation that is skipped',
      'a successor is the next generation',
      { says: [['0-a', issued('2-b')]], stored: at(2, 'b') },
    ],
    ['a lost acknowledged token', 'what was acknowledged is stored', { ...HONEST, stored: at(1, 'b') }],
    ['another head than the client received', 'what was acknowledged is stored', { ...HONEST, stored: at(2, 'x') }],
    [
      'a rotation without a request',
      'what was not acknowledged was at least asked for',
      { ...HONEST, stored: at(3, 'd') },
    ],
    [
      'a ledger without a rotation',
      'the ledger has each generation once',
      { ...HONEST, stored: { ...at(2, 'c'), ledger: [0, 2] } },
    ],
    [
      'a ledger with a rotation twice',
      'the ledger has each generation once',
      { ...HONEST, stored: { ...at(2, 'c'), ledger: [0, 1, 2, 2] } },
    ],
    [
      'a good token that is refused',
      'a refusal has a cause',
      { says: [...HONEST.says, ['2-c', refused]], stored: { ...at(2, 'c'), ...ended } },
    ],
    [
      'a reuse after "nothing was changed"',
      'a refusal has a cause',
      {
        says: [
          ['0-a', failed('try-again')],
          ['0-a', refused],
        ],
        stored: { ...at(1, 'b'), ...ended },
      },
    ],
    [
      'a client that is suddenly unknown',
      'a refusal has a cause',
      {
        says: [...HONEST.says, ['2-c', { kind: 'refused', status: 401, error: 'invalid_client' }]],
        stored: at(2, 'c'),
      },
    ],
    [
      'a dead chain that issues',
      'an ended chain stays ended',
      {
        says: [
          ['0-a', failed('cut')],
          ['0-a', refused],
          ['0-a', issued('1-b')],
        ],
        stored: { ...at(1, 'b'), ...ended },
      },
    ],
    [
      'a reuse that leaves the chain alive',
      'a chain ends for a reason that it had',
      {
        says: [
          ['0-a', issued('1-b')],
          ['0-a', refused],
        ],
        stored: at(1, 'b'),
      },
    ],
    [
      'an end without a reuse',
      'a chain ends for a reason that it had',
      { ...HONEST, stored: { ...at(2, 'c'), ...ended } },
    ],
    [
      'an end for another reason',
      'a chain ends for a reason that it had',
      { says: [['0-a', failed('cut')]], stored: { ...at(0, 'a'), state: 'revoked', reason: 'ended_by_administrator' } },
    ],
    [
      'a database behind its client, whose chain lives',
      'what is forgotten ends at the next presentation',
      {
        says: [
          ['0-a', issued('1-b')],
          ['1-b', refused],
        ],
        stored: at(0, 'a'),
      },
    ],
    [
      'an answer that says nothing',
      'every failure is one of those that are promised',
      { ...HONEST, says: [...HONEST.says, ['2-c', { kind: 'unclear', says: '500' }]] },
    ],
    [
      'a request that hangs',
      'every failure is one of those that are promised',
      { ...HONEST, says: [...HONEST.says, ['2-c', failed('hung')]] },
    ],
    ['a chain that is stuck', 'once all is well, a chain continues', { ...HONEST, healedAt: 6 }],
  ];
  test.each(LIES)('%s', (_, rule, life) => {
    expect(problemsOf(life)).toContain(rule);
  });

  test('a failure outside the promise', () => {
    expect(problemsOf(HONEST, [])).toEqual(['every failure is one of those that are promised']);
  });

  test('a missing chain', () => {
    const history: History = { first: new Map([[1, '0-a']]), presentations: [], healedAt: -1 };
    const { problems } = judge(history, new Map(), read, { failures: [], forgets: true });
    expect(problems.map(({ says }) => says)).toContain('the chain is gone');
  });

  test('a problem for each rule', () => {
    expect(new Set(LIES.map(([, rule]) => rule))).toEqual(new Set(ruleNames));
  });
});
