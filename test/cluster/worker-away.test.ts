/** A worker of a cluster crashes and starts again, while end-users, operators and clients use the server. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRefreshToken } from '../../src/crypto/refresh-token.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { rawRows } from '../../src/storage/raw-rows.ts';
import { refresh } from '../support/actors.ts';
import { openTestApp } from '../support/app.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../support/management.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { openSceneOn, type Scene } from '../support/scene.ts';
import { introspect } from '../support/sent-token.ts';
import { until } from '../support/until.ts';
import { type Citus, citusPath, inDatabase, portOf, startCitus } from './citus.ts';

const UNAVAILABLE = { status: 503, headers: { 'retry-after': expect.any(String) } };

describe.skipIf(citusPath === null)('a worker that is away', () => {
  let citus: Citus;
  let scene: Scene;
  let call: Caller;
  let away: PostgresServer;
  let tags = { client: '', user: '' };
  /** Newest refresh tokens: of a chain on the worker that is away, and of one on the other. */
  let here: string;
  let there: string;
  let used: string;

  const grantOf = (token: string): string => {
    const read = readRefreshToken(scene.keys, token);
    if (read.kind !== 'authentic') throw new Error(read.kind);
    return read.grantId;
  };
  async function portWith(token: string): Promise<number> {
    const rows = rawRows<{ port: number }>(
      await scene.database.drizzle.execute(sql`select nodeport as port from citus_shards
        where shardid = (select get_shard_id_for_distribution_column('grants', ${grantOf(token)}::uuid))`),
    );
    return rows[0]?.port ?? 0;
  }
  const clientPath = () => `/clients/${scene.client.clientId}`;
  const userPath = () => `/users/${scene.user.id}`;
  const tagsWith = async (by: Caller) => ({
    client: String((await by('GET', clientPath())).headers.etag),
    user: String((await by('GET', userPath())).headers.etag),
  });
  const disable = () => call('PATCH', userPath(), { body: { disabled: true }, headers: { 'if-match': tags.user } });
  const rotate = async (token: string): Promise<string> => {
    const { status, json } = await refresh(scene, scene.client, token);
    expect(status).toBe(200);
    return json.refresh_token ?? '';
  };

  beforeAll(async () => {
    citus = await startCitus(2, { durable: true });
    const url = await citus.makeDistributed('away');
    const database = openPostgres(url);
    scene = await openSceneOn({ database, url, close: database.close }, { configuration: withBot() });
    await makeBot(scene);
    const scopes = ['clients:read', 'clients:write', 'users:read', 'users:write'];
    const bearers: string[] = [];
    while (bearers.length < 8) bearers.push(await tokenOf(scene, scopes));
    away = citus.workers[0] as PostgresServer;
    const [mine, others]: [string[], string[]] = [[], []];
    while (mine.length < 2 || others.length === 0) {
      const token = await scene.chain();
      ((await portWith(token)) === portOf(away) ? mine : others).push(token);
    }
    [there = '', used = ''] = mine;
    here = await rotate(others[0] ?? '');
    await rotate(used);
    tags = await tagsWith(callerWith(scene, () => bearers[0] ?? ''));
    await away.crash();
    // Each worker knows which access tokens of its share are revoked, so this one is of the other's.
    for (const one of bearers) {
      call = callerWith(scene, () => one);
      if ((await call('GET', clientPath())).statusCode === 200) return;
    }
    throw new Error('no access token of the other worker');
  });
  afterAll(async () => {
    await scene?.close();
    await citus?.stop();
  });

  it('concerns its chains alone: they get 503 with Retry-After, the others rotate', async () => {
    expect(await refresh(scene, scene.client, there)).toMatchObject(UNAVAILABLE);
    here = await rotate(here);
    expect(await introspect(scene, scene.client, here)).toMatchObject({ json: { active: true } });
    expect(await introspect(scene, scene.client, there)).toMatchObject(UNAVAILABLE);
  });

  it('ends no chain by a presentation that it cannot judge', async () => {
    expect(await refresh(scene, scene.client, used)).toMatchObject(UNAVAILABLE);
  });

  it('refuses a change of rows that every node has, and changes none of them', async () => {
    const answer = await call('DELETE', clientPath(), { headers: { 'if-match': tags.client } });
    expect(answer.statusCode, answer.body).toBe(503);
    expect((await call('GET', clientPath())).headers.etag).toBe(tags.client);
    here = await rotate(here);
    const disabled = await disable();
    expect(disabled.statusCode, disabled.body).toBe(503);
    here = await rotate(here);
  });

  it('comes back without help: its chains rotate, a used token ends its chain, and changes reach every node', async () => {
    await away.restart();
    await until(async () => (await refresh(scene, scene.client, there)).status !== 503);
    const reuse = await refresh(scene, scene.client, used);
    expect(reuse).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    const disabled = await disable();
    expect(disabled.statusCode, disabled.body).toBe(200);
    expect(await refresh(scene, scene.client, here)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  });

  it('can be the coordinator: a node that connects to a worker rotates all chains', async () => {
    const enabled = await call('GET', userPath());
    tags = { ...tags, user: String(enabled.headers.etag) };
    await call('PATCH', userPath(), { body: { disabled: false }, headers: { 'if-match': tags.user } });
    const chains = [await scene.chain(), await scene.chain(), await scene.chain(), await scene.chain()];
    const database = openPostgres(inDatabase(away, 'away'));
    const other = await openTestApp(database, { keys: scene.keys, clock: scene.clock });
    try {
      await citus.coordinator.crash();
      expect(await refresh(scene, scene.client, chains[0] ?? '')).toMatchObject(UNAVAILABLE);
      for (const token of chains) expect(await refresh(other, scene.client, token)).toMatchObject({ status: 200 });
      await citus.coordinator.restart();
    } finally {
      await other.app.close();
      await database.close();
    }
  });
});
