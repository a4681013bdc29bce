/**
 * Whether the ledger is as it was closed. Each stretch is checked against its lines, and the chain from its newest stretch back: a stretch is
 * authentic when its signature is right, or when an authentic stretch behind it vouches for it. So a root secret may leave the list.
 */
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import type { Head } from './seal.ts';
import {
  type CheckedLines,
  checkLines,
  digestOf,
  type Entry,
  type LineProblem,
  type Month,
  readStatement,
  type Statement,
  type StoredSeal,
} from './stretch.ts';

export type StretchProblem =
  | LineProblem
  /** Its statement or its signature is not what this server made. */
  | { readonly problem: 'stretch_changed' }
  /** The one before is not the one to which it was chained. */
  | { readonly problem: 'stretch_before_changed' }
  | { readonly problem: 'stretch_removed' }
  /** Signed with a key that is not known here. */
  | { readonly problem: 'key_unknown'; readonly key: string }
  /** All its lines of this month are missing, and the month was to be kept. */
  | { readonly problem: 'month_removed'; readonly month: string; readonly lines: number }
  /** The head that was named is not there. */
  | { readonly problem: 'head_differs' };

export type Problem = StretchProblem & {
  /** The number of the stretch; null: of none. */
  readonly stretch: number | null;
};

export type Verified = {
  /** Empty: nothing was found. */
  readonly problems: readonly Problem[];
  readonly stretches: number;
  readonly lines: number;
  /** Null: no stretch. */
  readonly first: number | null;
  readonly head: (Head & { readonly sealedAt: string }) | null;
  /** Lines that retention has removed, by what the stretches say. */
  readonly removedByRetention: number;
};

type Link = Head & {
  readonly statement: Statement | null;
  /** Null: the key is not known. */
  readonly isSigned: boolean | null;
  readonly missing: readonly Month[];
};

export type Verification = {
  /** @param entries its lines that are there. In ascending order of the numbers. */
  readonly add: (number: number, seal: StoredSeal, entries: readonly Entry[], lineProblems?: CheckedLines) => void;
  /**
   * @param head as it was seen elsewhere; null: it was not.
   * @param beginsAnywhere a file may begin with any stretch. The database begins with the first, or with the first that retention left.
   */
  readonly end: (options: {
    readonly now: Date;
    readonly head: Head | null;
    readonly beginsAnywhere: boolean;
  }) => Verified;
};

export function verification(keys: SealVerifier): Verification {
  const links: Link[] = [];
  const problems: Problem[] = [];
  let lines = 0;
  return {
    add: (number, seal, entries, checked) => {
      const statement = readStatement(seal);
      const isOfNumber = statement?.stretch === number;
      const isSigned = statement && isOfNumber ? keys.isRight(statement.key, seal.statement, seal.signature) : false;
      const { problems: found, missing } = checked ?? linesOf(statement, seal, entries);
      for (const problem of found) problems.push({ ...problem, stretch: number });
      links.push({ number, digest: digestOf(seal), statement, isSigned, missing });
      lines += entries.length;
    },
    end: ({ now, head, beginsAnywhere }) => {
      const isDue = dueBy(links, now);
      for (const problem of chainProblems(links)) problems.push(problem);
      if (!beginsAnywhere) problems.push(...beginningProblems(links, isDue));
      if (head !== null) problems.push(...headProblems(links, head));
      let removedByRetention = 0;
      for (const { number, missing, statement } of links) {
        // Retention removes a stretch together with the month in which it was closed, so what was exported had these lines.
        const own = beginsAnywhere ? statement?.sealed_at.slice(0, 'YYYY-MM'.length) : null;
        for (const { month, lines } of missing) {
          if (month !== own && isDue(month)) removedByRetention += lines;
          else problems.push({ problem: 'month_removed', stretch: number, month, lines });
        }
      }
      const last = links.at(-1);
      return {
        problems: problems.toSorted((left, right) => (left.stretch ?? 0) - (right.stretch ?? 0)),
        stretches: links.length,
        lines,
        first: links[0]?.number ?? null,
        head: last
          ? { number: last.number, digest: last.digest, sealedAt: last.statement?.sealed_at ?? 'unknown' }
          : null,
        removedByRetention,
      };
    },
  };
}

