/** Invented exports and entries: verification reports them, without a pass, a crash or a hang. */
import { describe, expect, test } from 'vitest';
import { sealKeys } from '../../../src/crypto/ledger-seal.ts';
import { NotAnExport, verifyExport } from '../../../src/ledger/export.ts';
import { type SealStore, sealNext } from '../../../src/ledger/seal.ts';
import {
  checkLines,
  closedMonths,
  entryOf,
  hashedMonths,
  type Line,
  readStatement,
  type StoredSeal,
} from '../../../src/ledger/segment.ts';
import { testKeys } from '../../support/macs.ts';

const keys = sealKeys(testKeys);
const CLOSED_AT = new Date('2026-01-05T12:00:00Z');

const line = (at: string, place: number): Line => ({
  recordedIn: String(place),
  position: String(place),
  text: JSON.stringify({ at, machine: 'x', recorded_in: String(place), position: place }),
});
const IN_JANUARY = line('2026-01-05T00:00:00+00:00', 5);

async function closed(...lines: Line[]): Promise<StoredSeal> {
  let made: StoredSeal | null = null;
  const store: SealStore = {
    standing: async () => ({ now: CLOSED_AT, nodes: [{ settledBelow: '1000000', begunBelow: '1000000' }] }),
    newestSeals: async function* () {},
    freeNumber: async (after) => after + 1,
    cut: async () => null,
    hashed: async () => hashedMonths(lines.map(entryOf)),
    indexesOf: async function* () {},
    add: async (seal) => {
      made = seal;
      return true;
    },
  };
  await sealNext({ alone: (work) => work(store), keys, keptDays: () => 90 });
  if (made === null) throw new Error('nothing was closed');
  return made;
}

const recordOf = ({ statement, signature, index }: StoredSeal) =>
  JSON.stringify({ seal: statement, signature, index: Buffer.from(index).toString('base64url') });

async function* each(texts: readonly string[]) {
  yield* texts;
}
const verifiedLater = (...texts: string[]) =>
  verifyExport(each(texts), keys, { head: null, now: new Date('2036-01-01') });

describe('a file that is older than retention', () => {
  test('is valid as exported', async () => {
    const seal = recordOf(await closed(IN_JANUARY));
    expect(await verifiedLater(IN_JANUARY.text, seal)).toMatchObject({ problems: [], removedByRetention: 0 });
  });

  test('is invalid without its entries', async () => {
    expect(await verifiedLater(recordOf(await closed(IN_JANUARY)))).toMatchObject({
      problems: [{ problem: 'month_removed', segment: 1, month: '2026-01', lines: 1 }],
    });
  });

  test('may lack entries of an earlier month, which retention removes before their segment', async () => {
    const before = line('2025-12-31T23:59:59+00:00', 4);
    const seal = recordOf(await closed(before, IN_JANUARY));
    expect(await verifiedLater(IN_JANUARY.text, seal)).toMatchObject({ problems: [], removedByRetention: 1 });
  });
});

test.each(['infinity', '-infinity', '12345-01-01T00:00:00+00:00'])(
  'an entry at the instant %s is sealed as any other, and the chain continues',
  async (at) => {
    const strange = line(at, 7);
    const seal = await closed(IN_JANUARY, strange);
    expect(readStatement(seal)?.months.map(({ month }) => month)).toEqual(['2026-01', 'other']);
    expect(await verifiedLater(IN_JANUARY.text, strange.text, recordOf(seal))).toMatchObject({ problems: [] });
    expect((await verifiedLater(IN_JANUARY.text, recordOf(seal))).problems).toMatchObject([
      { problem: 'month_removed', month: 'other' },
    ]);
  },
);

test('an entry with a transaction id that Postgres cannot have is rejected', async () => {
  const [month] = closedMonths(hashedMonths([entryOf(IN_JANUARY)])).months;
  const seal = await closed(IN_JANUARY);
  const statement = JSON.stringify({ ...JSON.parse(seal.statement), months: [month] });
  const text = IN_JANUARY.text.replace('"5"', '"99999999999999999999"');
  await expect(verifiedLater(text, recordOf({ ...seal, statement }))).rejects.toThrow(NotAnExport);
});

test.each(['9007199254740993', '9223372036854775807'])(
  'an entry with the place %s, as late groups of a cluster give them, is valid as exported',
  async (position) => {
    const text = IN_JANUARY.text.replace('"position":5', `"position":${position}`);
    const seal = recordOf(await closed({ ...IN_JANUARY, position, text }));
    expect(await verifiedLater(text, seal)).toMatchObject({ problems: [], lines: 1 });
  },
);

test.each(['9223372036854775808', '5.5', '"5"'])('an entry with the place %s is rejected', async (position) => {
  const text = IN_JANUARY.text.replace('"position":5', `"position":${position}`);
  await expect(verifiedLater(text, recordOf(await closed(IN_JANUARY)))).rejects.toThrow(NotAnExport);
});

test('verification names every added entry, however many', async () => {
  const added = Array.from({ length: 200_000 }, (_, n) => line('2025-01-05T00:00:00+00:00', n).text);

  const seal = await closed(IN_JANUARY);
  const statement = readStatement(seal);
  if (statement === null) throw new Error('no statement');
  const entries = [IN_JANUARY, ...added.map((text, n) => ({ recordedIn: String(n), position: String(n), text }))];
  const found = checkLines(statement, seal.index, entries.map(entryOf));
  expect(found.problems).toHaveLength(200_000);
});
