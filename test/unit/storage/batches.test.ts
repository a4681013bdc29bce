import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { batched } from '../../../src/storage/batches.ts';
import { deadlines } from '../../../src/system/deadlines.ts';
import { millisecondsLeft, type RequestTime, withinTime } from '../../../src/system/request-time.ts';

const FOR_EVER_MILLISECONDS = 3_600_000;

/** Answers with ten times the number. Statements stay on their way until they are let through. */
function bed(
  together?: (items: readonly number[]) => Promise<readonly (number | undefined)[]>,
  maxWaitMilliseconds = FOR_EVER_MILLISECONDS,
) {
  const sent: (number | readonly number[])[] = [];
  const held: (() => void)[] = [];
  const holding = { on: false };
  const onTheWay = () => (holding.on ? new Promise<void>((go) => held.push(go)) : Promise.resolve());
  const ask = batched<number, number>({
    name: 'asked',
    alone: async (item) => {
      sent.push(item);
      await onTheWay();
      if (item < 0) throw new Error(`${item} is refused`);
      return item * 10;
    },
    together: async (items) => {
      sent.push(items);
      await onTheWay();
      return together ? together(items) : items.map((item) => item * 10);
    },
    keyOf: (item) => Math.trunc(item),
    writes: true,
    maxWaitMilliseconds,
  });
  return { ask, sent, held, holding };
}

