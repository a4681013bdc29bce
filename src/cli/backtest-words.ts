/** A backtest as text, and as Markdown for a pull request. */
import type { BacktestDocument } from '../backtest/backtest.ts';

type Counted = { readonly client_id?: string; readonly total: number } & (
  | { readonly end_now: number }
  | { readonly refused: number; readonly following: number }
);
type Part = {
  readonly by_reason: readonly { readonly reason: string; readonly count: number }[];
  readonly by_client: readonly Counted[];
  readonly other_clients: Counted | null;
};

const PARTS = [
  ['living_chains', 'chains that end now'],
  ['living_codes', 'unused codes that end now'],
  ['refreshes', 'refused refreshes'],
  ['code_exchanges', 'refused exchanges of codes'],
] as const;

const partsOf = (document: BacktestDocument): readonly (readonly [string, Part])[] =>
  PARTS.map(([key, title]) => [title, document[key]] as const).filter(
    ([, { by_reason: reasons }]) => reasons.length > 0,
  );

const numbersOf = (counted: Counted): string =>
  'end_now' in counted
    ? `${counted.end_now} of ${counted.total}`
    : `${counted.refused} of ${counted.total}, and ${counted.following} later ones`;

const rowsOf = ({ by_reason: reasons, by_client: clients, other_clients: others }: Part) => [
  ...reasons.map(({ reason, count }): [string, string] => [reason, String(count)]),
  ...clients.map((counted): [string, string] => [`client ${counted.client_id}`, numbersOf(counted)]),
  ...(others ? [['other clients', numbersOf(others)] as [string, string]] : []),
];

const titleOf = ({ period: { from, to } }: BacktestDocument): string => `backtest, ${from} to ${to}`;

export function backtestText(document: BacktestDocument): string {
  const { says, not_replayed: not } = document;
  const lines = [
    titleOf(document),
    ...says.map((sentence) => `  ${sentence}`),
    ...partsOf(document).flatMap(([title, part]) => [
      `${title}`,
      ...rowsOf(part).map(([what, numbers]) => `  ${what}: ${numbers}`),
    ]),
    'not part of these numbers',
    ...not.map((sentence) => `  ${sentence}`),
  ];
  return `${lines.join('\n')}\n`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('`', "'");

export function backtestMarkdown(document: BacktestDocument): string {
  const { says, not_replayed: not } = document;
  return [
    `### ${titleOf(document)}`,
    '',
    ...says.map((sentence) => `- ${sentence}`),
    '',
    ...partsOf(document).flatMap(([title, part]) => [
      `| ${title} | |`,
      '| --- | --- |',
      ...rowsOf(part).map(([what, numbers]) => `| \`${cell(what)}\` | ${numbers} |`),
      '',
    ]),
    'Not part of these numbers:',
    '',
    ...not.map((sentence) => `- ${sentence}`),
    '',
  ].join('\n');
}
