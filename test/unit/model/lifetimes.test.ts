import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { chainEndsAt, codeEndsAt, nextChainEndsAt } from '../../../src/model/lifetimes.ts';
import { chainGrant, codeGrant, LIFETIMES, seconds } from '../lifecycles/given.ts';

describe('a code ends', () => {
  test('at its stored end, where the current policy allows more', () => {
    const longer = { ...LIFETIMES, authorizationCodeLifetimeSeconds: 600 };
    expect(codeEndsAt(codeGrant(), longer)).toBe(seconds(60).getTime());
  });

  test('by the current policy, where that allows less', () => {
    const shorter = { ...LIFETIMES, authorizationCodeLifetimeSeconds: 10 };
    expect(codeEndsAt(codeGrant(), shorter)).toBe(seconds(10).getTime());
  });
});

describe('a chain ends', () => {
  test('when it has idled for too long, counted from its last use', () => {
    const grant = chainGrant({ lastUsedAt: seconds(100), chainEndsAt: seconds(1100) });
    expect(chainEndsAt(grant, LIFETIMES)).toBe(seconds(1100).getTime());
  });

  test('at its absolute end, counted from its start', () => {
    const grant = chainGrant({ lastUsedAt: seconds(4500), chainEndsAt: seconds(9999) });
    expect(chainEndsAt(grant, LIFETIMES)).toBe(seconds(5000).getTime());
  });

  const durations = fc.integer({ min: 1, max: 10_000 });
  propertyTest.prop([durations, durations, durations, durations, durations])(
    'never later than its stored end, its idle end or its absolute end, under any policy',
    (idle, absolute, idleToday, absoluteToday, usedAfter) => {
      const before = { ...LIFETIMES, refreshIdleLifetimeSeconds: idle, refreshAbsoluteLifetimeSeconds: absolute };
      const today = {
        ...LIFETIMES,
        refreshIdleLifetimeSeconds: idleToday,
        refreshAbsoluteLifetimeSeconds: absoluteToday,
      };
      const stored = nextChainEndsAt(codeGrant(), seconds(usedAfter), before);
      const grant = chainGrant({ lastUsedAt: seconds(usedAfter), chainEndsAt: new Date(stored) });
      const ends = [stored, seconds(usedAfter + idleToday).getTime(), seconds(absoluteToday).getTime()];
      expect(chainEndsAt(grant, today)).toBe(Math.min(...ends));
    },
  );
});
