/** Removes what has ended, in small batches. Each DELETE tests its condition itself, so nothing that is alive is lost. */
import { lt, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { keepLedgerPartitions } from './ledger-partitions.ts';
import { deniedAccessTokens, grants, interactions, sessions, signInFailures } from './schema.ts';

/** No access token lives longer (policies/schema.ts), so after this a grant has no live tokens. */
export const MAX_ACCESS_TOKEN_SECONDS = 3600;
const MAX_ACCESS_TOKEN_LIFETIME = sql.raw(`interval '${MAX_ACCESS_TOKEN_SECONDS} seconds'`);
const WINDOW_ROWS = 5000;

export function housekeeper(db: Drizzle) {
  let cursor: Date | null = null;
  return {
    /** One round, to be called about every minute. @returns how many grants were removed. */
    tidy: async (now: Date): Promise<number> => {
      await keepLedgerPartitions(db, now);
      await db.delete(sessions).where(lt(sessions.endsAt, now));
      await db.delete(interactions).where(sql`${interactions.endsAt} < ${earlier(now)} - interval '1 hour'`);
      // An hour after its end: this node's clock may be ahead of the clock by which the token expires.
      await db.delete(deniedAccessTokens).where(lt(deniedAccessTokens.endsAt, new Date(now.getTime() - 3_600_000)));
      await db.delete(signInFailures).where(lt(signInFailures.windowEndsAt, now));
      const window = await nextWindow(db, cursor);
      const removed = window === null ? 0 : await deleteEndedGrants(db, cursor, window, now);
      cursor = window;
      return removed;
    },
  };
}

/** Postgres refuses to delete what has not ended by its own clock, and this node's clock may be ahead. */
const earlier = (now: Date) => sql`least(${now.toISOString()}::timestamptz, now())`;

/** Walks the table by age, one window per round, so that the cost does not grow with the table. @returns null at the end. */
async function nextWindow(db: Drizzle, cursor: Date | null): Promise<Date | null> {
  const window = db
    .select({ createdAt: grants.createdAt })
    .from(grants)
    .where(after(cursor))
    .orderBy(grants.createdAt)
    .limit(WINDOW_ROWS)
    .as('window');
  const [row] = await db.select({ last: sql<string | null>`max(${window.createdAt})` }).from(window);
  return row?.last ? new Date(row.last) : null;
}

const after = (cursor: Date | null) => sql`${grants.createdAt} > ${cursor?.toISOString() ?? '-infinity'}::timestamptz`;

/** Codes that were never exchanged, and chains past their end and past the life of their last access token. */
async function deleteEndedGrants(db: Drizzle, cursor: Date | null, window: Date, now: Date): Promise<number> {
  const ended = sql`coalesce(${grants.chainEndsAt}, ${grants.codeEndsAt}) < ${earlier(now)} - ${MAX_ACCESS_TOKEN_LIFETIME}`;
  const upTo = sql`${grants.createdAt} <= ${window.toISOString()}::timestamptz`;
  const removed = await db
    .delete(grants)
    .where(sql`${after(cursor)} and ${upTo} and ${ended}`)
    .returning({ id: grants.id });
  return removed.length;
}
