/** Observers hear of each phase, decision, commit and failure of the loop, and change nothing. */
import { afterEach, describe, expect, test } from 'vitest';
import { StoreUnavailable, Unavailable } from '../../../src/engine/errors.ts';
import { instrument, type Observer, observeEngine } from '../../../src/engine/observe.ts';
import { type Request, run } from '../../../src/engine/run.ts';
import { dark, facts, type Lamp, type LampFacts, lampLifecycle } from './lamp.ts';

type Loaded = { readonly row: Lamp };
const request: Request<Loaded, Lamp, LampFacts, unknown, string> = {
  lifecycle: lampLifecycle(
    { dark: { pressed: { target: 'bright', actions: ['advanceHead'] } }, bright: { pressed: {} } },
    { changes: { advanceHead: (row: Lamp) => ({ ...row, state: 'bright' }) } },
  ),
  read: ({ row }) => ({ row, facts, event: { type: 'pressed' } }),
  answer: ({ after }) => after.state,
};

const stops: (() => void)[] = [];
const observe = (observer: Observer) => void stops.push(observeEngine(observer));
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** @param commits the answer of the store to each commit; an error is thrown. */
async function runWith(commits: (boolean | Error)[]) {
  const heard: unknown[] = [];
  observe({
    decided: (decisions) => heard.push(['decided', ...decisions.map(({ from, to }) => `${from} → ${to}`)]),
    committed: (...result) => heard.push(['committed', ...result]),
    failed: (...failure) => heard.push(['failed', ...failure]),
  });
  const commit = async () => {
    const answer = commits.shift();
    if (answer instanceof Error) throw answer;
    return answer === true;
  };
  const load = async () => ({ row: dark });
  const answer = await run({ load, commit, sleep: async () => undefined }, request).catch((error: unknown) => error);
  return { answer, heard };
}

describe('an observer', () => {
  test('hears of the commit and of the decision', async () => {
    expect((await runWith([true])).heard).toEqual([
      ['committed', 'lamp', 'committed'],
      ['decided', 'dark → bright'],
    ]);
  });

  test('hears of a conflict, and of one decision for the request', async () => {
    expect((await runWith([false, true])).heard).toEqual([
      ['committed', 'lamp', 'conflict'],
      ['committed', 'lamp', 'committed'],
      ['decided', 'dark → bright'],
    ]);
  });

  test('hears that the result of a lost commit is unknown', async () => {
    expect((await runWith([new StoreUnavailable(true), true])).heard).toEqual([
      ['committed', 'lamp', 'unknown'],
      ['committed', 'lamp', 'committed'],
      ['decided', 'dark → bright'],
    ]);
  });

  test('hears of a store that carried out nothing, and of the failure', async () => {
    const { answer, heard } = await runWith([new StoreUnavailable(false)]);
    expect(answer).toBeInstanceOf(Unavailable);
    expect(heard).toEqual([
      ['committed', 'lamp', 'unavailable'],
      ['failed', 'lamp', 'store_unavailable'],
    ]);
  });

  test('hears of no failure where an error is a defect', async () => {
    expect(await runWith([new TypeError('a defect')])).toMatchObject({ answer: { message: 'a defect' }, heard: [] });
  });

  test('may leave out each of its functions', async () => {
    observe({});
    expect((await runWith([true])).answer).toBe('bright');
    expect((await runWith([new StoreUnavailable(false)])).answer).toMatchObject({ reason: 'store_unavailable' });
  });

  test('hears nothing after it has stopped', async () => {
    const heard: string[] = [];
    const stop = observeEngine({ decided: () => heard.push('decided'), committed: () => heard.push('committed') });
    stop();
    await runWith([true]);
    expect(heard).toEqual([]);
  });

  test('is around each phase, with the machine', async () => {
    const phases: string[] = [];
    observe({
      instrument: (phase, what, work) => {
        phases.push(`${phase} ${what}`);
        return work();
      },
    });
    await runWith([false, true]);
    const attempt = ['decide lamp', 'commit lamp'];
    expect(phases).toEqual(['load lamp', ...attempt, 'decide lamp', 'load lamp', ...attempt, 'decide lamp']);
  });
});

test('several observers are around the same work, which runs once', () => {
  const order: string[] = [];
  const around = (name: string): Observer => ({
    instrument: (_, __, work) => {
      order.push(`${name} begins`);
      const result = work();
      order.push(`${name} ends`);
      return result;
    },
  });
  observe(around('inner'));
  observe({});
  observe(around('outer'));
  expect(instrument('sign', 'id_token', () => order.push('work'))).toBe(3);
  expect(order).toEqual(['outer begins', 'inner begins', 'work', 'inner ends', 'outer ends']);
});
