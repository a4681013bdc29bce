/** A ledger in memory, for the sealing and for the verification. Tests change its values as a thief with the database would. */
import { sealKeys } from '../../../src/crypto/ledger-seal.ts';
import type { NumberedSeal } from '../../../src/ledger/newest.ts';
import { type Range, type SealOptions, type SealStep, type SealStore, sealNext } from '../../../src/ledger/seal.ts';
import { entryOf, hashedMonths, type Line, nameOf, namesIn, type StoredSeal } from '../../../src/ledger/segment.ts';
import type { StoredLedger } from '../../../src/ledger/verify-stored.ts';
import { testKeys } from '../../support/macs.ts';

export const keys = sealKeys(testKeys);

type Seal = StoredSeal & { readonly number: number; readonly sealedAt: Date };

/** An entry in a transaction of its own. Its instant is the first of the month. */
export const lineOf = (transaction: number, month = '2030-01', text = ''): Line => ({
  recordedIn: String(transaction),
  position: String(transaction),
  text: JSON.stringify({
    at: `${month}-01T00:00:00+00:00`,
    machine: text,
    recorded_in: String(transaction),
    position: transaction,
  }),
});

export type MemoryLedger = ReturnType<typeof memoryLedger>;

export function memoryLedger(now = new Date('2030-01-20T12:00:00Z')) {
  const state = {
    now,
    lines: [] as Line[],
    seals: [] as Seal[],
    settledBelow: '1000',
    begunBelow: '1000',
    /** The edge of the next segment. Null: it has room for all entries. */
    cut: null as Awaited<ReturnType<SealStore['cut']>>,
    /** Another node adds a segment of the same number first. */
    isTaken: false,
    refusedNumbers: [] as string[],
    keptDays: 90,
  };
  const cuts: (readonly [Range, number])[] = [];
  const within = ({ from, from_entry, below, below_entry }: Range) =>
    state.lines.filter(({ recordedIn, position }) => {
      const [at, place] = [BigInt(recordedIn), BigInt(position)];
      const isAfter = at > BigInt(from) || (at === BigInt(from) && place >= BigInt(from_entry?.position ?? place));
      const isBefore = below_entry !== undefined && at === BigInt(below) && place < BigInt(below_entry.position);
      return isAfter && (isBefore || at < BigInt(below));
    });
  async function* indexesOf({ from, below }: Range) {
    for (const { index } of state.seals) {
      const transactions = [...namesIn(index)].map((name) => BigInt(name.replace(/\/.*/, '')));
      if (transactions.some((at) => at >= BigInt(from) && at < BigInt(below))) yield index;
    }
  }
  async function* newestSeals(): AsyncGenerator<readonly NumberedSeal[]> {
    for (const seal of state.seals.toSorted((left, right) => right.number - left.number)) yield [seal];
  }
  const standing = async () => ({
    now: state.now,
    nodes: [{ settledBelow: state.settledBelow, begunBelow: state.begunBelow }],
  });
  const store: SealStore = {
    standing,
    newestSeals,
    indexesOf,
    freeNumber: async (after) => {
      let number = after + 1;
      while (state.seals.some((seal) => seal.number === number)) number++;
      return number;
    },
    cut: async (range, most) => {
      cuts.push([range, most]);
      return state.cut;
    },
    hashed: async (range) => hashedMonths(within(range).map(entryOf)),
    add: async (seal) => {
      if (state.isTaken) return false;
      state.seals.push(seal);
      return true;
    },
  };
  const ledger: StoredLedger = {
    standing,
    newestSeals,
    indexesOf,
    lines: async function* (range) {
      const found = within(range);
      for (let at = 0; at < found.length; at += 2) yield found.slice(at, at + 2);
    },
    last: async () => state.seals.at(-1) ?? null,
    refusedNumbers: async () => state.refusedNumbers,
    seals: async function* (behind) {
      yield* state.seals.filter(({ number }) => number > behind);
    },
    sealsBelow: async function* (below) {
      yield* state.seals
        .filter(({ number }) => below === null || number < below)
        .toSorted((left, right) => right.number - left.number);
    },
    beginsAt: async (instant) =>
      state.seals.find(({ sealedAt }) => sealedAt.getTime() >= instant.getTime())?.number ?? null,
    linesOfOtherNodes: async function* () {},
    countOpen: async ({ from, from_entry }) => within({ from, from_entry, below: String(2n ** 64n) }).length,
  };
  const seal = async (options?: SealOptions, by = keys): Promise<SealStep> => {
    const deps = { alone: <T>(work: (given: SealStore) => Promise<T>) => work(store), keys: by };
    const step = await sealNext({ ...deps, keptDays: () => state.keptDays }, options);
    if (step === null) throw new Error('no other node seals');
    return step;
  };
  /** Seals these entries in a segment of their own. */
  const write = async (...lines: readonly Line[]) => {
    state.lines.push(...lines);
    state.settledBelow = String(Math.max(...state.lines.map(({ recordedIn }) => Number(recordedIn))) + 1);
    const { closed } = await seal();
    if (closed === null) throw new Error('nothing was sealed');
    return closed;
  };
  return Object.assign(state, { store, ledger, cuts, seal, write });
}

/** The name of an entry, as verification reports it. */
export const named = (line: Line): string => nameOf(entryOf(line));
