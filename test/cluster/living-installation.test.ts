/** An installation with end-users, sessions and chains on one Postgres, which becomes the coordinator of a cluster. */
import { getTableName, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Distributed } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { rawRows } from '../../src/storage/raw-rows.ts';
import { TABLES } from '../../src/storage/tables.ts';
import { refresh } from '../support/actors.ts';
import { openSceneOn, type Scene } from '../support/scene.ts';
import { type Citus, citusPath, startCitus } from './citus.ts';

const WORKERS = 2;

describe.skipIf(citusPath === null)('an installation whose tables are distributed', () => {
  let citus: Citus;
  let scene: Scene;
  let before: { token: string; used: string; rows: ReadonlyMap<string, number> };
  let distributed: Distributed | undefined;

  const asked = async <Row>(query: ReturnType<typeof sql>) => rawRows<Row>(await scene.database.drizzle.execute(query));
  async function rowCounts(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const { table } of TABLES) {
      const [row] = await asked<{ count: string }>(sql`select count(*) from ${table}`);
      counts.set(getTableName(table), Number(row?.count));
    }
    return counts;
  }

  beforeAll(async () => {
    citus = await startCitus(WORKERS);
    const url = await citus.makeDatabase('living');
    const database = openPostgres(url);
    await database.migrate();
    scene = await openSceneOn({ database, url, close: database.close });
    const used = await scene.chain();
    const { json } = await refresh(scene, scene.client, used);
    before = { used, token: json.refresh_token ?? '', rows: await rowCounts() };
    distributed = await database.distribute?.();
  });
  afterAll(async () => {
    await scene?.close();
    await citus?.stop();
  });

  it('has every row, on a worker or on every node as its table declares', async () => {
    expect(distributed).toMatchObject({ workers: WORKERS });
    expect(distributed?.spread).toContain('grants');
    expect(distributed?.everywhere).toContain('clients');
    expect(await rowCounts()).toEqual(before.rows);
    const [here] = await asked<{ count: string }>(
      sql`select count(*) from run_command_on_workers('select 1') where success`,
    );
    expect(Number(here?.count)).toBe(WORKERS);
  });

  it('rotates a refresh token from before, and revokes its chain at a second use', async () => {
    const refreshed = () => refresh(scene, scene.client, before.token);
    // A node learns it from the first statement that the cluster refuses.
    expect(await refreshed()).toMatchObject({ status: 503 });
    const { json } = await refreshed();
    expect(json.refresh_token).toEqual(expect.any(String));
    const reuse = await refresh(scene, scene.client, before.used);
    expect(reuse).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    const again = await refresh(scene, scene.client, json.refresh_token ?? '');
    expect(again).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  });

  it('names in each new entry of the ledger the node that recorded it, and in none from before', async () => {
    const rows = await asked<{ recorded_on: number | null; event: string }>(
      sql`select distinct recorded_on, event from transitions where event = 'presented'`,
    );
    const [old, fresh] = [
      rows.filter((row) => row.recorded_on === null),
      rows.filter((row) => row.recorded_on !== null),
    ];
    expect(old.length).toBeGreaterThan(0);
    expect(fresh.map((row) => row.recorded_on)).toEqual([expect.toBeOneOf([2, 3])]);
  });

  it('is not distributed twice', async () => {
    expect(await scene.database.distribute?.()).toEqual({ spread: [], everywhere: [], workers: WORKERS });
    expect(await rowCounts()).not.toEqual(new Map());
  });

  it('holds rows on the workers by its triggers', async () => {
    const changed = scene.database.drizzle.execute(sql`update grants set policy = 'another'`);
    await expect(changed).rejects.toMatchObject({ cause: { code: 'SH001' } });
  });

  it('signs in, and issues tokens', async () => {
    expect(await scene.chain()).toEqual(expect.any(String));
  });
});
