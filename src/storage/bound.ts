import { type SQL, sql } from 'drizzle-orm';

/** How a statement refers to one of its values: `bound` where it is about one row. */
export type Given = (name: string, type: string) => SQL;

/** A value of a prepared statement, by name. @param type of Postgres, which the placeholder alone does not have. */
export const bound = (name: string, type: string): SQL => sql`${sql.placeholder(name)}::${sql.raw(type)}`;
