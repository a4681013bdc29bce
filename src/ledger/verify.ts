/**
 * Whether the ledger is unchanged since its sealing. The verifier checks each segment against its entries, and the
 * chain from its newest segment back. A segment is authentic when its signature is valid, or when a later authentic
 * segment vouches for it. A root secret may therefore leave the list.
 */
import { z } from 'zod';
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import { authenticityOf, type Head } from './newest.ts';
import {
  type CheckedLines,
  checkLines,
  digest,
  digestOf,
  digits,
  type Entry,
  type LineProblem,
  type Month,
  nodeSchema,
  placeSchema,
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

const count = z.int().nonnegative();
/** More nodes than a cluster has had. */
const MAX_NODES = 300;
const segmentNumber = z.int();
const monthName = z.string().max(7);

/**
 * The knowledge about the newer segments, where a verification reads the ledger in slices, from the newest back. JSON,
 * so that the caller carries it from slice to slice.
 */
export const newerSchema = z.strictObject({
  segments: count,
  lines: count,
  removedByRetention: count,
  /** The newest segment. Null: no segment yet. */
  head: z
    .strictObject({ number: segmentNumber, digest, sealedAt: z.string().max(40), isAuthentic: z.boolean() })
    .nullable(),
  /** The number of the oldest segment so far. */
  lowest: segmentNumber.nullable(),
  /** The oldest authentic one so far, and the instant at which the segment before it was sealed. */
  first: z.strictObject({ number: segmentNumber, previousSealedAt: z.string().max(40).nullable() }).nullable(),
  /** The beginning of the oldest readable one of each recording node so far. */
  beginnings: z
    .array(z.strictObject({ node: nodeSchema, from: digits, from_entry: placeSchema.optional(), kept_days: count }))
    .max(MAX_NODES),
  /** Those about segments that are not read yet. */
  claims: z.array(z.strictObject({ about: segmentNumber, by: segmentNumber, digest, vouched: z.boolean() })).max(100),
  /** The latest instant, in milliseconds, up to which retention may have removed months. */
  dueUpTo: z.int().nullable(),
  /** Months that are missing, and that retention would not have removed by what is known so far. */
  missing: z.array(z.strictObject({ segment: segmentNumber, month: monthName, lines: count })).max(400),
});
export type Newer = z.output<typeof newerSchema>;

const NOTHING_NEWER: Newer = {
  segments: 0,
  lines: 0,
  removedByRetention: 0,
  head: null,
  lowest: null,
  first: null,
  beginnings: [],
  claims: [],
  dueUpTo: null,
  missing: [],
};

export type EndOptions = {
  readonly now: Date;
  /** The latest seal from another source. Null: none is given. */
  readonly head: Head | null;
};

export type Verification = {
  /** In ascending order of the numbers. @param entries the existing entries of the segment. */
  readonly add: (number: number, seal: StoredSeal, entries: readonly Entry[], lineProblems?: CheckedLines) => void;
  /**
   * @param beginsAnywhere a file may begin with any segment. The database begins with the first, or with the first that
   * retention left.
   */
  readonly end: (options: EndOptions & { readonly beginsAnywhere: boolean }) => Verified;
  /** @param isOldest no older slice follows. @returns the problems of this slice alone; its numbers are of all slices so far. */
  readonly endSlice: (options: EndOptions & { readonly isOldest: boolean }) => {
    readonly verified: Verified;
    readonly newer: Newer;
  };
};

export function verification(keys: SealVerifier, newer: Newer = NOTHING_NEWER): Verification {
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
    end: (options) => conclude({ ...options, isOldest: true }).verified,
    endSlice: (options) => conclude({ ...options, beginsAnywhere: false }),
  };

  function conclude({
    now,
    head,
    beginsAnywhere,
    isOldest,
  }: EndOptions & { readonly beginsAnywhere: boolean; readonly isOldest: boolean }) {
    const { chain, problems: found, claims } = judged(links, newer.claims);
    const dueUpTo = latestDue(chain, newer, now);
    const isDue = (month: string) => endOf(month) <= dueUpTo;
    const newest = newestOf(chain, newer);
    const first = firstOf(chain) ?? newer.first;
    const lowest = chain[0]?.number ?? newer.lowest;
    for (const problem of found) problems.push(problem);
    for (const problem of gapProblems(chain, newer)) problems.push(problem);
    if (!beginsAnywhere && isOldest) problems.push(...beginningProblems(first, lowest, isDue));
    if (head !== null && isHere(head, chain, newer, isOldest))
      problems.push(...headProblems(chain, head, newest?.number ?? 0));
    const months = missingMonths(chain, newer, { isDue, isOldest, beginsAnywhere });
    problems.push(...months.problems);
    const verified: Verified = {
      problems: problems.toSorted((left, right) => (left.segment ?? 0) - (right.segment ?? 0)),
      segments: newer.segments + links.length,
      lines: newer.lines + lines,
      first: first?.number ?? lowest,
      head: newest && { number: newest.number, digest: newest.digest, sealedAt: newest.sealedAt },
      removedByRetention: months.removedByRetention,
    };
    return {
      verified,
      newer: {
        segments: verified.segments,
        lines: verified.lines,
        removedByRetention: verified.removedByRetention,
        head: newest,
        lowest,
        first,
        beginnings: beginningsOf(chain, newer.beginnings).slice(0, MAX_NODES),
        claims: claims.slice(0, MAX_CLAIMS),
        dueUpTo: Number.isFinite(dueUpTo) ? dueUpTo : null,
        missing: months.undecided,
      } satisfies Newer,
    };
  }
}

