import { getTableColumns, getTableName } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** From the property of a table in schema.ts to the name of its column in Postgres. */
export const columnNames = (table: PgTable): ReadonlyMap<string, string> =>
  new Map(Object.entries(getTableColumns(table)).map(([property, column]) => [property, column.name]));

export const tableName = (table: PgTable): string => getTableName(table);
