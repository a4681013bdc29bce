/**
 * Seals segments. A segment ends before the oldest transaction that is still in progress, so no entry appears in it
 * later. One node at a time seals. The database hashes the entries.
 */
import type { SealKeys } from '../crypto/ledger-seal.ts';
import { type Head, type NumberedSeal, newestAuthentic, type PassedOver } from './newest.ts';
import {
  closedMonths,
  digestOf,
  type HashedMonth,
  type Line,
  namesIn,
  type Place,
  type StoredSeal,
  textOf,
  withoutNames,
} from './segment.ts';

/** A range of transactions, in decimal digits: the first is included, the last is not. Either may be divided. */
export type Range = Edge & {
  readonly from: string;
  readonly from_entry?: Place | undefined;
};
type Edge = { readonly below: string; readonly below_entry?: Place | undefined };

/** The source of a segment, within one transaction. */
export type SealStore = {
  readonly standing: () => Promise<{
    readonly now: Date;
    /** Every transaction below this one has ended. */
    readonly settledBelow: string;
    /** Every transaction that began in this Postgres is below this one. */
    readonly begunBelow: string;
  }>;
  /** In pages, the newest first. */
  readonly newestSeals: () => AsyncIterable<readonly NumberedSeal[]>;
  /** The first number after this one that no row has. */
  readonly freeNumber: (after: number) => Promise<number>;
  /**
   * @returns the edge at which `range` has `most` entries, or slightly fewer, so that it divides a transaction only if
   * necessary. Null: the range has no more.
   */
  readonly cut: (range: Range, most: number) => Promise<Edge | null>;
  /** In the order of the months. */
  readonly hashed: (range: Range) => Promise<readonly HashedMonth[]>;
  /** The indexes of earlier segments that have transactions of this range. */
  readonly indexesOf: (range: Range) => AsyncIterable<Uint8Array>;
  /** @returns false: a segment of this number exists. */
  readonly add: (seal: StoredSeal & { readonly number: number; readonly sealedAt: Date }) => Promise<boolean>;
};

/** Pages of entries, read for verification. */
export type LedgerLines = (range: Range) => AsyncIterable<readonly Line[]>;

export type SealDeps = {
  /** @returns null: another node is sealing. */
  readonly alone: <T>(work: (store: SealStore) => Promise<T>) => Promise<T | null>;
  readonly keys: SealKeys;
  /** In days, from the current configuration. */
  readonly keptDays: () => number;
};

export type Closed = Head & {
  readonly lines: number;
  /** The transaction before which the segment ends. */
  readonly below: string;
  readonly key: string;
};

export type SealStep = {
  /** The latest authentic seal before this step. */
  readonly newest: Head | null;
  /** The newer rows that are not authentic. */
  readonly passedOver: readonly PassedOver[];
  /** Null: the step sealed no segment. */
  readonly closed: Closed | null;
};

/**
 * The most entries of one segment: few enough that no statement waits for the hashing, and that a segment needs little
 * memory.
 */
export const MOST_LINES = 2000;

export type SealOptions = {
  readonly most?: number;
  /** Whether to seal a segment that is not full, too. */
  readonly partial?: boolean;
};

/** @returns null: another node is sealing. @throws StoreUnavailable */
export const sealNext = (
  { alone, keys, keptDays }: SealDeps,
  { most = MOST_LINES, partial = true }: SealOptions = {},
): Promise<SealStep | null> =>
  alone(async (store) => {
    const { now, settledBelow, begunBelow } = await store.standing();
    const { seal: newest, passedOver } = await newestAuthentic(store.newestSeals(), keys);
    const step = { newest: newest && { number: newest.number, digest: newest.digest }, passedOver, closed: null };
    const before = newest?.statement ?? null;
    const continuesAt = before?.below ?? '0';
    // The tables are in another Postgres, which counts its transactions from the start.
    const countsAgain = BigInt(begunBelow) < BigInt(continuesAt);
    const from = countsAgain ? '0' : continuesAt;
    const from_entry = countsAgain ? undefined : before?.below_entry;
    if (BigInt(settledBelow) <= BigInt(from)) return step;
    const countedAgainBelow = countsAgain ? continuesAt : (before?.counted_again_below ?? '0');
    const edge = await store.cut({ from, from_entry, below: settledBelow }, most);
    if (edge === null && !partial) return step;

    const range = { from, from_entry, ...(edge ?? { below: settledBelow }) };
    const hashed = await hashedIn(store, range, BigInt(from) < BigInt(countedAgainBelow));
    const { months, index } = closedMonths(hashed);
    if (months.length === 0) return step;
    const number = await store.freeNumber(newest?.number ?? 0);
    const statement = textOf({
      version: 1,
      segment: number,
      sealed_at: now.toISOString(),
      previous: newest && {
        digest: newest.digest,
        sealed_at: newest.statement.sealed_at,
        segment: newest.number === number - 1 ? undefined : newest.number,
        vouched: true,
      },
      ...range,
      counted_again_below: countedAgainBelow,
      kept_days: keptDays(),
      months: [...months],
      key: keys.kid,
      public_key: keys.publicKey,
    });
    const seal = { statement, signature: keys.sign(statement), index, number, sealedAt: now };
    if (!(await store.add(seal))) return step;
    const lines = months.reduce((sum, month) => sum + month.lines, 0);
    return { ...step, closed: { number, digest: digestOf(seal), lines, below: range.below, key: keys.kid } };
  });

async function hashedIn(store: SealStore, range: Range, isCountedAgain: boolean): Promise<readonly HashedMonth[]> {
  let hashed = await store.hashed(range);
  if (!isCountedAgain) return hashed;
  for await (const index of store.indexesOf(range)) {
    const names = namesIn(index);
    hashed = hashed.map((month) => withoutNames(month, names));
  }
  return hashed;
}
