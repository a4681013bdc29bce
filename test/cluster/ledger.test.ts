/** The ledger of a cluster: each worker records entries in an order of its own. */
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealKeys } from '../../src/crypto/ledger-seal.ts';
import { systemRandom } from '../../src/crypto/random.ts';
import { exportLedger, verifyExport } from '../../src/ledger/export.ts';
import type { Newer } from '../../src/ledger/verify.ts';
import { verifySlice } from '../../src/ledger/verify-slice.ts';
import type { Database } from '../../src/storage/database.ts';
import type { LedgerOrder, LedgerPosition, ListedLine } from '../../src/storage/ledger-filter.ts';
import { listLedger } from '../../src/storage/ledger-list.ts';
import { storedLedger } from '../../src/storage/ledger-seals.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { rawRows } from '../../src/storage/raw-rows.ts';
import { webhookStore } from '../../src/storage/webhooks.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { collect } from '../../src/webhooks/outbox.ts';
import { sealOnce, verified, writeLines } from '../support/ledger.ts';
import { testKeys } from '../support/macs.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { type Citus, citusPath, inDatabase, portOf, startCitus } from './citus.ts';

const WORKERS = 3;
const NAME = 'ledger';
const BEFORE = ['a', 'b', 'c', 'd', 'e', 'f'];

