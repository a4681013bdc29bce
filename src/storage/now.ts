/** The database's clock, unless a test has set one (src/system/clock.ts). */
import { type SQL, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';

/** The value for the placeholder of `nowOr`. */
export const fixedNow = (clock: Clock): string | null => clock.fixedNow()?.toISOString() ?? null;

/** In a prepared statement: the placeholder of this name, or the database's `now()` where it is null. */
export const nowOr = (name: string): SQL<string> => sql`coalesce(${sql.placeholder(name)}::timestamptz, now())`;

/** In a statement that is built for each call. */
export const nowOf = (clock: Clock): SQL => sql`coalesce(${fixedNow(clock)}::timestamptz, now())`;
