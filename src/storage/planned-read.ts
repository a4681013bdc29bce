import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';

/** Which ways to the rows Postgres may plan. */
export type Planning = { readonly enable_seqscan: 'on' | 'off'; readonly enable_indexscan: 'on' | 'off' };

export const SCANNING: Planning = { enable_seqscan: 'on', enable_indexscan: 'on' };
/** By bitmaps of indexes alone. Postgres cannot estimate how few rows have a part of a name, and would look at all of them. */
export const BY_INDEXES: Planning = { enable_seqscan: 'off', enable_indexscan: 'off' };

/**
 * For reads of administrators, which read many rows. Postgres plans them for their values, and they may scan a table. The connections
 * of the server suit statements that look up a few rows by key (docs/decisions/0017), and plan a page as a tenth of its table.
 *
 * @throws StoreUnavailable
 */
export const plannedRead = <T>(
  db: Drizzle,
  read: (db: Drizzle) => PromiseLike<T>,
  planning: Planning = SCANNING,
): Promise<T> =>
  reading(() =>
    db.transaction(async (transaction) => {
      const settings = Object.entries({ plan_cache_mode: 'force_custom_plan', ...planning }).map(
        ([name, value]) => sql`set_config(${name}, ${value}, true)`,
      );
      await transaction.execute(sql`select ${sql.join(settings, sql`, `)}`);
      return read(transaction);
    }),
  );
