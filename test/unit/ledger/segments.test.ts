/** The formats of a segment: each bound of the statement, the octets of the hashes, and the difference of one entry. */
import { createHash } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import {
  checkLines,
  closedMonths,
  digestOf,
  type Entry,
  entryOf,
  hashedMonths,
  type Line,
  nameOf,
  namesIn,
  readStatement,
  type Statement,
  textOf,
  withoutNames,
} from '../../../src/ledger/segment.ts';
import { lineOf } from './memory-ledger.ts';

const HASH = 'a'.repeat(64);
const PLACE = { position: '-9223372036854775808', at: '2030-01-01', hash: HASH };
const WRITTEN = {
  version: 1,
  stretch: 2,
  sealed_at: '2030-01-01T00:00:00.000Z',
  previous: { digest: HASH, sealed_at: '2029-12-31T00:00:00.000Z', stretch: 1, vouched: true },
  from: '0',
  below: '18446744073709551615',
  from_entry: PLACE,
  below_entry: { ...PLACE, position: '9223372036854775807', hash: '' },
  counted_again_below: '0',
  kept_days: 1,
  months: [{ month: '2030-01', lines: 1, digest: HASH, index: HASH }],
  key: 'thumbprint',
  public_key: 'A'.repeat(43),
};
const read = (change: object = {}) => readStatement({ statement: JSON.stringify({ ...WRITTEN, ...change }) });
const month = (change: object) => ({ months: [{ ...WRITTEN.months[0], ...change }] });

describe('a statement', () => {
  it('is read as it was written, and written again with the same octets', () => {
    const { stretch: segment, previous, ...rest } = WRITTEN;
    const { stretch: before, ...chained } = previous;
    const statement = read();
    expect(statement).toEqual({ ...rest, segment, previous: { ...chained, segment: before } });
    expect(statement && textOf(statement)).toBe(JSON.stringify(WRITTEN));
    const first = { ...WRITTEN, previous: null };
    const of = readStatement({ statement: JSON.stringify(first) });
    expect(of && textOf(of)).toBe(JSON.stringify(first));
    expect(of?.previous).toBeNull();
  });

  it.each<object>([
    { from_entry: undefined, below_entry: undefined, public_key: undefined },
    { previous: { ...WRITTEN.previous, stretch: undefined } },
    month({ month: 'other' }),
    { months: [] },
    { from: '18446744073709551615' },
  ])('may have %j', (change) => {
    expect(read(change)).not.toBeNull();
  });

  const place = (change: object) => ({ from_entry: { ...PLACE, ...change } });
  const previous = (change: object) => ({ previous: { ...WRITTEN.previous, ...change } });
  it.each<object>([
    { version: 2 },
    { stretch: 0 },
    { stretch: 1.5 },
    { sealed_at: '2030-01-01' },
    { previous: undefined },
    previous({ digest: HASH.slice(1) }),
    previous({ stretch: 0 }),
    previous({ vouched: 'true' }),
    previous({ sealed_at: 'yesterday' }),
    ...['', 'x', '-1', '1x', 'x1', '18446744073709551616', '000000000000000000001'].flatMap((digits) => [
      { from: digits },
      { below: digits },
      { counted_again_below: digits },
    ]),
    ...['', '-', '1x', 'x1', '12345678901234567890'].map((position) => place({ position })),
    ...[HASH.slice(1), `${HASH}a`, `x${HASH}`, HASH.toUpperCase(), 'a'].map((hash) => place({ hash })),
    place({ at: 1 }),
    { kept_days: 0 },
    ...['2030-1', '2030-011', 'x2030-01', '2030-01x', 'others', 'another', ''].map((name) => month({ month: name })),
    month({ lines: 0 }),
    ...[HASH.slice(1), `${HASH}a`, HASH.toUpperCase(), HASH.replace('a', 'g'), ''].flatMap((text) => [
      month({ digest: text }),
      month({ index: text }),
    ]),
    { key: 1 },
    { public_key: 'A'.repeat(42) },
  ])('is none with %j', (change) => {
    expect(read(change)).toBeNull();
  });

  it('is none without JSON', () => {
    expect(readStatement({ statement: '{' })).toBeNull();
    expect(readStatement({ statement: 'null' })).toBeNull();
  });

  it('has a digest of its text and of its signature', () => {
    const expected = createHash('sha256').update('statement\nsignature').digest('hex');
    expect(digestOf({ statement: 'statement', signature: 'signature' })).toBe(expected);
  });
});

