/**
 * Closes segments. A segment ends before the oldest transaction that is still in progress, so no line appears in it later. One node
 * at a time does so; the lines are hashed where they are stored.
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

/** Transactions: from the first up to, and without, the last. Decimal. Either may be divided. */
export type Range = Edge & {
  readonly from: string;
  readonly from_entry?: Place | undefined;
};
type Edge = { readonly below: string; readonly below_entry?: Place | undefined };

/** What a segment is made from, in one transaction. */
export type SealStore = {
  readonly standing: () => Promise<{
    readonly now: Date;
    /** Every transaction below has ended. */
    readonly settledBelow: string;
    /** Every transaction that began in this Postgres is below. */
    readonly begunBelow: string;
  }>;
  /** In pages, the newest first. */
  readonly newestSeals: () => AsyncIterable<readonly NumberedSeal[]>;
  /** The first number after this one that no row has. */
  readonly freeNumber: (after: number) => Promise<number>;
  /** @returns where `range` has `most` lines, or somewhat fewer, so that no transaction is divided without need; null: it has no more. */
  readonly cut: (range: Range, most: number) => Promise<Edge | null>;
  /** In the order of the months. */
  readonly hashed: (range: Range) => Promise<readonly HashedMonth[]>;
  /** The indexes of segments before, which have transactions of this range. */
  readonly indexesOf: (range: Range) => AsyncIterable<Uint8Array>;
  /** @returns false: there is a segment of this number. */
  readonly add: (seal: StoredSeal & { readonly number: number; readonly sealedAt: Date }) => Promise<boolean>;
};

/** Pages of lines as they are read to be verified. */
export type LedgerLines = (range: Range) => AsyncIterable<readonly Line[]>;

export type SealDeps = {
  /** @returns null: another node is sealing. */
  readonly alone: <T>(work: (store: SealStore) => Promise<T>) => Promise<T | null>;
  readonly keys: SealKeys;
  /** By the configuration of today. */
  readonly keptDays: () => number;
};

export type Closed = Head & {
  readonly lines: number;
  /** The transaction before which it ends. */
  readonly below: string;
  readonly key: string;
};

export type SealStep = {
  /** The newest authentic seal before this step. */
  readonly newest: Head | null;
  /** What is newer and not authentic. */
  readonly passedOver: readonly PassedOver[];
  /** Null: there was nothing to close. */
  readonly closed: Closed | null;
};

/** Of one segment: few enough that no statement waits for the hashing, and that a segment fits into little memory. */
export const MOST_LINES = 2000;

export type SealOptions = {
  readonly most?: number;
  /** Whether a segment that is not full is closed as well. */
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
    const goesOnAt = before?.below ?? '0';
    // The tables came into another Postgres, which counts its transactions anew.
    const countsAgain = BigInt(begunBelow) < BigInt(goesOnAt);
    const from = countsAgain ? '0' : goesOnAt;
    const from_entry = countsAgain ? undefined : before?.below_entry;
    if (BigInt(settledBelow) <= BigInt(from)) return step;
    const countedAgainBelow = countsAgain ? goesOnAt : (before?.counted_again_below ?? '0');
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
