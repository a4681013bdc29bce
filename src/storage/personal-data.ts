/**
 * The rows about an end-user, as the tables describe them, for the download and for the erasure. A table with a column of an end-user
 * that does not describe it fails a test (test/unit/storage/personal-data.test.ts).
 */
import { desc, eq, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Personal } from '../lifecycles/table.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { aboutUser, ownedBy } from './ledger-filter.ts';
import { transitions, users } from './schema.ts';
import { TABLES } from './tables.ts';

/** The tables with rows of end-users. */
export const PERSONAL_TABLES: readonly (Personal & { readonly table: PgTable })[] = TABLES.flatMap(
  ({ table, personal }) => (personal ? [{ table, ...personal }] : []),
);

/** The rows that go with the account, by the name of their table. @param ids a query of one column: the `sub`. */
export const rowsErasedWith = (ids: SQL): readonly { readonly name: string; readonly rows: SQL }[] =>
  PERSONAL_TABLES.filter(({ erasure }) => erasure === 'removed').map(({ name, table, owner, alsoRemoved }) => ({
    name,
    rows: sql`${table} where ${or(sql`${owner} in (${ids})`, alsoRemoved?.(ids))}`,
  }));

/** Of each table, the newest. */
export const MAX_ROWS_SHOWN = 10_000;

type Row = Readonly<Record<string, unknown>>;

export type PersonalData = {
  readonly account: Row;
  /** By the name of the table; `more`: there are older rows. */
  readonly tables: Readonly<Record<string, { readonly rows: readonly Row[]; readonly more: boolean }>>;
};

/** @returns null: the end-user is not found. @throws StoreUnavailable */
export async function personalDataOf(db: Drizzle, userId: string): Promise<PersonalData | null> {
  const { username, claims, createdAt, disabledAt } = users;
  const sub = sql<string>`coalesce(${users.sub}, ${users.id}::text)`;
  const hasPassword = sql<boolean>`${users.passwordHash} <> ''`;
  const [account] = await reading(() =>
    db.select({ sub, username, claims, hasPassword, createdAt, disabledAt }).from(users).where(eq(users.id, userId)),
  );
  if (!account) return null;
  const { hasPassword: has, createdAt: since, disabledAt: disabled, ...rest } = account;
  const tables: Record<string, { rows: readonly Row[]; more: boolean }> = {};
  for (const { name, table, owner, shown, shownAs, since: newest } of PERSONAL_TABLES) {
    tables[name] = await newestRows(db, { table, where: eq(owner, userId), shown, shownAs, newest });
  }
  tables['ledger'] = await newestRows(db, {
    table: transitions,
    where: aboutUser(userId, await ownedBy(db, userId)),
    shown: LEDGER_SHOWN,
    newest: transitions.at,
  });
  return {
    account: { ...rest, has_password: has, created_at: since, disabled_at: disabled },
    tables,
  };
}

const LEDGER_SHOWN = [
  transitions.at,
  transitions.machine,
  transitions.event,
  transitions.fromState,
  transitions.toState,
  transitions.reason,
  transitions.clientId,
  transitions.grantId,
  transitions.sessionId,
  transitions.actor,
  transitions.fields,
  // Kept when the account is erased, until the retention of the ledger ends: it shows attempts to sign in, and their origin.
  transitions.address,
  transitions.userAgent,
];

async function newestRows(
  db: Drizzle,
  {
    table,
    where,
    shown,
    shownAs = {},
    newest,
  }: {
    readonly table: PgTable;
    readonly where: SQL | undefined;
    readonly shown: readonly AnyPgColumn[];
    readonly shownAs?: Personal['shownAs'];
    readonly newest: AnyPgColumn;
  },
) {
  const columns = { ...Object.fromEntries(shown.map((column) => [column.name, column])), ...shownAs };
  const rows: Row[] = await reading(() =>
    db
      .select(columns)
      .from(table)
      .where(where)
      .orderBy(desc(newest))
      .limit(MAX_ROWS_SHOWN + 1),
  );
  return { rows: rows.slice(0, MAX_ROWS_SHOWN), more: rows.length > MAX_ROWS_SHOWN };
}
