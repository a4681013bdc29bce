/**
 * A segment: all entries of the ledger from one transaction, or from a place in one, up to another. It groups them by
 * month, because retention removes whole months. The server signs the statement of a segment, JSON to the octet:
 *
 * months[].digest   SHA-256 over the entries in their order, each as transaction 8 ‖ place 8 ‖ SHA-256 of the entry 32
 * months[].index    SHA-256 over this month's part of the index, which is stored beside the statement
 * index             of each entry, in the same order: transaction 8 ‖ place 8 ‖ the first 16 octets of its SHA-256
 *
 * The digest finds any change, and the index then names the entry. Postgres writes an entry for hashing as `jsonb` in
 * UTC, without null values. A column of a later version therefore changes no entry without that column.
 */
import { z } from 'zod';
import { sha256 } from '../crypto/digest.ts';
import { OCTETS_32 } from '../crypto/ledger-seal.ts';

/** A transaction of Postgres, `xid8`. */
export const digits = z.string().refine((text) => /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n);
export const digest = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * The place that divides a transaction with more entries than a segment holds: the first excluded entry, in the order
 * of the ledger.
 */
export const placeSchema = z.object({
  position: z.string().regex(/^-?\d{1,19}$/),
  /** As Postgres writes it, in UTC. Entries that are older than the order have only this. */
  at: z.string(),
  /**
   * The SHA-256, in hexadecimal, of the first excluded entry among those that share all this. Empty: none is excluded.
   */
  hash: z.string().regex(/^([0-9a-f]{64})?$/),
});
export type Place = z.output<typeof placeSchema>;

/** A node of a cluster that records entries, by its number. Absent: the one Postgres. */
export const nodeSchema = z.int().min(1).optional();

/** Where the next segment of a recording node begins. */
const endSchema = z.object({
  node: nodeSchema,
  below: digits,
  below_entry: placeSchema.optional(),
  counted_again_below: digits,
  /** When its newest segment was sealed. */
  sealed_at: z.iso.datetime(),
});
export type End = z.output<typeof endSchema>;

/**
 * A statement as signed and stored. Version 1 calls the number of a segment `stretch`: another name would invalidate
 * every stored seal.
 */
const signedSchema = z.object({
  version: z.literal(1),
  stretch: z.int().min(1),
  sealed_at: z.iso.datetime(),
  previous: z
    .object({
      digest,
      sealed_at: z.iso.datetime(),
      /** The number of the previous segment. Absent where it is one less. */
      stretch: z.int().min(1).optional(),
      /**
       * Whether the signature of the previous seal was valid when this one was chained to it. Only then does this seal
       * vouch for it.
       */
      vouched: z.boolean(),
    })
    .nullable(),
  /** The first transaction, and the first excluded one. */
  from: digits,
  below: digits,
  /** The place that divides the first transaction. */
  from_entry: placeSchema.optional(),
  /** The place that divides `below`: this segment has its entries up to there. */
  below_entry: placeSchema.optional(),
  /** Below this one, transactions are counted for the second time, because the tables moved to another Postgres. */
  counted_again_below: digits,
  /** The node that recorded the entries. */
  node: nodeSchema,
  /** Where the other recording nodes continue. */
  other_nodes: z.array(endSchema).optional(),
  /** The retention at that time, in days. */
  kept_days: z.int().min(1),
  months: z.array(
    z.object({ month: z.string().regex(/^(\d{4}-\d{2}|other)$/), lines: z.int().min(1), digest, index: digest }),
  ),
  /** The thumbprint (RFC 7638) of the public key. */
  key: z.string(),
  /** The public key itself, `x` of RFC 8037. Seals of earlier versions omit it. */
  public_key: z.string().regex(OCTETS_32).optional(),
});

const statementSchema = signedSchema.transform(({ stretch: segment, previous, ...rest }) => ({
  ...rest,
  segment,
  previous: previous && {
    digest: previous.digest,
    sealed_at: previous.sealed_at,
    segment: previous.stretch,
    vouched: previous.vouched,
  },
}));
export type Statement = z.output<typeof statementSchema>;

/** Where each recording node continues after this segment. */
export const endsOf = ({
  node,
  below,
  below_entry,
  counted_again_below,
  sealed_at,
  other_nodes = [],
}: Statement): readonly End[] => [{ node, below, below_entry, counted_again_below, sealed_at }, ...other_nodes];

export const endOf = (statement: Statement | null, node: number | undefined): End | null =>
  (statement && endsOf(statement).find((end) => end.node === node)) ?? null;

/** Whether the recording node counts its transactions for the second time. */
export const isCountedAgain = (statement: Statement | null, node: number | undefined): boolean =>
  (endOf(statement, node)?.counted_again_below ?? '0') !== '0';

/** The text that the server signs. */
export function textOf({ segment, previous, ...rest }: Statement): string {
  const { version, sealed_at, ...others } = rest;
  return JSON.stringify({
    version,
    stretch: segment,
    sealed_at,
    previous: previous && {
      digest: previous.digest,
      sealed_at: previous.sealed_at,
      stretch: previous.segment,
      vouched: previous.vouched,
    },
    ...others,
  } satisfies z.input<typeof signedSchema>);
}

