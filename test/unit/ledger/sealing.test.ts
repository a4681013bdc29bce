/** The sealing on a ledger in memory: the content of a segment, its chain, and the memory of a node. */
import { describe, expect, it } from 'vitest';
import { sealKeys } from '../../../src/crypto/ledger-seal.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { sealing } from '../../../src/ledger/duty.ts';
import { newestAuthentic } from '../../../src/ledger/newest.ts';
import { digestOf, namesIn, readStatement } from '../../../src/ledger/segment.ts';
import { keys, lineOf, memoryLedger } from './memory-ledger.ts';

const others = sealKeys(rootKeys(['a secret of another server, with 32 bytes and more']));

describe('a segment', () => {
  it('has a signed statement about its range, its months, its keys and its time', async () => {
    const ledger = memoryLedger();
    ledger.lines.push(lineOf(5), lineOf(7, '2030-02'));
    ledger.settledBelow = '9';
    const { newest, passedOver, closed } = await ledger.seal();
    expect([newest, passedOver]).toEqual([null, []]);
    const [seal] = ledger.seals;
    expect(seal && readStatement(seal)).toEqual({
      version: 1,
      segment: 1,
      sealed_at: '2030-01-20T12:00:00.000Z',
      previous: null,
      from: '0',
      below: '9',
      counted_again_below: '0',
      kept_days: 90,
      months: [expect.objectContaining({ month: '2030-01', lines: 1 }), expect.objectContaining({ month: '2030-02' })],
      key: keys.kid,
      public_key: keys.publicKey,
    });
    expect(seal && keys.isRight({ key: keys.kid }, seal.statement, seal.signature)).toBe(true);
    expect(closed).toEqual({ number: 1, digest: seal && digestOf(seal), lines: 2, below: '9', key: keys.kid });
    expect(seal?.sealedAt).toBe(ledger.now);
    expect(ledger.cuts).toEqual([[{ from: '0', from_entry: undefined, below: '9' }, 2000]]);
  });

  it('continues at the end of the one before, and is chained to it', async () => {
    const ledger = memoryLedger();
    const first = await ledger.write(lineOf(5));
    ledger.now = new Date('2030-01-21T12:00:00Z');
    await ledger.write(lineOf(6));
    const statement = ledger.seals[1] && readStatement(ledger.seals[1]);
    expect(statement).toMatchObject({ segment: 2, from: '6', below: '7' });
    expect(statement?.previous).toStrictEqual({
      digest: first.digest,
      sealed_at: '2030-01-20T12:00:00.000Z',
      segment: undefined,
      vouched: true,
    });
  });

  it('names the one before where a row of another author has the number between', async () => {
    const ledger = memoryLedger();
    await ledger.write(lineOf(5));
    ledger.seals.push({ ...(ledger.seals[0] as (typeof ledger.seals)[0]), number: 2 });
    const { number } = await ledger.write(lineOf(6));
    expect(number).toBe(3);
    expect(ledger.seals[2] && readStatement(ledger.seals[2])?.previous).toMatchObject({ segment: 1 });
    expect((await ledger.seal()).passedOver).toEqual([]);
    expect((await ledger.seal()).newest).toMatchObject({ number: 3 });
  });

  it('ends at the edge of the store, and the next begins there', async () => {
    const ledger = memoryLedger();
    const place = { position: '6', at: 'x', hash: '' };
    ledger.lines.push(lineOf(5), { ...lineOf(5), position: '6' }, lineOf(7));
    ledger.cut = { below: '5', below_entry: place };
    expect((await ledger.seal({ most: 1, partial: false })).closed).toMatchObject({ number: 1, lines: 1, below: '5' });
    ledger.cut = null;
    expect((await ledger.seal({ most: 2 })).closed).toMatchObject({ number: 2, lines: 2 });
    expect(ledger.cuts.map(([{ from, from_entry }, most]) => [from, from_entry, most])).toEqual([
      ['0', undefined, 1],
      ['5', place, 2],
    ]);
    expect(ledger.seals[1] && readStatement(ledger.seals[1])).toMatchObject({ from: '5', from_entry: place });
  });

  it.each([
    ['no transaction has ended since', { settledBelow: '6' }, {}],
    ['transactions seem to have ended before', { settledBelow: '5' }, {}],
    ['it is not full, and need not be sealed yet', { settledBelow: '20' }, { partial: false }],
    ['it has no entries', { settledBelow: '20', lines: [] }, {}],
    ['another node was first', { settledBelow: '20', isTaken: true }, {}],
  ] as const)('is not sealed where %s', async (_, change, options) => {
    const ledger = memoryLedger();
    const { number, digest } = await ledger.write(lineOf(5));
    ledger.lines.push(lineOf(6));
    Object.assign(ledger, change);
    expect(await ledger.seal(options)).toEqual({ newest: { number, digest }, passedOver: [], closed: null });
    expect(ledger.seals).toHaveLength(1);
  });

  it('is not sealed while another node seals', async () => {
    const duty = sealing({ alone: async () => null, keys, keptDays: () => 90 });
    expect(await duty.step()).toEqual({ closed: null, lost: null, passedOver: [] });
  });

  it('in another Postgres, which counts from the start, leaves out entries of earlier segments', async () => {
    const ledger = memoryLedger();
    await ledger.write(lineOf(3));
    await ledger.write(lineOf(500));
    // Here the transactions 3 and 4 have passed; 501 is far ahead.
    Object.assign(ledger, { settledBelow: '5', begunBelow: '5' });
    ledger.lines.push(lineOf(4));
    expect((await ledger.seal()).closed).toMatchObject({ number: 3, lines: 1, below: '5' });
    const [, , third] = ledger.seals;
    expect(third && readStatement(third)).toMatchObject({ from: '0', counted_again_below: '501' });
    expect(third && readStatement(third)?.from_entry).toBeUndefined();
    expect(third && [...namesIn(third.index)]).toEqual(['4/4']);
    // The next continues here, and still knows of the numbers that were used twice.
    ledger.lines.push(lineOf(6));
    Object.assign(ledger, { settledBelow: '1000', begunBelow: '1000' });
    expect((await ledger.seal()).closed).toMatchObject({ number: 4, lines: 1 });
    const [, , , fourth] = ledger.seals;
    expect(fourth && readStatement(fourth)).toMatchObject({ from: '5', counted_again_below: '501' });
    expect(fourth && [...namesIn(fourth.index)]).toEqual(['6/6']);
    // Past those numbers, none was used twice.
    ledger.lines.push(lineOf(1001));
    Object.assign(ledger, { settledBelow: '1002', begunBelow: '1002' });
    expect((await ledger.seal()).closed).toMatchObject({ number: 5, lines: 1 });
  });

  it('in a Postgres that has begun as many transactions continues', async () => {
    const ledger = memoryLedger();
    await ledger.write(lineOf(3));
    Object.assign(ledger, { settledBelow: '6', begunBelow: '4' });
    ledger.lines.push(lineOf(5));
    await ledger.seal();
    expect(ledger.seals[1] && readStatement(ledger.seals[1])).toMatchObject({ from: '4', counted_again_below: '0' });
  });
});

