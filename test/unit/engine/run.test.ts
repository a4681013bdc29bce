import { describe, expect, test } from 'vitest';
import { InvariantViolation, StoreUnavailable, Unavailable } from '../../../src/engine/errors.ts';
import {
  LONGEST_SLEEPS_MILLISECONDS,
  type Ports,
  type Request,
  run,
  runFound,
  running,
} from '../../../src/engine/run.ts';
import { dark, facts, type Lamp, type LampFacts, lampLifecycle } from './lamp.ts';

type Loaded = { readonly row: Lamp };
type Commit = { readonly from: string; readonly to: string; readonly by: string; readonly lines: number };
type LampRequest = Request<Loaded, Lamp, LampFacts, Commit, string>;

const lifecycle = lampLifecycle(
  { dark: { pressed: { target: 'bright', actions: ['advanceHead'] } }, bright: { pressed: {} } },
  { changes: { advanceHead: (row: Lamp) => ({ ...row, state: 'bright' }) } },
);
const request: LampRequest = {
  lifecycle,
  read: ({ row }) => ({ row, facts, event: { type: 'pressed' } }),
  answer: ({ before, after }) => `${before.state} → ${after.state}`,
};
const bright: Lamp = { ...dark, state: 'bright' };
const away = (maybeCommitted: boolean) => new StoreUnavailable(maybeCommitted);

/** Ports that reply from a list; each command is recorded. */
function portsOf({ loads = [], commits = [] }: { loads?: (Lamp | Error)[]; commits?: (boolean | Error)[] }) {
  const asked: unknown[] = [];
  const reply = <T>(list: (T | Error)[], kind: string): T => {
    const next = list.shift();
    if (next === undefined) throw new Error(`${kind}: not expected`);
    if (next instanceof Error) throw next;
    return next;
  };
  const ports: Ports<Loaded, Commit> = {
    load: async () => {
      asked.push('load');
      return { row: reply(loads, 'load') };
    },
    commit: async (commit) => {
      asked.push(commit);
      return reply(commits, 'commit');
    },
    sleep: async (milliseconds) => {
      asked.push(milliseconds);
    },
  };
  return { ports, asked };
}
const commit: Commit = { from: 'dark', to: 'bright', by: 'hand', lines: 1 };

describe('the loop', () => {
  test('loads, commits once, answers', async () => {
    const { ports, asked } = portsOf({ loads: [dark], commits: [true] });
    expect(await run(ports, request)).toBe('dark → bright');
    expect(asked).toEqual(['load', commit]);
  });

  test('waits for an answer that is computed outside, and commits after it', async () => {
    const { ports, asked } = portsOf({ loads: [dark], commits: [true] });
    const later = Promise.withResolvers<string>();
    const answered = run(ports, { ...request, answer: () => later.promise });
    await new Promise(setImmediate);
    expect(asked).toEqual(['load']);
    later.resolve('signed elsewhere');
    expect(await answered).toBe('signed elsewhere');
    expect(asked).toEqual(['load', commit]);
  });

  test('commits nothing when an answer that is computed outside fails', async () => {
    const { ports, asked } = portsOf({ loads: [dark], commits: [true] });
    const failure = new Unavailable('signing_unavailable');
    await expect(run(ports, { ...request, answer: () => Promise.reject(failure) })).rejects.toBe(failure);
    expect(asked).toEqual(['load']);
  });

  test('begins with the loaded row', async () => {
    const { ports, asked } = portsOf({ commits: [true] });
    expect(await run(ports, request, { row: dark })).toBe('dark → bright');
    expect(asked).toEqual([commit]);
  });

  test('commits nothing when nothing changed', async () => {
    const { ports, asked } = portsOf({ loads: [bright] });
    expect(await run(ports, request)).toBe('bright → bright');
    expect(asked).toEqual(['load']);
  });

  test('decides again about the current row when the guard did not hold, without waiting', async () => {
    const { ports, asked } = portsOf({ loads: [dark, bright], commits: [false] });
    expect(await run(ports, request)).toBe('bright → bright');
    expect(asked).toEqual(['load', commit, 'load']);
  });

  test('stops after five lost guards', async () => {
    const { ports, asked } = portsOf({ loads: Array(6).fill(dark), commits: Array(5).fill(false) });
    const failure = await run(ports, request).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Unavailable);
    expect(failure).toMatchObject({ reason: 'too_many_conflicts' });
    expect(asked.filter((wanted) => typeof wanted === 'object')).toHaveLength(5);
  });

  test('yields its commands by name', () => {
    const steps = running({ row: dark }, request);
    expect(steps.next()).toEqual({ done: false, value: { kind: 'commit', commit } });
    expect(steps.next({ kind: 'committed', committed: false })).toEqual({
      done: false,
      value: { kind: 'load', afterLostCommit: false },
    });
  });
});

