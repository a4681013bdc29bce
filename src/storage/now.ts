/** The database's clock, unless a test has set one (src/system/clock.ts). */
import { type SQL, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';

/** The value for the placeholder of `nowOr`. */
export const fixedNow = (clock: Clock): string | null => clock.fixedNow()?.toISOString() ?? null;

/** The value for a bound instant. Postgres reads the word as its `now()`; a cluster writes by no value that it would have to choose. */
export const fixedOrNow = (clock: Clock): string => fixedNow(clock) ?? 'now';

/** In a prepared statement: the placeholder of this name, or the database's `now()` where it is null. */
export const nowOr = (name: string): SQL<string> => sql`coalesce(${sql.placeholder(name)}::timestamptz, now())`;

/** An instant that a statement reads. The driver has it as text. */
export const readInstant = (instant: SQL): SQL<Date> => sql`${instant}`.mapWith((text: string) => new Date(text));

/** The same of an expression that can be null. */
export const readInstantOrNull = (instant: SQL): SQL<Date | null> => readInstant(instant);

/** The database's clock, for a statement that reads it. */
export const readNow = (clock: Clock): SQL<Date> => readInstant(nowOf(clock));

/** In a statement that is built for each call. */
export function nowOf(clock: Clock): SQL {
  const now = fixedNow(clock);
  return now === null ? sql`now()` : sql`${now}::timestamptz`;
}
