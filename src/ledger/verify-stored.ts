/**
 * Verifies the ledger of a database from its stored values. It trusts no value that the database computes from them.
 */
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import { type Head, type NumberedSeal, newestAuthentic } from './newest.ts';
import type { LedgerLines, NodeStanding, Range, SealStore } from './seal.ts';
import {
  checkLines,
  type Entry,
  endOf,
  endsOf,
  entryOf,
  isCountedAgain,
  type Line,
  nameOf,
  namesIn,
  readStatement,
  type Statement,
  type StoredSeal,
} from './segment.ts';
import { type Beginning, beginningOf, type Problem, type Verified, verification } from './verify.ts';

export type StoredLedger = Pick<SealStore, 'standing' | 'newestSeals' | 'indexesOf'> & {
  readonly lines: LedgerLines;
  readonly last: () => Promise<NumberedSeal | null>;
  /** Rows among the seals whose numbers no server assigns. */
  readonly refusedNumbers: () => Promise<readonly string[]>;
  /** In ascending order, after this number. */
  readonly seals: (behind: number) => AsyncIterable<StoredSeal & { readonly number: number; readonly sealedAt: Date }>;
  /** In descending order, below this number. Null: from the newest. */
  readonly sealsBelow: (number: number | null) => AsyncIterable<StoredSeal & { readonly number: number }>;
  /** The first segment that was sealed at this instant or later. Null: none. */
  readonly beginsAt: (instant: Date) => Promise<number | null>;
  /** The number of entries from there on. */
  readonly countOpen: (range: Pick<Range, 'node' | 'from' | 'from_entry'>) => Promise<number>;
  /** Entries of a recording node that is none of these. */
  readonly linesOfOtherNodes: (nodes: readonly (number | undefined)[]) => AsyncIterable<readonly Line[]>;
};

export type VerifiedLedger = Verified & {
  /** Entries that are in no segment yet. */
  readonly open: number;
};

/** @param head the latest seal from another source. Null: none is given. @throws StoreUnavailable */
export async function verifyStored(
  ledger: StoredLedger,
  keys: SealVerifier,
  head: Head | null,
): Promise<VerifiedLedger> {
  const newest = await newestStatement(ledger, keys);
  const check = verification(keys);
  const beginnings = new Map<number | undefined, Beginning>();
  for await (const seal of ledger.seals(0)) {
    const statement = readStatement(seal);
    if (statement && !beginnings.has(statement.node)) beginnings.set(statement.node, beginningOf(statement));
    const entries = statement === null ? [] : await linesOf(ledger, statement, seal.index, newest);
    check.add(seal.number, seal, entries, statement === null ? undefined : checkLines(statement, seal.index, entries));
  }
  const { now, nodes } = await ledger.standing();
  const verified = check.end({ now, head, beginsAnywhere: false });
  const { problems, open } = await besideSegments(ledger, { newest, nodes });
  const strays = await straysBefore(ledger, { beginnings: [...beginnings.values()], newest, now });
  return { ...verified, problems: [...problems.numbers, ...strays, ...problems.ahead, ...verified.problems], open };
}

/** The rows that no segment has: those of numbers, transactions and nodes that no server makes, and the open entries. */
export async function besideSegments(
  ledger: StoredLedger,
  { newest, nodes }: { readonly newest: Statement | null; readonly nodes: readonly NodeStanding[] },
) {
  const numbers: readonly Problem[] = (await ledger.refusedNumbers()).map((number) => ({
    problem: 'number_refused',
    segment: null,
    number,
  }));
  const ends = newest === null ? [] : endsOf(newest);
  const known = [...new Set([...nodes, ...ends].map(({ node }) => node))];
  const ahead: Problem[] = [];
  if (newest !== null) for (const standing of nodes) ahead.push(...(await linesAhead(ledger, newest, standing)));
  for (const entry of await entriesIn(ledger.linesOfOtherNodes(known))) ahead.push(aheadOf(entry));
  let open = 0;
  for (const node of known) {
    const end = endOf(newest, node);
    open += await ledger.countOpen({ node, from: end?.below ?? '0', from_entry: end?.below_entry });
  }
  return { problems: { numbers, ahead }, open };
}

