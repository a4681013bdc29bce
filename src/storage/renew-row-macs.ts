/**
 * MACs of existing rows. After a rotation of the root secret a node renews those of its predecessor, so that the operator can drop the
 * old secret. Rows without a right MAC get one only when an operator vouches for them (decision 0043).
 */
import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { Authenticated, Facts, HeldTable } from '../lifecycles/table.ts';
import { HELD_TABLES } from '../lifecycles/tables.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { rowVersion } from './row-version.ts';

type Row = {
  readonly key: string;
  readonly version: string;
  readonly mac: Buffer | null;
  readonly isRight: boolean;
  /** The next values, by the names of columns. */
  readonly next: { readonly mac_version: string; readonly mac: string; readonly token_mac?: string };
};
type AuthenticatedTable = {
  readonly table: PgTable;
  /** The key of a row, as text that sorts. */
  readonly key: SQL<string>;
  /** Of those that still give authority. */
  readonly alive: SQL;
  /** Each node of a cluster has its rows. */
  readonly isEverywhere: boolean;
  /** More MACs than one. */
  readonly hasTokenMac: boolean;
  readonly read: (db: Drizzle, macs: RowMacs, where: SQL, key: SQL<string>) => Promise<readonly Row[]>;
};

const ROWS_AT_ONCE = 1000;

export const authenticatedTables: readonly AuthenticatedTable[] = HELD_TABLES.flatMap((held: HeldTable) =>
  held.mac === undefined ? [] : [authenticated(held, held.mac)],
);

function authenticated(
  { table, key: column, spreadBy }: HeldTable,
  { facts, tokenFacts, alive }: Authenticated,
): AuthenticatedTable {
  type Read = { readonly mac: Buffer | null; readonly tokenMac?: Buffer | null; readonly macVersion: bigint };
  const key = sql<string>`${column}::text`;
  return {
    table,
    key,
    alive,
    isEverywhere: spreadBy === 'everywhere',
    hasTokenMac: tokenFacts !== undefined,
    read: async (db, macs, where) => {
      const rows = await reading(() =>
        db
          .select({ key, version: rowVersion(table), row: table as PgTable })
          .from(table as PgTable)
          .where(where)
          .orderBy(key)
          .limit(ROWS_AT_ONCE),
      );
      return (rows as unknown as { key: string; version: string; row: Read }[]).map(({ row, ...rest }) => {
        const next = { ...row, macVersion: row.macVersion + 1n } as never;
        const isRight = (of: (row: never) => Facts, mac: Buffer | null) => macs.isRight(...of(row as never), mac);
        return {
          ...rest,
          mac: row.mac,
          isRight: isRight(facts, row.mac) && (!tokenFacts || isRight(tokenFacts, row.tokenMac ?? null)),
          next: {
            mac_version: String(row.macVersion + 1n),
            mac: macs.macOf(...facts(next)).toString('hex'),
            ...(tokenFacts && { token_mac: macs.macOf(...tokenFacts(next)).toString('hex') }),
          },
        };
      });
    },
  };
}

/** How many rows of each table got a MAC. */
export type Renewed = Readonly<Record<string, number>>;

/** After a rotation of the root secret: only the MACs that an older entry of the list made. */
export const renewRowMacs = (db: Drizzle, macs: RowMacs): Promise<Renewed> =>
  throughAll(db, macs, ({ isRight, mac }) => mac !== null && !macs.isOfNewest(mac) && isRight);

/** For rows that an operator vouches for: each that has no MAC, or a wrong one. */
export const authenticateRows = (db: Drizzle, macs: RowMacs): Promise<Renewed> =>
  throughAll(db, macs, ({ isRight }) => !isRight);

/** How many rows of each table are ignored: their MAC is from no root secret that is listed. Changes nothing. */
export const countIgnoredRows = (db: Drizzle, macs: RowMacs): Promise<Renewed> =>
  throughAll(db, macs, ({ isRight }) => !isRight, false);

async function throughAll(db: Drizzle, macs: RowMacs, isDue: (row: Row) => boolean, writes = true): Promise<Renewed> {
  const renewed: Record<string, number> = {};
  for (const authenticated of authenticatedTables) {
    const { name } = getTableConfig(authenticated.table);
    renewed[name] = await throughOne(db, macs, authenticated, isDue, writes);
  }
  return renewed;
}

async function throughOne(
  db: Drizzle,
  macs: RowMacs,
  { table, key, alive, hasTokenMac, isEverywhere, read }: AuthenticatedTable,
  isDue: (row: Row) => boolean,
  writes: boolean,
): Promise<number> {
  let count = 0;
  for (let last = ''; ; ) {
    const rows = await read(db, macs, sql`${key} > ${last} and ${alive}`, key);
    const due = rows.filter(isDue).map(({ key, version, next }) => ({ key, version, ...next }));
    count += due.length;
    if (due.length > 0 && writes) {
      const update = sql`update ${table} set mac = decode(due.mac, 'hex'), mac_version = due.mac_version
        ${hasTokenMac ? sql`, token_mac = decode(due.token_mac, 'hex')` : sql``}`;
      const rowsDue = sql`jsonb_to_recordset(${JSON.stringify(due)}::text::jsonb)
        as due(key text, version text, mac_version bigint, mac text, token_mac text)`;
      // A row that was changed since got its MAC with the change.
      await writing(() =>
        db.execute(
          isEverywhere
            ? // Each node of a cluster that has the row has another version of it: read and locked first.
              sql`with as_read as (select ${key} as key, ${rowVersion(table)} as version from ${table}
                where ${key} = any(${sql.param(due.map((row) => row.key))}::text[]) order by 1 for no key update)
              ${update} from as_read join ${rowsDue} on due.key = as_read.key and due.version = as_read.version
                where ${key} = as_read.key`
            : // A cluster locks no rows of several nodes.
              sql`${update} from ${rowsDue} where ${key} = due.key and ${rowVersion(table)} = due.version`,
        ),
      );
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < ROWS_AT_ONCE) return count;
    last = end.key;
  }
}