export type Seal = {
  /** JSON, to the octet. */
  readonly statement: string;
  /** base64url. */
  readonly signature: string;
};
export type StoredSeal = Seal & { readonly index: Uint8Array };

/** @returns null: the text is no statement of this server. */
export function readStatement({ statement }: Pick<Seal, 'statement'>): Statement | null {
  try {
    return statementSchema.safeParse(JSON.parse(statement)).data ?? null;
  } catch {
    return null;
  }
}

/** The digest to which the next segment is chained. */
export const digestOf = ({ statement, signature }: Seal): string =>
  sha256(`${statement}\n${signature}`).toString('hex');

/** An entry as read from the database or a file. */
export type Line = {
  /** Decimal digits: the number is too large for JavaScript. */
  readonly recordedIn: string;
  readonly position: string;
  /** jsonb, without null values. */
  readonly text: string;
};

/** The part of an entry that a segment keeps. */
export type Entry = {
  readonly recordedIn: bigint;
  readonly position: bigint;
  /** `2026-11`. `other`: an instant that no server writes, such as `infinity`, in no month that retention removes. */
  readonly month: string;
  /** SHA-256, one character per octet: a million Buffers would take a gigabyte. */
  readonly hash: string;
};

/** Postgres writes the shortest key first. */
const AT_FIRST = /^\{"at": ?"(\d{4}-\d{2})-/;

/** @throws SyntaxError where the text is no JSON. */
export function entryOf({ recordedIn, position, text }: Line): Entry {
  return {
    recordedIn: BigInt(recordedIn),
    position: BigInt(position),
    month: AT_FIRST.exec(text)?.[1] ?? monthIn(text),
    hash: sha256(text).toString('latin1'),
  };
}

const monthIn = (text: string): string =>
  /^\d{4}-\d{2}(?=-)/.exec(String((JSON.parse(text) as { readonly at?: unknown }).at))?.[0] ?? 'other';

const compare = <T extends bigint | string>(left: T, right: T): number => (left < right ? -1 : left > right ? 1 : 0);

/** Entries that are older than the order share a place. */
const inOrder = (left: Entry, right: Entry): number =>
  compare(left.recordedIn, right.recordedIn) ||
  compare(left.position, right.position) ||
  compare(left.hash, right.hash);

export type Month = Statement['months'][number];

/** The entries of a month in their order, each as transaction 8 ‖ place 8 ‖ SHA-256 32. */
export type HashedMonth = { readonly month: string; readonly octets: Uint8Array };

/** @param hashed in the order of the months. */
export function closedMonths(hashed: readonly HashedMonth[]): {
  readonly months: readonly Month[];
  readonly index: Buffer;
} {
  const closed = hashed
    .filter(({ octets }) => octets.length > 0)
    .map(({ month, octets }) => {
      const lines = octets.length / HASHED_OCTETS;
      const index = Buffer.allocUnsafe(lines * INDEX_OCTETS);
      for (let n = 0; n < lines; n++) {
        index.set(octets.subarray(n * HASHED_OCTETS, n * HASHED_OCTETS + INDEX_OCTETS), n * INDEX_OCTETS);
      }
      return { index, month: { month, lines, digest: hex(octets), index: hex(index) } };
    });
  return { months: closed.map(({ month }) => month), index: Buffer.concat(closed.map(({ index }) => index)) };
}

/** The entries with none of these names. */
export function withoutNames({ month, octets }: HashedMonth, names: ReadonlySet<string>): HashedMonth {
  const read = Buffer.from(octets);
  const kept: Buffer[] = [];
  for (let at = 0; at + HASHED_OCTETS <= read.length; at += HASHED_OCTETS) {
    const name = `${read.readBigUInt64BE(at)}/${read.readBigInt64BE(at + 8)}`;
    if (!names.has(name)) kept.push(read.subarray(at, at + HASHED_OCTETS));
  }
  return { month, octets: Buffer.concat(kept) };
}

/** @param entries in any order. */
export const hashedMonths = (entries: readonly Entry[]): readonly HashedMonth[] =>
  [...Map.groupBy(entries, ({ month }) => month)]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([month, entries]) => ({ month, octets: octetsOf(sortedEntries(entries)) }));

/** Input mostly arrives in order. */
const sortedEntries = (entries: readonly Entry[]): readonly Entry[] =>
  entries.every((entry, n) => n === 0 || inOrder(entries[n - 1] as Entry, entry) <= 0)
    ? entries
    : entries.toSorted(inOrder);

const hex = (octets: Uint8Array): string => sha256(octets).toString('hex');

const digestOfLines = (sorted: readonly Entry[]): string => hex(octetsOf(sorted));

