/** The origins whose scripts may read responses. The number of reads is part of it: a script can invent origins. */

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { browserOriginSource } from '../../../src/storage/browser-origins.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { withinTime } from '../../../src/system/request-time.ts';
import { deleteClient, saveClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testClients } from '../../support/macs.ts';
import { openPorts, type Ports, registration } from './ports.ts';

const away = () => {
  throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
};

describe.each(databaseKinds)('origins of browser-based apps on %s', (kind) => {
  let ports: Ports;
  const select = vi.fn();
  const originsNow = (authentic = testClients) =>
    browserOriginSource({ ...ports.db, select } as never, ports.clock, authentic);
  const app = (clientId: string, redirectUris: string[], change = {}) =>
    saveClient(ports.db, {
      ...registration(clientId),
      tokenEndpointAuthMethod: 'none',
      secretMacs: [],
      redirectUris,
      ...change,
    });

  beforeAll(async () => {
    ports = await openPorts(kind);
    await app('app', ['https://App.example:443/a', 'https://app.example/b', 'HTTP://localhost:3000/c']);
    await app('punycode', ['https://bücher.example/']);
    await app('phone', ['com.example.app:/callback', 'com.example.app:/?at=https://app.example', 'https://not a uri']);
    await app('native', ['https://native.example/'], { applicationType: 'native' });
    await saveClient(ports.db, { ...registration('server-side'), redirectUris: ['https://confidential.example/'] });
    await app('gone', ['https://gone.example/']);
    await deleteClient(ports.db, 'gone');
  });
  afterAll(() => ports.close());
  beforeEach(() => {
    select.mockReset().mockImplementation((columns) => ports.db.select(columns));
  });

  test('are those of public web clients, as browsers write them', async () => {
    const origins = ['https://app.example', 'http://localhost:3000', 'https://xn--bcher-kva.example'];
    expect([...(await originsNow()())].sort()).toEqual(origins.sort());
  });

  test('are read again ten seconds after the last read, and not before', async () => {
    const origins = originsNow();
    const first = await origins();
    ports.clock.advanceSeconds(9.999);
    expect(await origins()).toBe(first);
    expect(select).toHaveBeenCalledTimes(1);
    await app('late', ['https://late.example/']);
    ports.clock.advanceSeconds(0.001);
    expect(await origins()).toContain('https://late.example');
    expect(select).toHaveBeenCalledTimes(2);
    await deleteClient(ports.db, 'late');
  });

  test('are read once for concurrent requests, without the deadline of any', async () => {
    const answer = Promise.withResolvers<{ redirectUris: string[] }[]>();
    select.mockImplementationOnce(() => ({ from: () => ({ where: () => answer.promise }) }));
    const origins = originsNow({ ...testClients, whole: (row) => row });
    const over = { endsAt: performance.now() - 1, pausedAt: null };
    const late = withinTime(over, () => origins().catch((error: unknown) => error));
    const inTime = [origins(), origins()];
    expect(await late).toMatchObject({ code: 'NO_ANSWER', maybeCommitted: false });
    answer.resolve([{ redirectUris: ['https://app.example/'] }]);
    for (const known of await Promise.all(inTime)) expect([...known]).toEqual(['https://app.example']);
    expect(select).toHaveBeenCalledTimes(1);
  });

  test('stay known while the database is away, which is queried again only later', async () => {
    const origins = originsNow();
    const known = await origins();
    select.mockImplementation(away);
    ports.clock.advanceSeconds(10);
    expect(await origins()).toBe(known);
    expect(await origins()).toBe(known);
    expect(select).toHaveBeenCalledTimes(2);
    ports.clock.advanceSeconds(10);
    expect(await origins()).toBe(known);
    expect(select).toHaveBeenCalledTimes(3);
  });

  test('were never known: the failure of the database is reported, and the next request tries again', async () => {
    const origins = originsNow();
    select.mockImplementationOnce(away);
    await expect(origins()).rejects.toThrow(StoreUnavailable);
    expect(await origins()).toContain('https://app.example');
  });

  test('pass time by themselves without the clock of a test', async () => {
    const origins = browserOriginSource({ ...ports.db, select } as never, databaseClock, testClients);
    const first = await origins();
    expect(await origins()).toBe(first);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_000);
    expect(await origins()).not.toBe(first);
    vi.restoreAllMocks();
  });
});
