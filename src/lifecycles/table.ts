/**
 * The facts of a table, for every module: the changes of its columns, the rights of the server's role, the removal of rows, and the
 * personal rows. They stand beside the columns, and `tables.ts` lists all tables of lifecycles.
 */
import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn, PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { RowFact, RowKind } from '../crypto/row-mac.ts';
import type { MadeUnderRoot } from './root-keys.ts';
import type { MakesRule, Role } from './rules.ts';
import type { WebhookEvents } from './webhook-events.ts';

export type Right = 'select' | 'insert' | 'update' | 'delete';
/** For rows that stay. */
export const KEPT: readonly Right[] = ['select', 'insert', 'update'];
/** For rows that housekeeping removes. */
export const PASSING: readonly Right[] = [...KEPT, 'delete'];

export type Removal = {
  /** True of rows that may go. */
  readonly ended: SQL;
  /** The instant at which the row ended; some rows are kept for a while after that. Null: no column has it. */
  readonly over: PgColumn | null;
  /** The row stays while a row of one of these tables has the value of `column` as its `client_id`. Absent: none keeps it. */
  readonly keptBy?: { readonly column: PgColumn; readonly tables: readonly string[] };
};

/** The part of an end-user's rows that a download shows, and the change of the rows when the account is erased. */
export type Personal = {
  /** In the download. */
  readonly name: string;
  /** The `sub`. */
  readonly owner: AnyPgColumn;
  /** Without hashes and sealed values, which the end-user cannot read. The newest rows by `since`. */
  readonly shown: readonly AnyPgColumn[];
  /** Values that the row does not have by itself, by the name of a column in `shown`. */
  readonly shownAs?: Readonly<Record<string, SQL>>;
  readonly since: AnyPgColumn;
  /** `removed`: with the account, in the same statement. `kept`: the row names no person, and goes by itself. */
  readonly erasure: 'removed' | 'kept';
  /** Further rows that go with the account, which name the person without the `sub`. @param ids a query of one column: the `sub`. */
  readonly alsoRemoved?: (ids: SQL) => SQL;
};

/** A row may be deleted while an earlier image of it would still count: then none begins again under its name. */
export type BeginsOnce = {
  /** SQL over `row`, which is NEW or OLD: the name that the image is bound to. */
  readonly name: (row: string) => string;
  /** SQL over OLD: until when an image counts. `NULL`: for ever. */
  readonly until: string;
};

/**
 * The facts that give a row its authority, for its MAC (src/crypto/row-mac.ts). A column that may change without a decision about
 * authority, such as the instant of the last use, is no part of it. The version comes last: a MAC is valid for one version of a row alone.
 */
export type Facts = readonly [RowKind, readonly RowFact[]];
/** A whole row, as its lifecycle reads it: without its MAC, which storage makes and checks. */
export type StoredRow<Table extends { readonly $inferSelect: object }> = {
  readonly [Name in Exclude<keyof Table['$inferSelect'], 'mac' | 'macVersion'>]: AsBytes<Table['$inferSelect'][Name]>;
};
/** The driver gives a Buffer, of which a lifecycle uses the bytes alone. */
type AsBytes<Value> = Value extends Buffer ? Uint8Array : Value;
/**
 * The facts of each row of a table: these columns in this order, and the version. Stored MACs are made of them, so neither the order nor the
 * form of a value changes.
 */
export const macFacts =
  <Table extends Versioned, const Name extends keyof StoredRow<Table>>(
    kind: RowKind,
    _: Table,
    columns: readonly Name[],
  ) =>
  (row: Pick<StoredRow<Table>, Name> & Pick<Table['$inferSelect'], 'macVersion'>): Facts => [
    kind,
    [...columns.map((column) => factOf(row[column])), row.macVersion],
  ];
type Versioned = { readonly $inferSelect: { readonly macVersion: bigint } };

/** Instants and numbers are facts as texts. */
const factOf = (value: unknown): RowFact => {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'number' ? String(value) : (value as RowFact);
};

/** Some columns of a row. */
export type Row<Table extends { readonly $inferSelect: object }, Name extends keyof Table['$inferSelect']> = Readonly<
  Pick<Table['$inferSelect'], Name>
>;
export type Bytes<Name extends string> = { readonly [name in Name]: Uint8Array };

/** Values of columns, by property. */
export type Columns = Readonly<Record<string, unknown>>;

/** A row that authenticates itself. */
export type Authenticated = {
  readonly facts: (row: never) => Facts;
  /** Under a second MAC. */
  readonly tokenFacts?: (row: never) => Facts;
  /** True of rows that still give authority. */
  readonly alive: SQL;
  /** A commit that changes a row changes its authority, so its MAC too. */
  readonly changesWithCommit?: true;
};

export type TableFacts = {
  /**
   * The column by which a distributed Postgres would spread the rows. Each primary key, unique index and foreign key has it (docs/decisions/0070).
   * `everywhere`: each node has all rows of a small table. `each node`: each has rows of its own, about the rows that it has.
   */
  readonly spreadBy: AnyPgColumn | 'everywhere' | 'each node';
  /** The rights of the server's role. */
  readonly rights: readonly Right[];
  readonly removal?: (now: SQL) => readonly Removal[];
  readonly personal?: Personal;
};

/** A table whose rows change as a machine, or another rule, says: triggers hold it (src/review/sql). */
export type HeldFacts<Table extends { readonly $inferSelect: object }> = TableFacts & {
  /** The id of the machine that moves its rows; null: none does. */
  readonly machine: string | null;
  /** Names a row in a refusal; never a secret. */
  readonly key: AnyPgColumn;
  /** The state in which a session may rely on a row: a factor, or the trust that stands in for one. Absent: in none. */
  readonly provesSignInWhile?: string | undefined;
  readonly changes: { readonly [Column in keyof Table['$inferSelect']]?: Role };
  /** The rules that Postgres enforces for its rows. */
  readonly rules: readonly MakesRule[];
  readonly beginsOnce?: BeginsOnce;
  /** Absent: its rows have no MAC. */
  readonly mac?: Authenticated;
  /** The columns of a row that a commit inserts. Absent: they have the names of its properties. */
  readonly columnsOf?: (row: never) => Columns;
  /** Absent: no key of the root secret made a value of a row, but for the MAC. */
  readonly madeUnderRoot?: readonly MadeUnderRoot[];
  /** The decisions of its machine that webhooks deliver to other systems. */
  readonly webhookEvents?: WebhookEvents;
  /** How rows are counted by state: from the table, by its column `state`, the newest first where `newest` names a column. */
  readonly counted?: { readonly state?: SQL; readonly from?: SQL; readonly newest?: AnyPgColumn };
};

export type DescribedTable = TableFacts & { readonly table: PgTable };
export type HeldTable = DescribedTable & HeldFacts<PgTable>;

/**
 * A table with its facts. The type keeps its machine, the state in which a row is a factor that a session may rely on, and the purposes of root keys.
 */
export const described = <
  Table extends PgTable,
  const Machine extends string | null,
  const Proof extends string | undefined = undefined,
  const Made extends readonly MadeUnderRoot[] = readonly [],
>(
  table: Table,
  facts: HeldFacts<Table> & {
    readonly machine: Machine;
    readonly provesSignInWhile?: Proof;
    readonly madeUnderRoot?: Made;
  },
) => ({ table, ...facts });
