import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import journal from '../../drizzle/meta/_journal.json' with { type: 'json' };
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { ping } from '../../src/storage/server.ts';
import { createEmptyDatabase, databaseKinds, openTestDatabase } from '../support/database.ts';

const appliedIn = async ({ drizzle }: Database) => {
  const statement = sql`select id::int as id from drizzle.__drizzle_migrations order by id`;
  return Array.from((await drizzle.execute(statement)) as unknown as Iterable<{ id: number }>, ({ id }) => id);
};

describe.each(databaseKinds)('migrations on %s', (kind) => {
  test('applied again, they change nothing', async () => {
    const { database, close } = await openTestDatabase(kind);
    await database.migrate();
    await expect(ping(database.drizzle)).resolves.toEqual([{ epoch: 0n }]);
    await close();
  });
});

test('nodes that migrate an empty database at once apply each migration once', async () => {
  const { url, drop } = await createEmptyDatabase();
  const nodes = Array.from({ length: 5 }, () => openPostgres(url, { connections: 1 }));
  try {
    await Promise.all(nodes.map((node) => node.migrate()));
    const [node] = nodes;
    if (!node) throw new Error('no node');
    expect(await appliedIn(node)).toEqual(journal.entries.map((_, index) => index + 1));
    await expect(ping(node.drizzle)).resolves.toEqual([{ epoch: 0n }]);
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    await drop();
  }
});
