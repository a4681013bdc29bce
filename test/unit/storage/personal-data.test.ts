/** Every table that names an end-user declares its part in a download and in an erasure. */
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { PERSONAL_TABLES } from '../../../src/storage/personal-data.ts';
import * as schema from '../../../src/storage/schema.ts';

/** As a `sub` is called in any table. */
const NAMES_AN_END_USER = /user_id|^sub$/;
/** The record itself, and the ledger, which is append-only and has the id alone. */
const ELSEWHERE = ['users', 'transitions'];

const parts: readonly object[] = Object.values(schema);
const tables = parts.filter((part) => is(part, PgTable));
const listed = PERSONAL_TABLES;

describe('tables with a column of an end-user', () => {
  it.each(
    tables
      .filter((table) => Object.values(getTableColumns(table)).some(({ name }) => NAMES_AN_END_USER.test(name)))
      .map((table) => [getTableName(table)] as const)
      .filter(([name]) => !ELSEWHERE.includes(name)),
  )('%s is listed', (name) => {
    expect(listed.map(({ table }) => getTableName(table))).toContain(name);
  });
  it('are more than one', () => {
    expect(listed.length).toBeGreaterThan(3);
  });
});

it('a download contains no hash, no key, and no sealed value', () => {
  const shown = listed.flatMap((entry) => entry.shown.map(({ name }) => name));
  expect(shown.filter((name) => /hash|secret|sealed|nonce|challenge|key|jwe|mac$/.test(name))).toEqual([]);
});
