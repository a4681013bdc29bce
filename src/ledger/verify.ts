/**
 * Whether the ledger is unchanged since its sealing. The verifier checks each segment against its entries, and the
 * chain from its newest segment back. A segment is authentic when its signature is valid, or when a later authentic
 * segment vouches for it. A root secret may therefore leave the list.
 */
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import { authenticityOf, type Head } from './newest.ts';
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
} from './segment.ts';

export type SegmentProblem =
  | LineProblem
  /** This server did not make the statement or the signature. */
  | { readonly problem: 'segment_changed' }
  /** A row under a number that no server assigns. */
  | { readonly problem: 'number_refused'; readonly number: string }
  /** An entry of a transaction that is not started: it would be in no segment. */
  | { readonly problem: 'line_ahead'; readonly line: string; readonly month: string }
  /** The previous segment is not the one to which this one was chained. */
  | { readonly problem: 'segment_before_changed' }
  | { readonly problem: 'segment_removed' }
  /** Signed with an untrusted key. The signature is valid under the stored public key (`x`), if there is one. */
  | { readonly problem: 'key_unknown'; readonly key: string; readonly public_key: string | null }
  /** All its entries of this month are missing, although retention keeps the month. */
  | { readonly problem: 'month_removed'; readonly month: string; readonly lines: number }
  /** The given head was not found. */
  | { readonly problem: 'head_differs' };

export type Problem = SegmentProblem & {
  /** The number of the segment. Null: none. */
  readonly segment: number | null;
};

export type Verified = {
  /** Empty: the verifier found none. */
  readonly problems: readonly Problem[];
  readonly segments: number;
  readonly lines: number;
  /** Null: no segment. */
  readonly first: number | null;
  readonly head: (Head & { readonly sealedAt: string }) | null;
  /** The number of entries that retention removed, by the statements of the segments. */
  readonly removedByRetention: number;
};

type Link = Head & {
  readonly statement: Statement | null;
  /** Null: the key is unknown. */
  readonly isSigned: boolean | null;
  readonly missing: readonly Month[];
};

