/** The ledger has a partition for each month: two months ahead, and for as long as lines are kept. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEDGER_KEPT_DAYS } from '../../../src/model/ledger.ts';
import { keepLedgerPartitions, makeLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { clockAt } from '../../support/clock.ts';
import { databaseKinds } from '../../support/database.ts';
import { givenGrant, ledgerOf, openPorts, type Ports } from './ports.ts';

describe.each(databaseKinds)('partitions of the ledger on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const keepAt = (instant: string | number) => keepLedgerPartitions(ports.db, clockAt(new Date(instant)));
  const partitions = async () => {
    const rows = await ports.db
      .select({ name: sql<string>`c.relname` })
      .from(sql`pg_inherits i join pg_class c on c.oid = i.inhrelid`)
      .where(sql`i.inhparent = 'transitions'::regclass`)
      .orderBy(sql`c.relname`);
    return rows.map(({ name }) => name);
  };
  const refused = (statement: string) =>
    ports.db.execute(sql.raw(statement)).then(
      () => false,
      () => true,
    );

  test('are created for this month and two ahead, across the end of a year, and again without harm', async () => {
    for (const instant of ['2031-11-01T00:00:00.000Z', '2031-11-30T23:59:59.999Z']) {
      await keepAt(instant);
      const made = (await partitions()).filter((name) => /_203[12]_/.test(name));
      expect(made).toEqual(['transitions_2031_11', 'transitions_2031_12', 'transitions_2032_01']);
    }
  });

  test('are created before a command writes, where one is missing', async () => {
    const at = clockAt(new Date('2041-05-10'));
    const made = async () => (await partitions()).filter((name) => name.includes('_2041_'));
    await makeLedgerPartitions(ports.db, at);
    expect(await made()).toEqual(['transitions_2041_05', 'transitions_2041_06', 'transitions_2041_07']);
    await ports.db.execute(sql`drop table transitions_2041_06`);
    await makeLedgerPartitions(ports.db, at);
    expect(await made()).toHaveLength(3);
  });

  test('contain the entries of their month, from its first to its last moment', async () => {
    await keepAt('2033-02-10');
    for (const [instant, partition] of [
      ['2033-02-28T23:59:59.999Z', 'transitions_2033_02'],
      ['2033-03-01T00:00:00.000Z', 'transitions_2033_03'],
    ] as const) {
      ports.clock.set(new Date(instant));
      const { grantId } = await givenGrant(ports);
      expect(await ports.db.$count(sql`${sql.raw(partition)}`, sql`grant_id = ${grantId}::uuid`)).toBe(1);
    }
  });

  test('are not emptied, nor is one without its trigger', async () => {
    await keepAt('2034-01-10');
    expect(await refused('truncate transitions_2034_01')).toBe(true);
    await ports.db.execute(sql`drop trigger transitions_is_not_emptied on transitions_2034_01`);
    await keepAt('2034-01-10');
    expect(await refused('truncate transitions_2034_01')).toBe(true);
  });

  test('are dropped when the last of their entries reaches the retention, and not before', async () => {
    await keepAt('2035-03-10');
    const end = Date.UTC(2035, 3, 1) + LEDGER_KEPT_DAYS * 86_400_000;
    await keepAt(end - 1);
    expect(await partitions()).toContain('transitions_2035_03');
    await keepAt(end);
    expect(await partitions()).not.toContain('transitions_2035_03');
    expect(await partitions()).toContain('transitions_2035_04');
    expect(await partitions()).toContain('transitions_default');
  });

  test('do not move the entries of a month without a partition', async () => {
    ports.clock.set(new Date('2036-05-05'));
    const { grantId } = await givenGrant(ports);
    const lines = await ledgerOf(ports, grantId);
    await keepAt('2036-05-05');
    expect(await partitions()).not.toContain('transitions_2036_05');
    expect(await partitions()).toContain('transitions_2036_06');
    expect(await ledgerOf(ports, grantId)).toEqual(lines);
  });

  const attach = (name: string, from: string, to: string) =>
    ports.db.execute(sql.raw(`create table ${name} partition of transitions for values from ('${from}') to ('${to}')`));

  test('by another name belong to an operator: neither dropped nor protected', async () => {
    const others = ['old_transitions_2001_01', 'transitions_2001_02_kept'];
    for (const [month, name] of others.entries()) await attach(name, `2001-0${month + 1}-01`, `2001-0${month + 2}-01`);
    await keepAt('2037-01-01');
    expect(await partitions()).toEqual(expect.arrayContaining(others));
    for (const name of others) expect(await refused(`truncate ${name}`)).toBe(false);
  });

  test('that cannot be created, except for a race with another node, are reported', async () => {
    await attach('in_the_way', '2038-01-10', '2038-01-20');
    await expect(keepAt('2038-01-01')).rejects.toThrow();
    await ports.db.execute(sql`drop table in_the_way`);
    await keepAt('2038-01-01');
    expect(await partitions()).toContain('transitions_2038_01');
  });

  test('that several nodes create concurrently are created once, and no node fails', async () => {
    for (const instant of ['2040-01-10', '2040-02-10', '2040-03-10']) {
      await Promise.all(Array.from({ length: 5 }, () => keepAt(instant)));
      // Nodes that are in each other's way may leave a month to the next round.
      await keepAt(instant);
    }
    const made = (await partitions()).filter((name) => name.includes('_2040_'));
    expect(made).toHaveLength(5);
  });

  // The embedded database has one connection: a test cannot hold a table there.
  if (kind === 'postgres')
    test('that another connection reads are not waited for: the next run drops them', async () => {
      await keepAt('2039-03-10');
      const old = Date.UTC(2039, 3, 1) + LEDGER_KEPT_DAYS * 86_400_000;
      await ports.db.transaction(async (reader) => {
        await reader.execute(sql`lock table transitions_2039_03 in access share mode`);
        await keepAt(old);
      });
      expect(await partitions()).toContain('transitions_2039_03');
      await keepAt(old);
      expect(await partitions()).not.toContain('transitions_2039_03');
    });
});
