/** The verification of a ledger in memory, and of its export: each problem where it is, and none beside it. */
import { describe, expect, it, test } from 'vitest';
import { sealKeys } from '../../../src/crypto/ledger-seal.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { exportLedger, NotAnExport, verifyExport } from '../../../src/ledger/export.ts';
import type { Head } from '../../../src/ledger/newest.ts';
import { digestOf, readStatement, type Statement, textOf } from '../../../src/ledger/segment.ts';
import { type Newer, newerSchema } from '../../../src/ledger/verify.ts';
import { type SliceBounds, type VerifiedSlice, verifySlice } from '../../../src/ledger/verify-slice.ts';
import { verifyStored } from '../../../src/ledger/verify-stored.ts';
import { keys, lineOf, type MemoryLedger, memoryLedger, named } from './memory-ledger.ts';

const [OWN, OTHER] = [
  'a root secret for tests, of more than 32 bytes',
  'a secret of another server, with 32 bytes',
] as const;
const others = sealKeys(rootKeys([OTHER]));
/** Whole, and in slices of one and of two segments, which find the same. */
async function verified(ledger: MemoryLedger, head: Parameters<typeof verifyStored>[2] = null, by = keys) {
  const whole = await verifyStored(ledger.ledger, by, head);
  for (const segments of [1, 2]) {
    const slices = await slicesOf(ledger, { segments, entries: 100 }, head, by);
    const problems = slices.flatMap((slice) => slice.verified.problems);
    expect(sorted(problems)).toEqual(sorted(whole.problems));
    const { problems: _, open, ...numbers } = whole;
    expect(slices.at(-1)?.verified).toMatchObject(numbers);
    expect(slices[0]?.open).toBe(open);
  }
  return whole;
}

const sorted = (problems: readonly object[]) => problems.map((problem) => JSON.stringify(problem, order)).toSorted();
const order = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).toSorted()) : value;

async function slicesOf(ledger: MemoryLedger, bounds: SliceBounds, head: Head | null = null, by = keys) {
  const slices: VerifiedSlice[] = [];
  let newer: Newer | null = null;
  do {
    const slice: VerifiedSlice = await verifySlice(ledger.ledger, by, { newer, head, bounds });
    slices.push(slice);
    // As a caller of the API carries it.
    newer = slice.next && newerSchema.parse(JSON.parse(JSON.stringify(slice.next)));
  } while (newer !== null);
  return slices;
}
const problemsOf = async (...given: Parameters<typeof verified>) => (await verified(...given)).problems;

/** Four segments, one a month: of January with two entries, and so on. @param kept the retention at each, in days. */
async function written(kept: readonly number[] = []) {
  const ledger = memoryLedger();
  const heads = [];
  for (const [n, month] of ['2030-01', '2030-02', '2030-03', '2030-04'].entries()) {
    ledger.now = new Date(`${month}-20T12:00:00Z`);
    ledger.keptDays = kept[n] ?? 90;
    heads.push(await ledger.write(lineOf(2 * n + 5, month), lineOf(2 * n + 6, month)));
  }
  const sealAt = (number: number) => {
    const found = ledger.seals.find((seal) => seal.number === number);
    if (found === undefined) throw new Error(`no segment ${number}`);
    return found;
  };
  /** Signs a changed statement: as this server could have, or as another. */
  const signAgain = (number: number, change: (statement: Statement) => Partial<Statement>, by = keys) => {
    const seal = sealAt(number);
    const said = readStatement(seal);
    if (said === null) throw new Error('no statement');
    const statement = textOf({ ...said, ...change(said) });
    ledger.seals[ledger.seals.indexOf(seal)] = { ...seal, statement, signature: by.sign(statement) };
  };
  const remove = (...numbers: readonly number[]) => {
    ledger.seals = ledger.seals.filter(({ number }) => !numbers.includes(number));
  };
  return { ledger, heads, sealAt, signAgain, remove };
}