const MAX_CLAIMS = 100;

const linesOf = (statement: Statement | null, { index }: StoredSeal, entries: readonly Entry[]): CheckedLines =>
  statement === null ? { problems: [], missing: [] } : checkLines(statement, index, entries);

type MissingMonth = Newer['missing'][number];

/** Months without entries: retention removed them, or a newer or older segment decides, or they are a problem. */
function missingMonths(
  chain: readonly Judged[],
  newer: Newer,
  at: { readonly isDue: (month: string) => boolean; readonly isOldest: boolean; readonly beginsAnywhere: boolean },
) {
  const problems: Problem[] = [];
  const open = new Map(newer.missing.map((month) => [month.month, month]));
  let { removedByRetention } = newer;
  const removed = (missing: MissingMonth) => problems.push({ problem: 'month_removed', ...missing });
  for (const { number, missing, statement } of chain) {
    // Retention removes a segment together with the month of its sealing, so the exported segment had these
    // entries.
    const own = at.beginsAnywhere ? statement?.sealed_at.slice(0, 'YYYY-MM'.length) : null;
    for (const { month, lines } of missing) {
      if (month !== own && at.isDue(month)) removedByRetention += lines;
      else if (at.isOldest) removed({ segment: number, month, lines });
      else open.set(month, { segment: number, month, lines: lines + (open.get(month)?.lines ?? 0) });
    }
  }
  // An older segment may show that the retention was shorter for a time.
  const { due = [], undecided = [] } = Object.groupBy(open.values(), ({ month }) =>
    at.isDue(month) ? 'due' : 'undecided',
  );
  for (const { lines } of due) removedByRetention += lines;
  if (at.isOldest) undecided.forEach(removed);
  return { removedByRetention, undecided, problems };
}

type Judged = Link & { readonly isAuthentic: boolean };
/** The claim of an authentic seal about the previous one. */
type Claim = Newer['claims'][number];

/**
 * From the newest back: a seal is authentic when its signature is valid, or when a later authentic one vouches for it.
 */
function judged(
  links: readonly Link[],
  ofNewer: readonly Claim[],
): { readonly chain: readonly Judged[]; readonly problems: readonly Problem[]; readonly claims: Claim[] } {
  const problems: Problem[] = [];
  const claims = Map.groupBy(ofNewer, ({ about }) => about);
  const chain = links.toReversed().map((link): Judged => {
    const { number, digest, statement } = link;
    const own = claims.get(number) ?? [];
    const isAuthentic = link.isSigned === true || own.some((claim) => claim.vouched && claim.digest === digest);
    if (!isAuthentic) {
      problems.push(unauthentic(link));
      return { ...link, isAuthentic };
    }
    // This server made both, and one of them for another chain.
    const others = own.filter((claim) => claim.digest !== digest);
    for (const { by } of others) problems.push({ problem: 'segment_before_changed', segment: by });
    const previous = statement?.previous ?? null;
    if (previous !== null) {
      const before = previous.segment ?? number - 1;
      const claim = { about: before, by: number, digest: previous.digest, vouched: previous.vouched };
      claims.set(before, [...(claims.get(before) ?? []), claim]);
    }
    return { ...link, isAuthentic };
  });
  const lowest = links[0]?.number ?? Number.POSITIVE_INFINITY;
  const open = [...claims.values()].flat().filter(({ about }) => about < lowest);
  return { chain: chain.toReversed(), problems, claims: open };
}

