/** A statement about a list of rows (batches.ts): one parameter for each value, which is a list with a text for each row. */
import { sql } from 'drizzle-orm';
import { bound, type Given } from './bound.ts';
import type { Drizzle } from './database.ts';

/** A value of a row in the list, whose values come as text. */
export const listed: Given = (name, type) => sql`${sql.identifier('listed')}.${sql.identifier(name)}::${sql.raw(type)}`;

/** The list as the common table `listed`, which has a column for each name. */
export function listOf(db: Drizzle, names: readonly string[]) {
  const lists = names.map((name) => bound(name, 'text[]'));
  const columns = names.map((name) => sql.identifier(name));
  return db
    .$with('listed', {})
    .as(sql`select * from unnest(${sql.join(lists, sql`, `)}) as given (${sql.join(columns, sql`, `)})`);
}

/** @returns the parameters: one list for each name. */
export const listsOf = (names: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]) =>
  Object.fromEntries(names.map((name) => [name, rows.map((row) => asText(row[name]))]));

/** Octets, and arrays of texts, as Postgres reads them. */
function asText(value: unknown): unknown {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return `{${value.map((one) => `"${String(one).replace(/["\\]/g, '\\$&')}"`).join()}}`;
  return value;
}
