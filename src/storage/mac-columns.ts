/** The tables whose rows authenticate themselves, with the columns of their MACs. */
import { getTableColumns, is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import * as schema from './schema.ts';

const MACS = ['mac', 'token_mac'];

/** By name: loaders order the exports of a module differently, and migrations are generated from this order. */
export const macColumns: readonly { readonly table: string; readonly macs: readonly string[] }[] = Object.values(schema)
  .flatMap((table) => {
    if (!is(table, PgTable)) return [];
    const names = Object.values(getTableColumns(table)).map(({ name }) => name);
    const macs = MACS.filter((name) => names.includes(name));
    return macs.length > 0 ? [{ table: getTableConfig(table).name, macs }] : [];
  })
  .toSorted((one, other) => (one.table < other.table ? -1 : 1));
