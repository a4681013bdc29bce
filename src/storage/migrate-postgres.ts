/**
 * Migrations while nodes serve. Their statements lock one table after the other, and requests do so in other orders. A migration that began
 * to write would end in a deadlock, or end a request in it. So it locks all tables first. Where another transaction holds one of them, it
 * gives up within a moment, since all requests wait behind it, and tries again. All is one transaction.
 */
import { setTimeout } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { ReportedError } from '../system/reported-error.ts';
import { codeOf } from './failures.ts';
import { apply, whatIsDue } from './migrations.ts';

/** Shorter than the second after which Postgres looks for deadlocks, so that no request is ended in favour of the migration. */
const LOCK_TIMEOUT_MILLISECONDS = 250;
const TRIES = 100;
const LONGEST_PAUSE_MILLISECONDS = 2000;
/** lock_not_available, deadlock_detected */
const HELD = new Set(['55P03', '40P01']);

/** Another transaction has held a lock on a table all the time. Nothing was changed. */
class TablesAreLocked extends ReportedError {
  constructor() {
    super(
      `The tables could not be migrated: something holds a lock on them, in each of ${TRIES} tries. Nothing was changed.\n` +
        'Look for a long transaction or a backup in pg_stat_activity, and run "statehouse migrate" when it has ended.',
    );
  }
}

/** @param alone a pool of one connection, with the migration lock. @throws TablesAreLocked, TablesBeforeFirstRelease */
export async function applyMigrations(alone: postgres.Sql): Promise<void> {
  const db = drizzle(alone);
  const due = await whatIsDue(db);
  if (due === null) return;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      return await apply(db, due, LOCK_ALL);
    } catch (error) {
      if (!HELD.has(codeOf(error) ?? '')) throw error;
      await setTimeout(Math.min(attempt * 50, LONGEST_PAUSE_MILLISECONDS) * (0.5 + Math.random()));
    }
  }
  throw new TablesAreLocked();
}

/** Once all are locked, nothing that the migrations wait for is held by a request. */
const LOCK_ALL = [
  `set local lock_timeout = ${LOCK_TIMEOUT_MILLISECONDS}`,
  `do $$ declare tables text; begin
    select string_agg(c.oid::regclass::text, ', ' order by c.relname) into tables from pg_class c
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and pg_has_role(c.relowner, 'MEMBER');
    if tables is not null then execute 'lock table ' || tables || ' in access exclusive mode'; end if;
  end $$`,
  'set local lock_timeout = 0',
];
