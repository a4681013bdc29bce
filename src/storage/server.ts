import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { server } from './schema.ts';
import { noServerRow } from './server-row.ts';

/** @throws when the database cannot be reached or has no tables. */
export const ping = (db: Drizzle): Promise<unknown> => reading(() => db.select({ epoch: server.epoch }).from(server));

/** Ends every grant and session that exists: for use after a backup was restored, before traffic. @returns the epoch. */
export async function raiseServerEpoch(db: Drizzle): Promise<bigint> {
  const [row] = await writing(() =>
    db
      .update(server)
      .set({ epoch: sql`${server.epoch} + 1` })
      .returning({ epoch: server.epoch }),
  );
  if (!row) throw noServerRow();
  return row.epoch;
}
