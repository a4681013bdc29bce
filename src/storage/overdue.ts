/** How far housekeeping is behind: rows that may go and are still there. */
import { getTableName, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { removable } from './housekeeping.ts';
import { nowOf } from './now.ts';
import { plannedRead } from './planned-read.ts';

export type Overdue = {
  readonly table: string;
  /** Seconds since the end of the oldest such row; 0: there is none. */
  readonly oldestSeconds: number;
};

/** Callers keep the answer for some seconds. @throws StoreUnavailable */
export async function overdueRows(db: Drizzle, clock: Clock): Promise<readonly Overdue[]> {
  const now = nowOf(clock);
  return Promise.all(
    removable(db, now).flatMap(({ table, ended, over }) =>
      over === null
        ? []
        : plannedRead(db, (db) =>
            db
              .select({ oldestSeconds: sql<number>`coalesce(extract(epoch from ${now} - min(${over})), 0)::float8` })
              .from(table)
              .where(ended),
          ).then(([row]) => ({ table: getTableName(table), oldestSeconds: row?.oldestSeconds ?? 0 })),
    ),
  );
}
