/** Functions of Postgres, made from the parts of statements that Drizzle builds. */
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Given } from './bound.ts';

/** Of each argument its type; the values have these names, too. */
export type Arguments = Readonly<Record<string, string>>;

export type MadeFunction = { readonly name: string; readonly arguments: Arguments; readonly definition: string };

/** No column has such a name. */
export const argumentOf = (name: string): string => `"_${name}"`;
export const argument: Given = (name, type) => sql.raw(`${argumentOf(name)}::${type}`);

export const argumentTypes = ({ arguments: all }: MadeFunction): string => Object.values(all).join(', ');

/**
 * @param returns the type, or the columns of the one row.
 * @returns a function whose name ends with a digest of its text.
 */
export function madeFunction(name: string, all: Arguments, returns: string, lines: readonly string[]): MadeFunction {
  const given = Object.entries(all).map(([one, type]) => `${argumentOf(one)} ${type}`);
  const signature = `(${given.join(', ')}) returns ${returns}`;
  const body = lines.join('\n');
  const digest = digestOf(signature + body);
  return {
    name: `${name}_${digest}`,
    arguments: all,
    definition: `create or replace function "public"."${name}_${digest}"${signature}
language plpgsql as $$
#variable_conflict use_column
${body}
$$`,
  };
}

/** FNV-1a: it tells texts apart, and protects nothing. */
const digestOf = (text: string): string =>
  Buffer.from(text)
    .reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0, 0x811c9dc5)
    .toString(16)
    .padStart(8, '0');

type Statement = { readonly getSQL: () => SQL };

/** A statement that reads a row, or none, into variables. */
export const readInto = (statement: Statement, ...variables: readonly string[]): string => {
  const [selected, rest] = splitOnce(textOf(statement.getSQL()), ' from ');
  return `${selected} into ${variables.join(', ')} from ${rest};`;
};

/** A statement that writes a row, or none, and returns it into a variable. */
export const writeInto = (statement: Statement, variable: string): string =>
  `${textOf(statement.getSQL())} into ${variable};`;

export const textOf = (statement: SQL): string => dialect.sqlToQuery(statement.inlineParams()).sql;
const dialect = new PgDialect();

function splitOnce(text: string, by: string): readonly [string, string] {
  const at = text.indexOf(by);
  return [text.slice(0, at), text.slice(at + by.length)];
}