describe('the newest authentic seal', () => {
  const newestOf = (ledger: ReturnType<typeof memoryLedger>, by = keys) =>
    newestAuthentic(ledger.store.newestSeals(), by);

  it('is the newest with the signature of a listed root secret, under its own number', async () => {
    const ledger = memoryLedger();
    expect(await newestOf(ledger)).toEqual({ seal: null, passedOver: [] });
    const { digest } = await ledger.write(lineOf(5));
    await ledger.write(lineOf(6));
    const [first, second] = ledger.seals as [(typeof ledger.seals)[0], (typeof ledger.seals)[0]];
    ledger.seals[1] = { ...second, signature: 'none' };
    // A copy, a forgery and a text.
    ledger.seals.push({ ...first, number: 3 }, { ...second, number: 4 }, { ...first, number: 5, statement: '{' });
    const { seal, passedOver } = await newestOf(ledger);
    expect(seal).toEqual({ number: 1, digest, statement: readStatement(first) });
    expect(passedOver).toEqual([5, 4, 3, 2].map((number) => ({ number, reason: 'forged' })));
    ledger.seals.splice(1);
    expect(await newestOf(ledger, others)).toEqual({ seal: null, passedOver: [{ number: 1, reason: 'key_unknown' }] });
  });

  it('is found past any number of other rows, of which a hundred are named', async () => {
    const ledger = memoryLedger();
    await ledger.write(lineOf(5));
    const [first] = ledger.seals as [(typeof ledger.seals)[0]];
    for (let number = 2; number <= 102; number++) ledger.seals.push({ ...first, number });
    const { seal, passedOver } = await newestOf(ledger);
    expect(seal).toMatchObject({ number: 1 });
    expect(passedOver).toHaveLength(100);
    expect(passedOver.at(-1)).toEqual({ number: 3, reason: 'forged' });
  });
});

