import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';

/**
 * For reads of administrators, which read many rows. Postgres plans them for their values, and they may scan a table. The connections
 * of the server suit statements that look up a few rows by key (docs/decisions/0017), and plan a page as a tenth of its table.
 *
 * @throws StoreUnavailable
 */
export const plannedRead = <T>(db: Drizzle, read: (db: Drizzle) => PromiseLike<T>): Promise<T> =>
  reading(() =>
    db.transaction(async (transaction) => {
      await transaction.execute(
        sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true)`,
      );
      return read(transaction);
    }),
  );
