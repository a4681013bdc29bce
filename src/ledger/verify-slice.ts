/**
 * Verifies the ledger of a database in slices, from the newest segment back. The work of a slice is bounded, and the
 * caller carries the knowledge from slice to slice, so that every node can verify the next one.
 */
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import type { Head } from './newest.ts';
import { checkLines, type Entry, nameOf, readStatement, type StoredSeal } from './segment.ts';
import { type Newer, type Problem, type Verified, verification } from './verify.ts';
import { besideSegments, linesOf, newestStatement, type StoredLedger, straysBefore } from './verify-stored.ts';

/** A segment more than its entries allow is possible: the slice has at least one. */
export type SliceBounds = { readonly segments: number; readonly entries: number };
const BOUNDS: SliceBounds = { segments: 300, entries: 20_000 };

export type VerifiedSlice = {
  /** The problems of this slice alone; the numbers are of all slices so far. */
  readonly verified: Verified;
  /** Null: this was the last slice. */
  readonly next: Newer | null;
  /** The oldest and the newest entry of this slice, by name. Null: it has none. */
  readonly entries: { readonly first: string; readonly last: string } | null;
  /** The instant at which the oldest segment of this slice was sealed. */
  readonly sealedSince: string | null;
  /** The number of segments that the next slices verify. */
  readonly left: number;
  /** Entries that are in no segment yet. Null: only the first slice counts them. */
  readonly open: number | null;
};

/** @param newer the `next` of the slice before. Null: this is the first. @throws StoreUnavailable */
export async function verifySlice(
  ledger: StoredLedger,
  keys: SealVerifier,
  { newer, head, bounds = BOUNDS }: { newer: Newer | null; head: Head | null; bounds?: SliceBounds },
): Promise<VerifiedSlice> {
  const newest = await newestStatement(ledger, keys);
  const { seals, isOldest } = await nextSeals(ledger, newer?.lowest ?? null, bounds);
  const check = verification(keys, newer ?? undefined);
  let sealedSince: string | null = null;
  let entriesOfSlice: VerifiedSlice['entries'] = null;
  for (const seal of seals) {
    const statement = readStatement(seal);
    sealedSince ??= statement?.sealed_at ?? null;
    const entries = statement === null ? [] : await linesOf(ledger, statement, seal.index, newest);
    check.add(seal.number, seal, entries, statement === null ? undefined : checkLines(statement, seal.index, entries));
    entriesOfSlice = extended(entriesOfSlice, entries);
  }
  const { now, nodes } = await ledger.standing();
  const { verified, newer: next } = check.endSlice({ now, head, isOldest });
  const beside = newer === null ? await besideSegments(ledger, { newest, nodes }) : null;
  const strays = isOldest ? await straysBefore(ledger, { beginnings: next.beginnings, newest, now }) : [];
  const problems: readonly Problem[] = [
    ...(beside ? [...beside.problems.numbers, ...beside.problems.ahead] : []),
    ...strays,
    ...verified.problems,
  ];
  return {
    verified: { ...verified, problems },
    next: isOldest ? null : next,
    entries: entriesOfSlice,
    sealedSince,
    left: isOldest ? 0 : await segmentsBelow(ledger, seals[0]?.number ?? 0),
    open: beside?.open ?? null,
  };
}

type NumberedStoredSeal = StoredSeal & { readonly number: number };

/** In ascending order. */
async function nextSeals(
  ledger: StoredLedger,
  below: number | null,
  bounds: SliceBounds,
): Promise<{ readonly seals: readonly NumberedStoredSeal[]; readonly isOldest: boolean }> {
  const seals: NumberedStoredSeal[] = [];
  let entries = 0;
  for await (const seal of ledger.sealsBelow(below)) {
    if (seals.length >= bounds.segments || entries >= bounds.entries) {
      return { seals: seals.toReversed(), isOldest: false };
    }
    seals.push(seal);
    for (const { lines } of readStatement(seal)?.months ?? []) entries += lines;
  }
  return { seals: seals.toReversed(), isOldest: true };
}

async function segmentsBelow(ledger: StoredLedger, number: number): Promise<number> {
  for await (const oldest of ledger.seals(0)) return number - oldest.number;
  return 0;
}

/** Entries come in their order; a segment of a changed database may have none. */
function extended(so: VerifiedSlice['entries'], entries: readonly Entry[]): VerifiedSlice['entries'] {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return so;
  return { first: so?.first ?? nameOf(first), last: nameOf(last) };
}
