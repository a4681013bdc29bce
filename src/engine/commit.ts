/**
 * A commit as a value: its writes, and the conditions for them. All of it takes place, or nothing.
 *
 * src/storage/commit.ts renders it as one guarded statement, after a lock where it has `inTurn`.
 * src/review/proof/carry-out.ts carries out the same value in memory.
 */
import type { LedgerEntry } from '../model/ledger.ts';

/** The name of a table, with the type of its rows. Columns have the names of the row's properties. */
export type Table<Row extends object = object> = { readonly name: string; readonly rows?: readonly Row[] };

export const tableOf = <Row extends object>(name: string): Table<Row> => ({ name });

/** Values of columns, by name. */
export type Columns = Readonly<Record<string, unknown>>;

export type Update = {
  readonly kind: 'update';
  readonly table: string;
  /** The row as it was loaded. */
  readonly loaded: Columns;
  /** The columns that name the row. */
  readonly key: readonly string[];
  /** Columns that are still as loaded. Otherwise the store commits nothing. `version`: the row as a whole. */
  readonly expect: readonly string[];
  readonly set: Columns;
  /** As of an insert. */
  readonly unlike: readonly Columns[];
};

export type Insert = {
  readonly kind: 'insert';
  readonly table: string;
  readonly row: Columns;
  /** Afterwards no other row has all values of one of these. Unique indexes enforce it. */
  readonly unlike: readonly Columns[];
};

export type Write = Update | Insert;

/** The rows that have all these values. */
export type Selection = {
  readonly table: string;
  readonly where: Columns;
  /** Excludes rows that have one of these values. */
  readonly not?: Columns;
  /** Excludes rows whose instants are not later than these. */
  readonly later?: Readonly<Record<string, Date>>;
};

/** A condition on rows that the commit does not write. */
export type Requirement = {
  /** The fact, in a few words, for the output of the model check. */
  readonly that: string;
  /** Rows of one of these selections. */
  readonly rows: readonly Selection[];
  readonly are: 'some' | 'none' | { readonly fewerThan: number };
  /** Locks the rows until the commit is done. */
  readonly locked?: true;
};

export type Commit = {
  readonly now: Date;
  /**
   * The store carries out commits with the same row here one after the other; `every`: all such commits to the table. Commits that require rows to be missing
   * need this lock, taken before: otherwise a row that a statement finds missing may exist when it commits (Postgres 18
   * §13.2.1).
   */
  readonly inTurn?: { readonly table: string; readonly key: Columns | 'every' };
  readonly requires: readonly Requirement[];
  /** Each writes another row, in this order. If one of them writes no row, the store writes nothing. */
  readonly writes: readonly [Write, ...Write[]];
  /** The `sub` of an end-user: storage removes all other rows about them, as the tables say. */
  readonly erases?: string;
  /** In the order of the decisions. */
  readonly entries: readonly LedgerEntry[];
};

/** Resolves to false when a fact that the commit depends on no longer held. Then nothing changed. */
export type CommitStore = (commit: Commit) => Promise<boolean>;

type NamedBy<Row> = {
  /** The column that names the row. Absent: `id`. */
  readonly key?: keyof Row & string;
  readonly unlike?: readonly Partial<NoInfer<Row>>[];
};

/** The columns that `after` changes, while the columns in `expect` are as loaded. */
export const update = <Row extends object>(
  { name }: Table<Row>,
  before: NoInfer<Row>,
  after: NoInfer<Row>,
  expect: readonly (keyof Row & string)[],
  { key, unlike = [] }: NamedBy<Row> = {},
): Update => ({
  kind: 'update',
  table: name,
  loaded: before as Columns,
  key: [key ?? 'id'],
  expect,
  set: Object.fromEntries(
    Object.entries(after).filter(([column, value]) => !Object.is(value, before[column as keyof Row])),
  ),
  unlike: unlike as readonly Columns[],
});

/** Every column, also one that another process may have written since the load without authority. */
export const replacement = <Row extends object>(
  { name }: Table<Row>,
  before: NoInfer<Row>,
  after: NoInfer<Row>,
  key: keyof Row & string,
  expect: readonly (keyof Row & string)[],
): Update => {
  const kept: readonly string[] = [key, ...expect];
  const set = Object.fromEntries(Object.entries(after).filter(([column]) => !kept.includes(column)));
  return { kind: 'update', table: name, loaded: before as Columns, key: [key], expect, set, unlike: [] };
};

/** These columns of a row. */
export const only = (row: Columns, columns: readonly string[]): Columns =>
  Object.fromEntries(columns.map((column) => [column, row[column]]));

export const insert = <Row extends object>(
  { name }: Table<Row>,
  row: NoInfer<Row>,
  unlike: readonly Partial<NoInfer<Row>>[],
): Insert => ({ kind: 'insert', table: name, row: row as Columns, unlike: unlike as readonly Columns[] });

export const rowsOf = <Row extends object>(
  { name }: Table<Row>,
  where: Partial<NoInfer<Row>>,
  rest: { readonly not?: Partial<NoInfer<Row>>; readonly later?: Readonly<Record<string, Date>> } = {},
): Selection => ({
  table: name,
  where: where as Columns,
  ...(rest.not && { not: rest.not as Columns }),
  ...(rest.later && { later: rest.later }),
});
