/** The list of tables, over which rights, retention, personal data, counts and triggers are loops. */
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { RUNNING } from '../../../machines/running.ts';
import type { HeldTable } from '../../../src/lifecycles/table.ts';
import { HELD_TABLES } from '../../../src/lifecycles/tables.ts';
import * as schema from '../../../src/storage/schema.ts';
import { TABLES } from '../../../src/storage/tables.ts';

const parts: readonly object[] = Object.values(schema);
const held: readonly HeldTable[] = HELD_TABLES;

describe('the list of tables', () => {
  it('names each table of the schema once', () => {
    const listed = TABLES.map(({ table }) => getTableName(table));
    expect(listed.toSorted()).toEqual(
      parts
        .filter((part) => is(part, PgTable))
        .map((table) => getTableName(table))
        .toSorted(),
    );
  });

  it('names each machine once, but for those whose states are derived from a grant', () => {
    const machines = held.flatMap(({ machine }) => machine ?? []);
    expect([...machines, 'authorizationCode', 'refreshToken'].toSorted()).toEqual(Object.keys(RUNNING).toSorted());
  });

  it.each(held.map((table) => [getTableName(table.table), table] as const))(
    '%s declares how its state changes, and never changes its key',
    (_, { table, changes, key, machine }) => {
      const roles: Readonly<Record<string, string | undefined>> = changes;
      const columns = getTableColumns(table);
      const keyed = Object.keys(columns).find((property) => columns[property]?.name === key.name) ?? '';
      expect(roles).not.toHaveProperty(keyed);
      if (machine !== null && 'state' in columns) expect(roles['state']).toBe('state');
    },
  );
});
