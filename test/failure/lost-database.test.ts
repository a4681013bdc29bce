/** The database goes away at the worst moments: before the commit is sent, while it is under way, for good. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppDeps } from '../../src/boot/wiring.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { makeClient, makeUser, obtainTokens, refresh, type TestClient } from '../support/actors.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { withServersOwnDeadlines } from '../support/patience.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

describe('a lost database', () => {
  let opened: TestDatabase<string>;
  let proxy: TcpProxy;
  let test: TestApp;
  let client: TestClient;
  let head: string;
  let beforeCommit: () => void;
  let database: ReturnType<typeof openPostgres>;

  beforeEach(async () => {
    opened = await openTestDatabase('postgres');
    proxy = await openTcpProxy(opened.url);
    database = openPostgres(proxy.url, { connections: 1 });
    beforeCommit = () => {};
    const change = (deps: AppDeps): AppDeps => ({
      ...deps,
      sleep: () => Promise.resolve(),
      store: {
        ...deps.store,
        commit: (commit) => {
          const once = beforeCommit;
          beforeCommit = () => {};
          once();
          return deps.store.commit(commit);
        },
      },
    });
    test = await openTestApp(database, { change });
    client = await makeClient(test);
    const { refreshToken } = await obtainTokens(test, client, await makeUser(test));
    // One rotation first: from now on the commit is a prepared statement, sent whole.
    head = (await refresh(test, client, refreshToken)).json.refresh_token ?? '';
  });
  afterEach(async () => {
    await test.app.close();
    await database.close();
    await proxy.close();
    await opened.close();
  });

  const ready = () => test.app.inject('/health/database');

  it.each(['cut', 'hangUp'] as const)(
    'answers 503 with Retry-After until it is back (%s), and recovers without a restart',
    async (how) => {
      proxy[how]();
      const away = await withServersOwnDeadlines(() => refresh(test, client, head));
      expect(away.status).toBe(503);
      expect(away.headers['retry-after']).toBeDefined();
      expect(away.headers['cache-control']).toBe('no-store');
      expect((await withServersOwnDeadlines(() => ready())).statusCode).toBe(503);
      expect((await test.app.inject('/health/live')).statusCode).toBe(200);
      await proxy.restore();
      await until(async () => (await ready()).statusCode === 200);
      expect((await refresh(test, client, head)).status).toBe(200);
    },
  );

  it('returns the tokens when the commit took place and only its answer was lost', async () => {
    beforeCommit = () => proxy.loseNextAnswer();
    const answer = await refresh(test, client, head);
    expect(answer.status).toBe(200);
    // The token that came back is the head: it rotates on.
    expect((await refresh(test, client, answer.json.refresh_token ?? '')).status).toBe(200);
  });

  it('answers 503 without Retry-After when the outcome of the commit is unknown', async () => {
    beforeCommit = () => proxy.loseNextAnswer(() => proxy.cut());
    const answer = await refresh(test, client, head);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBeUndefined();
    expect(test.logs()).toContain('commit_unknown');
  });

  it('commits no change when the statement never reached the database', async () => {
    beforeCommit = () => proxy.cut();
    expect((await refresh(test, client, head)).status).toBe(503);
    await proxy.restore();
    // The token is still the head.
    expect((await refresh(test, client, head)).status).toBe(200);
  });
});
