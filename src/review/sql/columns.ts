/** What the tables say of their columns, by the names of Postgres, for the triggers that hold their rows. */
import type { HeldTable as Held, Role } from '../../lifecycles/table.ts';
import { columnNames, tableName } from '../../storage/columns.ts';
import { HELD_TABLES } from '../../storage/tables.ts';

/** Every table with triggers. */
export type HeldTable = (typeof HELD_TABLES)[number]['table']['_']['name'] | 'server' | 'transitions';

const HELD: readonly Held[] = HELD_TABLES;
const nameOf = ({ table }: Pick<Held, 'table'>) => tableName(table) as HeldTable;

/** The column that names a row in a refusal; never a secret. */
export const keyColumns = {
  ...Object.fromEntries(HELD.map((held) => [nameOf(held), held.key.name])),
  server: 'id',
  transitions: 'shard_key',
} as Readonly<Record<HeldTable, string>>;

/** Rows that may be deleted while an earlier image of them would still count. Other tables keep their rows for as long. */
export const beginOnce = HELD.flatMap((held) => (held.beginsOnce ? [{ table: nameOf(held), ...held.beginsOnce }] : []));

/** They change with the row that they authenticate. */
const MAC_COLUMNS = ['mac', 'macVersion', 'tokenMac'];

/** The columns with this role, or, for `bound`, those without one. */
export const columnsOf = (
  { table, changes }: Pick<Held, 'table' | 'changes'>,
  role: Role | 'bound',
): readonly string[] => {
  const roles: Readonly<Record<string, Role | undefined>> = changes;
  return [...columnNames(table)]
    .filter(([property]) => !MAC_COLUMNS.includes(property) && (roles[property] ?? 'bound') === role)
    .map(([, name]) => name);
};
