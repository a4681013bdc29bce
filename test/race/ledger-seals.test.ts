/** Entries are written while two nodes close segments, in transactions that end in another order than they began: none is lost, doubled or late. */
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { keepLedgerPartitions } from '../../src/storage/ledger-partitions.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { sealAll, sealOnce, verified } from '../support/ledger.ts';
import { until } from '../support/until.ts';

const WRITERS = 6;
const TRANSACTIONS = 20;

it('two nodes close segments during writes, and each entry is in one segment', async () => {
  const { database, url, close } = await openTestDatabase('postgres');
  const nodes = [openPostgres(url, { connections: 2 }), openPostgres(url, { connections: 2 })];
  try {
    await keepLedgerPartitions(database.drizzle, databaseClock);
    let written = 0;
    let tries = 0;
    let isWriting = true;
    const write = async (writer: number) => {
      for (let n = 0; n < TRANSACTIONS; n++) {
        await database.drizzle.transaction(async (transaction) => {
          const lines = 2 + ((n + writer) % 3);
          for (let line = 0; line < lines; line++) {
            await transaction.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, reason)
              values (gen_random_uuid(), now(), 'm', 'e', 'a', 'b', ${`${writer}/${n}/${line}`})`);
            // Both nodes try while the first line is written and the others are not.
            const before = tries;
            if (line === 0) await until(() => tries > before + 2);
          }
          written += lines;
        });
      }
    };
    const closed = { segments: 0, lines: 0 };
    const seal = async (node: (typeof nodes)[number]) => {
      while (isWriting) {
        tries += 1;
        const one = await sealOnce(node.drizzle, { most: 20 });
        if (one !== null) {
          closed.segments += 1;
          closed.lines += one.lines;
        }
      }
    };
    const sealing = nodes.map(seal);
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
      isWriting = false;
    });
    await Promise.all(sealing);
    expect(tries).toBeGreaterThan(2);
    const rest = await sealAll(database.drizzle);
    const result = await verified(database.drizzle);
    expect(result).toMatchObject({ problems: [], open: 0, lines: written });
    expect(result.segments).toBe(closed.segments + rest.length);
    expect(closed.lines + rest.reduce((sum, { lines }) => sum + lines, 0)).toBe(written);
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    await close();
  }
});
