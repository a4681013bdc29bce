/** The roles of the tables' columns, by the names of Postgres, for the triggers that enforce the rules of their rows. */
import type { Role } from '../../lifecycles/rules.ts';
import type { HeldTable } from '../../lifecycles/table.ts';
import { HELD_TABLES } from '../../lifecycles/tables.ts';
import { columnNames, tableName } from '../../storage/columns.ts';

export const HELD: readonly HeldTable[] = HELD_TABLES;

/** The column that names a row in a refusal; never a secret. */
export const keyColumns: Readonly<Record<string, string>> = {
  ...Object.fromEntries(HELD.map((held) => [tableName(held.table), held.key.name])),
  server: 'id',
  transitions: 'shard_key',
};

/** Rows that may be deleted while an earlier image of them would still count. Other tables keep their rows for as long. */
export const beginOnce = HELD.flatMap((held) =>
  held.beginsOnce ? [{ table: tableName(held.table), ...held.beginsOnce }] : [],
);

/** They change with the row that they authenticate. */
const MAC_COLUMNS = ['mac', 'macVersion', 'tokenMac'];

/** The columns with this role, or, for `bound`, those without one. */
export const columnsOf = ({ table, changes }: HeldTable, role: Role | 'bound'): readonly string[] => {
  const roles: Readonly<Record<string, Role | undefined>> = changes;
  return [...columnNames(table)]
    .filter(([property]) => !MAC_COLUMNS.includes(property) && (roles[property] ?? 'bound') === role)
    .map(([, name]) => name);
};
