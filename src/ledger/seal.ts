/**
 * Closes stretches. A stretch ends before the oldest transaction that is still in progress, so no line appears in it later. Any number of
 * nodes may try: the number of a stretch is given once, and who comes second has done nothing.
 */
import type { SealKeys } from '../crypto/ledger-seal.ts';
import {
  closedMonths,
  digestOf,
  type Entry,
  entryOf,
  type Line,
  nameOf,
  namesIn,
  readStatement,
  type Seal,
  type Statement,
  type StoredSeal,
} from './stretch.ts';

/** Transactions: from the first up to, and without, the last. Decimal. */
export type Range = { readonly from: string; readonly below: string };

export type SealStore = {
  readonly standing: () => Promise<{
    readonly now: Date;
    /** Every transaction below has ended. */
    readonly settledBelow: string;
    /** Every transaction that began in this Postgres is below. */
    readonly begunBelow: string;
    /** Null: no stretch was closed yet. */
    readonly last: (Seal & { readonly number: number }) | null;
  }>;
  /** @returns a transaction below which `range` has `most` lines, or a few more; null: it has fewer. */
  readonly cut: (range: Range, most: number) => Promise<string | null>;
  readonly lines: (range: Range) => AsyncIterable<readonly Line[]>;
  /** The indexes of stretches before, which have transactions of this range. */
  readonly indexesOf: (range: Range) => AsyncIterable<Uint8Array>;
  /** @returns false: there is a stretch of this number. */
  readonly add: (seal: StoredSeal & { readonly number: number; readonly sealedAt: Date }) => Promise<boolean>;
};

export type SealDeps = {
  readonly store: SealStore;
  readonly keys: SealKeys;
  /** By the configuration of today. */
  readonly keptDays: () => number;
};

export type Head = { readonly number: number; readonly digest: string };
export type Closed = Head & {
  readonly lines: number;
  /** `key_unknown`: signed with a root secret that is not listed. `forged`: with none. This one vouches for neither. */
  readonly previous: 'right' | 'key_unknown' | 'forged' | null;
};

/** Of one stretch, unless a transaction has more: few enough that no request waits for the hashing. */
export const MOST_LINES = 2000;

/** @returns null: there was nothing to close, or another node did. @throws StoreUnavailable */
export async function closeStretch({ store, keys, keptDays }: SealDeps, most = MOST_LINES): Promise<Closed | null> {
  const { now, settledBelow, begunBelow, last } = await store.standing();
  const before = last && readStatement(last);
  const goesOnAt = before?.below ?? '0';
  // The tables came into another Postgres, which counts its transactions anew.
  const countsAgain = BigInt(begunBelow) < BigInt(goesOnAt);
  const from = countsAgain ? '0' : goesOnAt;
  if (BigInt(settledBelow) <= BigInt(from)) return null;
  const countedAgainBelow = countsAgain ? goesOnAt : (before?.counted_again_below ?? '0');
  const below = (await store.cut({ from, below: settledBelow }, most)) ?? settledBelow;

  const range = { from, below };
  const entries = await entriesOf(store, range, BigInt(from) < BigInt(countedAgainBelow));
  if (entries.length === 0) return null;
  const { months, index } = closedMonths(entries);
  const previous = last && standingOf(keys, last, before);
  const number = (last?.number ?? 0) + 1;
  const statement = JSON.stringify({
    version: 1,
    stretch: number,
    sealed_at: now.toISOString(),
    previous: last && {
      digest: digestOf(last),
      sealed_at: before?.sealed_at ?? now.toISOString(),
      vouched: previous === 'right',
    },
    ...range,
    counted_again_below: countedAgainBelow,
    kept_days: keptDays(),
    months: [...months],
    key: keys.kid,
  } satisfies Statement);
  const seal = { statement, signature: keys.sign(statement), index, number, sealedAt: now };
  if (!(await store.add(seal))) return null;
  return { number, digest: digestOf(seal), lines: entries.length, previous };
}

async function entriesOf(store: SealStore, range: Range, isCountedAgain: boolean): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const lines of store.lines(range)) entries.push(...lines.map(entryOf));
  if (!isCountedAgain) return entries;
  let others = entries;
  for await (const index of store.indexesOf(range)) {
    const names = namesIn(index);
    others = others.filter((entry) => !names.has(nameOf(entry)));
  }
  return others;
}

function standingOf(keys: SealKeys, seal: Seal, statement: Statement | null): Closed['previous'] {
  const isRight = statement && keys.isRight(statement.key, seal.statement, seal.signature);
  if (isRight) return 'right';
  return statement !== null && isRight === null ? 'key_unknown' : 'forged';
}
