/** The selection of `insert(table).select(…)`: every column of the table, in its order. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Given } from './bound.ts';

type Columns<Table extends PgTable> = Table['_']['columns'];
type Selection<Table extends PgTable> = {
  [Name in keyof Columns<Table>]: SQL.Aliased<Columns<Table>[Name]['_']['data']>;
};
type Nullable<Table extends PgTable> = {
  [Name in keyof Columns<Table>]: Columns<Table>[Name]['_']['notNull'] extends true ? never : Name;
}[keyof Columns<Table>];
/** Where the statement has them, by column. Absent: null. */
type Values<Table extends PgTable> = Readonly<
  Record<Exclude<keyof Columns<Table>, Nullable<Table>>, unknown> & Partial<Record<Nullable<Table>, unknown>>
>;

/** As statements write it. */
const typeOf = (column: PgColumn): string => column.getSQLType().replace('timestamp with time zone', 'timestamptz');

const ofEach = <Value>(table: PgTable, value: (name: string, column: PgColumn) => Value): Record<string, Value> =>
  Object.fromEntries(Object.entries(getTableColumns(table)).map(([name, column]) => [name, value(name, column)]));

export function selectionFor<Table extends PgTable>(table: Table, values: Values<Table>): Selection<Table> {
  const given = values as Readonly<Record<string, unknown>>;
  const selected = ofEach(table, (name, column) =>
    sql`${given[name] ?? sql.raw(`null::${typeOf(column)}`)}`.as(column.name),
  );
  return selected as Selection<Table>;
}

/** Each column from the value of its name. */
export const valuesOf = <Table extends PgTable>(table: Table, given: Given): Record<keyof Columns<Table>, SQL> =>
  ofEach(table, (name, column) => given(name, typeOf(column))) as Record<keyof Columns<Table>, SQL>;

/** These values, each with the type of its column: a bound value has none by itself. */
export function typed<Values extends object>(
  table: PgTable,
  values: Values,
): { readonly [Name in keyof Values]: SQL | undefined } {
  const given = values as Readonly<Record<string, unknown>>;
  const each = ofEach(table, (name, column) =>
    given[name] === undefined ? undefined : sql`${given[name]}::${sql.raw(typeOf(column))}`,
  );
  return each as { readonly [Name in keyof Values]: SQL | undefined };
}
