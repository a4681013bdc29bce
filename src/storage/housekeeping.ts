/** Removes what has ended, in small batches. Each DELETE tests its condition itself, so nothing that is alive is lost. */
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Clock } from '../system/clock.ts';
import { boundedSteps, type StepsOptions } from './bounded-steps.ts';
import type { Drizzle } from './database.ts';
import { keepLedgerPartitions } from './ledger-partitions.ts';
import { nowOf } from './now.ts';
import {
  consoleSessions,
  deniedAccessTokens,
  emailChallenges,
  externalSignIns,
  grants,
  idempotencyKeys,
  interactions,
  linkedIdentities,
  mails,
  passkeys,
  recoveryCodes,
  secondFactors,
  sessions,
  signInFailures,
  spentChallenges,
} from './schema.ts';

/** No access token lives longer (policies/schema.ts), so after this a grant has no live tokens. */
export const MAX_ACCESS_TOKEN_SECONDS = 3600;
const MAX_ACCESS_TOKEN_LIFETIME = sql.raw(`interval '${MAX_ACCESS_TOKEN_SECONDS} seconds'`);
const WINDOW_ROWS = 5000;

/** Rows that may go, other than grants, which are walked by age. */
export type Removable = {
  readonly table: PgTable;
  readonly ended: SQL;
  /** When its life was over; some rows are kept for a while after that. Null: that is not written down. */
  readonly over: PgColumn | null;
};

export function removable(now: SQL): readonly Removable[] {
  const anHourBefore = (instant: SQL) => sql`${instant} - interval '1 hour'`;
  // What was removed, and a code that has ended, go once the ledger has forgotten them too.
  const longAgo = sql`${now} - (select make_interval(days => kept_days) from ledger_retention)`;
  const abandoned = sql`${secondFactors.state} = 'unconfirmed' and ${secondFactors.createdAt} < ${now} - interval '1 day'`;
  const ofDeletedUsers = [secondFactors, passkeys, recoveryCodes, emailChallenges, mails].map((table) => ({
    table,
    ended: sql`${table.userId} in (select id from users where deleted_at is not null)`,
    over: null,
  }));
  return [
    { table: sessions, ended: sql`${sessions.endsAt} < ${now}`, over: sessions.endsAt },
    {
      table: interactions,
      ended: sql`${interactions.endsAt} < ${anHourBefore(earlier(now))}`,
      over: interactions.endsAt,
    },
    {
      table: externalSignIns,
      ended: sql`${externalSignIns.endsAt} < ${anHourBefore(earlier(now))}`,
      over: externalSignIns.endsAt,
    },
    // A day after its end: until then the page of a link says what became of it.
    {
      table: emailChallenges,
      ended: sql`${emailChallenges.endsAt} < ${now} - interval '1 day'`,
      over: emailChallenges.endsAt,
    },
    // Whose account it was is nobody's business any more.
    { table: linkedIdentities, ended: sql`${linkedIdentities.state} = 'removed'`, over: null },
    // An hour after its end: an API may still accept the token by its own clock.
    {
      table: deniedAccessTokens,
      ended: sql`${deniedAccessTokens.endsAt} < ${anHourBefore(now)}`,
      over: deniedAccessTokens.endsAt,
    },
    {
      table: signInFailures,
      ended: sql`${signInFailures.windowEndsAt} < ${now}`,
      over: signInFailures.windowEndsAt,
    },
    {
      table: spentChallenges,
      ended: sql`${spentChallenges.endsAt} < ${anHourBefore(now)}`,
      over: spentChallenges.endsAt,
    },
    {
      table: secondFactors,
      ended: sql`(${secondFactors.removedAt} < ${longAgo} or ${abandoned})`,
      over: null,
    },
    { table: passkeys, ended: sql`${passkeys.removedAt} < ${longAgo}`, over: passkeys.removedAt },
    { table: recoveryCodes, ended: sql`${recoveryCodes.endedAt} < ${longAgo}`, over: recoveryCodes.endedAt },
    ...ofDeletedUsers,
    { table: idempotencyKeys, ended: sql`${idempotencyKeys.endsAt} < ${now}`, over: idempotencyKeys.endsAt },
    // An hour after the token's end: until then a form that was left open is still known.
    {
      table: consoleSessions,
      ended: sql`${consoleSessions.tokenEndsAt} < ${anHourBefore(now)}`,
      over: consoleSessions.tokenEndsAt,
    },
    // Its time is over, whatever became of it: also where no node sends mails any more.
    { table: mails, ended: sql`${mails.givesUpAt} < ${anHourBefore(earlier(now))}`, over: mails.givesUpAt },
  ];
}

