import { describe, expect, it } from 'vitest';
import { rateLimit, requestCounter } from '../../../src/system/rate-limit.ts';

describe('a rate limit', () => {
  it('counts each key for ten seconds, and returns the time of the next attempt', () => {
    let now = 0;
    const limit = rateLimit(() => now);
    for (let sent = 0; sent < 30; sent++) expect(limit.count('a', 3)).toBeNull();
    expect(limit.count('a', 3)).toBe(10);
    expect(limit.count('b', 3)).toBeNull();
    now = 9_001;
    expect(limit.count('a', 3)).toBe(1);
    now = 10_000;
    expect(limit.count('a', 3)).toBeNull();
  });

  it('follows a limit that changes', () => {
    const limit = rateLimit(() => 0);
    for (let sent = 0; sent < 10; sent++) expect(limit.count('a', 1)).toBeNull();
    expect(limit.count('a', 1)).toBe(10);
    expect(limit.count('a', 2)).toBeNull();
  });

  it('keeps a bounded number of keys, and still counts those that it has', () => {
    const limit = rateLimit(() => 0);
    limit.count('first', 1);
    for (let key = 0; key < 100_000; key++) limit.count(String(key), 1);
    for (let sent = 0; sent < 50; sent++) expect(limit.count('later', 1)).toBeNull();
    for (let sent = 0; sent < 9; sent++) expect(limit.count('first', 1)).toBeNull();
    expect(limit.count('first', 1)).toBe(10);
  });
});

describe('a request counter', () => {
  it('returns the state of a key with each request, and without counting one', () => {
    let now = 500;
    const counter = requestCounter(() => now, 60);
    expect(counter.windowSeconds).toBe(60);
    expect(counter.standingOf('a', 2)).toEqual({ isBeyond: false, remaining: 2, resetSeconds: 60 });
    expect(counter.count('a', 2)).toEqual({ isBeyond: false, remaining: 1, resetSeconds: 60 });
    now = 30_501;
    expect(counter.count('a', 2)).toEqual({ isBeyond: false, remaining: 0, resetSeconds: 30 });
    expect(counter.standingOf('a', 2)).toEqual({ isBeyond: false, remaining: 0, resetSeconds: 30 });
    expect(counter.count('a', 2)).toEqual({ isBeyond: true, remaining: 0, resetSeconds: 30 });
    expect(counter.count('b', 2)).toMatchObject({ isBeyond: false, remaining: 1 });
    now = 60_500;
    expect(counter.standingOf('a', 2)).toEqual({ isBeyond: false, remaining: 2, resetSeconds: 60 });
  });
});
