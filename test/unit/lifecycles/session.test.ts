/** The life of a session over a store in memory: one row, and every requested commit. */
import { describe, expect, test } from 'vitest';
import type { Effect } from '../../../machines/unions.ts';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { run } from '../../../src/engine/run.ts';
import { stepOf } from '../../../src/engine/step.ts';
import {
  addFactor,
  endSession,
  type SessionCommit,
  type SessionKey,
  type SessionPorts,
  sessionLifecycle,
  sessionUseRequest,
  useSession,
} from '../../../src/lifecycles/session/lifecycle.ts';
import type { Session, SessionLifetimes } from '../../../src/model/session.ts';
import { machineAnswering, NOW, seconds } from './given.ts';

const KEY = { idHash: new Uint8Array(32) };
const LIFETIMES = { sessionLifetimeSeconds: 1000 };

const SIGNED_IN: Session = {
  ...KEY,
  sid: 'public-name',
  userId: 'user',
  username: 'mira',
  userEpoch: 1n,
  serverEpoch: 1n,
  signedInAt: NOW,
  lastUsedAt: NOW,
  endsAt: seconds(1000),
  state: 'active',
  endedReason: null,
  amr: ['pwd'],
  userAgent: null,
  liveUserEpoch: 1n,
  liveServerEpoch: 1n,
};

/** @param rows the result of each load, in order; the last repeats. */
function bench(
  rows: readonly (Session | null)[],
  { lifetimes = LIFETIMES, now = NOW, commits = true }: { lifetimes?: SessionLifetimes; now?: Date; commits?: boolean },
) {
  const asked: SessionCommit[] = [];
  let loads = 0;
  const ports: SessionPorts = {
    sessions: {
      load: async () => ({ now, session: rows[Math.min(loads++, rows.length - 1)] ?? null }),
      commit: async (commit) => {
        asked.push(commit);
        return commits;
      },
    },
    lifetimes: () => lifetimes,
    sleep: async () => {},
  };
  return { ports, asked };
}

describe('an additional factor', () => {
  const added = {
    factor: { kind: 'secondFactor', id: 'the app' },
    amr: ['pwd', 'otp', 'mfa'],
    idHash: new Uint8Array(32).fill(9),
  } as const;

  test('that was removed meanwhile is rejected, and not retried', async () => {
    const { ports, asked } = bench([SIGNED_IN], { commits: false });
    const standing = [true, false];
    const load = async (key: SessionKey) => ({
      ...(await ports.sessions.load(key)),
      factorStands: standing.shift() ?? false,
    });
    const sessions = { ...ports.sessions, load };
    expect(await addFactor({ ...ports, sessions }, SIGNED_IN, added)).toEqual({
      kind: 'rejected',
      reason: 'factor_removed',
    });
    expect(asked.map(({ kind }) => kind)).toEqual(['addFactor']);
  });
});

