import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { deadlines } from '../system/deadlines.ts';
import type { Database } from './database.ts';
import { distribute, spreadTables } from './distribute.ts';
import { reached } from './failures.ts';
import { applyMigrations } from './migrate-postgres.ts';
import { endOf, type Options, openConnections } from './postgres-connections.ts';
import { openPool } from './postgres-pool.ts';
import { runAlone } from './run-alone.ts';
import { knownAsSpread } from './spread-databases.ts';
import { SPREADING } from './spreading.ts';

/** An arbitrary number, the same for every node, so that one node migrates and the others wait. */
const MIGRATION_LOCK = 7_382_645_190;

const QUIET = { onnotice: () => {} };

/**
 * Statements look up a few rows by key, so they are planned once and use the index. By default Postgres plans a batch again each
 * time, and scans tables that were small when it last analyzed them. No `jit`: before Postgres 18 the scan of the single row
 * of `server` gets so high a cost that Postgres would compile every statement, which takes 170 ms.
 */
const PLANS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' };

export type PostgresOptions = {
  readonly connections?: number;
  /** Called for each connection, since an administrator may change the password. Absent: the password of the URL. */
  readonly password?: () => string;
};

export function openPostgres(url: string, { connections = 10, password }: PostgresOptions = {}): Database {
  const each = { ...QUIET, ...(password && { password }) };
  const pool = openPool(
    url,
    {
      ...each,
      max: connections,
      connect_timeout: deadlines.connectSeconds,
      idle_timeout: 600,
      backoff: (retries) => Math.min(2 ** retries / 20, 2),
      connection: {
        application_name: 'statehouse',
        statement_timeout: deadlines.statementMilliseconds,
        lock_timeout: deadlines.lockMilliseconds,
        ...PLANS,
      },
    },
    SPREADING,
  );
  knownAsSpread(pool.drizzle, pool.isSpread);
  return {
    kind: 'postgres',
    drizzle: pool.drizzle,
    inFlight: pool.inFlight,
    migrate: () =>
      alone(url, each, async (client) => {
        await applyMigrations(client);
        // Tables that a migration has added.
        if (await SPREADING.areTablesSpread(client)) await spreadTables(drizzle(client));
      }),
    distribute: () => alone(url, each, (client) => distribute(drizzle(client))),
    runAlone: (name, work) => runAlone(url, each, name, work),
    close: pool.close,
  };
}

/** One node at a time; its statements may take their time. The lock belongs to the connection: Postgres releases it even when this process dies. */
async function alone<T>(url: string, options: Options, work: (client: postgres.Sql) => Promise<T>): Promise<T> {
  const connections = openConnections(url, {
    ...options,
    max: 1,
    connect_timeout: deadlines.connectSeconds,
    connection: { application_name: 'statehouse-migrate' },
  });
  try {
    return await reached(async () => {
      await connections.client`select pg_advisory_lock(${MIGRATION_LOCK})`;
      return work(connections.client);
    });
  } finally {
    await endOf(connections, 5);
  }
}
