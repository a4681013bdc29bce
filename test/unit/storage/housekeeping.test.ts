/** Rows end by the database's clock, so that is the clock by which they are removed. */

import { randomBytes, randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { housekeeper } from '../../../src/storage/housekeeping.ts';
import {
  clients,
  deniedAccessTokens,
  grants,
  interactions,
  sessions,
  signInFailures,
} from '../../../src/storage/schema.ts';
import { sessionStore } from '../../../src/storage/sessions.ts';
import { signInFailureStore } from '../../../src/storage/sign-in-failures.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { authorizeUrl, exchange, makePkce, obtainTokens, refresh } from '../../support/actors.ts';
import { deleteClient } from '../../support/administration.ts';
import { Browser } from '../../support/browser.ts';
import { clientAt, DOCUMENT_URL, openDocumentScene } from '../../support/client-documents.ts';
import { clockAt, testClock } from '../../support/clock.ts';
import { testMacs } from '../../support/macs.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { unheld } from '../../support/unheld.ts';

const HOUR = 3_600_000;

/** The embedded database runs in this process and has its clock, so only Postgres can show this. */
describe('housekeeping', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene('postgres', { clock: testClock(new Date()) });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await scene.close();
  });

  const db = () => scene.database.drizzle;
  const counts = async () =>
    Promise.all(
      [sessions, interactions, deniedAccessTokens, signInFailures, grants].map(async (table) => {
        const [row] = await db().select({ rows: sql<number>`count(*)::int` }).from(table);
        return row?.rows;
      }),
    );
  const lives = async () => {
    await obtainTokens(scene, scene.client, scene.user);
    await new Browser(scene.app).get(authorizeUrl(scene.client, makePkce()));
    await signInFailureStore(db(), databaseClock).count([randomBytes(32)], 900);
    const endsAt = new Date(Date.now() + HOUR);
    await db().insert(deniedAccessTokens).values({ jti: randomUUID(), clientId: scene.client.clientId, endsAt });
  };

  test.each([13, 24 * 400])('a node whose clock is %d hours ahead removes no active row', async (hours) => {
    await lives();
    const before = await counts();
    expect(before.every((rows) => rows !== undefined && rows > 0)).toBe(true);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * HOUR });
    await housekeeper(db(), databaseClock).cleanUp();
    expect(await counts()).toEqual(before);
  });

  test('a node whose clock is 13 hours behind removes ended rows', async () => {
    const sid = await endedSession();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 13 * HOUR });
    await housekeeper(db(), databaseClock).cleanUp();
    const left = await db().select({ sid: sessions.sid }).from(sessions);
    expect(left.map(({ sid }) => sid)).not.toContain(sid);
  });

  test('removes more rows than a batch holds in one run', async () => {
    const hashes = sql`select decode(md5(n::text), 'hex'), 1, now() from generate_series(1, 10001) n`;
    await db().execute(sql`insert into ${signInFailures} (key_hash, failures, window_ends_at) ${hashes}`);
    await housekeeper(db(), clockAt(new Date(Date.now() + HOUR))).cleanUp();
    expect((await counts())[3]).toBe(0);
  });

  describe('of grants', () => {
    const HOURS_LATER = clockAt(new Date(Date.now() + 2 * HOUR));
    /** Codes that were never exchanged, and ended a day ago; many of them began at the same instant. */
    const abandon = (count: number) =>
      db().execute(sql`insert into grants (id, client_id, user_id, policy, scope, resources, redirect_uri,
          state, code_ends_at, created_at, code_hash, code_challenge, user_epoch, client_epoch, server_epoch)
        select gen_random_uuid(), ${scene.client.clientId}, ${scene.user.id}::uuid, 'p', '{}', '{}',
          'https://app.example/cb', 'active',
          now() - interval '1 day', now() - interval '2 days' + (n / 8000) * interval '1 microsecond', '', 'x', 0, 0, 0
        from generate_series(1, ${count}) n`);
    /** Each reading of the clock is a second later, and nothing waits. */
    const stepping = () => {
      let seconds = 0;
      return { elapsed: () => 1000 * seconds++, pause: async () => {} };
    };

    test('removes all due ones in one run, however many, and reports when its pass began', async () => {
      await abandon(20_001);
      const { cleanUp } = housekeeper(db(), HOURS_LATER, { ...stepping(), milliseconds: 1_000_000 });
      expect(await cleanUp()).toEqual({ removed: 20_001, passBeganAt: expect.any(Number) });
      expect((await counts())[4]).toBe(0);
    });

    test('stops at its time limit, and continues there', async () => {
      await abandon(20_001);
      const { cleanUp } = housekeeper(db(), HOURS_LATER, { ...stepping(), milliseconds: 1 });
      const rounds: number[] = [];
      let pass: number | null = null;
      while (pass === null) {
        const { removed, passBeganAt } = await cleanUp();
        rounds.push(removed);
        pass = passBeganAt;
      }
      // No statement had more than a batch.
      expect(Math.max(...rounds)).toBe(5000);
      expect(rounds.reduce((sum, removed) => sum + removed, 0)).toBe(20_001);
    });

    test('ends after its step when the node closes', async () => {
      await abandon(20_001);
      const closing = AbortSignal.abort();
      const { removed } = await housekeeper(db(), HOURS_LATER).cleanUp(closing);
      expect(removed).toBe(5000);
    });
  });

  async function endedSession(): Promise<string> {
    const sid = randomUUID();
    await sessionStore(db(), databaseClock, testMacs).insert({
      idHash: randomBytes(32),
      sid,
      userId: scene.user.id,
      userEpoch: 0n,
      serverEpoch: 0n,
      amr: ['pwd'],
      state: 'active',
      userAgent: null,
      lifetimeSeconds: -1,
    });
    return sid;
  }
});

