/**
 * Rows whose key is not that of the statement: a common table under the name of theirs, which the statement joins as if it were the table.
 * Postgres reads it in its place. A cluster reads it first, on the node that has the rows.
 */
import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Drizzle } from './database.ts';

/** @param where of values alone, and of no other table. */
export const ofAnotherKey = (db: Drizzle, table: PgTable, where: SQL) =>
  db.$with(getTableName(table), {}).as(sql`select * from ${table} where ${where}`);
