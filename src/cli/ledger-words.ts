/** What verification found, in words and as a document. */
import type { Problem, Verified } from '../ledger/verify.ts';

export type VerifiedAnywhere = Verified & {
  /** Lines that are in no stretch yet; null: a file. */
  readonly open: number | null;
};

/** More than a person reads; --json has all. */
const MOST_SHOWN = 100;

export function verifiedWords(
  { problems, stretches, lines, first, head, removedByRetention, open }: VerifiedAnywhere,
  isStored: boolean,
): string {
  const shown = problems.slice(0, MOST_SHOWN).map((problem) => `${wordsOf(problem)}\n`);
  const more = problems.length > MOST_SHOWN ? [`… and ${problems.length - MOST_SHOWN} more (--json shows all)\n`] : [];
  const facts = [
    `${stretches} stretches${first === null ? '' : `, the first is ${first}`}; ${lines} lines in them`,
    ...(removedByRetention > 0 ? [`${removedByRetention} lines were removed by retention`] : []),
    ...(open === null ? [] : [`${open} lines are in no stretch yet`]),
    ...(head === null ? [] : [`the newest stretch is ${head.number}:${head.digest}, closed at ${head.sealedAt}`]),
    ...(problems.length > 0
      ? []
      : [isStored && head === null ? 'nothing to verify yet' : 'nothing was changed, added or removed']),
  ];
  return [...shown, ...more, ...facts.map((fact) => `${fact}\n`)].join('');
}

export const foundIn = ({ problems }: Verified): string =>
  `The ledger is not as it was written: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}. See docs/ledger.md.`;

export const verifiedDocument = (verified: VerifiedAnywhere) => ({
  verified: verified.problems.length === 0,
  problems: verified.problems,
  stretches: verified.stretches,
  first_stretch: verified.first,
  lines: verified.lines,
  lines_removed_by_retention: verified.removedByRetention,
  open_lines: verified.open,
  head: verified.head && {
    stretch: verified.head.number,
    digest: verified.head.digest,
    sealed_at: verified.head.sealedAt,
  },
});

function wordsOf(problem: Problem): string {
  const where = problem.stretch === null ? 'no stretch' : `stretch ${problem.stretch}`;
  switch (problem.problem) {
    case 'line_changed':
      return `${where}: line ${problem.line} (${problem.month}) was changed`;
    case 'line_added':
      return `${where}: line ${problem.line} (${problem.month}) was added`;
    case 'line_removed':
      return `${where}: line ${problem.line} (${problem.month}) was removed`;
    case 'lines_differ':
      return `${where}: lines of ${problem.month} differ; its index was changed too, so they cannot be named`;
    case 'index_changed':
      return `${where}: its index was changed; its lines of ${problem.month} are as they were`;
    case 'month_removed':
      return `${where}: all ${problem.lines} lines of ${problem.month} were removed, though they were to be kept`;
    case 'stretch_changed':
      return `${where} was changed, or is not from this server`;
    case 'stretch_before_changed':
      return `${where} does not follow the stretch before it: one of them was replaced`;
    case 'stretch_removed':
      return `${where} was removed`;
    case 'key_unknown':
      return `${where} is signed with a key that is not known here (${problem.key}): see --key`;
    case 'head_differs':
      return `${where} is not what --head names: it was replaced`;
  }
}
