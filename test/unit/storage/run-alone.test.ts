/** Work that one node at a time may do. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

let ports: TestDatabase<string>;
beforeAll(async () => {
  ports = await openTestDatabase('postgres');
});
afterAll(() => ports.close());

/** How the lock shows in Postgres, in this database. */
const LOCKED = sql`pg_locks l join pg_database d on d.oid = l.database
  where l.locktype = 'advisory' and l.classid = 738264 and d.datname = current_database()`;

test('a job runs on one of several nodes, and on another once the first has ended, also by a failure', async () => {
  const node = openPostgres(ports.url, { connections: 1 });
  try {
    let runs = 0;
    const work = async () => void runs++;
    await ports.database.runAlone('sweep', async () => {
      expect(await node.runAlone('sweep', work)).toBe(false);
      expect(await node.runAlone('another', work)).toBe(true);
    });
    expect(runs).toBe(1);
    expect(await node.runAlone('sweep', work)).toBe(true);
    const failing = node.runAlone('sweep', async () => {
      throw new Error('not this time');
    });
    await expect(failing).rejects.toThrow('not this time');
    expect(await ports.database.runAlone('sweep', work)).toBe(true);
    expect(runs).toBe(3);
  } finally {
    await node.close();
  }
});

test('a job keeps neither a transaction id nor a snapshot while it works, so that sealing and vacuum do not wait', async () => {
  await ports.database.runAlone('sweep', async () => {
    const rows = await ports.database.drizzle.execute(
      sql`select backend_xid is null and backend_xmin is null as "holdsNothing" from pg_stat_activity
        where pid in (select l.pid from ${LOCKED})`,
    );
    expect(Array.from(rows as unknown as Iterable<unknown>)).toEqual([{ holdsNothing: true }]);
  });
});

test('a job fails on a node whose connection ended, after the current step', async () => {
  const end = Promise.withResolvers<void>();
  let ended = false;
  const lost = ports.database.runAlone('sweep', async () => {
    await ports.database.drizzle.execute(sql`select pg_terminate_backend(l.pid) from ${LOCKED}`);
    setImmediate(end.resolve);
    await end.promise;
    ended = true;
  });
  await expect(lost).rejects.toMatchObject({ name: 'StoreUnavailable' });
  expect(ended).toBe(true);
});