/** Long enough for a burst to end and to be sent: no time, but turns of the event loop. */
async function aBurst(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

describe('batches', () => {
  test('send a single request alone', async () => {
    const { ask, sent } = bed();
    expect(await ask(1)).toBe(10);
    expect(await ask(2)).toBe(20);
    expect(sent).toEqual([1, 2]);
  });

  test('send concurrent requests together, and return to each its own answer', async () => {
    const { ask, sent } = bed();
    expect(await Promise.all([ask(1), ask(2), ask(3)])).toEqual([10, 20, 30]);
    expect(sent).toEqual([[1, 2, 3]]);
  });

  test('send a request that arrives during a statement with the next one', async () => {
    const { ask, sent, held, holding } = bed();
    holding.on = true;
    const first = ask(1);
    await aBurst();
    const others = [ask(2), ask(3)];
    await aBurst();
    expect(sent).toEqual([1]);
    holding.on = false;
    for (const go of held) go();
    expect(await Promise.all([first, ...others])).toEqual([10, 20, 30]);
    expect(sent).toEqual([1, [2, 3]]);
  });

  test('send a request without delay once all are answered', async () => {
    const { ask, sent } = bed();
    expect(await ask(1)).toBe(10);
    await aBurst();
    expect(await ask(2)).toBe(20);
    expect(sent).toEqual([1, 2]);
  });

  test('collect requests of consecutive turns, until a turn has none', async () => {
    const { ask, sent } = bed();
    const asked: Promise<number>[] = [];
    const askInTurns = (item: number): void => {
      // Before this turn's batch looks again who came.
      if (item < 3) void setImmediate().then(() => askInTurns(item + 1));
      asked.push(ask(item));
    };
    askInTurns(1);
    await aBurst();
    expect(await Promise.all(asked)).toEqual([10, 20, 30]);
    expect(sent).toEqual([[1, 2, 3]]);
  });

  test('wait a few turns for as many requests as the last statement had', async () => {
    const { ask, sent } = bed();
    await Promise.all([ask(1), ask(2)]);
    const first = ask(3);
    for (let turn = 0; turn < 4; turn++) await setImmediate();
    const second = ask(4);
    expect(await Promise.all([first, second])).toEqual([30, 40]);
    expect(sent).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test('send fewer requests than the last statement had, after a few turns without another', async () => {
    const { ask, sent } = bed();
    await Promise.all([ask(1), ask(2)]);
    void ask(3);
    await aBurst();
    expect(sent).toEqual([[1, 2], 3]);
  });

  test('do not wait when the last statement had no more requests', async () => {
    const { ask, sent } = bed();
    await Promise.all([ask(1), ask(2)]);
    await ask(3);
    void ask(4);
    for (let turn = 0; turn < 2; turn++) await setImmediate();
    expect(sent).toEqual([[1, 2], 3, 4]);
  });

  test.each([
    [63, 0],
    [64, 1],
  ])('send a full batch without waiting for another turn: of %i, %i is sent', async (count, batches) => {
    const { ask, sent } = bed();
    const all = Array.from({ length: count }, (_, item) => ask(item));
    await setImmediate();
    expect(sent).toHaveLength(batches);
    await Promise.all(all);
    expect(sent).toHaveLength(1);
  });

  test('send the next statement while one hangs', async () => {
    const { ask, sent, holding } = bed(undefined, 1);
    holding.on = true;
    void ask(1);
    await aBurst();
    holding.on = false;
    expect(await ask(2)).toBe(20);
    expect(sent).toEqual([1, 2]);
  });

  test('never contain two requests of one key', async () => {
    const { ask, sent } = bed();
    await Promise.all([ask(1), ask(1.5), ask(2), ask(1.7)]);
    expect(sent).toEqual([[1, 2], 1.5, 1.7]);
  });

  test('have a maximum size', async () => {
    const { ask, sent } = bed();
    await Promise.all(Array.from({ length: 70 }, (_, item) => ask(item)));
    expect(sent.map((one) => (typeof one === 'number' ? 1 : one.length))).toEqual([64, 6]);
  });

  test('send an unanswered request again, alone', async () => {
    const { ask, sent } = bed(async (items) => items.map((item) => (item === 2 ? undefined : item * 10)));
    expect(await Promise.all([ask(1), ask(2), ask(3)])).toEqual([10, 20, 30]);
    expect(sent).toEqual([[1, 2, 3], 2]);
  });

  test("answer the others' requests when one is impossible", async () => {
    const { ask } = bed(async (items) => {
      if (items.some((item) => item < 0)) throw new Error('refused');
      return items.map((item) => item * 10);
    });
    const settled = await Promise.allSettled([ask(1), ask(-2), ask(3)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('report an unavailable store to all, and send nothing again', async () => {
    const away = new StoreUnavailable(true, {});
    const { ask, sent } = bed(() => Promise.reject(away));
    const settled = await Promise.allSettled([ask(1), ask(2)]);
    expect(settled).toEqual([
      { status: 'rejected', reason: away },
      { status: 'rejected', reason: away },
    ]);
    expect(sent).toEqual([[1, 2]]);
  });

  test('stop waiting for a request past its deadline, and answer the others of its batch', async () => {
    const { ask, sent, held, holding } = bed();
    holding.on = true;
    const over: RequestTime = { endsAt: performance.now(), pausedAt: null };
    const late = withinTime(over, () => ask(1).catch((error: unknown) => error));
    const inTime = [ask(2), ask(3)];
    await aBurst();
    expect(await late).toMatchObject({ name: 'StoreUnavailable', code: 'NO_ANSWER', maybeCommitted: true });
    holding.on = false;
    for (const go of held) go();
    expect(await Promise.all(inTime)).toEqual([20, 30]);
    expect(sent).toEqual([[1, 2, 3]]);
  });

  test.each([
    [1_999, 1],
    [2_000, 1],
    [2_001, 0],
  ])('give a request with %i ms more than a statement has %i timers of its own', async (more, timers) => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { ask, held, holding } = bed();
    holding.on = true;
    const left = deadlines.databaseMilliseconds + more;
    const outcome = vi.fn();
    const asked = withinTime({ endsAt: performance.now() + left, pausedAt: null }, () => ask(1)).then(outcome, outcome);
    expect(vi.getTimerCount()).toBe(timers);
    await aBurst();
    await vi.advanceTimersByTimeAsync(left);
    expect(outcome.mock.calls).toMatchObject(timers === 1 ? [[{ code: 'NO_ANSWER', maybeCommitted: true }]] : []);
    for (const go of held) go();
    await asked;
  });

  test("send a batch without a request's deadline, and a single request with its own", async () => {
    const seen: number[] = [];
    const note = async () => void seen.push(millisecondsLeft());
    const ask = batched<number, void>({
      name: 'noted',
      alone: note,
      together: async (items) => {
        await note();
        return items.map(() => undefined);
      },
      keyOf: (item) => item,
      writes: false,
    });
    const endsAt = performance.now() + FOR_EVER_MILLISECONDS;
    await withinTime({ endsAt, pausedAt: null }, () => Promise.all([ask(1), ask(2)]));
    expect(seen.map(Number.isFinite)).toEqual([false, true, true]);
  });
});
