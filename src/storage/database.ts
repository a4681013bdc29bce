/** One interface, two drivers: postgres.js with `DATABASE_URL`, else PGlite in a local folder. */
import { fileURLToPath } from 'node:url';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

export type Distributed = {
  /** Tables that this call has spread, by name. */
  readonly spread: readonly string[];
  /** Tables that every node has since this call, by name. */
  readonly everywhere: readonly string[];
  readonly workers: number;
};

/** The interface of both drivers. The query builder makes statements; the hot path prepares them and opens no transaction. */
export type Drizzle = PgDatabase<PgQueryResultHKT>;

export type Database = {
  readonly kind: 'postgres' | 'embedded';
  readonly drizzle: Drizzle;
  /** Statements that wait for a connection or for their answer; null: this driver has no number. */
  readonly inFlight: () => number | null;
  /** Applies the migrations in drizzle/; safe when several nodes do so together. */
  readonly migrate: () => Promise<void>;
  /** Spreads the tables over the workers of a Citus cluster; safe to repeat. Absent: this driver has one process. */
  readonly distribute?: () => Promise<Distributed>;
  /**
   * Runs the work while no other node runs work of this name.
   * @param work its signal is aborted when the lock is lost.
   * @returns false: another node runs it.
   */
  readonly runAlone: (name: string, work: (signal: AbortSignal) => Promise<void>) => Promise<boolean>;
  /** Waits for statements in flight, then closes. */
  readonly close: () => Promise<void>;
};

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../drizzle', import.meta.url));
