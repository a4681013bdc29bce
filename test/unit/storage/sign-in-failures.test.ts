import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signInFailures } from '../../../src/storage/schema.ts';
import { signInFailureStore } from '../../../src/storage/sign-in-failures.ts';
import { databaseKinds } from '../../support/database.ts';
import { openPorts, type Ports } from './ports.ts';

const WINDOW_SECONDS = 300;
const givenKey = () => randomBytes(32);

describe.each(databaseKinds)('counting failed sign-ins on %s', (kind) => {
  let ports: Ports;
  let failures: ReturnType<typeof signInFailureStore>;
  beforeAll(async () => {
    ports = await openPorts(kind);
    failures = signInFailureStore(ports.db, ports.clock);
  });
  afterAll(() => ports.close());

  const countsOf = async (keys: readonly Buffer[]) =>
    (await failures.recentOf(keys)).failures.map(({ failures: times }) => times);
  const count = (...keys: Buffer[]) => failures.count(keys, WINDOW_SECONDS);

  test('each attempt counts one, under each of its keys', async () => {
    const [account, address] = [givenKey(), givenKey()];
    expect(await count(account, address)).toEqual([1, 1]);
    expect(await count(account, address)).toEqual([2, 2]);
    expect(await count(givenKey(), address)).toEqual([1, 3]);
  });

  test('counts come in the order of the keys', async () => {
    const [one, other] = [givenKey(), givenKey()];
    await count(one);
    expect(await count(one, other)).toEqual([2, 1]);
    expect(await count(other, one)).toEqual([2, 3]);
  });

  test('a check counts nothing, stores nothing, and sees the running window alone', async () => {
    const [key, other, unknown] = [givenKey(), givenKey(), givenKey()];
    await count(key, other);
    await count(other);
    const rows = () => ports.db.$count(signInFailures);
    const before = await rows();
    for (let times = 0; times < 2; times++) {
      expect(await countsOf([unknown, other, key])).toEqual([0, 2, 1]);
    }
    expect(await rows()).toBe(before);
    ports.clock.advanceSeconds(WINDOW_SECONDS - 1);
    expect(await countsOf([key])).toEqual([1]);
    ports.clock.advanceSeconds(1);
    expect(await countsOf([key])).toEqual([0]);
  });

  test('the window begins with the first attempt: later ones do not extend it', async () => {
    const key = givenKey();
    await count(key);
    ports.clock.advanceSeconds(WINDOW_SECONDS - 1);
    expect(await count(key)).toEqual([2]);
    ports.clock.advanceSeconds(1);
    expect(await count(key)).toEqual([1]);
    ports.clock.advanceSeconds(WINDOW_SECONDS - 1);
    expect(await count(key)).toEqual([2]);
  });

  test('long-lived counts stay for two windows after the last failure; the others end with their window', async () => {
    const [lasting, other] = [givenKey(), givenKey()];
    const both = () => failures.count([lasting, other], WINDOW_SECONDS, [lasting]);
    expect(await both()).toEqual([1, 1]);
    ports.clock.advanceSeconds(WINDOW_SECONDS - 1);
    expect(await both()).toEqual([2, 2]);
    ports.clock.advanceSeconds(2 * WINDOW_SECONDS - 1);
    expect(await both()).toEqual([3, 1]);
    ports.clock.advanceSeconds(2 * WINDOW_SECONDS);
    expect(await both()).toEqual([1, 1]);
  });

  test('the count has the age of the last failure, and its own lifetime', async () => {
    const [key, unknown] = [givenKey(), givenKey()];
    await count(key);
    ports.clock.advanceSeconds(10);
    await count(key);
    ports.clock.advanceSeconds(7);
    const { now, failures: recent } = await failures.recentOf([unknown, key]);
    expect(now).toEqual(ports.clock.fixedNow());
    expect(recent).toEqual([
      { failures: 0, secondsSince: Number.POSITIVE_INFINITY, secondsLeft: 0 },
      { failures: 2, secondsSince: 7, secondsLeft: WINDOW_SECONDS - 17 },
    ]);
    ports.clock.advanceSeconds(WINDOW_SECONDS - 17);
    expect((await failures.recentOf([key])).failures).toEqual([
      { failures: 0, secondsSince: Number.POSITIVE_INFINITY, secondsLeft: 0 },
    ]);
  });

  test('50 concurrent attempts are 50', async () => {
    const keys = [givenKey(), givenKey()] as const;
    const counts = await Promise.all(Array.from({ length: 50 }, () => count(...keys)));
    const ascending = (one: number, other: number) => one - other;
    const upTo50 = Array.from({ length: 50 }, (_, index) => index + 1);
    expect(counts.map(([first]) => first ?? 0).sort(ascending)).toEqual(upTo50);
    expect(counts.map(([, second]) => second ?? 0).sort(ascending)).toEqual(upTo50);
  });

  test('attempts that share keys in any order, counted and checked concurrently, do not block each other', async () => {
    const [account, address] = [givenKey(), givenKey()];
    await count(address);
    await count(account, address);
    const attempts = Array.from({ length: 40 }, async (_, index) => {
      const keys = index % 2 === 0 ? [account, address] : [address, account];
      for (let rounds = 0; rounds < 5; rounds++) {
        await failures.count(keys, WINDOW_SECONDS);
        await countsOf(keys);
      }
    });
    await Promise.all(attempts);
    expect(await count(account, address)).toEqual([202, 203]);
  });
});
