/** Verifies the ledger of a database: what is stored, and nothing that the database computes from it. */
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import type { Head, Range, SealStore } from './seal.ts';
import {
  checkLines,
  type Entry,
  entryOf,
  nameOf,
  namesIn,
  readStatement,
  type Seal,
  type Statement,
  type StoredSeal,
} from './stretch.ts';
import { type Problem, type Verified, verification } from './verify.ts';

export type StoredLedger = Pick<SealStore, 'lines' | 'indexesOf'> & {
  readonly now: () => Promise<Date>;
  readonly last: () => Promise<(Seal & { readonly number: number }) | null>;
  /** In ascending order, behind this number. */
  readonly seals: (behind: number) => AsyncIterable<StoredSeal & { readonly number: number; readonly sealedAt: Date }>;
  /** The first stretch that was closed then or later; null: none. */
  readonly beginsAt: (instant: Date) => Promise<number | null>;
  /** How many lines there are from this transaction on. */
  readonly countOpen: (from: string) => Promise<number>;
};

export type VerifiedLedger = Verified & {
  /** Lines that are in no stretch yet. */
  readonly open: number;
};

/** @param head as it was seen elsewhere; null: it was not. @throws StoreUnavailable */
export async function verifyStored(
  ledger: StoredLedger,
  keys: SealVerifier,
  head: Head | null,
): Promise<VerifiedLedger> {
  const last = await ledger.last();
  const newest = last && readStatement(last);
  const check = verification(keys);
  let first: Statement | null = null;
  let lastBelow = newest?.below ?? '0';
  for await (const seal of ledger.seals(0)) {
    const statement = readStatement(seal);
    first ??= statement;
    lastBelow = statement?.below ?? lastBelow;
    const entries = statement === null ? [] : await linesOf(ledger, statement, seal.index, newest);
    check.add(seal.number, seal, entries, statement === null ? undefined : checkLines(statement, seal.index, entries));
  }
  const now = await ledger.now();
  const verified = check.end({ now, head, beginsAnywhere: false });
  const strays = first === null || isCountedAgain(newest) ? [] : await straysBefore(ledger, first, now);
  return { ...verified, problems: [...strays, ...verified.problems], open: await ledger.countOpen(lastBelow) };
}

const isCountedAgain = (newest: Statement | null): boolean => newest !== null && newest.counted_again_below !== '0';

async function entriesOf(ledger: StoredLedger, range: Range): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const lines of ledger.lines(range)) for (const line of lines) entries.push(entryOf(line));
  return entries;
}

/** Where transactions were counted twice, stretches share ranges, and each has its own lines there. */
async function linesOf(
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
    // What the newest stretch has not reached is open.
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

/** Lines before the first stretch that is still there: their stretches went with their months, so they should have gone as well. */
async function straysBefore(ledger: StoredLedger, first: Statement, now: Date): Promise<readonly Problem[]> {
  if (BigInt(first.from) === 0n) return [];
  const strays = await entriesOf(ledger, { from: '0', below: first.from });
  const kept = new Date(now.getTime() - first.kept_days * 86_400_000).toISOString().slice(0, 'YYYY-MM'.length);
  return strays
    .filter(({ month }) => month >= kept)
    .map((entry) => ({ problem: 'line_added', stretch: null, line: nameOf(entry), month: entry.month }));
}