describe('the duty of a node', () => {
  const dutyOf = (ledger: ReturnType<typeof memoryLedger>) => {
    const clock = { elapsed: 0 };
    const deps = { alone: <T>(work: (store: typeof ledger.store) => Promise<T>) => work(ledger.store), keys };
    const duty = sealing({ ...deps, keptDays: () => 90 }, { elapsed: () => clock.elapsed });
    return { clock, step: duty.step };
  };

  it('seals a segment that is not full a minute after the latest seal', async () => {
    const ledger = memoryLedger();
    const { clock, step } = dutyOf(ledger);
    ledger.lines.push(lineOf(5));
    clock.elapsed = 59_999;
    expect((await step()).closed).toBeNull();
    clock.elapsed = 60_000;
    expect((await step()).closed).toMatchObject({ number: 1 });
    ledger.settledBelow = '2000';
    ledger.lines.push(lineOf(1000));
    clock.elapsed = 119_999;
    expect((await step()).closed).toBeNull();
    clock.elapsed = 120_000;
    expect(await step()).toMatchObject({ closed: { number: 2 }, lost: null });
  });

  it('waits a minute from the seal of another node', async () => {
    const ledger = memoryLedger();
    const { clock, step } = dutyOf(ledger);
    await step();
    await ledger.write(lineOf(5));
    clock.elapsed = 50_000;
    await step();
    ledger.lines.push(lineOf(6));
    ledger.settledBelow = '7';
    clock.elapsed = 109_999;
    expect((await step()).closed).toBeNull();
    clock.elapsed = 110_000;
    expect((await step()).closed).toMatchObject({ number: 2 });
  });

  it('seals a full segment immediately', async () => {
    const ledger = memoryLedger();
    ledger.lines.push(lineOf(5), lineOf(6));
    ledger.cut = { below: '6' };
    expect((await dutyOf(ledger).step()).closed).toMatchObject({ number: 1, lines: 1 });
  });

  it.each([
    ['is unchanged', () => {}, false],
    ['is missing', (seals: unknown[]) => void seals.splice(0), true],
    ['is missing, and an earlier one is there', (seals: unknown[]) => void seals.splice(1), true],
    ['has another signature', (seals: object[]) => void Object.assign(seals[1] ?? {}, { signature: 'none' }), true],
  ])('reports the latest seal that it saw where that %s', async (_, change, isLost) => {
    const ledger = memoryLedger();
    await ledger.write(lineOf(5));
    const { number, digest } = await ledger.write(lineOf(6));
    const { step } = dutyOf(ledger);
    expect((await step()).lost).toBeNull();
    change(ledger.seals);
    expect((await step()).lost).toEqual(isLost ? { number, digest } : null);
    // Once: from now on the node remembers the other one.
    expect((await step()).lost).toBeNull();
  });

  it('reports the latest seal that it saw where another of the same number replaces it, and none where one follows', async () => {
    const ledger = memoryLedger();
    const { number, digest } = await ledger.write(lineOf(5));
    const { step } = dutyOf(ledger);
    await step();
    ledger.seals.splice(0);
    ledger.keptDays = 91;
    expect((await ledger.seal()).closed).toMatchObject({ number: 1 });
    expect((await step()).lost).toEqual({ number, digest });
    await ledger.write(lineOf(6));
    expect((await step()).lost).toBeNull();
  });

  it('reports each row of another author once', async () => {
    const ledger = memoryLedger();
    await ledger.write(lineOf(5));
    const [first] = ledger.seals as [(typeof ledger.seals)[0]];
    const { step } = dutyOf(ledger);
    const reported = async () => (await step()).passedOver.map(({ number }) => number);
    expect(await reported()).toEqual([]);
    ledger.seals.push({ ...first, number: 2 }, { ...first, number: 3 });
    expect(await reported()).toEqual([3, 2]);
    expect(await reported()).toEqual([]);
    ledger.seals.push({ ...first, number: 4 });
    expect(await reported()).toEqual([4]);
  });
});
