/** A commit (src/engine/commit.ts) carried out in memory, under the contract of the statement that src/storage/commit.ts makes of it. */
import {
  type Columns,
  type Commit,
  only,
  type Requirement,
  type Selection,
  type Table,
  type Update,
  type Write,
} from '../../engine/commit.ts';

/** Rows by the name of their table. */
export type Tables = Readonly<Record<string, readonly object[]>>;

/** Facts that the commit leaves out, by name, to see the consequences of each. */
export type LeftOut = ReadonlySet<string>;
export const NOTHING_LEFT_OUT: LeftOut = new Set();

/** @returns null when a fact did not hold: nothing changed. */
export function carryOut<All extends object>(all: All, commit: Commit, leftOut = NOTHING_LEFT_OUT): All | null {
  const before = all as unknown as Tables;
  const after = commit.writes.reduce(written, before);
  const holds = factsOf(commit).every(({ fact, holds }) => leftOut.has(fact) || holds(before, after));
  return holds ? (after as unknown as All) : null;
}

type Versioned<Row> = Row & { readonly version?: string };

/** A row with its version, as Postgres has it: each write makes another. Of no row, none. */
export const versioned = <Row extends object>(row: Row | null, version: number): readonly Versioned<Row>[] =>
  row === null ? [] : [{ ...row, version: String(version) }];

/** The row that a commit changed or inserted last, without its version; null: there is none. */
export function newestOf<Row extends object>(rows: readonly Versioned<Row>[]): Row | null {
  const { version: _, ...row } = rows.at(-1) ?? {};
  return rows.length === 0 ? null : (row as Row);
}

/** Of so many rows before the commit; it adds the others at the end. */
export const newestFirst = <Row>(rows: readonly Row[], before: number): readonly Row[] => [
  ...rows.slice(before),
  ...rows.slice(0, before),
];

/** The change that a commit makes to its row of this table; null: it writes none. `loaded` null: the row is new. */
export function changeOf<Row extends object>({ writes }: Commit, { name }: Table<Row>): Change<Row> | null {
  const write = writes.find(({ table }) => table === name);
  if (write === undefined) return null;
  if (write.kind === 'insert') return { loaded: null, after: write.row as Row };
  return { loaded: write.loaded as Row, after: { ...write.loaded, ...write.set } as Row };
}
export type Change<Row> = { readonly loaded: Row | null; readonly after: Row };

/** The names of the facts that a commit asks for. */
export const factNames = (commit: Commit): readonly string[] => factsOf(commit).map(({ fact }) => fact);

type Fact = { readonly fact: string; readonly holds: (before: Tables, after: Tables) => boolean };

const factsOf = ({ writes, requires }: Commit): readonly Fact[] => [
  ...writes.flatMap(factsOfWrite),
  ...requires.map((requirement) => ({ fact: requirement.that, holds: (tables: Tables) => isMet(requirement, tables) })),
];

function factsOfWrite(write: Write): readonly Fact[] {
  const { table } = write;
  const unlike = write.unlike.map(
    (values): Fact => ({
      fact: `no other row of ${table} has the same ${Object.keys(values).join(' and ')}`,
      holds: (_, after) => rows(after, table).filter((row) => has(row, values)).length <= 1,
    }),
  );
  if (write.kind === 'insert') return unlike;
  const { loaded, key, expect } = write;
  const expected = expect.map(
    (column): Fact => ({
      fact: `${column} in ${table} is as loaded`,
      holds: (tables) => rows(tables, table).some((row) => has(row, only(loaded, [...key, column]))),
    }),
  );
  return [...expected, ...unlike];
}

function isMet({ rows: selections, are }: Requirement, tables: Tables): boolean {
  const found = selections.flatMap((selection) => selected(tables, selection)).length;
  if (typeof are === 'object') return found < are.fewerThan;
  return are === 'some' ? found > 0 : found === 0;
}

const selected = (tables: Tables, { table, where, not = {}, later = {} }: Selection): readonly object[] =>
  rows(tables, table).filter(
    (row) =>
      has(row, where) &&
      !Object.entries(not).some(([column, value]) => isSame(cell(row, column), value)) &&
      Object.entries(later).every(([column, instant]) => (cell(row, column) as Date) > instant),
  );

function written(tables: Tables, write: Write): Tables {
  const before = rows(tables, write.table);
  return { ...tables, [write.table]: write.kind === 'insert' ? [...before, write.row] : changed(before, write) };
}

const changed = (before: readonly object[], { loaded, key, set }: Update): readonly object[] =>
  before.map((row) => (has(row, only(loaded, key)) ? { ...row, ...set } : row));

function rows(tables: Tables, name: string): readonly object[] {
  const found = tables[name];
  if (found === undefined) throw new Error(`The walk has no table ${name}.`);
  return found;
}

const cell = (row: object, column: string): unknown => (row as Columns)[column];
const has = (row: object, values: Columns): boolean =>
  Object.entries(values).every(([column, value]) => isSame(cell(row, column), value));

/** As Postgres compares values; null is null. */
function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other;
}