/** The last readable statement, where no seal is authentic, such as with another root secret. */
export async function newestStatement(ledger: StoredLedger, keys: SealVerifier): Promise<Statement | null> {
  const { seal } = await newestAuthentic(ledger.newestSeals(), keys);
  if (seal !== null) return seal.statement;
  const last = await ledger.last();
  return last && readStatement(last);
}

const MOST_AHEAD = 1000;
const HIGHEST_TRANSACTION = String(2n ** 64n - 1n);

async function linesAhead(
  ledger: StoredLedger,
  newest: Statement,
  { node, begunBelow }: NodeStanding,
): Promise<readonly Problem[]> {
  // Where the tables came from another Postgres, its transaction numbers may be ahead of the local ones.
  const isOfThisPostgres =
    !isCountedAgain(newest, node) && BigInt(endOf(newest, node)?.below ?? 0) <= BigInt(begunBelow);
  if (!isOfThisPostgres) return [];
  const found = await entriesIn(ledger.lines({ node, from: begunBelow, below: HIGHEST_TRANSACTION }));
  if (found.length === 0) return [];
  // A transaction may have begun since, and its entries are right.
  const now = (await ledger.standing()).nodes.find((standing) => standing.node === node)?.begunBelow ?? begunBelow;
  return found.filter(({ recordedIn }) => recordedIn >= BigInt(now)).map(aheadOf);
}

async function entriesIn(pages: AsyncIterable<readonly Line[]>): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for await (const lines of pages) {
    for (const line of lines) found.push(entryOf(line));
    if (found.length >= MOST_AHEAD) break;
  }
  return found;
}

const aheadOf = (entry: Entry): Problem => ({
  problem: 'line_ahead',
  segment: null,
  line: nameOf(entry),
  month: entry.month,
});

async function entriesOf(ledger: StoredLedger, range: Range): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const lines of ledger.lines(range)) for (const line of lines) entries.push(entryOf(line));
  return entries;
}

/** Where transactions were counted twice, segments share ranges, and each has its own entries there. */
export async function linesOf(
  ledger: StoredLedger,
  statement: Statement,
  index: Uint8Array,
  newest: Statement | null,
): Promise<readonly Entry[]> {
  const entries = await entriesOf(ledger, statement);
  if (!isCountedAgain(newest, statement.node)) return entries;
  const below = BigInt(endOf(newest, statement.node)?.below ?? 0);
  const own = namesIn(index);
  const [mine, others] = [
    entries.filter((entry) => own.has(nameOf(entry))),
    // Entries after the newest segment are open.
    entries.filter((entry) => !own.has(nameOf(entry)) && entry.recordedIn < below),
  ];
  let extra = others;
  if (extra.length > 0) {
    for await (const other of ledger.indexesOf(statement)) {
      const names = namesIn(other);
      extra = extra.filter((entry) => !names.has(nameOf(entry)));
    }
  }
  return [...mine, ...extra];
}

/**
 * Entries before the first remaining segment. Retention removed their segments with their months, so it should have
 * removed these too.
 */
export async function straysBefore(
  ledger: StoredLedger,
  {
    beginnings,
    newest,
    now,
  }: {
    /** Of the remaining segments of each recording node. */
    readonly beginnings: readonly Beginning[];
    readonly newest: Statement | null;
    readonly now: Date;
  },
): Promise<readonly Problem[]> {
  const found: Problem[] = [];
  for (const { node, from, from_entry, kept_days } of [...beginnings, ...withoutSegment(beginnings, newest)]) {
    if (isCountedAgain(newest, node) || BigInt(from) === 0n) continue;
    const strays = await entriesOf(ledger, { node, from: '0', below: from, below_entry: from_entry });
    const kept = new Date(now.getTime() - kept_days * 86_400_000).toISOString().slice(0, 'YYYY-MM'.length);
    for (const entry of strays.filter(({ month }) => month >= kept))
      found.push({ problem: 'line_added', segment: null, line: nameOf(entry), month: entry.month });
  }
  return found;
}

/** Retention removed all segments of these nodes. */
const withoutSegment = (beginnings: readonly Beginning[], newest: Statement | null): readonly Beginning[] =>
  newest === null || beginnings.length === 0
    ? []
    : endsOf(newest)
        .filter(({ node }) => !beginnings.some((beginning) => beginning.node === node))
        .map(({ node, below, below_entry }) => ({
          node,
          from: below,
          from_entry: below_entry,
          kept_days: newest.kept_days,
        }));
