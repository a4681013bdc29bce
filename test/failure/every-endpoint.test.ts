/** Every endpoint answers 503 and changes no row, for any fault of the database or its network. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/storage/postgres.ts';
import { refresh } from '../support/actors.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { ENDPOINTS, type EndpointName, prepareEndpoints, type Reply } from '../support/every-endpoint.ts';
import { withDeadlines } from '../support/patience.ts';
import { openSceneOn, type Scene } from '../support/scene.ts';
import { everything } from '../support/stored.ts';
import { cuttingPlaces, openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

let opened: TestDatabase<string>;
let proxy: TcpProxy;
let scene: Scene;
let endpoints: Record<EndpointName, () => Promise<Reply>>;

beforeAll(async () => {
  opened = await openTestDatabase('postgres');
  proxy = await openTcpProxy(opened.url);
  const database = openPostgres(proxy.url, { connections: 2 });
  scene = await openSceneOn({ database, url: proxy.url, close: () => database.close() });
  endpoints = await prepareEndpoints(scene);
});
afterAll(async () => {
  await scene.close();
  await proxy.close();
  await opened.close();
});
beforeEach(async () => {
  await proxy.restore();
  await until(async () => (await scene.app.inject('/health/database')).statusCode === 200);
});

/** Past what the server wrote itself: looked at through another connection. */
const stored = () => everything(opened.database.drizzle);
const allAnswer = async () =>
  Object.fromEntries(
    await Promise.all(
      ENDPOINTS.map(async (name) => {
        const { status, headers } = await endpoints[name]();
        return [name, { status, retryAfter: headers['retry-after'] }] as const;
      }),
    ),
  );
const allUnavailable = Object.fromEntries(ENDPOINTS.map((name) => [name, { status: 503, retryAfter: '1' }]));

describe('every endpoint answers 503 with Retry-After, and changes no row', () => {
  it.each([
    ['the disk is full', '53100', 'ERROR'],
    ['there are too many connections', '53300', 'FATAL'],
    ['it is out of memory', '53200', 'ERROR'],
    ['an administrator ends the sessions', '57P01', 'FATAL'],
    ['it crashes', '57P02', 'FATAL'],
    ['it is starting', '57P03', 'FATAL'],
    ['it takes too long', '57014', 'ERROR'],
    ['it became a standby', '25006', 'ERROR'],
    ['it found a deadlock', '40P01', 'ERROR'],
    ['a lock was not to be had', '55P03', 'ERROR'],
    ['the password was changed', '28P01', 'FATAL'],
    ['its disk fails', '58030', 'ERROR'],
    ['a page is corrupted', 'XX001', 'ERROR'],
    ['a table is missing', '42P01', 'ERROR'],
    ['a trigger refuses', 'P0001', 'ERROR'],
    ['it sends an unforeseen error code', 'ZZ042', 'ERROR'],
  ] as const)('when %s (%s)', async (_name, sqlstate, severity) => {
    const before = await stored();
    proxy.refuse(sqlstate, severity);
    expect(await allAnswer()).toEqual(allUnavailable);
    expect(scene.logs()).toContain(`"code":"${sqlstate}"`);
    expect(await stored()).toEqual(before);
  });

  it('when the database is gone', async () => {
    const before = await stored();
    proxy.cut();
    expect(await allAnswer()).toEqual(allUnavailable);
    expect(await stored()).toEqual(before);
  });

  it('when the database stops responding, within the deadline', async () => {
    const before = await stored();
    proxy.silence('all');
    const deadlines = { databaseMilliseconds: 50, databasePerRequestMilliseconds: 100, connectSeconds: 0.04 };
    expect(await withDeadlines(deadlines, allAnswer)).toEqual(allUnavailable);
    proxy.letThrough();
    await until(async () => (await scene.app.inject('/health/database')).statusCode === 200);
    expect(await stored()).toEqual(before);
  });
});

describe('the log', () => {
  const lines = () =>
    scene
      .logs()
      .split('\n')
      .filter((line) => line.includes('unexpected failure of the database'));

  it('has one line of its own for each unforeseen error code', async () => {
    proxy.refuse('ZZ043');
    for (let time = 0; time < 3; time++) await allAnswer();
    expect(lines().filter((line) => line.includes('ZZ043'))).toHaveLength(1);
    expect(lines().filter((line) => line.includes('ZZ043'))[0]).toContain('"level":50');
  });

  it('has no such line for a common database failure', () => {
    expect(lines().filter((line) => line.includes('53100'))).toHaveLength(0);
  });
});

describe('a connection that breaks off in the middle of an answer', () => {
  it.each(['end', 'reset'] as const)('(%s) leads to 503 or to the correct answer, and loses no token', async (how) => {
    let head = await scene.chain();
    const rotate = async () => {
      const { status, headers, json } = await refresh(scene, scene.client, head);
      if (status === 200) head = json.refresh_token ?? '';
      return { status, retryAfter: headers['retry-after'] };
    };
    await rotate();
    proxy.answers();
    await rotate();
    const places = cuttingPlaces(proxy.answers());
    expect(places.length).toBeGreaterThan(20);
    for (const place of places) {
      // Statements are prepared again, so that each round gets the same answers.
      expect(await rotate(), `before ${place}`).toEqual({ status: 200 });
      proxy.cutAfter(place, how);
      expect([{ status: 200 }, { status: 503, retryAfter: '1' }], `at ${place}`).toContainEqual(await rotate());
      await proxy.restore();
    }
    expect(await rotate()).toEqual({ status: 200 });
  });

  it('during the handshake, leads to 503 or to the correct answer', async () => {
    const ask = async () => (await endpoints['POST /oauth/introspect (refresh token)']()).status;
    /** The next request opens a new connection. */
    const dropConnections = async () => {
      proxy.cutAfter(0);
      await ask();
    };
    await dropConnections();
    proxy.answers();
    expect(await ask()).toBe(200);
    const places = cuttingPlaces(proxy.answers());
    expect(places.length).toBeGreaterThan(100);
    for (const place of places.filter((_, index) => index % 20 === 0)) {
      await dropConnections();
      proxy.cutAfter(place);
      expect([200, 503], `at ${place}`).toContain(await ask());
      await proxy.restore();
    }
    expect(await ask()).toBe(200);
  });
});
