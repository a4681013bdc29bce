/** Counts of ledger entries on a cluster: each entry once, whichever node recorded it. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { armsTakenWithin } from '../../src/storage/arm-counts.ts';
import { EVERY_ID, usesReader } from '../../src/storage/backtest-rows.ts';
import type { Database, Drizzle } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { rawRows } from '../../src/storage/raw-rows.ts';
import { recordingNodes } from '../../src/storage/recording-nodes.ts';
import { readStatistics, statisticsStore } from '../../src/storage/statistics.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { settled } from '../support/ledger.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { addDatabase, type Citus, citusPath, inDatabase, portOf, startCitus } from './citus.ts';

const WORKERS = 2;
const NAME = 'counts';

describe.skipIf(citusPath === null)('the counts of a cluster', () => {
  let citus: Citus;
  let database: Database;
  /** Of a server that asks a worker. */
  let other: Database;
  let late: PostgresServer;
  let recorded = 0;

  beforeAll(async () => {
    citus = await startCitus(WORKERS);
    const url = await citus.makeDatabase(NAME);
    database = openPostgres(url);
    await database.migrate();
    await rotated(3);
    await settled(database.drizzle);
    await countAll(database.drizzle);
    await rotated(2);
    await database.distribute?.();
    await database.close();
    database = openPostgres(url);
    other = openPostgres(inDatabase(citus.workers[0] as PostgresServer, NAME));
    late = await citus.makeServer();
    await addDatabase(late, NAME, 'postgres');
  });
  afterAll(async () => {
    await other?.close();
    await database?.close();
    await late?.stop();
    await citus?.stop();
  });

  async function rotated(entries: number, db = database.drizzle): Promise<void> {
    await db.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state)
      select gen_random_uuid(), now(), 'refreshToken', 'presented', 'active', 'used' from generate_series(1, ${entries}::int)`);
    recorded += entries;
  }
  async function countAll(db: Drizzle, most?: number): Promise<void> {
    while ((await statisticsStore(db, databaseClock, most).countEntries()) === 'more');
  }
  const counted = async () =>
    (await readStatistics(database.drizzle, databaseClock, '3h')).buckets.reduce(
      (sum, { counts }) => sum + counts.rotations,
      0,
    );
  const recordedOn = async () =>
    rawRows<{ node: number | null }>(
      await database.drizzle.execute(sql`select distinct recorded_on as node from transitions order by 1`),
    ).map(({ node }) => node);

  it('has the arms that machines took, of every node', async () => {
    await rotated(60);
    const { arms, exact } = await armsTakenWithin(database.drizzle, databaseClock, 3600);
    expect([arms.map(({ machine, times }) => [machine, times]), exact]).toEqual([[['refreshToken', recorded]], true]);
    expect((await armsTakenWithin(other.drizzle, databaseClock, -60)).arms).toEqual([]);
  });

  it('has the uses of a backtest once, and of each grant in their order, also where its shard moved', async () => {
    const ids = Array.from({ length: 40 }, () => randomUUID());
    const used = (generations: readonly number[], from: string, at: Date) =>
      database.drizzle
        .execute(sql`insert into transitions (shard_key, grant_id, at, machine, event, from_state, to_state, generation)
          select id, id, ${at.toISOString()}::timestamptz, 'refreshToken', 'presented', ${from}::text, 'used', generation
          from unnest(${sql.param(ids)}::uuid[]) as ids (id), unnest(${sql.param(generations)}::bigint[]) as generations (generation)`)
        .then(() => {});
    const from = new Date('2026-01-05T00:00:00Z');
    await used([3, 1, 2], 'active', from);
    await used([2], 'used', from);
    const read = await usesReader(database.drizzle, { from, to: new Date('2026-01-05T00:00:01Z') });
    const { uses, next } = await read(EVERY_ID, null);
    expect([uses.length, next]).toEqual([ids.length * 4, null]);
    for (const id of ids)
      expect(uses.filter(({ grantId }) => grantId === id).map(({ kind, generation }) => [kind, generation])).toEqual([
        ['refresh', 1n],
        ['refresh', 2n],
        ['retry', 2n],
        ['refresh', 3n],
      ]);
    const middle = uses[50];
    const rest = await read(EVERY_ID, [
      middle?.grantId ?? '',
      String(middle?.generation),
      middle?.kind === 'retry' ? 'used' : 'active',
      from.toISOString(),
      String(2n ** 63n - 1n),
    ]);
    expect(rest.uses).toEqual(uses.slice(51));
  });

  describe('its statistics', () => {
    it('have each entry of before and of each node once, in bounded steps', async () => {
      await rotated(40);
      await countAll(database.drizzle, 3);
      expect(await counted()).toBe(recorded);
      await countAll(database.drizzle);
      expect([await counted(), await recordedOn()]).toEqual([recorded, [2, 3, null]]);
    });

    it('have each entry once where servers count on several nodes while further ones are recorded', async () => {
      const server = async (db: Drizzle) => {
        for (let n = 0; n < 3; n++) {
          await rotated(20, db);
          await countAll(db, 15);
        }
      };
      await Promise.all([database, database, other, other].map(({ drizzle }) => server(drizzle)));
      await countAll(database.drizzle);
      expect(await counted()).toBe(recorded);
    });

    it('have the entries of a node that comes, also of one that leaves with some uncounted', async () => {
      const administrator = postgres(inDatabase(citus.coordinator, NAME), { max: 1, onnotice: () => {} });
      try {
        await administrator`select citus_add_node('127.0.0.1', ${portOf(late)})`;
        await administrator`select replicate_reference_tables('block_writes')`;
        await database.distribute?.();
        const [placed] = await administrator<{ shard: string; port: number }[]>`
          select p.shardid::text as shard, p.nodeport as port from pg_dist_shard_placement p join pg_dist_shard s using (shardid)
          where s.logicalrelid = 'public.transitions'::regclass order by p.shardid limit 1`;
        const move = (from: number, to: number) => administrator`
          select citus_move_shard_placement(${placed?.shard ?? ''}::bigint, '127.0.0.1', ${from}, '127.0.0.1', ${to}, 'block_writes')`;
        await move(placed?.port ?? 0, portOf(late));
        await rotated(400);
        await countAll(database.drizzle);
        expect([await counted(), await recordedOn()]).toEqual([recorded, [2, 3, 4, null]]);
        await rotated(400);
        await move(portOf(late), placed?.port ?? 0);
        await administrator`select citus_remove_node('127.0.0.1', ${portOf(late)})`;
        expect((await recordingNodes(database.drizzle)).map(({ node }) => node)).toEqual([undefined, 1, 2, 3, 4]);
        await countAll(database.drizzle);
        expect(await counted()).toBe(recorded);
      } finally {
        await administrator.end();
      }
    });

    it('sample the active chains', async () => {
      await statisticsStore(database.drizzle, databaseClock).sampleChains();
      expect((await readStatistics(other.drizzle, databaseClock, '3h')).buckets.at(-1)?.activeChains).toBe(0);
    });

    it('have the entries of a worker that was away once it answers again', async () => {
      await rotated(20);
      const [, worker] = citus.workers as [PostgresServer, PostgresServer];
      await worker.crash();
      await expect(countAll(database.drizzle)).rejects.toThrow();
      await worker.restart();
      await countAll(database.drizzle);
      expect(await counted()).toBe(recorded);
    });
  });
});
