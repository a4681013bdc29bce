/** The running, waiting and rejected jobs, and their order. Every job is a gate that the test opens. */
import { describe, expect, it, vi } from 'vitest';
import { boundedQueue, type QueueLimits, type QueuePlace } from '../../../src/system/bounded-queue.ts';

const NEVER = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function given(limits: Partial<QueueLimits> = {}) {
  const queue = boundedQueue({
    running: 2,
    waiting: 100,
    waitingPerLine: 100,
    perTicket: 100,
    waitMilliseconds: 2 ** 30,
    ...limits,
  });
  const began: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<string>>();
  return {
    began,
    /** A job that ends when `end` names it. */
    put: (name: string, place: Partial<QueuePlace> = {}) => {
      const gate = Promise.withResolvers<string>();
      gates.set(name, gate);
      return queue.run({ line: name, ticket: name, signal: NEVER, ...place }, () => {
        began.push(name);
        return gate.promise;
      });
    },
    end: async (name: string) => {
      gates.get(name)?.resolve(`${name} is done`);
      await settled();
    },
    fail: async (name: string) => {
      gates.get(name)?.reject(new Error(`${name} failed`));
      await settled();
    },
  };
}

describe('a bounded queue', () => {
  it('runs a bounded number concurrently, and the rest in the order of arrival', async () => {
    const { began, put, end } = given();
    const jobs = ['a', 'b', 'c', 'd'].map((name) => put(name));
    await settled();
    expect(began).toEqual(['a', 'b']);
    await end('b');
    expect(began).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c', 'd']) await end(name);
    expect(await Promise.all(jobs)).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => ({ kind: 'done', value: `${name} is done` })),
    );
  });

  it('rejects a job when it is full, and has room again later', async () => {
    const { began, put, end } = given({ running: 1, waiting: 2 });
    for (const name of ['a', 'b', 'c']) put(name);
    expect(await put('d')).toEqual({ kind: 'full' });
    await end('a');
    put('e');
    expect(await put('f')).toEqual({ kind: 'full' });
    for (const name of ['b', 'c', 'e']) await end(name);
    expect(began).toEqual(['a', 'b', 'c', 'e']);
  });

  it('runs a line one at a time, and serves lines in turn', async () => {
    const { began, put, end } = given({ running: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) put(name, { line: 'a' });
    for (const name of ['b1', 'b2']) put(name, { line: 'b' });
    put('c1', { line: 'c' });
    await settled();
    expect(began).toEqual(['a1', 'b1']);
    // b had its turn; c has waited for longer.
    await end('b1');
    expect(began.slice(2)).toEqual(['c1']);
    await end('a1');
    expect(began.slice(3)).toEqual(['b2']);
    for (const name of ['c1', 'b2', 'a2', 'a3', 'a4']) await end(name);
    expect(began.slice(4)).toEqual(['a2', 'a3', 'a4']);
  });

  it('rejects jobs of a full line alone', async () => {
    const { put } = given({ running: 1, waitingPerLine: 1 });
    put('a1', { line: 'a' });
    put('a2', { line: 'a' });
    expect(await put('a3', { line: 'a' })).toEqual({ kind: 'full' });
    const other = put('b1', { line: 'b' });
    await settled();
    expect(await Promise.race([other, 'waits'])).toBe('waits');
  });

  it('admits as many concurrent jobs per ticket as it allows, in any line, and again afterwards', async () => {
    const { put, end, fail } = given({ running: 1, perTicket: 2 });
    const first = put('a', { ticket: 'x' });
    const second = put('b', { ticket: 'x' });
    expect(await put('c', { ticket: 'x' })).toEqual({ kind: 'full' });
    put('d', { ticket: 'y' });
    await end('a');
    const third = put('e', { ticket: 'x' });
    await settled();
    expect(await Promise.race([third, 'waits'])).toBe('waits');
    expect(await put('f', { ticket: 'x' })).toEqual({ kind: 'full' });
    const failed = expect(second).rejects.toThrow('b failed');
    await fail('b');
    await failed;
    put('g', { ticket: 'x' });
    expect(await put('h', { ticket: 'x' })).toEqual({ kind: 'full' });
    expect(await first).toMatchObject({ kind: 'done' });
  });

  it('drops waiting work whose caller has gone, and gives its place to others', async () => {
    const { began, put, end } = given({ running: 1, waiting: 1, perTicket: 1 });
    const gone = new AbortController();
    put('a');
    const dropped = put('b', { signal: gone.signal, ticket: 'x' });
    gone.abort();
    expect(await dropped).toEqual({ kind: 'abandoned' });
    put('c', { ticket: 'x' });
    await end('a');
    await end('c');
    expect(began).toEqual(['a', 'c']);
    expect(await put('d', { signal: gone.signal })).toEqual({ kind: 'abandoned' });
  });

  it('completes running work, even without its caller', async () => {
    const { put, end } = given();
    const gone = new AbortController();
    const job = put('a', { signal: gone.signal });
    await settled();
    gone.abort();
    await end('a');
    expect(await job).toEqual({ kind: 'done', value: 'a is done' });
  });

  it('rejects a job after its maximum wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { began, put, end } = given({ running: 1, waitMilliseconds: 5_000 });
      put('a');
      const late = put('b');
      await settled();
      vi.advanceTimersByTime(4_999);
      await settled();
      expect(await Promise.race([late, 'waits'])).toBe('waits');
      vi.advanceTimersByTime(1);
      expect(await late).toEqual({ kind: 'full' });
      await end('a');
      expect(began).toEqual(['a']);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('passes on failures, and continues', async () => {
    const { put, end, fail } = given({ running: 1 });
    const failing = expect(put('a')).rejects.toThrow('a failed');
    const next = put('b');
    await fail('a');
    await failing;
    await end('b');
    expect(await next).toEqual({ kind: 'done', value: 'b is done' });
  });

  it('serves priority lines every other turn, and keeps room for them', async () => {
    const { put, end, began } = given({ running: 1, waiting: 3 });
    put('first');
    for (const name of ['a', 'b', 'c']) put(name);
    expect(await put('one too many')).toEqual({ kind: 'full' });
    for (const name of ['known 1', 'known 2', 'known 3']) put(name, { ahead: true });
    expect(await put('known 4', { ahead: true })).toEqual({ kind: 'full' });
    for (const name of ['first', 'known 1', 'a', 'known 2', 'b', 'known 3', 'c']) await end(name);
    expect(began).toEqual(['first', 'known 1', 'a', 'known 2', 'b', 'known 3', 'c']);
  });

  it('serves ordinary lines every turn without a priority line, and the other way around', async () => {
    const { put, end, began } = given({ running: 1 });
    put('first', { ahead: true });
    for (const name of ['known 1', 'known 2']) put(name, { ahead: true });
    for (const name of ['first', 'known 1']) await end(name);
    for (const name of ['a', 'b']) put(name);
    for (const name of ['known 2', 'a', 'b']) await end(name);
    expect(began).toEqual(['first', 'known 1', 'known 2', 'a', 'b']);
  });
});