describe('housekeeping of clients that describe themselves', () => {
  const DAY_AND_MORE = 27 * HOUR;
  const removed = async (scene: Awaited<ReturnType<typeof openDocumentScene>>) => {
    // The database gave the row its own time.
    const createdAt = new Date(Date.now() - DAY_AND_MORE);
    await unheld(scene.db, (own) => own.update(clients).set({ createdAt }).where(eq(clients.clientId, DOCUMENT_URL)));
    // One round takes the documents, and a later one the clients that nothing names any more.
    await housekeeper(scene.db, databaseClock).cleanUp();
    await housekeeper(scene.db, databaseClock).cleanUp();
    return { document: await scene.storedDocument(), client: await scene.storedClient() };
  };

  test('an unused one goes after a day with its document, and comes back by its next request', async () => {
    const scene = await openDocumentScene({ database: 'postgres', startsAt: new Date(Date.now() - DAY_AND_MORE) });
    await scene.named();
    expect(await removed(scene)).toEqual({ document: undefined, client: undefined });
    scene.clock.set(new Date());
    expect((await scene.named()).status).toBe(200);
    expect(await removed(scene)).toMatchObject({ document: { state: 'known' }, client: { registeredBy: 'self' } });
  });

  test('one with a chain stays, and its chain rotates', async () => {
    const scene = await openDocumentScene({ database: 'postgres', startsAt: new Date(Date.now() - DAY_AND_MORE) });
    const client = clientAt(DOCUMENT_URL);
    const { json } = await exchange(scene, client, await scene.code({ client }));
    scene.clock.set(new Date());
    expect(await removed(scene)).toMatchObject({ document: undefined, client: { registeredBy: 'self' } });
    expect((await refresh(scene, client, json.refresh_token ?? '')).status).toBe(200);
  });

  test('a deleted one stays, so that no document registers it again', async () => {
    const scene = await openDocumentScene({ database: 'postgres', startsAt: new Date(Date.now() - DAY_AND_MORE) });
    await scene.named();
    await deleteClient(scene.db, DOCUMENT_URL);
    expect((await removed(scene)).client).toMatchObject({ deletedAt: expect.any(Date) });
    scene.clock.set(new Date());
    expect((await scene.named()).status).toBe(400);
  });
});
