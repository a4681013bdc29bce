import { deadlines } from '../system/deadlines.ts';
import type { Database } from './database.ts';
import { reached } from './failures.ts';
import { applyMigrations } from './migrate-postgres.ts';
import { endOf, openConnections } from './postgres-connections.ts';
import { openPool } from './postgres-pool.ts';
import { runAlone } from './run-alone.ts';

/** An arbitrary number, the same for every node, so that one node migrates and the others wait. */
const MIGRATION_LOCK = 7_382_645_190;

/**
 * Statements look up a few rows by key, so they are planned once and use the index. By default Postgres plans a batch again each
 * time, and scans tables that were small when it last analyzed them. No `jit`: before Postgres 18 the scan of the single row
 * of `server` gets so high a cost that Postgres would compile every statement, which takes 170 ms.
 */
const PLANS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' };

export function openPostgres(url: string, options: { readonly connections?: number } = {}): Database {
  const quiet = { onnotice: () => {} };
  const pool = openPool(url, {
    ...quiet,
    max: options.connections ?? 10,
    connect_timeout: deadlines.connectSeconds,
    idle_timeout: 600,
    backoff: (retries) => Math.min(2 ** retries / 20, 2),
    connection: {
      application_name: 'statehouse',
      statement_timeout: deadlines.statementMilliseconds,
      lock_timeout: deadlines.lockMilliseconds,
      ...PLANS,
    },
  });
  return {
    kind: 'postgres',
    drizzle: pool.drizzle,
    inFlight: pool.inFlight,
    migrate: async () => {
      const alone = openConnections(url, {
        ...quiet,
        max: 1,
        connect_timeout: deadlines.connectSeconds,
        connection: { application_name: 'statehouse-migrate' },
      });
      try {
        // The lock belongs to the connection, so it is released even when this process dies.
        await reached(async () => {
          await alone.client`select pg_advisory_lock(${MIGRATION_LOCK})`;
          await applyMigrations(alone.client);
        });
      } finally {
        await endOf(alone, 5);
      }
    },
    runAlone: (name, work) => runAlone(url, quiet, name, work),
    close: pool.close,
  };
}