describe('a use', () => {
  test.each([
    ['a minute after the last', {}, 59.999, 60],
    ['a tenth of a short idle time after the last', { sessionIdleLifetimeSeconds: 120 }, 11.999, 12],
    ['a minute after the last, where it may idle for longer', { sessionIdleLifetimeSeconds: 900 }, 59.999, 60],
  ])('is recorded %s, without a ledger entry', async (_, idle, early, due) => {
    const lifetimes = { ...LIFETIMES, ...idle };
    const before = bench([SIGNED_IN], { lifetimes, now: seconds(early) });
    expect(await useSession(before.ports, KEY)).toEqual({ kind: 'admitted', session: SIGNED_IN });
    expect(before.asked).toEqual([]);
    const now = seconds(due);
    const then = bench([SIGNED_IN], { lifetimes, now });
    const session = { ...SIGNED_IN, lastUsedAt: now };
    expect(await useSession(then.ports, KEY)).toEqual({ kind: 'admitted', session });
    expect(then.asked).toEqual([{ kind: 'recordUse', loaded: SIGNED_IN, now }]);
  });

  test('of a loaded session loads it again only after a lost commit', async () => {
    const { ports, asked } = bench([null], { now: seconds(60) });
    const loaded = { now: seconds(60), session: SIGNED_IN };
    const session = { ...SIGNED_IN, lastUsedAt: seconds(60) };
    expect(await useSession(ports, KEY, loaded)).toEqual({ kind: 'admitted', session });
    expect(asked).toHaveLength(1);
    const raced = bench([null], { commits: false });
    expect(await useSession(raced.ports, KEY, loaded)).toEqual({ kind: 'rejected', reason: 'session_too_old' });
    expect(await useSession(ports, KEY, { now: NOW, session: null })).toBeNull();
  });

  test('decides nothing: it has no ledger entry', () => {
    const facts = { now: seconds(60), lifetimes: LIFETIMES };
    const step = stepOf(sessionLifecycle, SIGNED_IN, facts, { type: 'used', now: facts.now.getTime() } as never);
    expect(step.after.lastUsedAt).toEqual(facts.now);
    expect(step.entries).toEqual([]);
  });

  test.each([
    ['session_too_old', {}, 1000],
    ['session_too_old', { sessionLifetimeSeconds: 500 }, 500],
    ['session_idle', { sessionIdleLifetimeSeconds: 30 }, 30],
  ] as const)('that comes too late ends it (%s %o)', async (reason, change, end) => {
    const lifetimes = { ...LIFETIMES, ...change };
    const inTime = bench([SIGNED_IN], { lifetimes, now: seconds(end - 0.001) });
    expect(await useSession(inTime.ports, KEY)).toMatchObject({ kind: 'admitted' });
    const now = seconds(end);
    const late = bench([SIGNED_IN], { lifetimes, now });
    expect(await useSession(late.ports, KEY)).toEqual({ kind: 'rejected', reason });
    const line = { machine: 'session', event: 'used', from: 'active', to: 'ended', reason, generation: null };
    const entry = { ...line, sessionId: 'public-name' };
    expect(late.asked).toEqual([{ kind: 'end', loaded: SIGNED_IN, now, reason, entry }]);
  });

  test.each([
    ['signed_out', { state: 'ended', endedReason: 'signed_out' }],
    ['ended_by_user', { state: 'ended', endedReason: 'ended_by_user' }],
    ['ended_by_administrator', { state: 'ended', endedReason: 'ended_by_administrator' }],
    ['signed_in_again', { state: 'ended', endedReason: 'signed_in_again' }],
    ['session_idle', { state: 'ended', endedReason: 'session_idle' }],
    ['session_too_old', { state: 'ended', endedReason: 'session_too_old' }],
    ['user_ended', { liveUserEpoch: 2n }],
    ['user_ended', { liveUserEpoch: null }],
    ['server_epoch_raised', { liveServerEpoch: 2n }],
  ] as const)('of an ended session is rejected (%s), and changes nothing', async (reason, change) => {
    const { ports, asked } = bench([{ ...SIGNED_IN, ...change }], {});
    expect(await useSession(ports, KEY)).toEqual({ kind: 'rejected', reason });
    expect(asked).toEqual([]);
  });

  test.each<[string, string, readonly Effect[]]>([
    ['neither admits nor refuses', 'active', []],
    ['admits twice', 'active', [{ type: 'admit' }, { type: 'admit' }]],
    ['says ended and ends nothing', 'ended', [{ type: 'admit' }]],
  ])('that a wrong machine answers is not executed: it %s', async (_, to, effects) => {
    const machine = machineAnswering(['active', 'ended'], 'used', to, effects);
    const { ports, asked } = bench([SIGNED_IN], {});
    const request = { ...sessionUseRequest(LIFETIMES), lifecycle: { ...sessionLifecycle, machine } };
    const { sessions, sleep } = ports;
    const answer = run(
      { load: async () => ({ now: NOW, session: SIGNED_IN }), commit: sessions.commit, sleep },
      request,
    );
    await expect(answer).rejects.toThrow(InvariantViolation);
    expect(asked).toEqual([]);
  });
});

describe('an end', () => {
  test.each([
    ['signOutRequested', 'signed_out'],
    ['endRequested', 'ended_by_user'],
    ['signedInAgain', 'signed_in_again'],
  ] as const)('by %s is committed with its entry, once', async (event, reason) => {
    const now = seconds(10);
    const { ports, asked } = bench([SIGNED_IN], { now });
    expect(await endSession(ports, KEY, event)).toBe(true);
    const line = { machine: 'session', event, from: 'active', to: 'ended', reason, generation: null };
    const entry = { ...line, sessionId: 'public-name' };
    expect(asked).toEqual([{ kind: 'end', loaded: SIGNED_IN, now, reason, entry }]);
    const again = bench([{ ...SIGNED_IN, state: 'ended', endedReason: 'signed_out' }], { now });
    expect(await endSession(again.ports, KEY, event)).toBe(false);
    expect(again.asked).toEqual([]);
  });

  test.each([
    ['user', {}, { liveUserEpoch: 2n }],
    ['user', { liveUserEpoch: null }, { liveUserEpoch: 1n }],
    ['server', {}, { liveServerEpoch: 2n }],
  ] as const)('by a raised epoch of the %s %o writes no change of its own', (of, change, live) => {
    const session = { ...SIGNED_IN, ...change };
    const facts = { now: NOW, lifetimes: LIFETIMES };
    expect(sessionLifecycle.changes.raiseEpoch?.(session, facts, { of })).toEqual({ ...session, ...live });
  });
});

describe('a missing session', () => {
  test('is neither used nor ended', async () => {
    const { ports, asked } = bench([null], {});
    expect(await useSession(ports, KEY)).toBeNull();
    expect(await endSession(ports, KEY, 'signOutRequested')).toBe(false);
    expect(asked).toEqual([]);
  });

  test('that housekeeping removed after its end has ended', async () => {
    const { ports, asked } = bench([SIGNED_IN, null], { commits: false });
    expect(await endSession(ports, KEY, 'signOutRequested')).toBe(false);
    expect(asked).toHaveLength(1);
    const used = bench([SIGNED_IN, null], { commits: false, now: seconds(60) });
    expect(await useSession(used.ports, KEY)).toEqual({ kind: 'rejected', reason: 'session_too_old' });
  });
});

test('an end that lost a race is decided again about the current row', async () => {
  const theirs: Session = { ...SIGNED_IN, state: 'ended', endedReason: 'ended_by_user' };
  const { ports, asked } = bench([SIGNED_IN, theirs], { commits: false });
  expect(await endSession(ports, KEY, 'signOutRequested')).toBe(false);
  expect(asked).toHaveLength(1);
});