const linesOf = (statement: Statement | null, { index }: StoredSeal, entries: readonly Entry[]): CheckedLines =>
  statement === null ? { problems: [], missing: [] } : checkLines(statement, index, entries);

function chainProblems(links: readonly Link[]): readonly Problem[] {
  const problems: Problem[] = [];
  let behind: Behind | null = null;
  for (const link of links.toReversed()) {
    const { number, statement } = link;
    const { follows, isChained, isVouchedFor }: Chained = chainedTo(behind, link);
    const isAuthentic = link.isSigned === true || isVouchedFor;
    if (behind !== null && !follows) problems.push(...outOfTurn(number, behind.link.number));
    if (!isAuthentic) {
      problems.push(
        link.isSigned === null && statement !== null
          ? { problem: 'key_unknown', stretch: number, key: statement.key }
          : { problem: 'stretch_changed', stretch: number },
      );
    } else if (behind?.isAuthentic && follows && !isChained) {
      // Both are ours, and one of them was made for another chain.
      problems.push({ problem: 'stretch_before_changed', stretch: behind.link.number });
    }
    behind = { link, isAuthentic };
  }
  return problems;
}

type Behind = { readonly link: Link; readonly isAuthentic: boolean };
type Chained = Readonly<Record<'follows' | 'isChained' | 'isVouchedFor', boolean>>;

/** @param behind the stretch after it; null: it is the newest. */
function chainedTo(behind: Behind | null, { number, digest }: Link): Chained {
  const follows = behind?.link.number === number + 1;
  const previous = behind?.link.statement?.previous ?? null;
  const isChained = follows && previous?.digest === digest;
  return { follows, isChained, isVouchedFor: behind?.isAuthentic === true && isChained && previous?.vouched === true };
}

const outOfTurn = (number: number, next: number): readonly Problem[] =>
  next > number ? gap(number, next) : [{ problem: 'stretch_before_changed', stretch: next }];

/** More than a person reads. */
const MAX_NAMED = 1000;

const gap = (number: number, next: number): readonly Problem[] =>
  Array.from({ length: Math.min(next - number - 1, MAX_NAMED) }, (_, n) => ({
    problem: 'stretch_removed',
    stretch: number + 1 + n,
  }));

/** Retention removes the oldest stretches, once the month in which they were closed is over for as long as lines are kept. */
function beginningProblems([first]: readonly Link[], isDue: (month: string) => boolean): readonly Problem[] {
  if (!first || first.number === 1) return [];
  const sealedAt = first.statement?.previous?.sealed_at ?? null;
  const wasDue = sealedAt !== null && isDue(sealedAt.slice(0, 'YYYY-MM'.length));
  return wasDue ? [] : gap(0, first.number);
}

function headProblems(links: readonly Link[], head: Head): readonly Problem[] {
  const [first] = links;
  const found = links.find(({ number }) => number === head.number);
  if (found) return found.digest === head.digest ? [] : [{ problem: 'head_differs', stretch: head.number }];
  const last = links.at(-1)?.number ?? 0;
  if (head.number > last) return gap(last, head.number + 1);
  return first && head.number < first.number ? [] : [{ problem: 'head_differs', stretch: head.number }];
}

/** Whether lines of a month could have been removed by now, under a retention that was in force. */
function dueBy(links: readonly Link[], now: Date): (month: string) => boolean {
  const instants = links.flatMap(({ statement }) =>
    statement === null ? [] : [Date.parse(statement.sealed_at) - statement.kept_days * DAY],
  );
  const last = links.at(-1)?.statement;
  if (last) instants.push(now.getTime() - last.kept_days * DAY);
  const latest = instants.reduce((most, instant) => Math.max(most, instant), Number.NEGATIVE_INFINITY);
  return (month) => endOf(month) <= latest;
}

const DAY = 86_400_000;

function endOf(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
}
