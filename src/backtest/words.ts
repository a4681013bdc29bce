/** The sentences of a backtest, for engineers who read them in a terminal, a pull request or the console. */
import type { Period } from '../storage/backtest-rows.ts';
import type { Tally } from './counts.ts';
import type { Living } from './living.ts';
import type { Replay } from './replay.ts';

export type Backtested = {
  readonly now: Date;
  readonly period: Period;
  /** Null: the ledger is empty. */
  readonly ledgerBeginsAt: Date | null;
  readonly living: Living;
  readonly replayed: Replay;
};

const number = (count: number): string => count.toLocaleString('en-US');
const plural = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;
const verb = (count: number, one: string, many: string): string => (count === 1 ? one : many);

export function livingWords({ chains, codes, narrowed }: Living): readonly string[] {
  return [
    `${number(chains.refused)} of ${plural(chains.total, 'chain')} ${verb(chains.refused, 'ends', 'end')} now.`,
    ...(narrowed > 0
      ? [`${plural(narrowed, 'chain')} ${verb(narrowed, 'continues', 'continue')} with a smaller scope.`]
      : []),
    ...(codes.refused > 0
      ? [`${number(codes.refused)} of ${plural(codes.total, 'unused code')} ${verb(codes.refused, 'ends', 'end')} now.`]
      : []),
  ];
}

export const replayWords = ({ refreshes, exchanges }: Replay): readonly string[] => [
  ...wordsOf(refreshes, 'refresh', 'refreshes'),
  ...wordsOf(exchanges, 'exchange of a code', 'exchanges of codes'),
];

const wordsOf = ({ total, refused, following, refusedBefore }: Tally, one: string, many: string): readonly string[] => [
  `Of ${plural(total, one, many)}, the server would have refused ${number(refused)}.`,
  ...(following > 0
    ? [
        `${plural(following, 'later one', 'later ones')} would not have come: ${verb(following, 'its', 'their')} grants had been refused before.`,
      ]
    : []),
  ...(refusedBefore > 0
    ? [
        `The old configuration refuses ${number(refusedBefore)} of them, too: it was not in force then, or ${verb(refusedBefore, 'its client was', 'their clients were')} another.`,
      ]
    : []),
];

export function notReplayedWords({ period, ledgerBeginsAt, living, replayed }: Backtested): readonly string[] {
  return [
    ...(living.complete && replayed.complete
      ? []
      : [
          'The time of the request ended first: the numbers are of a part. "statehouse diff --backtest" has no such limit.',
        ]),
    ...(ledgerBeginsAt === null || ledgerBeginsAt > period.from
      ? [
          ledgerBeginsAt === null
            ? 'The ledger is empty.'
            : `The ledger begins at ${ledgerBeginsAt.toISOString()}: it has nothing of the period before.`,
        ]
      : []),
    ...(replayed.unknownTimes > 0
      ? [
          `${plural(replayed.unknownTimes, 'presentation')}: the ledger does not have the approval or the use before. The missing time counts as in time.`,
        ]
      : []),
    ...(replayed.timesAlone > 0
      ? [
          `${plural(replayed.timesAlone, 'presentation')} of grants whose rows were removed after their end: lifetimes and grant types decide them, scope and resources do not.`,
        ]
      : []),
    'Requests that the server refused then: the ledger has accepted ones alone. So a longer lifetime changes no number.',
    'Scope and resource of a single token request: the replay asks for all that was granted.',
    'Sign-ins, consents and authorization requests.',
  ];
}
