/**
 * Seals segments. A segment ends before the oldest transaction that is still in progress, so no entry appears in it
 * later. One node at a time seals. The database hashes the entries. On a cluster, each segment has the entries of one
 * recording node, and one chain has the segments of all.
 */
import type { SealKeys } from '../crypto/ledger-seal.ts';
import { type Head, type NumberedSeal, newestAuthentic, type PassedOver } from './newest.ts';
import {
  closedMonths,
  digestOf,
  type End,
  endsOf,
  type HashedMonth,
  type Line,
  namesIn,
  type Place,
  type Statement,
  type StoredSeal,
  textOf,
  withoutNames,
} from './segment.ts';

/** A range of transactions, in decimal digits: the first is included, the last is not. Either may be divided. */
export type Range = Edge & {
  readonly from: string;
  readonly from_entry?: Place | undefined;
  /** The recording node. Undefined: the one Postgres. */
  readonly node?: number | undefined;
};
type Edge = { readonly below: string; readonly below_entry?: Place | undefined };

/** How far a recording node is. */
export type NodeStanding = {
  /** Undefined: the one Postgres. */
  readonly node?: number | undefined;
  /** Every transaction of the node below this one has ended. */
  readonly settledBelow: string;
  /** Every transaction that began in the node is below this one. */
  readonly begunBelow: string;
};

/** The source of a segment, within one transaction. */
export type SealStore = {
  /** A node of a cluster that gives no answer is not among them: its entries wait. */
  readonly standing: () => Promise<{ readonly now: Date; readonly nodes: readonly NodeStanding[] }>;
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
  /** The indexes of earlier segments that have transactions of this range, of its node. */
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
    const { now, nodes } = await store.standing();
    const { seal: newest, passedOver } = await newestAuthentic(store.newestSeals(), keys);
    const step = { newest: newest && { number: newest.number, digest: newest.digest }, passedOver, closed: null };
    const ends = newest === null ? [] : endsOf(newest.statement);
    const open = inTurn(nodes, newest?.statement ?? null).flatMap(
      (node) =>
        openRange(
          node,
          ends.find((end) => end.node === node.node),
        ) ?? [],
    );
    const isDue = ({ sealedAt }: Open) =>
      partial || (nodes.length > 1 && now.getTime() - Date.parse(sealedAt) >= QUIET_MILLISECONDS);
    const found = await nextSegment(store, open, most, isDue);
    if (found === null) return step;

    const { range, countedAgainBelow, months, index } = found;
    const number = await store.freeNumber(newest?.number ?? 0);
    const others = ends.filter((end) => end.node !== range.node);
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
      other_nodes: others.length === 0 ? undefined : [...others],
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

/** A busy node must not keep the others from their turn: the newest segment is of the last. */
function inTurn(nodes: readonly NodeStanding[], newest: Statement | null): readonly NodeStanding[] {
  const last = nodes.findIndex(({ node }) => newest !== null && node === newest.node);
  return [...nodes.slice(last + 1), ...nodes.slice(0, last + 1)];
}

/** The settled entries of a node that no segment has. */
type Open = {
  readonly range: Range;
  readonly countedAgainBelow: string;
  /** When its newest segment was sealed. */
  readonly sealedAt: string;
};

function openRange({ node, settledBelow, begunBelow }: NodeStanding, end: End | undefined): Open | null {
  const continuesAt = end?.below ?? '0';
  // The tables are in another Postgres, which counts its transactions from the start.
  const countsAgain = BigInt(begunBelow) < BigInt(continuesAt);
  const from = countsAgain ? '0' : continuesAt;
  if (BigInt(settledBelow) <= BigInt(from)) return null;
  return {
    range: { node, from, from_entry: countsAgain ? undefined : end?.below_entry, below: settledBelow },
    countedAgainBelow: countsAgain ? continuesAt : (end?.counted_again_below ?? '0'),
    sealedAt: end?.sealed_at ?? NEVER,
  };
}

const NEVER = '1970-01-01T00:00:00.000Z';
/** A node with few entries gets a segment after this, while others fill theirs. */
const QUIET_MILLISECONDS = 60_000;

type Segment = ReturnType<typeof closedMonths> & Pick<Open, 'range' | 'countedAgainBelow'>;

/** The first full one, else the first that is due. */
async function nextSegment(
  store: SealStore,
  open: readonly Open[],
  most: number,
  isDue: (open: Open) => boolean,
): Promise<Segment | null> {
  const notFull: Open[] = [];
  for (const one of open) {
    const edge = await store.cut(one.range, most);
    const segment = edge && (await segmentOf(store, { ...one, range: { ...one.range, ...edge } }));
    if (segment !== null) return segment;
    if (edge === null) notFull.push(one);
  }
  for (const one of notFull.filter(isDue)) {
    const segment = await segmentOf(store, one);
    if (segment !== null) return segment;
  }
  return null;
}

/** @returns null: it has no entry. */
async function segmentOf(store: SealStore, { range, countedAgainBelow }: Open): Promise<Segment | null> {
  const hashed = await hashedIn(store, range, BigInt(range.from) < BigInt(countedAgainBelow));
  const { months, index } = closedMonths(hashed);
  return months.length === 0 ? null : { months, index, range, countedAgainBelow };
}

async function hashedIn(store: SealStore, range: Range, isCountedAgain: boolean): Promise<readonly HashedMonth[]> {
  let hashed = await store.hashed(range);
  if (!isCountedAgain) return hashed;
  for await (const index of store.indexesOf(range)) {
    const names = namesIn(index);
    hashed = hashed.map((month) => withoutNames(month, names));
  }
  return hashed;
}