/** Of a minute: what is due beyond that waits for the next round. */
const ROUND_MILLISECONDS = 30_000;
/** Of that time, what the tables with rows that have ended may take; the rest is for the walk over grants. */
const SHARE_OF_ROWS = 0.5;

export type Tidying = {
  /** Grants. */
  readonly removed: number;
  /** When the last complete pass over all grants began, by `performance.now()`; null: this node has completed none. */
  readonly passBeganAt: number | null;
};

type Options = Partial<Pick<StepsOptions, 'milliseconds' | 'elapsed' | 'pause'>>;

export function housekeeper(
  db: Drizzle,
  clock: Clock,
  { milliseconds = ROUND_MILLISECONDS, elapsed = () => performance.now(), ...options }: Options = {},
) {
  let cursor: string | null = null;
  let began: number | null = null;
  let passBeganAt: number | null = null;
  return {
    /** One round, to be called about every minute. It removes what is due in batches, until nothing is left or its time is over. */
    tidy: async (signal: AbortSignal = new AbortController().signal): Promise<Tidying> => {
      // The clock by which rows end: a node whose own clock is ahead must not remove what is alive.
      const now = nowOf(clock);
      const steps = boundedSteps({ milliseconds, signal, elapsed, ...options });
      await keepLedgerPartitions(db, clock);
      for (const { table, ended } of removable(now)) {
        await steps.until(SHARE_OF_ROWS, async () => ((await deleteBatch(db, table, ended)) ? 'more' : 'done'));
      }
      let removed = 0;
      await steps.until(1, async () => {
        began ??= elapsed();
        const window = await nextWindow(db, cursor);
        if (window === null) {
          [cursor, passBeganAt, began] = [null, began, null];
          return 'done';
        }
        const deleted = await deleteEndedGrants(db, cursor, window, now);
        removed += deleted;
        // More of the same window: many grants may have begun at one instant.
        if (deleted < WINDOW_ROWS) cursor = window;
        return 'more';
      });
      return { removed, passBeganAt };
    },
  };
}

/** Postgres refuses to delete what has not ended by its own clock, and a test may set another. */
const earlier = (now: SQL): SQL => sql`least(${now}, now())`;

/** As many as fit into the time of a statement. @returns whether there may be more. */
async function deleteBatch(db: Drizzle, table: PgTable, ended: SQL): Promise<boolean> {
  const deleted = await db
    .delete(table)
    .where(sql`ctid = any(array(select ctid from ${table} where ${ended} limit ${WINDOW_ROWS})) and ${ended}`)
    .returning({ deleted: sql`1` });
  return deleted.length === WINDOW_ROWS;
}

/** Walks the table by age, so that the cost of a step does not grow with the table. @returns null at the end. */
async function nextWindow(db: Drizzle, cursor: string | null): Promise<string | null> {
  const window = db
    .select({ createdAt: grants.createdAt })
    .from(grants)
    .where(after(cursor))
    .orderBy(grants.createdAt)
    .limit(WINDOW_ROWS)
    .as('window');
  // As text: a Date has no microseconds, and the walk would stay at a millisecond with more rows than a window.
  const [row] = await db.select({ last: sql<string | null>`max(${window.createdAt})::text` }).from(window);
  return row?.last ?? null;
}

const after = (cursor: string | null) => sql`${grants.createdAt} > ${cursor ?? '-infinity'}::timestamptz`;

/** Codes that were never exchanged, and chains past their end and past the life of their last access token. */
async function deleteEndedGrants(db: Drizzle, cursor: string | null, window: string, now: SQL): Promise<number> {
  const ended = sql`coalesce(${grants.chainEndsAt}, ${grants.codeEndsAt}) < ${earlier(now)} - ${MAX_ACCESS_TOKEN_LIFETIME}`;
  const upTo = sql`${grants.createdAt} <= ${window}::timestamptz`;
  const due = sql`${after(cursor)} and ${upTo} and ${ended}`;
  const removed = await db
    .delete(grants)
    .where(sql`ctid = any(array(select ctid from ${grants} where ${due} limit ${WINDOW_ROWS})) and ${ended}`)
    .returning({ deleted: sql`1` });
  return removed.length;
}
