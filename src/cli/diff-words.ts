/** A comparison of two sides as text, as Markdown for a pull request, and as JSON. */
import type { BacktestDocument } from '../backtest/backtest.ts';
import type { Comparison } from '../review/diff/compare.ts';
import { holds } from '../review/proof/prove.ts';
import { backtestMarkdown, backtestText } from './backtest-words.ts';
import { json } from './output.ts';
import { proofDocument, proofText } from './proof-words.ts';

const shown = (value: unknown) => (value === null ? 'nothing' : String(value));

const isEmpty = ({ machines, policies, configuration }: Comparison) =>
  machines.length + policies.length + configuration.length === 0;

const NOT_PROVED =
  'No machine has changed, so none was proved again: statehouse diff without --backtest proves them under the new policies.\n';

const allProofs = ({ proofs, proofsForEveryPolicy }: Comparison) => [...proofs, ...proofsForEveryPolicy];

export function diffText(comparison: Comparison, backtest: BacktestDocument | null = null): string {
  const { from, to, machines, policies, configuration, refused } = comparison;
  const proofs = allProofs(comparison);
  const sections: (readonly [string, readonly string[]])[] = [
    ['machines', machines.map(({ machine, kind, where, words }) => `${machine}, ${where}: ${kind}: ${words}`)],
    [
      'lifetimes',
      policies.map(({ policy, key, from, to, means }) => `${policy}.${key}: ${shown(from)} → ${shown(to)}. ${means}`),
    ],
    [
      'other configuration',
      configuration.map(
        ({ key, from, to, means }) => `${key}: ${shown(from)} → ${shown(to)}${means ? `. ${means}` : ''}`,
      ),
    ],
  ];
  const filled = sections.filter(([, lines]) => lines.length > 0);
  return [
    `${from} → ${to}\n`,
    ...(isEmpty(comparison) ? ['Nothing differs.\n'] : []),
    ...filled.map(([title, lines]) => `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`),
    ...(refused === null ? proofs.map(proofText) : [`The server would not start: ${refused}\n`]),
    ...(backtest === null ? [] : [backtestText(backtest), ...(proofs.length === 0 ? [NOT_PROVED] : [])]),
  ].join('\n');
}

/** `|` and line ends would break a table; other texts are our own or shown as code. */
const cell = (value: unknown) =>
  shown(value)
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|');
const code = (value: unknown) => `\`${cell(value).replaceAll('`', "'")}\``;

export function diffMarkdown(comparison: Comparison, backtest: BacktestDocument | null = null): string {
  const { from, to, machines, policies, configuration, refused } = comparison;
  const proofs = allProofs(comparison);
  const table = (title: string, head: readonly string[], rows: readonly (readonly string[])[]) =>
    rows.length === 0
      ? []
      : [
          `### ${title}`,
          '',
          `| ${head.join(' | ')} |`,
          `| ${head.map(() => '---').join(' | ')} |`,
          ...rows.map((row) => `| ${row.join(' | ')} |`),
          '',
        ];
  const verdicts = proofs.flatMap(({ policy, walk, verdicts }) =>
    verdicts.map(({ invariant, violation }) => [
      cell(policy ?? `every (${walk.of})`),
      cell(invariant.says),
      violation ? `**broken**: ${cell(violation.words)}` : 'holds',
    ]),
  );
  return [
    `## ${code(from)} → ${code(to)}`,
    '',
    ...(isEmpty(comparison) ? ['Nothing differs.', ''] : []),
    ...table(
      'Machines',
      ['machine', 'where', 'what', 'which'],
      machines.map(({ machine, where, kind, words }) => [cell(machine), cell(where), cell(kind), code(words)]),
    ),
    ...table(
      'Lifetimes',
      ['policy', 'key', 'from', 'to', 'effect on active chains'],
      policies.map(({ policy, key, from, to, means }) => [cell(policy), code(key), cell(from), cell(to), cell(means)]),
    ),
    ...table(
      'Other configuration',
      ['key', 'from', 'to', 'effect on active chains'],
      configuration.map(({ key, from, to, means }) => [code(key), code(from), code(to), cell(means ?? '')]),
    ),
    ...(refused === null
      ? table('Invariants, decided for the new side', ['policy', 'invariant', 'verdict'], verdicts)
      : [`**The server would not start:** ${cell(refused)}`, '']),
    ...(backtest === null ? [] : [backtestMarkdown(backtest)]),
  ].join('\n');
}

export function diffDocument(
  { proofsForEveryPolicy, ...comparison }: Comparison,
  backtest: BacktestDocument | null = null,
): string {
  const all = allProofs({ ...comparison, proofsForEveryPolicy });
  return json({
    ...comparison,
    ok: comparison.refused === null && all.every(holds),
    proofs: comparison.proofs.map(proofDocument),
    proofs_for_every_policy: proofsForEveryPolicy.map(proofDocument),
    ...(backtest && { backtest }),
  });
}