describe.skipIf(citusPath === null)('the ledger of a cluster', () => {
  let citus: Citus;
  let database: Database;
  let before: Record<'forward' | 'backward', LedgerPosition | null>;
  const keys = sealKeys(testKeys);

  const asked = async <Row>(query: ReturnType<typeof sql>) => rawRows<Row>(await database.drizzle.execute(query));

  beforeAll(async () => {
    citus = await startCitus(WORKERS);
    const url = await citus.makeDatabase(NAME);
    database = openPostgres(url);
    await database.migrate();
    await writeLines(database.drizzle, BEFORE);
    await sealOnce(database.drizzle, { most: 4 });
    before = {
      forward: (await listLedger(database.drizzle, {}, { order: 'asc', limit: 4, after: null })).next,
      backward: (await listLedger(database.drizzle, {}, { order: 'desc', limit: 4, after: null })).next,
    };
    const store = webhookStore(database.drizzle, databaseClock);
    await store.keep(['crm']);
    await disabled(3);
    await collected();
    await disabled(2);
    await database.distribute?.();
    await database.close();
    database = openPostgres(url);
  });
  afterAll(async () => {
    await database?.close();
    await citus?.stop();
  });

  /** As a thief with the rights of a superuser would, on one worker. */
  async function onWorker(worker: number, work: (client: postgres.Sql, shards: readonly string[]) => Promise<unknown>) {
    const server = citus.workers[worker];
    if (server === undefined) throw new Error('no such worker');
    const client = postgres(inDatabase(server, NAME), { max: 1, onnotice: () => {} });
    try {
      await client`set session_replication_role = replica`;
      await client`set citus.override_table_visibility = off`;
      const shards = await client<{ name: string }[]>`select c.relname as name from pg_class c
        where c.relkind = 'r' and c.relname ~ '^transitions_(default|[0-9]{4}_[0-9]{2})_[0-9]+$' and pg_relation_size(c.oid) > 0 order by 1`;
      const recorded: string[] = [];
      for (const { name } of shards) {
        const rows = await client`select from ${client(name)} where recorded_on is not null limit 1`;
        if (rows.length > 0) recorded.push(name);
      }
      await work(client, recorded);
    } finally {
      await client.end();
    }
  }

  describe('its seals', () => {
    const REASONS = Array.from({ length: 40 }, (_, n) => `n${n}`);

    it('are one chain over the entries of every node, each segment of one', async () => {
      await writeLines(database.drizzle, REASONS);
      while ((await sealOnce(database.drizzle, { most: 5 })) !== null || (await verified(database.drizzle)).open > 0);
      const seals = await asked<{ number: string; statement: string }>(
        sql`select number, statement from ledger_seals order by number`,
      );
      const statements = seals.map(({ statement }) => JSON.parse(statement));
      expect(seals.map(({ number }) => Number(number))).toEqual(seals.map((_, place) => place + 1));
      expect(new Set(statements.map(({ node }) => node))).toEqual(new Set([undefined, 2, 3, 4]));
      expect(await verified(database.drizzle)).toMatchObject({
        problems: [],
        open: 0,
        lines: BEFORE.length + 5 + REASONS.length,
        segments: seals.length,
      });
    });

    it('are verified in slices, with the same result', async () => {
      let newer: Newer | null = null;
      const problems: unknown[] = [];
      let lines = 0;
      do {
        const slice = await verifySlice(storedLedger(database.drizzle, databaseClock), keys, {
          newer,
          head: null,
          bounds: { segments: 2, entries: 5 },
        });
        problems.push(...slice.verified.problems);
        ({ next: newer } = slice);
        ({ lines } = slice.verified);
      } while (newer !== null);
      expect([problems, lines]).toEqual([[], BEFORE.length + 5 + REASONS.length]);
    });

    it('are exported with their entries, and verified without a database', async () => {
      const texts: string[] = [];
      await exportLedger(storedLedger(database.drizzle, databaseClock), { from: null, to: null }, (text) => {
        texts.push(text);
      });
      const lines = texts.join('').split('\n');
      const verifiedLines = async (read: readonly string[]) =>
        verifyExport(
          (async function* () {
            yield* read;
          })(),
          keys,
          { head: null, now: new Date() },
        );
      expect(await verifiedLines(lines)).toMatchObject({ problems: [], lines: BEFORE.length + 5 + REASONS.length });
      const changed = lines.map((line) => line.replace('"reason": "n7"', '"reason": "x7"'));
      expect((await verifiedLines(changed)).problems).toMatchObject([{ problem: 'line_changed' }]);
    });

    it('name an entry that was changed, removed or inserted on a worker', async () => {
      const found = async () => (await verified(database.drizzle)).problems.map(({ problem }) => problem).toSorted();
      for (const worker of [0, 1, 2]) {
        await onWorker(worker, async (client, [shard = '']) => {
          const [row] =
            await client`select ctid, reason, recorded_in::text as recorded_in from ${client(shard)} where recorded_on is not null limit 1`;
          await client`update ${client(shard)} set reason = 'changed' where ctid = ${row?.['ctid']}`;
          expect(await found()).toEqual(['line_changed']);
          await client`update ${client(shard)} set reason = ${row?.['reason']} where reason = 'changed'`;
          expect(await found()).toEqual([]);

          await client`create temp table gone as select * from ${client(shard)} where recorded_on is not null limit 1`;
          await client`delete from ${client(shard)} where position = (select position from gone)`;
          expect(await found()).toEqual(['line_removed']);
          await client`insert into ${client(shard)} select * from gone`;
          expect(await found()).toEqual([]);

          await client`update gone set position = position + 1000000`;
          await client`insert into ${client(shard)} select * from gone`;
          expect(await found()).toEqual(['line_added']);
          await client`delete from ${client(shard)} where position = (select position from gone)`;

          for (const [column, value] of [
            ['recorded_in', String(2n ** 63n)],
            ['recorded_on', '99'],
          ] as const) {
            await client`update gone set ${client(column)} = ${client.unsafe(`'${value}'`)}`;
            await client`insert into ${client(shard)} select * from gone`;
            expect(await found(), column).toEqual(['line_ahead']);
            await client`delete from ${client(shard)} where position = (select position from gone)`;
            await client`update gone set recorded_in = ${client.unsafe(`'${row?.['recorded_in']}'`)}`;
          }
          expect(await found()).toEqual([]);
        });
      }
    });
  });

  /** Pages from there until no further entry is there. */
  async function walk(order: LedgerOrder, after: LedgerPosition | null, limit = 7) {
    const lines: ListedLine[] = [];
    for (let place = after; ; ) {
      const page = await listLedger(database.drizzle, {}, { order, limit, after: place });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      lines.push(...page.items);
      if (page.caughtUp) return { reasons: lines.map(({ reason }) => reason), lines, next: page.next };
      place = page.next;
    }
  }
  const stored = async () =>
    (await asked<{ reason: string }>(sql`select reason from transitions`)).map(({ reason }) => reason).toSorted();
  /** In a transaction that stays open until `end`. Their shard is on this worker. */
  async function heldOpen(worker: number, reason: string) {
    const [key] = await asked<{
      key: string;
    }>(sql`select k::text as key from (select gen_random_uuid() as k from generate_series(1, 200)) keys
      where (select p.nodeport from pg_dist_shard_placement p where p.shardid = get_shard_id_for_distribution_column('transitions', k))
        = ${portOf(citus.workers[worker] as PostgresServer)} limit 1`);
    const client = postgres(inDatabase(citus.coordinator, NAME), { max: 1, onnotice: () => {} });
    const written = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const ended = client
      .begin(async (transaction) => {
        await transaction`insert into transitions (shard_key, at, machine, event, from_state, to_state, reason)
          values (${key?.key ?? ''}, now(), 'm', 'e', 'a', 'b', ${reason})`;
        written.resolve();
        await end.promise;
      })
      .finally(() => client.end());
    await written.promise;
    return async () => {
      end.resolve();
      await ended;
    };
  }

  describe('its feed', () => {
    it('has each entry once, forward and backward, in the order of each node', async () => {
      for (const order of ['asc', 'desc'] as const) {
        const { reasons, lines } = await walk(order, null);
        expect(reasons.toSorted()).toEqual(await stored());
        const ofOne = lines.filter(({ recordedOn }) => recordedOn === null).map(({ reason }) => reason);
        expect(order === 'asc' ? ofOne : ofOne.toReversed()).toEqual([...BEFORE, ...Array(5).fill('disabled')]);
        expect(new Set(lines.map(({ recordedOn }) => recordedOn))).toEqual(new Set([null, 2, 3, 4]));
      }
    });

    it('continues from a cursor of before', async () => {
      const { reasons } = await walk('asc', before.forward);
      expect(reasons.toSorted()).toEqual((await stored()).filter((reason) => !BEFORE.slice(0, 4).includes(reason)));
      expect((await walk('desc', before.backward)).reasons).toEqual(['b', 'a']);
    });

    it('waits for a transaction that a worker has in progress, and meanwhile has the entries of the others', async () => {
      const { next } = await walk('asc', null);
      const end = await heldOpen(1, 'late');
      const late = Array.from({ length: 30 }, (_, n) => `late${n}`);
      await writeLines(database.drizzle, late);
      const [meanwhile, rest] = [await walk('asc', next, 3), async () => walk('asc', meanwhile.next, 3)];
      const on = new Set(meanwhile.lines.map(({ recordedOn }) => recordedOn));
      expect(on.has(3)).toBe(false);
      expect(on).toEqual(new Set([2, 4]));
      await end();
      const { reasons } = await rest();
      expect(reasons).toContain('late');
      expect([...meanwhile.reasons, ...reasons].toSorted()).toEqual([...late, 'late'].toSorted());
    });

    it('has each entry once while workers record further ones and a shard moves', async () => {
      const { next } = await walk('asc', null);
      const reasons: string[] = [];
      let place = next;
      const writing = Promise.all(
        [0, 1, 2].map((writer) =>
          writeLines(
            database.drizzle,
            Array.from({ length: 40 }, (_, n) => `w${writer}-${n}`),
          ),
        ),
      );
      let done = false;
      void writing.then(() => (done = true));
      let moved = false;
      for (;;) {
        const wasDone = done;
        const page = await listLedger(database.drizzle, {}, { order: 'asc', limit: 5, after: place });
        reasons.push(...page.items.map(({ reason }) => reason ?? ''));
        place = page.next;
        if (!moved && reasons.length > 20) {
          moved = true;
          await moveShard();
        }
        if (wasDone && page.caughtUp) break;
      }
      await writing;
      const all = (await asked<{ reason: string }>(sql`select reason from transitions where reason like 'w%'`)).map(
        ({ reason }) => reason,
      );
      expect([moved, all.length]).toEqual([true, 120]);
      expect(reasons.toSorted()).toEqual(all.toSorted());
    });
  });

  describe('its outbox', () => {
    it('records an event for each entry of before and of each node once, on several nodes of the server', async () => {
      await collected();
      expect(await deliveries()).toEqual({ events: 5, deliveries: 5 });
      const end = await heldOpen(0, 'outbox');
      await disabled(60);
      await Promise.all([collected(), collected(), moveShard()]);
      const meanwhile = await deliveries();
      expect(meanwhile.deliveries).toBeLessThan(65);
      expect(meanwhile.deliveries).toBeGreaterThan(5);
      await end();
      await disabled(1);
      for (let n = 0; n < 3; n++) await collected();
      expect(await deliveries()).toEqual({ events: 66, deliveries: 66 });
    });

    it('begins a new endpoint at the end of every node', async () => {
      const store = webhookStore(database.drizzle, databaseClock);
      await store.keep(['new', 'crm']);
      await disabled(8);
      await collect({ outbox: store, random: systemRandom }, { name: 'new', events: ['user'] }, 60);
      const [row] = await asked<{ count: string }>(sql`select count(*) from webhook_deliveries where receiver = 'new'`);
      expect(Number(row?.count)).toBe(8);
      expect(await store.due('new', 10, null)).toHaveLength(8);
    });
  });

  /** Entries of end-users that were disabled. */
  const disabled = (count: number) =>
    database.drizzle.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, user_id, reason)
      select gen_random_uuid(), now(), 'user', 'disableRequested', 'enabled', 'disabled', gen_random_uuid(), 'disabled' from generate_series(1, ${count}::int)`);
  const collected = () =>
    collect(
      { outbox: webhookStore(database.drizzle, databaseClock), random: systemRandom },
      { name: 'crm', events: ['user'] },
      60,
    );
  async function deliveries() {
    const [row] = await asked<{ events: string; deliveries: string }>(
      sql`select count(distinct event_id) as events, count(*) as deliveries from webhook_deliveries where receiver = 'crm'`,
    );
    return { events: Number(row?.events), deliveries: Number(row?.deliveries) };
  }

  /** One with entries, to another worker. */
  async function moveShard() {
    const [from, to] = citus.workers as [PostgresServer, PostgresServer];
    const [shard] = await asked<{
      id: string;
      host: string;
    }>(sql`select p.shardid::text as id, p.nodename as host from pg_dist_shard_placement p
      join pg_dist_shard s using (shardid) where s.logicalrelid = 'public.transitions'::regclass and p.nodeport = ${portOf(from)} order by 1 limit 1`);
    await asked(
      sql`select citus_move_shard_placement(${shard?.id ?? ''}::bigint, ${shard?.host ?? ''}, ${portOf(from)}, ${shard?.host ?? ''}, ${portOf(to)}, 'block_writes')`,
    );
  }
});
