/** The result of a verification, as text and as a document. */
import { problemWords } from '../ledger/problem-words.ts';
import type { Problem, Verified } from '../ledger/verify.ts';

export type VerifiedAnywhere = Verified & {
  /** Lines that are in no segment yet; null: a file. */
  readonly open: number | null;
};

/** More than a person reads; --json has all. */
const MOST_SHOWN = 100;

export function verifiedWords(
  { problems, segments, lines, first, head, removedByRetention, open }: VerifiedAnywhere,
  isStored: boolean,
): string {
  const shown = problems.slice(0, MOST_SHOWN).map((problem) => `${wordsOf(problem)}\n`);
  const more = problems.length > MOST_SHOWN ? [`… and ${problems.length - MOST_SHOWN} more (--json shows all)\n`] : [];
  const facts = [
    `${segments} segments${first === null ? '' : `, the first is ${first}`}; ${lines} lines in them`,
    ...(removedByRetention > 0 ? [`${removedByRetention} lines were removed by retention`] : []),
    ...(open === null ? [] : [`${open} lines are in no segment yet`]),
    ...(head === null ? [] : [`the newest segment is ${head.number}:${head.digest}, closed at ${head.sealedAt}`]),
    ...(problems.length > 0
      ? []
      : [isStored && head === null ? 'nothing to verify yet' : 'nothing was changed, added or removed']),
  ];
  return [...shown, ...more, ...facts.map((fact) => `${fact}\n`)].join('');
}

/** @param entries counted up to 1000. */
export const defaultEntriesWords = (entries: number): string =>
  `${entries >= 1000 ? '1000 or more' : entries} ${entries === 1 ? 'entry' : 'entries'} of the ledger in the default partition, where retention does not ` +
  'reach them: run "statehouse migrate" as the owner of the tables (docs/ledger.md, "Retention")';

/** A key that is not known says nothing of a change. */
export const changesIn = ({ problems }: Verified) => problems.filter(({ problem }) => problem !== 'key_unknown');

export const foundIn = (problems: number): string =>
  `The ledger is not as it was written: ${problems} ${problems === 1 ? 'problem' : 'problems'}. See docs/ledger.md.`;

export const notCheckedIn = (seals: number): string =>
  `Nothing was found to be changed, and ${seals} ${seals === 1 ? 'segment is' : 'segments are'} signed by a key that is not among those you trust. A server under another root secret ` +
  'signed them, or an attacker who can write to the database did. Name the public keys of that root secret with --key, or their thumbprints ' +
  'with --trust (docs/ledger.md, "When the root secret changes").';

export const verifiedDocument = (verified: VerifiedAnywhere) => ({
  verified: verified.problems.length === 0,
  problems: verified.problems,
  segments: verified.segments,
  first_segment: verified.first,
  lines: verified.lines,
  lines_removed_by_retention: verified.removedByRetention,
  open_lines: verified.open,
  head: verified.head && {
    segment: verified.head.number,
    digest: verified.head.digest,
    sealed_at: verified.head.sealedAt,
  },
});

/** The options that help, too. */
function wordsOf(problem: Problem): string {
  const words = problemWords(problem, '--head');
  if (problem.problem !== 'key_unknown') return words;
  return `${words}: see --key${problem.public_key === null ? '' : ' and --trust'}`;
}