const removed = (...numbers: readonly number[]) => numbers.map((segment) => ({ problem: 'segment_removed', segment }));

describe('a stored ledger', () => {
  it('that is unchanged has no problem, and its entries are counted', async () => {
    const { ledger, heads } = await written();
    ledger.lines.push(lineOf(100, '2030-04'));
    const [head] = heads.slice(-1);
    expect(await verified(ledger)).toEqual({
      problems: [],
      segments: 4,
      lines: 8,
      first: 1,
      head: { number: 4, digest: head?.digest, sealedAt: '2030-04-20T12:00:00.000Z' },
      removedByRetention: 0,
      open: 1,
    });
  });

  it('without a segment has none', async () => {
    const ledger = memoryLedger();
    ledger.lines.push(lineOf(5));
    const nothing = { problems: [], segments: 0, lines: 0, first: null, head: null, removedByRetention: 0 };
    expect(await verified(ledger)).toEqual({ ...nothing, open: 1 });
    expect(await problemsOf(ledger, { number: 1, digest: 'x' })).toEqual(removed(1));
    expect(await problemsOf(ledger, { number: 0, digest: 'x' })).toEqual([{ problem: 'head_differs', segment: 0 }]);
  });

  test.each<readonly [string, (of: Awaited<ReturnType<typeof written>>) => unknown, readonly object[]]>([
    [
      'an entry',
      ({ ledger }) => ledger.lines.splice(3, 1),
      [{ problem: 'line_removed', segment: 2, line: '8/8', month: '2030-02' }],
    ],
    ['a segment', ({ remove }) => remove(2), removed(2)],
    ['two segments', ({ remove }) => remove(2, 3), removed(2, 3)],
    ['the newest segment', ({ remove }) => remove(4), []],
    [
      'all entries of a month within the retention',
      ({ ledger }) => ledger.lines.splice(2, 2),
      [{ problem: 'month_removed', segment: 2, month: '2030-02', lines: 2 }],
    ],
  ])('is missing %s', async (_, change, problems) => {
    const of = await written();
    change(of);
    expect(await problemsOf(of.ledger)).toEqual(problems);
  });

  it('is missing its first segments, with the entries that no segment has', async () => {
    const { ledger, remove } = await written();
    remove(1, 2);
    expect(await problemsOf(ledger)).toEqual([
      ...ledger.lines.slice(0, 4).map((line) => ({
        problem: 'line_added',
        segment: null,
        line: named(line),
        month: line.text.slice(7, 14),
      })),
      ...removed(1, 2),
    ]);
  });

  it('may be missing first segments and months that retention removed, and no others', async () => {
    const { ledger, remove } = await written();
    ledger.keptDays = 30;
    ledger.now = new Date('2030-04-30T00:00:00Z');
    await ledger.write(lineOf(100, '2030-04'));
    ledger.lines.splice(0, 4);
    // February ended more than 30 days ago, and March has not.
    expect(await verified(ledger)).toMatchObject({ problems: [], removedByRetention: 4, segments: 5 });
    remove(1, 2);
    expect(await verified(ledger)).toMatchObject({ problems: [], first: 3, segments: 3 });
    remove(3);
    expect(await problemsOf(ledger)).toEqual([
      ...['9/9', '10/10'].map((line) => ({ problem: 'line_added', segment: null, line, month: '2030-03' })),
      ...removed(1, 2, 3),
    ]);
  });

  it.each([
    // From 20 March at noon, to the beginning of February and past it.
    [47, []],
    [48, [{ problem: 'month_removed', segment: 1, month: '2030-01', lines: 2 }]],
  ])('is missing January where %d days were kept in March', async (days, problems) => {
    const { ledger } = await written([90, 90, days, 90]);
    ledger.lines.splice(0, 2);
    expect(await problemsOf(ledger)).toEqual(problems);
  });

  it.each([
    ['without a signature', 'none', 'segment_changed'],
    ['of another server', null, 'key_unknown'],
  ])('is missing January, whatever the retention in a seal %s', async (_, signature, reported) => {
    const { ledger, sealAt } = await written();
    const said = readStatement(sealAt(4));
    if (said === null) throw new Error('no statement');
    const later = { ...said, segment: 5, kept_days: 1, previous: null, key: others.kid };
    const statement = textOf(signature === null ? { ...later, public_key: others.publicKey } : later);
    ledger.seals.push({ ...sealAt(4), number: 5, statement, signature: signature ?? others.sign(statement) });
    ledger.lines.splice(0, 2);
    expect((await problemsOf(ledger)).map(({ problem, segment }) => [problem, segment])).toEqual([
      ['month_removed', 1],
      [reported, 5],
    ]);
  });

  it('is missing a month from the instant on at which its last entries are too old', async () => {
    const { ledger } = await written();
    ledger.lines.splice(0, 2);
    ledger.now = new Date('2030-05-02T00:00:00Z');
    expect(await problemsOf(ledger)).toEqual([]);
    ledger.now = new Date(ledger.now.getTime() - 1);
    expect(await problemsOf(ledger)).toHaveLength(1);
  });

  it('reports entries that are left of a month whose segment retention removed, from the kept months on', async () => {
    const { ledger, remove, signAgain } = await written();
    signAgain(4, () => ({ kept_days: 30 }));
    remove(1, 2);
    ledger.now = new Date('2030-05-30T00:00:00Z');
    // 90 days before: March 1st. The statement of the first segment that is left counts.
    expect(await problemsOf(ledger)).toEqual([]);
    ledger.now = new Date('2030-05-29T00:00:00Z');
    expect(await problemsOf(ledger)).toEqual(
      ['7/7', '8/8'].map((line) => ({ problem: 'line_added', segment: null, line, month: '2030-02' })),
    );
  });

  it('names an entry of a transaction that is not started, and of no other', async () => {
    const { ledger } = await written();
    ledger.begunBelow = '100';
    ledger.lines.push(lineOf(99), lineOf(100), lineOf(101));
    expect(await verified(ledger)).toMatchObject({
      problems: ['100/100', '101/101'].map((line) => ({
        problem: 'line_ahead',
        segment: null,
        line,
        month: '2030-01',
      })),
      open: 3,
    });
    // A ledger whose newest segment is ahead came from another Postgres.
    ledger.begunBelow = '13';
    expect((await problemsOf(ledger)).map(({ problem }) => problem)).toEqual(
      ledger.lines.slice(8).map(() => 'line_ahead'),
    );
    ledger.begunBelow = '12';
    expect(await problemsOf(ledger)).toEqual([]);
  });

  it('without a segment says nothing of entries ahead', async () => {
    const ledger = memoryLedger();
    ledger.lines.push(lineOf(2000));
    expect(await problemsOf(ledger)).toEqual([]);
  });

  it('names a thousand entries ahead, and does not read on', async () => {
    const { ledger } = await written();
    ledger.lines.push(...Array.from({ length: 1005 }, (_, n) => lineOf(1000 + n)));
    expect(await problemsOf(ledger)).toHaveLength(1000);
  });

  it('names rows under numbers that no server assigns', async () => {
    const { ledger } = await written();
    ledger.refusedNumbers = ['-1', '9223372036854775807'];
    expect(await problemsOf(ledger)).toEqual(
      ledger.refusedNumbers.map((number) => ({ problem: 'number_refused', segment: null, number })),
    );
  });

  it('that moved to another Postgres is verified there, entry by entry', async () => {
    const ledger = memoryLedger();
    await ledger.write(lineOf(3), lineOf(500));
    Object.assign(ledger, { settledBelow: '5', begunBelow: '5' });
    ledger.lines.push(lineOf(4));
    await ledger.seal();
    // Open here, and not yet begun there.
    ledger.lines.push(lineOf(7), lineOf(600));
    expect(await verified(ledger)).toMatchObject({ problems: [], lines: 3, open: 3 });
    ledger.lines.push(lineOf(2));
    expect((await problemsOf(ledger)).map(({ problem, segment }) => [problem, segment])).toEqual([
      ['line_added', 1],
      ['line_added', 2],
    ]);
    ledger.lines.pop();
    ledger.lines.splice(0, 1);
    expect(await problemsOf(ledger)).toEqual([{ problem: 'line_removed', segment: 1, line: '3/3', month: '2030-01' }]);
  });
});

