/** A comparison of two sides as text, as Markdown for a pull request, and as JSON. */
import type { Comparison } from '../review/diff/compare.ts';
import { holds } from '../review/proof/prove.ts';
import { json } from './output.ts';
import { proofDocument, proofText } from './proof-words.ts';

const shown = (value: unknown) => (value === null ? 'nothing' : String(value));

const isEmpty = ({ machines, policies, configuration }: Comparison) =>
  machines.length + policies.length + configuration.length === 0;

const allProofs = ({ proofs, proofsForEveryPolicy }: Comparison) => [...proofs, ...proofsForEveryPolicy];

export function diffText(comparison: Comparison): string {
  const { from, to, machines, policies, configuration, refused } = comparison;
  const proofs = allProofs(comparison);
  const sections: (readonly [string, readonly string[]])[] = [
    ['machines', machines.map(({ machine, kind, where, words }) => `${machine}, ${where}: ${kind}: ${words}`)],
    [
      'lifetimes',
      policies.map((one) => `${one.policy}.${one.key}: ${shown(one.from)} → ${shown(one.to)}. ${one.means}`),
    ],
    ['other configuration', configuration.map((one) => `${one.key}: ${shown(one.from)} → ${shown(one.to)}`)],
  ];
  const said = sections.filter(([, lines]) => lines.length > 0);
  return [
    `${from} → ${to}\n`,
    ...(isEmpty(comparison) ? ['Nothing differs.\n'] : []),
    ...said.map(([title, lines]) => `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`),
    ...(refused === null ? proofs.map(proofText) : [`The server would not start: ${refused}\n`]),
  ].join('\n');
}

/** `|` and line ends would break a table; the rest is ours or is shown as code. */
const cell = (value: unknown) =>
  shown(value)
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|');
const code = (value: unknown) => `\`${cell(value).replaceAll('`', "'")}\``;

export function diffMarkdown(comparison: Comparison): string {
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
      machines.map((one) => [cell(one.machine), cell(one.where), cell(one.kind), code(one.words)]),
    ),
    ...table(
      'Lifetimes',
      ['policy', 'key', 'from', 'to', 'what it means for chains alive today'],
      policies.map((one) => [cell(one.policy), code(one.key), cell(one.from), cell(one.to), cell(one.means)]),
    ),
    ...table(
      'Other configuration',
      ['key', 'from', 'to'],
      configuration.map((one) => [code(one.key), code(one.from), code(one.to)]),
    ),
    ...(refused === null
      ? table('Invariants, decided for the new side', ['policy', 'invariant', 'verdict'], verdicts)
      : [`**The server would not start:** ${cell(refused)}`, '']),
  ].join('\n');
}

export function diffDocument({ proofsForEveryPolicy, ...comparison }: Comparison): string {
  const all = allProofs({ ...comparison, proofsForEveryPolicy });
  return json({
    ...comparison,
    ok: comparison.refused === null && all.every(holds),
    proofs: comparison.proofs.map(proofDocument),
    proofs_for_every_policy: proofsForEveryPolicy.map(proofDocument),
  });
}
