/** One interface, two drivers: postgres.js for `DATABASE_URL`, PGlite in a folder of this machine without it. */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** What both drivers offer. Statements go through the query builder and are prepared; nothing here opens a transaction. */
export type Drizzle = PgDatabase<PgQueryResultHKT>;

export type Database = {
  readonly kind: 'postgres' | 'embedded';
  readonly drizzle: Drizzle;
  /** Applies the migrations in drizzle/; safe when several nodes do so at once. */
  readonly migrate: () => Promise<void>;
  /** Waits for statements in flight, then closes. */
  readonly close: () => Promise<void>;
};

export const MIGRATIONS_FOLDER = new URL('../../drizzle', import.meta.url).pathname;
