/** Periodic jobs: no round runs beside itself, and closing waits for those that run. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RoundRun, roundsRun } from '../../../src/system/observed.ts';
import { openRounds, type Round, type RunAlone } from '../../../src/system/rounds.ts';
import { until } from '../../support/until.ts';

const here: RunAlone = async (_, work) => {
  await work(new AbortController().signal);
  return true;
};
const roundOf = (changes: Partial<Round>): Round => ({
  name: 'job',
  of: 'this node',
  everyMilliseconds: 1,
  atStart: true,
  run: async () => {},
  onFailure: () => {},
  ...changes,
});
const opened = (rounds: readonly Round[], runAlone = here) => {
  const open = openRounds(rounds, runAlone);
  onTestFinished(open.close);
  return open;
};

describe('a periodic run', () => {
  it('that takes longer than its interval does not overlap itself, while others run', async () => {
    const end = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    let others = 0;
    const slow = async () => {
      most = Math.max(most, ++running);
      await end.promise;
      running -= 1;
    };
    const reported: RoundRun[] = [];
    onTestFinished(roundsRun.listen((run) => void reported.push(run)));
    opened([
      roundOf({ name: 'slow', run: slow }),
      roundOf({
        name: 'other',
        run: async () => {
          others += 1;
        },
      }),
    ]);
    await until(() => others > 20);
    expect(most).toBe(1);
    expect(reported.filter(({ round }) => round === 'slow')).toEqual([]);
    end.resolve();
    await until(() => reported.filter(({ round }) => round === 'slow').length > 1);
    expect(reported.find(({ round }) => round === 'slow')).toMatchObject({ outcome: 'completed', overran: true });
    expect(most).toBe(1);
  });

  it('that fails is reported and runs again', async () => {
    const failures: unknown[] = [];
    const reported: RoundRun[] = [];
    onTestFinished(roundsRun.listen((run) => void reported.push(run)));
    const failing = async () => {
      throw new Error('the database is away');
    };
    opened([roundOf({ run: failing, onFailure: (error) => void failures.push(error) })]);
    await until(() => failures.length > 2);
    expect(reported[0]).toMatchObject({ round: 'job', outcome: 'failed' });
  });

  it('of all nodes is left to the node that runs it', async () => {
    const reported: RoundRun[] = [];
    onTestFinished(roundsRun.listen((run) => void reported.push(run)));
    let runs = 0;
    const asked: string[] = [];
    const elsewhere: RunAlone = async (name) => {
      asked.push(name);
      return false;
    };
    opened([roundOf({ name: 'sweep', of: 'all nodes', run: async () => void runs++ })], elsewhere);
    await until(() => reported.length > 1);
    expect(asked[0]).toBe('sweep');
    expect(reported[0]).toMatchObject({ round: 'sweep', outcome: 'elsewhere' });
    expect(runs).toBe(0);
  });
});

it('closing notifies the active runs, waits for them, and starts no other', async () => {
  let begun = 0;
  let ended = 0;
  const run = async (signal: AbortSignal) => {
    begun += 1;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => setImmediate(resolve)));
    ended += 1;
  };
  const rounds = openRounds([roundOf({ run }), roundOf({ run, of: 'all nodes' })], here);
  await until(() => begun === 2);
  await rounds.close();
  expect(ended).toBe(2);
  expect(begun).toBe(2);
});
