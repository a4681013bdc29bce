/**
 * The rows of a prepared statement of the hot path. Drizzle finds the decoder and the place of each column again for
 * every row: a fifteenth of the garbage of a rotation. This module finds them once for each statement.
 */
import { Column, getTableName, is, SQL } from 'drizzle-orm';

type Decoder = { readonly mapFromDriverValue: (value: unknown) => unknown };
/** The part of a prepared select that Drizzle does not type: its columns, in order. */
type Prepared = {
  readonly fields: readonly { readonly path: readonly string[]; readonly field: unknown }[];
  /** By the name of the table: whether the join always finds a row. */
  readonly joinsNotNullableMap?: Readonly<Record<string, boolean>>;
  customResultMapper?: (rows: readonly (readonly unknown[])[]) => unknown[];
};

type Member = { readonly name: string; readonly place: number; readonly decoder: Decoder };
/** The columns that one member of the row has. `isOptional`: null in its first column makes it null. */
type Group = { readonly name: string; readonly isOptional: boolean; readonly members: Member[] };

/**
 * @param statement a prepared select, whose members are columns, or groups of columns of one table.
 * @param groupsAreOptional also where they are expressions, of which Drizzle does not know it.
 */
export function decodeOnce<Statement>(statement: Statement, groupsAreOptional = false): Statement {
  const prepared = statement as unknown as Prepared;
  const { own, groups } = placesOf(prepared, groupsAreOptional);
  prepared.customResultMapper = (rows) => rows.map((row) => rowOf(own, groups, row));
  return statement;
}

function placesOf(
  { fields, joinsNotNullableMap = {} }: Prepared,
  groupsAreOptional: boolean,
): { own: Member[]; groups: Group[] } {
  const own: Member[] = [];
  const groups = new Map<string, Group>();
  for (const [place, { path, field }] of fields.entries()) {
    const [name = '', inner] = path;
    const decoder = decoderOf(field);
    if (inner === undefined) own.push({ name, place, decoder });
    else {
      const group = groups.get(name) ?? {
        name,
        isOptional: groupsAreOptional || isOptional(field, joinsNotNullableMap),
        members: [],
      };
      groups.set(name, group);
      group.members.push({ name: inner, place, decoder });
    }
  }
  return { own, groups: [...groups.values()] };
}

/** The types of Drizzle leave the decoder of an expression out. */
function decoderOf(field: unknown): Decoder {
  if (is(field, Column)) return field;
  if (is(field, SQL)) return (field as unknown as { readonly decoder: Decoder }).decoder;
  return (field as { readonly sql: { readonly decoder: Decoder } }).sql.decoder;
}

const isOptional = (field: unknown, certain: Readonly<Record<string, boolean>>): boolean =>
  is(field, Column) && certain[getTableName(field.table)] !== true;

function rowOf(own: readonly Member[], groups: readonly Group[], row: readonly unknown[]): Record<string, unknown> {
  const result = decoded(own, row);
  for (const { name, isOptional, members } of groups) {
    const isAbsent = isOptional && row[members[0]?.place ?? 0] === null;
    result[name] = isAbsent ? null : decoded(members, row);
  }
  return result;
}

function decoded(members: readonly Member[], row: readonly unknown[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const { name, place, decoder } of members) {
    const value = row[place];
    result[name] = value === null ? null : decoder.mapFromDriverValue(value);
  }
  return result;
}