describe('the month of an entry', () => {
  const monthOf = (text: string) => entryOf({ recordedIn: '1', position: '1', text }).month;
  it.each([
    ['{"at":"2030-01-05T00:00:00+00:00"}', '2030-01'],
    ['{"at": "2030-11-05T00:00:00+00:00"}', '2030-11'],
    ['{"machine":"x","at":"2030-02-05T00:00:00+00:00"}', '2030-02'],
    ['{"facts":{"at":"1999-01-05"},"at":"2030-02-05"}', '2030-02'],
    ['{"at":"infinity"}', 'other'],
    ['{"at":"12030-01-05"}', 'other'],
    ['{"at":"2030-1-05"}', 'other'],
    ['{"at":"2030-01"}', 'other'],
    ['{"at":"x2030-01-05"}', 'other'],
    ['{"at":"203-01-05"}', 'other'],
    ['{"at":"2030-011-05"}', 'other'],
    ['{"machine":"x","at":"2030-011-05"}', 'other'],
    ['{"machine":"x"}', 'other'],
  ])('%s is in %s', (text, expected) => {
    expect(monthOf(text)).toBe(expected);
  });
});

const entry = (recordedIn: number, position: number, text: string): Entry =>
  entryOf({
    recordedIn: String(recordedIn),
    position: String(position),
    text: JSON.stringify({ at: '2030-01-', text }),
  });
/** The octets by the page of the format. */
const octetsOf = ({ recordedIn, position, hash }: Entry): Buffer => {
  const place = Buffer.alloc(16);
  place.writeBigUInt64BE(recordedIn);
  place.writeBigInt64BE(position, 8);
  return Buffer.concat([place, Buffer.from(hash, 'latin1')]);
};
const sha256 = (octets: Buffer) => createHash('sha256').update(octets).digest('hex');

describe('the hashes of a segment', () => {
  const byHash = [entry(3, 5, 'x'), entry(3, 5, 'y')].toSorted((left, right) => (left.hash < right.hash ? -1 : 1));
  const ordered = [entry(1, 9, 'a'), entry(2, -4, 'b'), entry(3, 4, 'c'), ...byHash] as const;

  it('are those of the octets in the order of transaction, place and hash, whatever the order of the input', () => {
    const octets = ordered.map(octetsOf);
    const index = Buffer.concat(octets.map((one) => one.subarray(0, 32)));
    for (const input of [
      ordered,
      ordered.toReversed(),
      ...ordered.map((_, n) => ordered.toSpliced(n, 1).concat(ordered[n] as Entry)),
    ]) {
      expect(closedMonths(hashedMonths(input))).toEqual({
        months: [{ month: '2030-01', lines: 5, digest: sha256(Buffer.concat(octets)), index: sha256(index) }],
        index,
      });
    }
  });

  it('are apart for each month, in the order of the months', () => {
    const [late, early] = [entryOf(lineOf(1, '2030-02')), entryOf(lineOf(2, '2030-01'))];
    const { months, index } = closedMonths([...hashedMonths([late, early]), { month: '2030-03', octets: Buffer.of() }]);
    expect(months.map(({ month: name, lines }) => [name, lines])).toEqual([
      ['2030-01', 1],
      ['2030-02', 1],
    ]);
    expect([...namesIn(index)]).toEqual(['2/2', '1/1']);
  });

  it('leave out the entries with these names', () => {
    const [hashed] = hashedMonths(ordered);
    if (hashed === undefined) throw new Error('no month');
    const kept = withoutNames(hashed, new Set(['1/9', '3/5', '2/4', '9/1']));
    expect(kept).toEqual({ month: '2030-01', octets: Buffer.concat([octetsOf(ordered[1]), octetsOf(ordered[2])]) });
    expect(withoutNames(hashed, new Set())).toEqual({ month: '2030-01', octets: Buffer.from(hashed.octets) });
  });
});