/** The place and the hash of each entry. */
function octetsOf(sorted: readonly Entry[]): Buffer {
  const size = HASHED_OCTETS;
  const octets = Buffer.allocUnsafe(sorted.length * size);
  for (const [n, { recordedIn, position, hash }] of sorted.entries()) {
    octets.writeBigUInt64BE(recordedIn, n * size);
    octets.writeBigInt64BE(position, n * size + 8);
    octets.write(hash, n * size + PLACE_OCTETS, SHA_256_OCTETS, 'latin1');
  }
  return octets;
}

const SHA_256_OCTETS = 32;
const PLACE_OCTETS = 16;
const HASH_OCTETS = 16;
const INDEX_OCTETS = PLACE_OCTETS + HASH_OCTETS;
const HASHED_OCTETS = PLACE_OCTETS + SHA_256_OCTETS;

/** `TRANSACTION/PLACE`: the name of an entry. */
export const nameOf = ({ recordedIn, position }: Pick<Entry, 'recordedIn' | 'position'>): string =>
  `${recordedIn}/${position}`;

/** The names of all entries in the index of a segment. */
export function namesIn(index: Uint8Array): ReadonlySet<string> {
  const octets = Buffer.from(index);
  const names = new Set<string>();
  for (let at = 0; at + INDEX_OCTETS <= octets.length; at += INDEX_OCTETS) {
    names.add(`${octets.readBigUInt64BE(at)}/${octets.readBigInt64BE(at + 8)}`);
  }
  return names;
}

export type LineProblem =
  | { readonly problem: 'line_changed' | 'line_added' | 'line_removed'; readonly line: string; readonly month: string }
  /** The index changed too, so the problem cannot name the entries. */
  | { readonly problem: 'lines_differ'; readonly month: string }
  /** The entries are unchanged, but their index is not. */
  | { readonly problem: 'index_changed'; readonly month: string };

export type CheckedLines = {
  readonly problems: readonly LineProblem[];
  /** Months whose entries are all missing. Retention may have removed them. */
  readonly missing: readonly Month[];
};

/** @param entries the existing entries of the segment, in any order. */
export function checkLines(statement: Statement, index: Uint8Array, entries: readonly Entry[]): CheckedLines {
  const found = Map.groupBy(entries, ({ month }) => month);
  const problems: LineProblem[] = [];
  const missing: Month[] = [];
  let at = 0;
  for (const month of statement.months) {
    const part = Buffer.from(index.subarray(at, at + month.lines * INDEX_OCTETS));
    at += month.lines * INDEX_OCTETS;
    const lines = sortedEntries(found.get(month.month) ?? []);
    found.delete(month.month);
    const isIndexRight = hex(part) === month.index;
    if (lines.length === 0) missing.push(month);
    else if (lines.length === month.lines && digestOfLines(lines) === month.digest) {
      if (!isIndexRight) problems.push({ problem: 'index_changed', month: month.month });
    } else if (isIndexRight) for (const found of differences(part, lines, month.month)) problems.push(found);
    else problems.push({ problem: 'lines_differ', month: month.month });
  }
  if (at !== index.length && problems.length === 0) {
    problems.push({ problem: 'index_changed', month: statement.months.at(-1)?.month ?? 'none' });
  }
  for (const [month, lines] of found) {
    for (const line of lines) problems.push({ problem: 'line_added', line: nameOf(line), month });
  }
  return { problems, missing };
}

function differences(part: Buffer, lines: readonly Entry[], month: string): readonly LineProblem[] {
  const short = (hash: string) => Buffer.from(hash, 'latin1').toString('hex', 0, HASH_OCTETS);
  const known = Map.groupBy(
    Array.from({ length: part.length / INDEX_OCTETS }, (_, n) =>
      part.subarray(n * INDEX_OCTETS, (n + 1) * INDEX_OCTETS),
    ),
    (entry) => `${entry.readBigUInt64BE(0)}/${entry.readBigInt64BE(8)}`,
  );
  const found = Map.groupBy(lines, nameOf);
  const problems: LineProblem[] = [];
  for (const line of new Set([...known.keys(), ...found.keys()])) {
    const before = (known.get(line) ?? []).map((entry) => entry.toString('hex', PLACE_OCTETS));
    const after = (found.get(line) ?? []).map(({ hash }) => short(hash));
    const [gone, come] = [without(before, after), without(after, before)];
    const changed = Math.min(gone.length, come.length);
    const named = (problem: 'line_changed' | 'line_added' | 'line_removed', count: number) => {
      for (let n = 0; n < count; n++) problems.push({ problem, line, month });
    };
    named('line_changed', changed);
    named('line_removed', gone.length - changed);
    named('line_added', come.length - changed);
  }
  return problems;
}

/** The elements that the left list has more often than the right. */
function without(left: readonly string[], right: readonly string[]): readonly string[] {
  const rest = new Map<string, number>();
  for (const value of right) rest.set(value, (rest.get(value) ?? 0) + 1);
  return left.filter((value) => {
    const count = rest.get(value) ?? 0;
    if (count > 0) rest.set(value, count - 1);
    return count === 0;
  });
}
