/** When a session ends, and the end that comes first. */
import { describe, expect, test } from 'vitest';
import {
  type Session,
  secondFactorDueAt,
  sessionEndedBy,
  sessionEndReason,
  sessionEndsAt,
  sessionIdleEndsAt,
  sessionIsAlive,
  sessionState,
  signedInRecently,
  subOfSession,
} from '../../../src/model/session.ts';
import { NOW, seconds } from '../lifecycles/given.ts';

const SESSION: Session = {
  idHash: new Uint8Array(32),
  sid: 'a-sid',
  userId: '33333333-3333-4333-8333-333333333333',
  username: 'mira',
  userEpoch: 3n,
  serverEpoch: 7n,
  signedInAt: NOW,
  amr: ['pwd'],
  lastUsedAt: seconds(100),
  endsAt: seconds(1000),
  state: 'active',
  endedReason: null,
  userAgent: null,
  liveUserEpoch: 3n,
  liveServerEpoch: 7n,
};
const with_ = (change: Partial<Session>): Session => ({ ...SESSION, ...change });

describe('a session', () => {
  test.each<[string, Partial<Session>, ReturnType<typeof sessionEndedBy>, ReturnType<typeof sessionEndReason>]>([
    ['as it began', {}, null, null],
    ['whose end-user moved on', { liveUserEpoch: 4n }, 'user', 'user_ended'],
    ['whose end-user is disabled', { liveUserEpoch: null }, 'user', 'user_ended'],
    ['whose server moved on', { liveServerEpoch: 8n }, 'server', 'server_epoch_raised'],
    ['whose end-user and server moved on', { liveUserEpoch: 4n, liveServerEpoch: 8n }, 'user', 'user_ended'],
  ])('%s', (_, change, by, reason) => {
    const session = with_(change);
    expect(sessionEndedBy(session)).toBe(by);
    expect(sessionState(session)).toBe(by === null ? 'active' : 'ended');
    expect(sessionEndReason(session)).toBe(reason);
  });

  test('that a decision ended keeps its reason, whatever the epochs are', () => {
    const ended = with_({ state: 'ended', endedReason: 'signed_out', liveUserEpoch: 4n });
    expect(sessionEndReason(ended)).toBe('signed_out');
    expect(sessionState(with_({ state: 'ended', endedReason: 'signed_out' }))).toBe('ended');
  });

  test('names its end-user by the imported sub, where there is one', () => {
    expect(subOfSession(SESSION)).toBe(SESSION.userId);
    expect(subOfSession(with_({ sub: null }))).toBe(SESSION.userId);
    expect(subOfSession(with_({ sub: 'imported' }))).toBe('imported');
  });
});

describe('the end of a session', () => {
  test('is the stored one, unless the current policy is shorter', () => {
    expect(sessionEndsAt(SESSION, { sessionLifetimeSeconds: 2000 })).toBe(seconds(1000).getTime());
    expect(sessionEndsAt(SESSION, { sessionLifetimeSeconds: 500 })).toBe(seconds(500).getTime());
  });

  test('by idleness counts from the last use; without that policy there is none', () => {
    expect(sessionIdleEndsAt(SESSION, { sessionLifetimeSeconds: 1000, sessionIdleLifetimeSeconds: 60 })).toBe(
      seconds(160).getTime(),
    );
    expect(sessionIdleEndsAt(SESSION, { sessionLifetimeSeconds: 1000 })).toBe(Number.POSITIVE_INFINITY);
  });

  test('without a second factor comes ten minutes after the password', () => {
    expect(secondFactorDueAt(SESSION)).toBe(seconds(700).getTime());
  });

  test.each<[string, Partial<Session>, number | undefined, number, boolean]>([
    ['right before its end', {}, undefined, 999, true],
    ['at its end', {}, undefined, 1000, false],
    ['after its end', {}, undefined, 1001, false],
    ['before it idled too long', {}, 60, 159, true],
    ['when it idled too long', {}, 60, 160, false],
    ['after a decision', { state: 'ended', endedReason: 'signed_out' }, undefined, 1, false],
    ['that awaits its second factor', { state: 'awaitingSecondFactor' }, undefined, 101, false],
    ['of an end-user who ended', { liveUserEpoch: null }, undefined, 1, false],
  ])('%s', (_, change, sessionIdleLifetimeSeconds, at, isAlive) => {
    const lifetimes = { sessionLifetimeSeconds: 1000, sessionIdleLifetimeSeconds };
    expect(sessionIsAlive(with_(change), lifetimes, seconds(at))).toBe(isAlive);
  });
});

test('a sign-in is recent up to the exact second', () => {
  const recentSignInSeconds = 300;
  expect(signedInRecently(SESSION, { recentSignInSeconds }, seconds(299))).toBe(true);
  expect(signedInRecently(SESSION, { recentSignInSeconds }, seconds(300))).toBe(true);
  expect(signedInRecently(SESSION, { recentSignInSeconds }, new Date(seconds(300).getTime() + 1))).toBe(false);
});
