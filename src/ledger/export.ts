/**
 * The ledger as JSON lines: the entries of a segment in their hashed form, then the segment itself. The verification of
 * such a file needs no database. Each line must stay unchanged, octet for octet: another program that writes it again
 * changes its hash.
 */
import { z } from 'zod';
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import type { Head } from './newest.ts';
import { type Entry, endsOf, entryOf, nameOf, namesIn, readStatement, type StoredSeal } from './segment.ts';
import { type Verified, verification } from './verify.ts';
import type { StoredLedger } from './verify-stored.ts';

export type Exported = { readonly segments: number; readonly lines: number };

/**
 * Writes whole segments: from the first that was sealed at `from` or later, to the first that was sealed at `to` or
 * later. Omits entries that are in no segment yet.
 * @throws StoreUnavailable
 */
export async function exportLedger(
  ledger: StoredLedger,
  { from, to }: { readonly from: Date | null; readonly to: Date | null },
  write: (text: string) => Promise<void> | void,
): Promise<Exported> {
  const begins = from === null ? 1 : await ledger.beginsAt(from);
  let exported = { segments: 0, lines: 0 };
  if (begins === null) return exported;
  const last = await ledger.last();
  // Where transactions were counted twice, segments share ranges. Otherwise the export omits no entry, so that added
  // ones show.
  const said = last && readStatement(last);
  const sharesRanges = last !== null && (said === null || endsOf(said).some((end) => end.counted_again_below !== '0'));
  for await (const seal of ledger.seals(begins - 1)) {
    const lines = await writeSegment(ledger, seal, sharesRanges, write);
    exported = { segments: exported.segments + 1, lines: exported.lines + lines };
    if (to !== null && seal.sealedAt >= to) break;
  }
  return exported;
}

async function writeSegment(
  ledger: StoredLedger,
  seal: StoredSeal,
  sharesRanges: boolean,
  write: (text: string) => Promise<void> | void,
): Promise<number> {
  const statement = readStatement(seal);
  const names = sharesRanges ? namesIn(seal.index) : null;
  let count = 0;
  if (statement !== null) {
    for await (const lines of ledger.lines(statement)) {
      const own = names === null ? lines : lines.filter((line) => names.has(`${line.recordedIn}/${line.position}`));
      count += own.length;
      if (own.length > 0) await write(own.map(({ text }) => `${text}\n`).join(''));
    }
  }
  const index = Buffer.from(seal.index).toString('base64url');
  await write(`${JSON.stringify({ seal: seal.statement, signature: seal.signature, index })}\n`);
  return count;
}

const sealRecord = z.strictObject({ seal: z.string(), signature: z.string(), index: z.string() });
const lineRecord = z.object({
  at: z.string(),
  machine: z.string(),
  recorded_in: z
    .string()
    .regex(/^\d{1,20}$/)
    .refine((digits) => BigInt(digits) < 2n ** 64n),
  position: z
    .bigint()
    .min(-(2n ** 63n))
    .lt(2n ** 63n),
});

/** Nodes of a cluster give places that no number of JavaScript holds. */
const placeAsWritten = (key: string, value: unknown, written?: { readonly source?: string }): unknown =>
  key === 'position' && typeof value === 'number' && /^-?\d+$/.test(written?.source ?? '')
    ? BigInt(written?.source ?? '')
    : value;

/** The file is no export of this server. The message names the line, and shows none of its text. */
export class NotAnExport extends Error {
  constructor(line: number, expected: string) {
    super(`line ${line}: expected ${expected}`);
    this.name = 'NotAnExport';
  }
}

/** @param lines of the file. @param now decides which months retention may have removed. @throws NotAnExport */
export async function verifyExport(
  lines: AsyncIterable<string>,
  keys: SealVerifier,
  { head, now }: { readonly head: Head | null; readonly now: Date },
): Promise<Verified> {
  const check = verification(keys);
  let entries: Entry[] = [];
  let count = 0;
  for await (const text of lines) {
    count += 1;
    if (text === '') continue;
    const record = recordIn(text);
    if (record === null) throw new NotAnExport(count, 'a line of the ledger or a closed segment, as JSON');
    if (isSeal(record)) {
      const seal = {
        statement: record.seal,
        signature: record.signature,
        index: Buffer.from(record.index, 'base64url'),
      };
      check.add(readStatement(seal)?.segment ?? 0, seal, entries);
      entries = [];
    } else {
      const { recorded_in: recordedIn, position } = record;
      entries.push(entryOf({ recordedIn, position: String(position), text }));
    }
  }
  const verified = check.end({ now, head, beginsAnywhere: true });
  const strays = entries.map(
    (entry) => ({ problem: 'line_added', segment: null, line: nameOf(entry), month: entry.month }) as const,
  );
  return { ...verified, problems: [...verified.problems, ...strays] };
}

type SealRecord = z.output<typeof sealRecord>;
type LineRecord = z.output<typeof lineRecord>;
const isSeal = (record: SealRecord | LineRecord): record is SealRecord => 'seal' in record;

function recordIn(text: string): SealRecord | LineRecord | null {
  try {
    const value: unknown = JSON.parse(text, placeAsWritten);
    return sealRecord.safeParse(value).data ?? lineRecord.safeParse(value).data ?? null;
  } catch {
    return null;
  }
}
