import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { deadlines } from '../system/deadlines.ts';
import { type Database, MIGRATIONS_FOLDER } from './database.ts';
import { reached } from './failures.ts';
import { requirePatchedDriver } from './patched-driver.ts';

/** Any number; the same for every node, so that one migrates and the others wait for it. */
const MIGRATION_LOCK = 7_382_645_190;

/**
 * Statements look up a few rows by their keys, so a plan is made once and goes by the index. Left to itself, Postgres plans a
 * batch anew each time, and reads whole tables that were small when it last looked. And without `jit`: before Postgres 18 a scan
 * that cannot be avoided (the one row of `server`) is given so high a cost that every statement would be compiled, for 170 ms.
 */
const PLANS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' };

/** @throws DriverNotPatched */
export function openPostgres(url: string, options: { readonly connections?: number } = {}): Database {
  requirePatchedDriver();
  const quiet = { onnotice: () => {} };
  const client = postgres(url, {
    ...quiet,
    max: options.connections ?? 10,
    connect_timeout: deadlines.connectSeconds,
    idle_timeout: 600,
    backoff: (retries) => Math.min(2 ** retries / 20, 2),
    connection: { application_name: 'statehouse', statement_timeout: deadlines.statementMilliseconds, ...PLANS },
  });
  return {
    kind: 'postgres',
    drizzle: drizzle(client),
    migrate: async () => {
      const alone = postgres(url, {
        ...quiet,
        max: 1,
        connect_timeout: deadlines.connectSeconds,
        connection: { application_name: 'statehouse-migrate' },
      });
      try {
        // Held by the connection, so it is released even when this process dies.
        await reached(async () => {
          await alone`select pg_advisory_lock(${MIGRATION_LOCK})`;
          await migrate(drizzle(alone), { migrationsFolder: MIGRATIONS_FOLDER });
        });
      } finally {
        await alone.end({ timeout: 5 });
      }
    },
    close: () => client.end({ timeout: 10 }),
  };
}