describe('a slice', () => {
  it('ends with the segment that reaches the bound, and names its first and last entry', async () => {
    const { ledger } = await written();
    const slices = await slicesOf(ledger, { segments: 100, entries: 3 });
    expect(slices.map(({ left, entries, sealedSince, open }) => ({ left, entries, sealedSince, open }))).toEqual([
      { left: 2, entries: { first: '9/9', last: '12/12' }, sealedSince: '2030-03-20T12:00:00.000Z', open: 0 },
      { left: 0, entries: { first: '5/5', last: '8/8' }, sealedSince: '2030-01-20T12:00:00.000Z', open: null },
    ]);
    expect(slices.map(({ verified: { segments, lines } }) => [segments, lines])).toEqual([
      [2, 4],
      [4, 8],
    ]);
  });

  it('follows the segments of the first slice, whatever was sealed since', async () => {
    const { ledger } = await written();
    const bounds = { segments: 2, entries: 100 };
    const first = await verifySlice(ledger.ledger, keys, { newer: null, head: null, bounds });
    await ledger.write(lineOf(100, '2030-04'));
    const last = await verifySlice(ledger.ledger, keys, { newer: first.next, head: null, bounds });
    expect(last).toMatchObject({ next: null, left: 0, verified: { problems: [], segments: 4, head: { number: 4 } } });
  });
});

