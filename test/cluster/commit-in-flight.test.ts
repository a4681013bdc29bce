/** A worker of a cluster that stops between the COMMIT of a node and its response: the change may be there. */
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/storage/postgres.ts';
import { refresh } from '../support/actors.ts';
import { awaitStandby } from '../support/awaited-standby.ts';
import { withDeadlines } from '../support/patience.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { openSceneOn, type Scene } from '../support/scene.ts';
import { until } from '../support/until.ts';
import { type Citus, citusPath, startCitus } from './citus.ts';

const STATEMENT_MILLISECONDS = 1000;

describe.skipIf(citusPath === null)('a worker with a commit in flight', () => {
  let citus: Citus;
  let worker: PostgresServer;
  let sql: postgres.Sql;
  let scene: Scene;

  beforeAll(async () => {
    citus = await startCitus(1, { durable: true });
    worker = citus.workers[0] as PostgresServer;
    sql = postgres(worker.url, { max: 1, onnotice: () => {} });
    const url = await citus.makeDistributed('in_flight');
    const database = await withDeadlines({ statementMilliseconds: STATEMENT_MILLISECONDS }, async () =>
      openPostgres(url),
    );
    scene = await openSceneOn({ database, url, close: database.close });
  });
  afterAll(async () => {
    await scene?.close();
    await sql?.end();
    await citus?.stop();
  });

  const isCommitting = async () => (await sql`select from pg_stat_activity where wait_event = 'SyncRep'`).length > 0;

  it('has rotated the token, although the time of the statement ran out: the server answers with the new one', async () => {
    const token = await scene.chain();
    await awaitStandby(worker, 'absent');
    const { status, json } = await refresh(scene, scene.client, token);
    await awaitStandby(worker, null);
    expect(status).toBe(200);
    expect(await refresh(scene, scene.client, json.refresh_token ?? '')).toMatchObject({ status: 200 });
  });

  it('may have rotated the token before it is killed: the server says that it does not know', async () => {
    const token = await scene.chain();
    await awaitStandby(worker, 'absent');
    const answer = refresh(scene, scene.client, token);
    await until(isCommitting);
    await worker.crash();
    expect(await answer).toMatchObject({ status: 503 });
    expect(scene.logs()).toContain('commit_unknown');
    await worker.restart();
  });
});
