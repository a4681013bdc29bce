/** The origins whose scripts may read responses, on one node. The number of reads is part of it: a script can invent origins. */
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { browserOrigins } from '../../../src/protocol/browser-origins.ts';

const SECOND = 1000;
const APP = 'https://app.example';

function node() {
  let now = 0;
  const asked: string[] = [];
  const registered = new Set([APP]);
  let read = async (origin: string) => registered.has(origin);
  const isBrowserOrigin = browserOrigins({
    isRegistered: (origin) => {
      asked.push(origin);
      return read(origin);
    },
    now: () => now,
  });
  return {
    asked,
    registered,
    isBrowserOrigin,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    readBy: (next: typeof read) => {
      read = next;
    },
  };
}

describe('the origins of browser-based apps', () => {
  it('are read once in ten seconds, known or not', async () => {
    const { isBrowserOrigin, asked, registered, pass } = node();
    const other = 'https://other.example';
    for (const milliseconds of [0, 9999]) {
      pass(milliseconds);
      expect(await isBrowserOrigin(APP)).toBe(true);
      expect(await isBrowserOrigin(other)).toBe(false);
      expect(asked).toEqual([APP, other]);
    }
    registered.clear();
    registered.add(other);
    pass(1);
    expect(await isBrowserOrigin(APP)).toBe(false);
    expect(await isBrowserOrigin(other)).toBe(true);
    expect(asked).toEqual([APP, other, APP, other]);
  });

  it.each([
    'null',
    '*',
    '',
    'https://app.example/',
    'HTTPS://APP.EXAMPLE',
    'https://app.example:443',
    'https://app.example, https://evil.example',
    'https://user@app.example',
    'com.example:',
    'file://',
    'blob:https://app.example/1',
    'https://bücher.example',
    `https://${'a.'.repeat(140)}example`,
  ])('no browser sends %j, so nothing reads it', async (text) => {
    const { isBrowserOrigin, asked, readBy } = node();
    readBy(async () => true);
    expect(await isBrowserOrigin(text)).toBe(false);
    expect(asked).toEqual([]);
  });

  it('take the memory of a thousand, however many scripts ask: the oldest is forgotten', async () => {
    const { isBrowserOrigin, asked } = node();
    await isBrowserOrigin(APP);
    for (let n = 0; n < 999; n++) await isBrowserOrigin(`https://${n}.example`);
    await isBrowserOrigin(APP);
    expect(asked).toHaveLength(1000);
    await isBrowserOrigin('https://one-more.example');
    await isBrowserOrigin(APP);
    expect(asked.filter((origin) => origin === APP)).toHaveLength(2);
  });

  it('are read again by one of the concurrent requests, while others get the last answer', async () => {
    const { isBrowserOrigin, asked, pass, readBy } = node();
    await isBrowserOrigin(APP);
    pass(10 * SECOND);
    const answer = Promise.withResolvers<boolean>();
    readBy(() => answer.promise);
    const first = isBrowserOrigin(APP);
    expect(await isBrowserOrigin(APP)).toBe(true);
    answer.resolve(false);
    expect(await first).toBe(false);
    expect(await isBrowserOrigin(APP)).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it('stay as they were while the database is away, which is queried again only later', async () => {
    const { isBrowserOrigin, asked, pass, readBy } = node();
    await isBrowserOrigin(APP);
    readBy(() => Promise.reject(new StoreUnavailable(false)));
    for (const reads of [2, 3]) {
      pass(10 * SECOND);
      expect(await isBrowserOrigin(APP)).toBe(true);
      expect(await isBrowserOrigin(APP)).toBe(true);
      expect(asked).toHaveLength(reads);
    }
    // After any time.
    pass(3600 * SECOND);
    expect(await isBrowserOrigin(APP)).toBe(true);
  });

  it('were never read: the failure of the database is reported, and the next request tries again', async () => {
    const { isBrowserOrigin, readBy } = node();
    readBy(() => Promise.reject(new StoreUnavailable(false)));
    await expect(isBrowserOrigin(APP)).rejects.toThrow(StoreUnavailable);
    readBy(async () => true);
    expect(await isBrowserOrigin(APP)).toBe(true);
  });
});