describe('the chain', () => {
  const changed = (segment: number) => ({ problem: 'segment_changed', segment });

  it.each([1, 2, 3])('names segment %d, changed and not signed again', async (number) => {
    const { ledger, sealAt } = await written();
    Object.assign(sealAt(number), { statement: sealAt(number).statement.replace('"kept_days":90', '"kept_days":9') });
    expect(await problemsOf(ledger)).toEqual([changed(number)]);
  });

  it('names a segment that another statement of this server replaces, at the one that follows', async () => {
    const { ledger, signAgain } = await written();
    signAgain(2, () => ({ kept_days: 91 }));
    expect(await problemsOf(ledger)).toEqual([{ problem: 'segment_before_changed', segment: 3 }]);
  });

  it('names a segment without a readable statement, and its entries follow no statement', async () => {
    const { ledger, sealAt } = await written();
    Object.assign(sealAt(3), { statement: '{' });
    expect(await verified(ledger)).toMatchObject({ problems: [changed(3)], segments: 4, lines: 6 });
  });

  it('vouches for a segment whose statement this version cannot read', async () => {
    const { ledger, sealAt, signAgain, remove } = await written();
    Object.assign(sealAt(3), { statement: '{' });
    const digest = digestOf(sealAt(3));
    signAgain(4, ({ previous }) => ({ previous: previous && { ...previous, digest } }));
    expect(await verified(ledger)).toMatchObject({ problems: [], segments: 4, lines: 6 });
    const [january, , ...others] = ledger.lines.splice(0);
    ledger.lines.push(...others);
    ledger.now = new Date('2030-05-02T00:00:00Z');
    expect(january?.text).toContain('2030-01');
    expect(await problemsOf(ledger)).toEqual([]);
    // Nothing says when the segment before it was sealed.
    remove(1, 2);
    expect((await problemsOf(ledger)).slice(-2)).toEqual(removed(1, 2));
  });

  it('vouches for segments under a root secret that has left the list, and for no others', async () => {
    const ledger = memoryLedger();
    ledger.lines.push(lineOf(5));
    ledger.settledBelow = '6';
    await ledger.seal({}, others);
    ledger.lines.push(lineOf(6));
    ledger.settledBelow = '7';
    await ledger.seal({}, sealKeys(rootKeys([OTHER, OWN])));
    ledger.lines.push(lineOf(7));
    ledger.settledBelow = '8';
    await ledger.seal({}, sealKeys(rootKeys([OWN, OTHER])));
    const unknown = (segment: number) => ({
      problem: 'key_unknown',
      segment,
      key: others.kid,
      public_key: others.publicKey,
    });
    expect(await problemsOf(ledger)).toEqual([]);
    const third = ledger.seals[2];
    const said = third && readStatement(third);
    if (!third || !said?.previous) throw new Error('no chain');
    for (const [previous, problems] of [
      [{ ...said.previous, vouched: false }, [unknown(1), unknown(2)]],
      [{ ...said.previous, digest: 'a'.repeat(64) }, [unknown(1), unknown(2)]],
      [null, [unknown(1), unknown(2)]],
    ] as const) {
      const statement = textOf({ ...said, previous });
      ledger.seals[2] = { ...third, statement, signature: keys.sign(statement) };
      expect(await problemsOf(ledger)).toEqual(problems);
    }
  });

  it('begins at the first authentic segment, and ends at the last', async () => {
    const { ledger, sealAt, heads } = await written();
    Object.assign(sealAt(1), { signature: others.sign(sealAt(1).statement) });
    Object.assign(sealAt(4), { signature: 'none' });
    expect(await verified(ledger)).toMatchObject({
      first: 2,
      head: { number: 3, digest: heads[2]?.digest },
      problems: [changed(1), changed(4)],
    });
    // Rows after the last authentic one may have any number.
    ledger.seals.push({ ...sealAt(4), number: 9 });
    expect(await problemsOf(ledger)).toEqual([changed(1), changed(4), changed(9)]);
  });

  it('without an authentic segment has those that are there', async () => {
    const { ledger } = await written();
    const of = await verified(ledger, null, others);
    expect(of).toMatchObject({ first: 1, head: { number: 4, sealedAt: '2030-04-20T12:00:00.000Z' }, open: 0 });
    expect(of.problems.map(({ problem, segment }) => [problem, segment])).toEqual(
      [1, 2, 3, 4].map((segment) => ['key_unknown', segment]),
    );
    ledger.seals.splice(0, 4, { ...(ledger.seals[0] as MemoryLedger['seals'][0]), statement: '{' });
    expect(await verified(ledger)).toMatchObject({ first: 1, head: { number: 1, sealedAt: 'unknown' }, open: 8 });
  });

  it('is missing a thousand segments at most', async () => {
    const { ledger, signAgain } = await written();
    const last = ledger.seals.at(-1) as MemoryLedger['seals'][0];
    ledger.seals[3] = { ...last, number: 2000 };
    signAgain(2000, (said) => ({ segment: 2000, previous: said.previous && { ...said.previous, segment: 3 } }));
    expect(await problemsOf(ledger)).toEqual(removed(...Array.from({ length: 1000 }, (_, n) => n + 4)));
  });

  test.each([
    ['the newest', 4, 'digest', []],
    ['an earlier one', 2, 'digest', []],
    ['another one with the newest number', 4, 'other', [{ problem: 'head_differs', segment: 4 }]],
    ['another one with an earlier number', 1, 'other', [{ problem: 'head_differs', segment: 1 }]],
    ['one that comes later', 6, 'other', removed(5, 6)],
    ['none that a server assigns', 0, 'other', []],
  ] as const)('compares the head that is %s', async (_, number, digest, problems) => {
    const { ledger, heads } = await written();
    const own = heads[number - 1]?.digest ?? 'none';
    expect(await problemsOf(ledger, { number, digest: digest === 'digest' ? own : 'none' })).toEqual(problems);
  });

  it('misses a head between its segments', async () => {
    const { ledger, remove } = await written();
    remove(2);
    expect(await problemsOf(ledger, { number: 2, digest: 'none' })).toEqual([
      ...removed(2),
      { problem: 'head_differs', segment: 2 },
    ]);
  });
});