describe('the entries of a segment', () => {
  const lines = [lineOf(1), lineOf(2), lineOf(3, '2030-02'), lineOf(4, '2030-02'), lineOf(5, '2030-02')];
  const { months, index } = closedMonths(hashedMonths(lines.map(entryOf)));
  const statement = { months } as unknown as Statement;
  const check = (given: readonly Line[], stored: Uint8Array = index) =>
    checkLines(statement, stored, given.map(entryOf));
  const flipped = (at: number) => {
    const changed = Buffer.from(index);
    changed[at] = (changed[at] ?? 0) ^ 1;
    return changed;
  };
  const without = (...places: number[]) => lines.filter((_, n) => !places.includes(n));
  const [JANUARY, FEBRUARY] = ['2030-01', '2030-02'];
  const forged = (n: number) => ({ ...(lines[n] as Line), text: (lines[n] as Line).text.replace('""', '"forged"') });
  const of = (problem: string, line: number, inMonth = FEBRUARY) => ({
    problem,
    line: `${line}/${line}`,
    month: inMonth,
  });

  test.each<readonly [string, readonly Line[], Uint8Array, readonly object[], readonly (string | undefined)[]]>([
    ['unchanged', lines, index, [], []],
    ['in another order', lines.toReversed(), index, [], []],
    ['one changed', [...without(2), forged(2)], index, [of('line_changed', 3)], []],
    ['one removed', without(3), index, [of('line_removed', 4)], []],
    ['one added', [...lines, lineOf(9, FEBRUARY)], index, [of('line_added', 9)], []],
    ['one twice', [...lines, lineOf(3, FEBRUARY)], index, [of('line_added', 3)], []],
    [
      'one twice, and one removed',
      [...without(4), lineOf(3, FEBRUARY)],
      index,
      [of('line_removed', 5), of('line_added', 3)],
      [],
    ],
    ['one twice, and once changed', [...lines, forged(2)], index, [of('line_added', 3)], []],
    ['one in a month without entries', [...lines, lineOf(9, '2031-01')], index, [of('line_added', 9, '2031-01')], []],
    ['a month without its entries', without(0, 1), index, [], [JANUARY]],
    ['none', [], index, [], [JANUARY, FEBRUARY]],
    ['an index that was changed', lines, flipped(5), [{ problem: 'index_changed', month: JANUARY }], []],
    [
      'the index of the last month changed',
      lines,
      flipped(index.length - 1),
      [{ problem: 'index_changed', month: FEBRUARY }],
      [],
    ],
    [
      'index and entry changed',
      [...without(0), forged(0)],
      flipped(5),
      [{ problem: 'lines_differ', month: JANUARY }],
      [],
    ],
    [
      'index changed, and an entry of another month',
      [...without(2), forged(2)],
      flipped(5),
      [{ problem: 'index_changed', month: JANUARY }, of('line_changed', 3)],
      [],
    ],
    [
      'an index that is longer',
      lines,
      Buffer.concat([index, Buffer.of(0)]),
      [{ problem: 'index_changed', month: FEBRUARY }],
      [],
    ],
    [
      'an index that is longer, and one changed',
      [...without(2), forged(2)],
      Buffer.concat([index, Buffer.of(0)]),
      [of('line_changed', 3)],
      [],
    ],
    ['an index that is shorter', lines, index.subarray(0, -1), [{ problem: 'index_changed', month: FEBRUARY }], []],
  ])('%s', (_, given, stored, problems, missing) => {
    const found = check(given, stored);
    expect(found.problems).toHaveLength(problems.length);
    expect(found.problems).toEqual(expect.arrayContaining([...problems]));
    expect(found.missing.map(({ month: name }) => name)).toEqual(missing);
  });

  test('of a segment without months: an index has no month', () => {
    expect(checkLines({ months: [] } as unknown as Statement, Buffer.of(0), []).problems).toEqual([
      { problem: 'index_changed', month: 'none' },
    ]);
  });

  test('have names of transaction and place', () => {
    expect(nameOf(entry(18, -7, 'a'))).toBe('18/-7');
    expect([...namesIn(closedMonths(hashedMonths([entry(18, -7, 'a')])).index)]).toEqual(['18/-7']);
    expect([...namesIn(Buffer.alloc(31))]).toEqual([]);
  });
});
