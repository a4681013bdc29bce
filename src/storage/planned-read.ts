import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';

/**
 * For reads of administrators, which look at many rows. They are planned for their values and may scan a table; the connections of the
 * server are set up for statements that look up a few rows by key (docs/decisions/0017), and plan a page as a tenth of its table.
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