async function* each(texts: readonly string[]) {
  yield* texts;
}

describe('an export', () => {
  const exported = async (ledger: MemoryLedger, from: string | null = null, to: string | null = null) => {
    const texts: string[] = [];
    const range = { from: from === null ? null : new Date(from), to: to === null ? null : new Date(to) };
    const counts = await exportLedger(ledger.ledger, range, (text) => void texts.push(text));
    return { counts, texts, lines: texts.join('').split('\n') };
  };
  const checked = (
    lines: readonly string[],
    head: Parameters<typeof verified>[1] = null,
    now = new Date('2036-01-01'),
  ) => verifyExport(each(lines), keys, { head, now });

  it('has the entries of each segment, and then the segment', async () => {
    const { ledger, sealAt } = await written();
    const { counts, texts } = await exported(ledger);
    expect(counts).toEqual({ segments: 4, lines: 8 });
    const seal = (number: number) => {
      const { statement, signature, index } = sealAt(number);
      return `${JSON.stringify({ seal: statement, signature, index: Buffer.from(index).toString('base64url') })}\n`;
    };
    expect(texts).toEqual(
      [1, 2, 3, 4].flatMap((number) => [
        // A page of two entries.
        `${ledger.lines[2 * number - 2]?.text}\n${ledger.lines[2 * number - 1]?.text}\n`,
        seal(number),
      ]),
    );
  });

  it.each([
    [null, '2030-02-20T12:00:00Z', { segments: 2, lines: 4 }],
    [null, '2030-02-20T12:00:01Z', { segments: 3, lines: 6 }],
    [null, '2020-01-01', { segments: 1, lines: 2 }],
    ['2030-02-20T12:00:00Z', null, { segments: 3, lines: 6 }],
    ['2030-02-20T12:00:01Z', '2030-03-20T12:00:00Z', { segments: 1, lines: 2 }],
    ['2031-01-01', null, { segments: 0, lines: 0 }],
  ])('from %s to %s has whole segments', async (from, to, counts) => {
    const { ledger } = await written();
    const of = await exported(ledger, from, to);
    expect(of.counts).toEqual(counts);
    expect(await checked(of.lines)).toMatchObject({ problems: [], ...counts });
  });

  it('has entries of removed months neither as text nor as a problem of its own month', async () => {
    const { ledger } = await written();
    ledger.lines.splice(2, 2);
    const { counts, lines } = await exported(ledger);
    expect(counts).toEqual({ segments: 4, lines: 6 });
    expect((await checked(lines)).problems).toEqual([
      { problem: 'month_removed', segment: 2, month: '2030-02', lines: 2 },
    ]);
  });

  it('has added entries, so that they show', async () => {
    const { ledger } = await written();
    ledger.lines.splice(2, 0, { ...lineOf(6), position: '99' });
    ledger.lines[2] = { ...lineOf(6), position: '99', text: lineOf(6).text.replace('"position":6', '"position":99') };
    expect((await checked((await exported(ledger)).lines)).problems).toEqual([
      { problem: 'line_added', segment: 1, line: '6/99', month: '2030-01' },
    ]);
  });

  it('after a move to another Postgres has each entry in its own segment alone', async () => {
    const ledger = memoryLedger();
    await ledger.write(lineOf(3), lineOf(500));
    Object.assign(ledger, { settledBelow: '5', begunBelow: '5' });
    ledger.lines.push(lineOf(4));
    await ledger.seal();
    const of = await exported(ledger);
    expect(of.counts).toEqual({ segments: 2, lines: 3 });
    expect(of.texts).not.toContain('');
    expect(await checked(of.lines)).toMatchObject({ problems: [], lines: 3 });
  });

  it('has no entries for a segment without a statement', async () => {
    const { ledger, sealAt } = await written();
    Object.assign(sealAt(2), { statement: '{' });
    const of = await exported(ledger);
    expect(of.counts).toEqual({ segments: 4, lines: 6 });
    expect((await checked(of.lines)).problems).toEqual([
      { problem: 'segment_changed', segment: 0 },
      // It has no number, so it follows the first out of order.
      { problem: 'segment_before_changed', segment: 0 },
      ...removed(1, 2),
    ]);
  });

  it('may begin with any segment, also within the retention', async () => {
    const { ledger } = await written();
    const { lines } = await exported(ledger, '2030-02-20T12:00:00Z');
    expect((await checked(lines, null, new Date('2030-04-21'))).problems).toEqual([]);
  });

  it('of a ledger without a segment is empty', async () => {
    const ledger = memoryLedger();
    ledger.lines.push(lineOf(5));
    expect(await exported(ledger)).toMatchObject({ counts: { segments: 0, lines: 0 }, texts: [] });
  });

  it('omits no entry for a newest segment without a statement', async () => {
    const { ledger, sealAt } = await written();
    Object.assign(sealAt(4), { statement: '{' });
    expect((await exported(ledger)).counts).toEqual({ segments: 4, lines: 6 });
  });

  it('with entries after its last segment is reported', async () => {
    const { ledger } = await written();
    const { lines } = await exported(ledger);
    const stray = lineOf(99, '2030-05');
    expect((await checked([...lines, stray.text])).problems).toEqual([
      { problem: 'line_added', segment: null, line: '99/99', month: '2030-05' },
    ]);
  });

  it('with a segment twice is reported', async () => {
    const { ledger } = await written();
    const { lines } = await exported(ledger);
    const second = lines.slice(3, 6);
    expect((await checked([...lines.slice(0, 6), ...second, ...lines.slice(6)])).problems).toContainEqual({
      problem: 'segment_before_changed',
      segment: 2,
    });
  });

  it.each([
    ['not JSON', '{'],
    ['another object', '{"machine":"x"}'],
    ['a seal with a member more', '{"seal":"s","signature":"s","index":"","more":1}'],
    ['a transaction that is none', '{"at":"x","machine":"x","recorded_in":"1x","position":1}'],
    ['a transaction that is none, either', '{"at":"x","machine":"x","recorded_in":"x1","position":1}'],
    ['a transaction of 21 digits', '{"at":"x","machine":"x","recorded_in":"000000000000000000001","position":1}'],
    ['a transaction that is too high', '{"at":"x","machine":"x","recorded_in":"18446744073709551616","position":1}'],
    ['a position that is none', '{"at":"x","machine":"x","recorded_in":"1","position":1.5}'],
    ['no machine', '{"at":"x","recorded_in":"1","position":1}'],
  ])('is none where a line is %s: the error names the line', async (_, text) => {
    const failed = checked(['', lineOf(1).text, '', text]);
    await expect(failed).rejects.toThrow(NotAnExport);
    await expect(failed).rejects.toMatchObject({
      name: 'NotAnExport',
      message: 'line 4: expected a line of the ledger or a closed segment, as JSON',
    });
  });

  it('may have the highest transaction', async () => {
    const text = '{"at":"2030-01-01","machine":"x","recorded_in":"18446744073709551615","position":1}';
    expect((await checked([text])).problems).toMatchObject([{ line: '18446744073709551615/1' }]);
  });

  it('is compared with the head', async () => {
    const { ledger, sealAt } = await written();
    const { lines } = await exported(ledger, '2030-02-20T12:00:00Z');
    expect(await problemsBy(lines, { number: 4, digest: digestOf(sealAt(4)) })).toEqual([]);
    // A file may begin later than the head.
    expect(await problemsBy(lines, { number: 1, digest: 'x' })).toEqual([]);
    expect(await problemsBy(lines, { number: 5, digest: 'x' })).toEqual(removed(5));
    expect(await problemsBy(lines, { number: 2, digest: 'x' })).toEqual([{ problem: 'head_differs', segment: 2 }]);
  });
  const problemsBy = async (...given: Parameters<typeof checked>) => (await checked(...given)).problems;
});
