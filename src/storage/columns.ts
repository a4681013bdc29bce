import { getTableColumns } from 'drizzle-orm';
import { customType, type PgTable } from 'drizzle-orm/pg-core';

/** `bytea`, the same on both drivers. */
export const bytes = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  toDriver: (value) => value,
  fromDriver: (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength),
});

/** The id of a transaction, with its epoch: it never begins again. As decimal digits. */
export const xid8 = customType<{ data: string; driverData: string }>({ dataType: () => 'xid8' });

/** From the property of a table in schema.ts to the name of its column in Postgres. */
export const columnNames = (table: PgTable): ReadonlyMap<string, string> =>
  new Map(Object.entries(getTableColumns(table)).map(([property, column]) => [property, column.name]));
