/** A statement that has rows while another one of this database waits for a lock; in a cluster, on any of its nodes. */
import { isSpread } from './database.ts';

export const lockWaits = (): string =>
  isSpread()
    ? 'select 1 from citus_lock_waits'
    : `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`;
