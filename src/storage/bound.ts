import { type SQL, sql } from 'drizzle-orm';

/** A value of a prepared statement, by name. @param type of Postgres, which the placeholder alone does not have. */
export const bound = (name: string, type: string): SQL => sql`${sql.placeholder(name)}::${sql.raw(type)}`;
