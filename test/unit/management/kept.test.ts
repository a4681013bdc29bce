/** Answers that serve for a while. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keptFor } from '../../../src/management/kept.ts';

let now = 1000;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

it('an answer serves its own key, for a limited time', async () => {
  const asked: object[] = [];
  const [a, b] = [{ of: 'a' }, { of: 'b' }];
  const answer = keptFor(100, async (key: { of: string }) => `${key.of}${asked.push(key)}`);
  expect([await answer(a), await answer(b), await answer(a)]).toEqual(['a1', 'b2', 'a1']);
  now += 99;
  expect(await answer(a)).toBe('a1');
  now += 1;
  expect([await answer(a), await answer(a)]).toEqual(['a3', 'a3']);
  expect(asked).toEqual([a, b, a]);
});

it('concurrent requests share one answer', async () => {
  let count = 0;
  const answer = keptFor(100, async () => ++count);
  const key = {};
  expect(await Promise.all([answer(key), answer(key)])).toEqual([1, 1]);
});

it('a failure is not kept', async () => {
  let count = 0;
  const answer = keptFor(100, async () => {
    count += 1;
    if (count === 1) throw new Error('the first time');
    return count;
  });
  const key = {};
  await expect(answer(key)).rejects.toThrow('the first time');
  expect([await answer(key), await answer(key)]).toEqual([2, 2]);
});
