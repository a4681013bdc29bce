import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { server } from './schema.ts';
import { noServerRow } from './server-row.ts';

/** @throws StoreUnavailable when the database cannot be reached, has no tables, or is read-only, as a standby is. */
export function ping(db: Drizzle): Promise<unknown> {
  // Where nothing can be written, Postgres refuses an UPDATE even of no row.
  const written = db
    .$with('written')
    .as(db.update(server).set({ epoch: server.epoch }).where(sql`false`).returning({ epoch: server.epoch }));
  return reading(() => db.with(written).select({ epoch: server.epoch }).from(server));
}

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
