/** Entries of the ledger that got into the default partition are taken out of it, as they are. */
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepLedgerPartitions, ledgerDefaultEntries } from '../../../src/storage/ledger-partitions.ts';
import { repairLedgerDefault } from '../../../src/storage/repair-ledger-default.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { clockAt } from '../../support/clock.ts';
import { databaseKinds, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { sealAll, verified, writeLines } from '../../support/ledger.ts';

describe.each(databaseKinds)('the default partition of the ledger on %s', (kind) => {
  let ports: TestDatabase;
  beforeEach(async () => {
    ports = await openTestDatabase(kind);
  });
  afterEach(() => ports.close());

  const db = () => ports.database.drizzle;
  const places = () =>
    db()
      .select({ reason: transitions.reason, partition: sql<string>`${transitions}.tableoid::regclass::text` })
      .from(transitions)
      .orderBy(transitions.reason);
  const month = (at: Date) => `transitions_${at.toISOString().slice(0, 7).replace('-', '_')}`;
  const refused = (statement: string) =>
    db()
      .execute(sql.raw(statement))
      .then(
        () => false,
        () => true,
      );

  test.each([
    ['copied', {}],
    ['kept in the table, which becomes the month', { mostCopied: 1 }],
  ])('moves its entries to the partition of their month: %s', async (_, options) => {
    const now = new Date();
    await writeLines(db(), ['a', 'b', 'c']);
    await sealAll(db());
    const before = await verified(db());
    // As the first start of a version before found it: the month cannot be made.
    await keepLedgerPartitions(db(), databaseClock);
    expect((await places()).map(({ partition }) => partition)).toEqual(Array(3).fill('transitions_default'));
    expect(await ledgerDefaultEntries(db())).toBe(3);

    await repairLedgerDefault(db(), options);
    expect(await ledgerDefaultEntries(db())).toBe(0);
    expect((await places()).map(({ partition }) => partition)).toEqual(Array(3).fill(month(now)));
    expect(await verified(db())).toEqual(before);
    await writeLines(db(), ['d']);
    expect((await places()).at(-1)).toEqual({ reason: 'd', partition: month(now) });
    for (const table of [month(now), 'transitions_default']) {
      expect(await refused(`truncate ${table}`)).toBe(true);
    }
    expect(await refused(`delete from ${month(now)}`)).toBe(true);
    expect(await refused(`update ${month(now)} set reason = 'forged'`)).toBe(true);
    // An instant beyond every month.
    await writeLines(db(), ['e'], new Date('2999-01-01'));
    expect(await refused(`delete from transitions_default`)).toBe(true);

    const ends = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) + 90 * 86_400_000;
    await keepLedgerPartitions(db(), clockAt(new Date(ends)));
    expect((await places()).map(({ reason }) => reason)).toEqual(['e']);
  });

  test('moves the entries once when nodes start together, and none of them fails', async () => {
    await writeLines(db(), ['a', 'b', 'c']);
    await keepLedgerPartitions(db(), databaseClock);
    await Promise.all(Array.from({ length: 4 }, () => repairLedgerDefault(db())));
    expect(await ledgerDefaultEntries(db())).toBe(0);
    expect((await places()).map(({ reason }) => reason)).toEqual(['a', 'b', 'c']);
  });

  test('of several months gives each its own partition, and keeps an instant that no server writes', async () => {
    for (const day of ['2031-01-15', '2031-02-15', '2031-02-16', '2031-03-15', '2031-03-16', '2031-03-17']) {
      await writeLines(db(), [day], new Date(day));
    }
    await db().execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, reason)
      values (gen_random_uuid(), 'infinity', 'm', 'e', 'a', 'b', 'z')`);
    await repairLedgerDefault(db(), { mostCopied: 1 });
    expect((await places()).map(({ partition }) => partition)).toEqual([
      'transitions_2031_01',
      // Too many to copy, and no table can become two months.
      ...Array(6).fill('transitions_default'),
    ]);
    await repairLedgerDefault(db(), { mostCopied: 2 });
    expect((await places()).map(({ partition }) => partition)).toEqual([
      'transitions_2031_01',
      ...Array(2).fill('transitions_2031_02'),
      ...Array(3).fill('transitions_2031_03'),
      'transitions_default',
    ]);
  });

  test('is left alone where its table is empty, whatever reads it', async () => {
    await keepLedgerPartitions(db(), databaseClock);
    const made = await places();
    await repairLedgerDefault(db(), { tries: 1 });
    expect(await places()).toEqual(made);
  });
});

describe.runIf(databaseKinds.includes('postgres'))('beside a reader of the ledger, such as a backup', () => {
  let ports: TestDatabase<string>;
  beforeEach(async () => {
    ports = await openTestDatabase('postgres');
  });
  afterEach(() => ports.close());

  const db = () => ports.database.drizzle;
  /** Fails instead of waiting: the behaviour of requests while the months are kept. */
  const beside = async (work: () => Promise<void>) => {
    await db().transaction(async (reader) => {
      await reader.execute(sql`lock table transitions in access share mode`);
      await work();
      await db().transaction(async (request) => {
        await request.execute(sql`set local lock_timeout = '1ms'`);
        await request.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, reason)
          values (gen_random_uuid(), now(), 'm', 'e', 'a', 'b', 'beside')`);
        await request.execute(sql`select count(*) from transitions`);
      });
    });
  };
  /** The locks of a statement beyond those of a reader. */
  const locksOf = async (statement: ReturnType<typeof sql>) =>
    db().transaction(async (transaction) => {
      await transaction.execute(statement);
      return Array.from(
        (await transaction.execute(sql`select relation::regclass::text as name, mode from pg_locks
          where pid = pg_backend_pid() and relation::regclass::text like 'transitions%' and mode <> 'AccessShareLock'`)) as unknown as Iterable<object>,
      );
    });

  test('existing months cause no lock, nor do entries that are in the default partition', async () => {
    await writeLines(db(), ['in the way']);
    await keepLedgerPartitions(db(), databaseClock);
    expect(await locksOf(sql`select keep_ledger_months()`)).toEqual([]);
    await beside(() => keepLedgerPartitions(db(), databaseClock));
  });

  test('a missing month is created later, and requests do not wait', async () => {
    await beside(() => keepLedgerPartitions(db(), databaseClock));
    expect(await locksOf(sql`select keep_ledger_months()`)).not.toEqual([]);
  });

  test('the repair yields, and succeeds the next time', async () => {
    await writeLines(db(), ['a', 'b']);
    for (const mostCopied of [1, 10]) {
      await beside(() => repairLedgerDefault(db(), { mostCopied, tries: 2 }));
      expect(await ledgerDefaultEntries(db())).toBeGreaterThan(0);
    }
    await repairLedgerDefault(db());
    expect(await ledgerDefaultEntries(db())).toBe(0);
  });
});
