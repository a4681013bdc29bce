/**
 * Verifies the ledger of a database from its stored values. It trusts no value that the database computes from them.
 */
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import { type Head, type NumberedSeal, newestAuthentic } from './newest.ts';
import type { LedgerLines, Range, SealStore } from './seal.ts';
import {
  checkLines,
  type Entry,
  entryOf,
  nameOf,
  namesIn,
  readStatement,
  type Statement,
  type StoredSeal,
} from './segment.ts';
import { type Problem, type Verified, verification } from './verify.ts';

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
  readonly countOpen: (range: Pick<Range, 'from' | 'from_entry'>) => Promise<number>;
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
  let first: Statement | null = null;
  for await (const seal of ledger.seals(0)) {
    const statement = readStatement(seal);
    first ??= statement;
    const entries = statement === null ? [] : await linesOf(ledger, statement, seal.index, newest);
    check.add(seal.number, seal, entries, statement === null ? undefined : checkLines(statement, seal.index, entries));
  }
  const { now, begunBelow } = await ledger.standing();
  const verified = check.end({ now, head, beginsAnywhere: false });
  const { problems, open } = await besideSegments(ledger, { newest, begunBelow });
  const strays = await straysBefore(ledger, { first, newest, now });
  return { ...verified, problems: [...problems.numbers, ...strays, ...problems.ahead, ...verified.problems], open };
}

/** The rows that no segment has: those of numbers and transactions that no server makes, and the open entries. */
export async function besideSegments(
  ledger: StoredLedger,
  { newest, begunBelow }: { readonly newest: Statement | null; readonly begunBelow: string },
) {
  const numbers: readonly Problem[] = (await ledger.refusedNumbers()).map((number) => ({
    problem: 'number_refused',
    segment: null,
    number,
  }));
  // Where the tables came from another Postgres, its transaction numbers may be ahead of the local ones.
  const isOfThisPostgres = !isCountedAgain(newest) && BigInt(newest?.below ?? 0) <= BigInt(begunBelow);
  const ahead = newest !== null && isOfThisPostgres ? await linesAhead(ledger, begunBelow) : [];
  const open = await ledger.countOpen({ from: newest?.below ?? '0', from_entry: newest?.below_entry });
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

async function linesAhead(ledger: StoredLedger, begunBelow: string): Promise<readonly Problem[]> {
  const found: Problem[] = [];
  for await (const lines of ledger.lines({ from: begunBelow, below: HIGHEST_TRANSACTION })) {
    for (const entry of lines.map(entryOf)) {
      found.push({ problem: 'line_ahead', segment: null, line: nameOf(entry), month: entry.month });
    }
    if (found.length >= MOST_AHEAD) break;
  }
  return found;
}

const isCountedAgain = (newest: Statement | null): boolean => newest !== null && newest.counted_again_below !== '0';

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
  if (!isCountedAgain(newest)) return entries;
  const own = namesIn(index);
  const [mine, others] = [
    entries.filter((entry) => own.has(nameOf(entry))),
    // Entries after the newest segment are open.
    entries.filter((entry) => !own.has(nameOf(entry)) && entry.recordedIn < BigInt(newest?.below ?? 0)),
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
    first,
    newest,
    now,
  }: {
    readonly first: Pick<Statement, 'from' | 'from_entry' | 'kept_days'> | null;
    readonly newest: Statement | null;
    readonly now: Date;
  },
): Promise<readonly Problem[]> {
  if (first === null || isCountedAgain(newest) || BigInt(first.from) === 0n) return [];
  const strays = await entriesOf(ledger, { from: '0', below: first.from, below_entry: first.from_entry });
  const kept = new Date(now.getTime() - first.kept_days * 86_400_000).toISOString().slice(0, 'YYYY-MM'.length);
  return strays
    .filter(({ month }) => month >= kept)
    .map((entry) => ({ problem: 'line_added', segment: null, line: nameOf(entry), month: entry.month }));
}
