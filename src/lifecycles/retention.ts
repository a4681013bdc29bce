/** The conditions for removing rows, and the reasons of their end, in SQL that several tables share. */
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { MAX_TOKEN_SECONDS } from '../../policies/schema.ts';
import type { Removal } from './table.ts';

/** No access token lives longer, so after this a grant has no live tokens. */
export const MAX_ACCESS_TOKEN_SECONDS = MAX_TOKEN_SECONDS;

export const anHourBefore = (instant: SQL): SQL => sql`${instant} - interval '1 hour'`;

/** Postgres refuses to delete a row that has not ended by its own clock, and a test may set another. */
export const earlier = (now: SQL): SQL => sql`least(${now}, now())`;

/** A row that ended before this instant has no entry in the ledger any more. */
export const forgotten = (now: SQL): SQL =>
  sql`${now} - (select make_interval(days => kept_days) from ledger_retention)`;

/** @param owner the column with the `sub`. */
export const ofDeletedUsers = (owner: PgColumn): Removal => ({
  ended: sql`${owner} in (select id from users where deleted_at is not null)`,
  over: null,
});

/** A raised epoch ends many rows together, as a new password ends every session, and writes none of them. By the words of src/model. */
export const epochThatEnded = (table: string, ofClient: SQL = sql`false`): SQL => sql`case
  when ${sql.raw(table)}.user_epoch <> (select u.epoch from users u where u.id = ${sql.raw(table)}.user_id) then 'user_ended'
  when ${ofClient} then 'client_ended'
  when ${sql.raw(table)}.server_epoch <> (select s.epoch from server s) then 'server_epoch_raised' end`;
