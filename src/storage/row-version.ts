import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/**
 * The transaction that wrote the row last (`xmin`). Postgres changes it with every write, by a node of any version, so a commit that
 * compares it replaces exactly what was loaded.
 */
export const rowVersion = (table: PgTable): SQL<string> => sql<string>`${table}.xmin::text`;