const unauthentic = ({ number, statement, isSigned }: Link): Problem =>
  isSigned === null && statement !== null
    ? { problem: 'key_unknown', segment: number, key: statement.key, public_key: statement.public_key ?? null }
    : { problem: 'segment_changed', segment: number };

/** More problems than a person reads. */
const MAX_NAMED = 1000;

/** Up to the latest authentic seal: after it, anyone may have added a row with any number. */
function gapProblems(chain: readonly Judged[], newer: Newer): readonly Problem[] {
  const above = newer.first === null ? null : newer.lowest;
  const last = above ?? chain.findLast(({ isAuthentic }) => isAuthentic)?.number ?? 0;
  const numbers = [...chain.map(({ number }) => number), ...(above === null ? [] : [above])];
  return numbers
    .filter((number) => number <= last)
    .flatMap((number, n, below): readonly Problem[] => {
      const before = below[n - 1];
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
function beginningProblems(
  first: Newer['first'],
  lowest: number | null,
  isDue: (month: string) => boolean,
): readonly Problem[] {
  if (!first || first.number === 1) return [];
  const wasDue = first.previousSealedAt !== null && isDue(first.previousSealedAt);
  return wasDue ? [] : gap(0, lowest ?? first.number);
}

function firstOf(chain: readonly Judged[]): Newer['first'] {
  const first = chain.find(({ isAuthentic }) => isAuthentic);
  return first ? { number: first.number, previousSealedAt: first.statement?.previous?.sealed_at ?? null } : null;
}

/** The oldest part of the range that the remaining segments of a recording node have. */
export type Beginning = Newer['beginnings'][number];

export const beginningOf = ({ node, from, from_entry, kept_days }: Statement): Beginning => ({
  ...(node !== undefined && { node }),
  from,
  kept_days,
  ...(from_entry && { from_entry }),
});

function beginningsOf(chain: readonly Judged[], ofNewer: readonly Beginning[]): readonly Beginning[] {
  const oldest = new Map(ofNewer.map((beginning) => [beginning.node, beginning]));
  for (const { statement } of chain.toReversed()) if (statement) oldest.set(statement.node, beginningOf(statement));
  return [...oldest.values()];
}

/** Whether the slice decides about the given head: it has the segment, or the gap where the segment was. */
const isHere = ({ number }: Head, chain: readonly Judged[], { lowest }: Newer, isOldest: boolean): boolean =>
  (lowest === null || number < lowest) && (isOldest || number >= (chain[0]?.number ?? 0));

function headProblems(links: readonly Judged[], head: Head, last: number): readonly Problem[] {
  const [first] = links;
  const found = links.find(({ number }) => number === head.number);
  if (found) return found.digest === head.digest ? [] : [{ problem: 'head_differs', segment: head.number }];
  if (head.number > last) return gap(last, head.number + 1);
  return first && head.number < first.number ? [] : [{ problem: 'head_differs', segment: head.number }];
}

/** Without an authentic seal, such as with another root secret, the last. */
function newestOf(chain: readonly Judged[], newer: Newer): Newer['head'] {
  if (newer.head?.isAuthentic) return newer.head;
  const link = chain.findLast(({ isAuthentic }) => isAuthentic) ?? (newer.head ? undefined : chain.at(-1));
  if (link === undefined) return newer.head;
  const { number, digest, statement, isAuthentic } = link;
  return { number, digest, sealedAt: statement?.sealed_at ?? 'unknown', isAuthentic };
}

/** The instant up to which retention may have removed entries, under a configuration that was in force. */
function latestDue(chain: readonly Judged[], newer: Newer, now: Date): number {
  const statements = chain.flatMap(({ isAuthentic, statement }) => (isAuthentic && statement ? [statement] : []));
  const instants = statements.map(({ sealed_at, kept_days }) => Date.parse(sealed_at) - kept_days * DAY);
  const last = statements.at(-1);
  if (last && newer.first === null) instants.push(now.getTime() - last.kept_days * DAY);
  return instants.reduce((most, instant) => Math.max(most, instant), newer.dueUpTo ?? Number.NEGATIVE_INFINITY);
}

const DAY = 86_400_000;

/** @param month or an instant in it: only its year and its month count. */
function endOf(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
}