describe('an unavailable store', () => {
  const failureOf = (setting: Parameters<typeof portsOf>[0], asking: LampRequest = request) => {
    const { ports, asked } = portsOf(setting);
    return { failure: run(ports, asking).catch((error: unknown) => error), asked };
  };

  test('at the first load: unavailable, with the cause', async () => {
    const cause = away(false);
    expect(await failureOf({ loads: [cause] }).failure).toMatchObject({
      name: 'Unavailable',
      message: 'store_unavailable',
      reason: 'store_unavailable',
      cause,
    });
  });

  test('before the commit was sent: unavailable, with the cause, and no reload', async () => {
    const cause = away(false);
    const { failure, asked } = failureOf({ loads: [dark], commits: [cause] });
    expect(await failure).toMatchObject({ reason: 'store_unavailable', cause });
    expect(asked).toEqual(['load', commit]);
  });

  test('while the commit was on its way: the row shows what happened', async () => {
    const { ports, asked } = portsOf({ loads: [dark, bright], commits: [away(true)] });
    expect(await run(ports, request)).toBe('bright → bright');
    expect(asked).toEqual(['load', commit, 'load']);
  });

  test('while the commit was on its way: the request may recognize its own change', async () => {
    const { ports } = portsOf({ loads: [dark, bright], commits: [away(true)] });
    const recognising = { ...request, isIn: ({ row }: Loaded) => row.state === 'bright' };
    expect(await run(ports, recognising)).toBe('dark → bright');
  });

  test('while the commit was on its way, and for a while: the loop waits for it', async () => {
    const { ports, asked } = portsOf({ loads: [dark, away(false), away(true), bright], commits: [away(true)] });
    expect(await run(ports, request)).toBe('bright → bright');
    expect(asked).toEqual(['load', commit, 'load', 200, 'load', 1000, 'load']);
    expect(LONGEST_SLEEPS_MILLISECONDS).toBe(200 + 1000);
  });

  test('for good: the commit is unknown, and the cause is that of the commit', async () => {
    const cause = away(true);
    const { failure } = failureOf({ loads: [dark, away(false), away(false), away(false)], commits: [cause] });
    expect(await failure).toMatchObject({ reason: 'commit_unknown', cause });
  });

  test('after a lost guard: unavailable, with the cause, and no waiting', async () => {
    const cause = away(false);
    const { failure, asked } = failureOf({ loads: [dark, cause], commits: [false] });
    expect(await failure).toMatchObject({ reason: 'store_unavailable', cause });
    expect(asked).toEqual(['load', commit, 'load']);
  });

  test('once while a commit was on its way, with conflicts ever after: the commit stays unknown', async () => {
    const cause = away(true);
    const { failure } = failureOf({ loads: Array(6).fill(dark), commits: [cause, false, false, false, false] });
    expect(await failure).toMatchObject({ reason: 'commit_unknown', cause });
  });

  test('before a second commit was sent: the first stays unknown', async () => {
    const cause = away(true);
    const { failure } = failureOf({
      loads: [dark, dark, away(false), away(false), away(false)],
      commits: [cause, away(false)],
    });
    expect(await failure).toMatchObject({ reason: 'commit_unknown', cause });
  });
});

describe('an error of another kind', () => {
  const defect = new TypeError('a defect');
  const settings: [where: string, Parameters<typeof portsOf>[0]][] = [
    ['at the first load', { loads: [defect] }],
    ['at the commit', { loads: [dark], commits: [defect] }],
    ['at a reload', { loads: [dark, defect], commits: [false] }],
  ];
  test.each(settings)('%s: passes through', async (_, setting) => {
    const { ports } = portsOf(setting);
    expect(await run(ports, request).catch((error: unknown) => error)).toBe(defect);
  });
});

describe('a row that other requests may remove', () => {
  /** @param rows of each load, in turn. Null: it is not found. */
  const found = (rows: (Lamp | null)[], first?: Loaded) => {
    const { ports, asked } = portsOf({ commits: [false, true] });
    const load = async () => {
      const row = rows.shift() ?? null;
      return row && { row };
    };
    return { answer: runFound({ ...ports, load }, request, first), asked };
  };

  test('is loaded, and decided about', async () => {
    expect(await found([dark, dark]).answer).toBe('dark → bright');
  });

  test('is not loaded where the caller has loaded it', async () => {
    const { answer, asked } = found([bright], { row: dark });
    expect(await answer).toBe('bright → bright');
    expect(asked).toEqual([commit]);
  });

  test('has no answer where it is not found', async () => {
    const { answer, asked } = found([]);
    expect(await answer).toBeNull();
    expect(asked).toEqual([]);
  });

  test('is a defect where it vanishes after a conflict', async () => {
    await expect(found([dark]).answer).rejects.toThrow('lamp: the row vanished between load and reload');
  });
});

test('the loop without ports refuses a reply of another kind to an answer', () => {
  const steps = running({ row: dark }, { ...request, answer: () => Promise.resolve('later') });
  expect(steps.next().value).toMatchObject({ kind: 'answer' });
  expect(() => steps.next({ kind: 'committed', committed: true })).toThrow(
    new InvariantViolation('the loop waited for an answer and got another reply'),
  );
});

test('a request with its change in the row is asked again where no commit was lost', async () => {
  const { ports, asked } = portsOf({ loads: [dark, bright], commits: [false] });
  const recognising = { ...request, isIn: () => true };
  expect(await run(ports, recognising)).toBe('bright → bright');
  expect(asked).toEqual(['load', commit, 'load']);
});

test('errors bear their names', () => {
  expect(new StoreUnavailable(true)).toMatchObject({
    name: 'StoreUnavailable',
    message: 'The database cannot be reached.',
    maybeCommitted: true,
    code: null,
    isUnexpected: false,
  });
  expect(new InvariantViolation('what is wrong')).toMatchObject({
    name: 'InvariantViolation',
    message: 'what is wrong',
  });
});

test('a failure of the store has what the database said, and the advice', () => {
  const failure = { words: 'refuses', said: 'no such role', advice: 'Create it.', code: '28000', isUnexpected: true };
  expect(new StoreUnavailable(false, failure)).toMatchObject({
    message: 'The database refuses (no such role). Create it.',
    maybeCommitted: false,
    code: '28000',
    isUnexpected: true,
  });
});
