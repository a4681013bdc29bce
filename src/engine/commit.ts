/**
 * A commit as a value: what is written, and what must hold for it. All of it takes place, or nothing.
 *
 * src/storage/commit.ts renders it as one guarded statement, after a lock where it has `inTurn`. src/review/proof/carry-out.ts carries
 * out the same value in memory.
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
  /** Columns that are still as they were loaded; otherwise nothing is committed. `version`: the row as a whole. */
  readonly expect: readonly string[];
  readonly set: Columns;
};

export type Insert = {
  readonly kind: 'insert';
  readonly table: string;
  readonly row: Columns;
  /** No other row has all values of one of these afterwards. Unique indexes hold it. */
  readonly unlike: readonly Columns[];
};

export type Write = Update | Insert;

/** Rows that have all these values. */
export type Selection = {
  readonly table: string;
  readonly where: Columns;
  /** Rows that have one of these values are left out. */
  readonly not?: Columns;
  /** Rows whose instants are not later than these are left out. */
  readonly later?: Readonly<Record<string, Date>>;
};

/** What must hold of rows that the commit does not write. */
export type Requirement = {
  /** The fact, in a few words: for what the proof prints. */
  readonly that: string;
  /** Rows of one of these selections. */
  readonly rows: readonly Selection[];
  readonly are: 'some' | 'none' | { readonly fewerThan: number };
  /** The rows stay as they are until the commit is done. */
  readonly locked?: true;
};

export type Commit = {
  readonly now: Date;
  /**
   * Commits with the same row here are carried out one after the other. For commits that require rows to be missing: what a statement
   * finds missing is not there when it commits only if this row is locked before (Postgres 18 §13.2.1).
   */
  readonly inTurn?: { readonly table: string; readonly key: Columns };
  readonly requires: readonly Requirement[];
  /** Each of another row, in this order. Where one writes no row, nothing is written. */
  readonly writes: readonly [Write, ...Write[]];
  /** In the order of the decisions. */
  readonly entries: readonly LedgerEntry[];
};

/** False: a fact that the commit depends on no longer held, and nothing changed. */
export type CommitStore = (commit: Commit) => Promise<boolean>;

/** The columns that `after` changes, while the columns `expect` are as they were loaded. */
export const update = <Row extends { readonly id: string }>(
  { name }: Table<Row>,
  before: NoInfer<Row>,
  after: NoInfer<Row>,
  expect: readonly (keyof Row & string)[],
): Update => ({
  kind: 'update',
  table: name,
  loaded: before,
  key: ['id'],
  expect,
  set: Object.fromEntries(
    Object.entries(after).filter(([column, value]) => !Object.is(value, before[column as keyof Row])),
  ),
});

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
