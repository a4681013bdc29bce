/** The networks of a caller, and the waits that they cause. */
import { describe, expect, test, vi } from 'vitest';
import { firstWaitOf, networksOf, waitOf } from '../../../src/model/networks.ts';

describe('the networks of a caller', () => {
  test.each([
    ['192.0.2.1', null],
    ['2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:0db8:00ff:abcd::/64', '2001:0db8:00ff::/48'],
    ['2001:db8:1:2::/640', null],
    ['x2001:db8:1:2::/64', null],
    ['2001:db8:2::/64', null],
    ['2001:db8:1:22222::/64', null],
    ['a key of a proxy', null],
  ])('%s', (caller, site) => {
    const own = { key: caller, times: 1 };
    expect(networksOf(caller)).toEqual(site === null ? [own] : [own, { key: site, times: 16 }]);
  });
});

test('each network counts a request, and the first that is beyond its limit says the wait', () => {
  const caller = '2001:db8:1:2::/64';
  const count = vi.fn((_network: string, times: number) => (times === 1 ? null : 7));
  expect(firstWaitOf(caller, count)).toBe(7);
  expect(count.mock.calls).toEqual([
    [caller, 1],
    ['2001:db8:1::/48', 16],
  ]);
  const both = vi.fn((_network: string, times: number) => times);
  expect(firstWaitOf(caller, both)).toBe(1);
  expect(both).toHaveBeenCalledTimes(2);
  expect(firstWaitOf(caller, () => null)).toBeNull();
});

test('a key waits only where its limit is exceeded', () => {
  expect(waitOf({ isBeyond: true, resetSeconds: 9 })).toBe(9);
  expect(waitOf({ isBeyond: false, resetSeconds: 9 })).toBeNull();
});