export type Verification = {
  /** In ascending order of the numbers. @param entries the existing entries of the segment. */
  readonly add: (number: number, seal: StoredSeal, entries: readonly Entry[], lineProblems?: CheckedLines) => void;
  /**
   * @param head the latest seal from another source. Null: none is given.
   * @param beginsAnywhere a file may begin with any segment. The database begins with the first, or with the first that
   * retention left.
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
      const isSigned = authenticityOf(keys, number, statement, seal);
      const { problems: found, missing } = checked ?? linesOf(statement, seal, entries);
      for (const problem of found) problems.push({ ...problem, segment: number });
      links.push({ number, digest: digestOf(seal), statement, isSigned, missing });
      lines += entries.length;
    },
    end: ({ now, head, beginsAnywhere }) => {
      const { chain, problems: found } = judged(links);
      const isDue = dueBy(chain, now);
      for (const problem of found) problems.push(problem);
      for (const problem of gapProblems(chain)) problems.push(problem);
      if (!beginsAnywhere) problems.push(...beginningProblems(chain, isDue));
      if (head !== null) problems.push(...headProblems(chain, head));
      let removedByRetention = 0;
      for (const { number, missing, statement } of chain) {
        // Retention removes a segment together with the month of its sealing, so the exported segment had these
        // entries.
        const own = beginsAnywhere ? statement?.sealed_at.slice(0, 'YYYY-MM'.length) : null;
        for (const { month, lines } of missing) {
          if (month !== own && isDue(month)) removedByRetention += lines;
          else problems.push({ problem: 'month_removed', segment: number, month, lines });
        }
      }
      const last = newestOf(chain);
      return {
        problems: problems.toSorted((left, right) => (left.segment ?? 0) - (right.segment ?? 0)),
        segments: links.length,
        lines,
        first: (chain.find(({ isAuthentic }) => isAuthentic) ?? chain[0])?.number ?? null,
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

type Judged = Link & { readonly isAuthentic: boolean };
/** The claim of an authentic seal about the previous one. */
type Claim = { readonly by: number; readonly digest: string; readonly vouched: boolean };

/**
 * From the newest back: a seal is authentic when its signature is valid, or when a later authentic one vouches for it.
 */
function judged(links: readonly Link[]): { readonly chain: readonly Judged[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const claims = new Map<number, readonly Claim[]>();
  const chain = links.toReversed().map((link): Judged => {
    const { number, digest, statement } = link;
    const own = claims.get(number) ?? [];
    const isAuthentic = link.isSigned === true || own.some((claim) => claim.vouched && claim.digest === digest);
    if (!isAuthentic) {
      problems.push(
        link.isSigned === null && statement !== null
          ? {
              problem: 'key_unknown',
              segment: number,
              key: statement.key,
              public_key: statement.public_key ?? null,
            }
          : { problem: 'segment_changed', segment: number },
      );
      return { ...link, isAuthentic };
    }
    // This server made both, and one of them for another chain.
    const others = own.filter((claim) => claim.digest !== digest);
    for (const { by } of others) problems.push({ problem: 'segment_before_changed', segment: by });
    const previous = statement?.previous ?? null;
    if (previous !== null) {
      const before = previous.segment ?? number - 1;
      const claim = { by: number, digest: previous.digest, vouched: previous.vouched };
      claims.set(before, [...(claims.get(before) ?? []), claim]);
    }
    return { ...link, isAuthentic };
  });
  return { chain: chain.toReversed(), problems };
}

/** More problems than a person reads. */
const MAX_NAMED = 1000;

/** Up to the latest authentic seal: after it, anyone may have added a row with any number. */
function gapProblems(chain: readonly Judged[]): readonly Problem[] {
  const last = chain.findLast(({ isAuthentic }) => isAuthentic)?.number ?? 0;
  return chain
    .filter(({ number }) => number <= last)
    .flatMap(({ number }, n, links): readonly Problem[] => {
      const before = links[n - 1]?.number;
      if (before === undefined) return [];
      // A file may contain a segment twice.
      return before < number ? gap(before, number) : [{ problem: 'segment_before_changed', segment: number }];
    });
}

const gap = (number: number, next: number): readonly Problem[] =>
  Array.from({ length: Math.min(next - number - 1, MAX_NAMED) }, (_, n) => ({
    problem: 'segment_removed',
    segment: number + 1 + n,
  }));

/** Retention removes the oldest segments, once the month of their sealing is older than the kept days. */
function beginningProblems(chain: readonly Judged[], isDue: (month: string) => boolean): readonly Problem[] {
  const first = chain.find(({ isAuthentic }) => isAuthentic);
  if (!first || first.number === 1) return [];
  const sealedAt = first.statement?.previous?.sealed_at ?? null;
  const wasDue = sealedAt !== null && isDue(sealedAt);
  return wasDue ? [] : gap(0, chain[0]?.number ?? first.number);
}

function headProblems(links: readonly Judged[], head: Head): readonly Problem[] {
  const [first] = links;
  const found = links.find(({ number }) => number === head.number);
  if (found) return found.digest === head.digest ? [] : [{ problem: 'head_differs', segment: head.number }];
  const last = newestOf(links)?.number ?? 0;
  if (head.number > last) return gap(last, head.number + 1);
  return first && head.number < first.number ? [] : [{ problem: 'head_differs', segment: head.number }];
}

/** Without an authentic seal, such as with another root secret, the last. */
const newestOf = (chain: readonly Judged[]): Judged | undefined =>
  chain.findLast(({ isAuthentic }) => isAuthentic) ?? chain.at(-1);

/** Whether retention may have removed the entries of a month, under a configuration that was in force. */
function dueBy(chain: readonly Judged[], now: Date): (month: string) => boolean {
  const links = chain.filter(({ isAuthentic }) => isAuthentic);
  const instants = links.flatMap(({ statement }) =>
    statement === null ? [] : [Date.parse(statement.sealed_at) - statement.kept_days * DAY],
  );
  const last = links.at(-1)?.statement;
  if (last) instants.push(now.getTime() - last.kept_days * DAY);
  const latest = instants.reduce((most, instant) => Math.max(most, instant), Number.NEGATIVE_INFINITY);
  return (month) => endOf(month) <= latest;
}

const DAY = 86_400_000;

/** @param month or an instant in it: only its year and its month count. */
function endOf(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
}
