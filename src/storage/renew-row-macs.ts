/**
 * MACs of rows that are there already. A rotated root secret makes those of its predecessor anew, so that the old one may be dropped. And
 * the rows of a version without MACs get theirs, once, when the column comes, or when an operator vouches for them.
 */
import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import {
  emailChallengeFacts,
  externalSignInFacts,
  type Facts,
  goesOnOf,
  linkedIdentityFacts,
  passkeyFacts,
  sessionFacts,
  signingKeyFacts,
  userFacts,
} from './row-facts.ts';
import { rowVersion } from './row-version.ts';
import {
  emailChallenges,
  externalSignIns,
  linkedIdentities,
  passkeys,
  sessions,
  signingKeys,
  users,
} from './schema.ts';

type Row = { readonly key: string; readonly version: string; readonly facts: Facts; readonly mac: Buffer | null };
type Authenticated = {
  readonly table: PgTable;
  /** The primary key, as text that sorts. */
  readonly key: SQL<string>;
  /** Of those that still give authority. */
  readonly alive: SQL;
  readonly read: (db: Drizzle, where: SQL, key: SQL<string>) => Promise<readonly Row[]>;
};

const ROWS_AT_ONCE = 1000;

const TABLES: readonly Authenticated[] = [
  of(users, sql`${users.id}::text`, sql`${users.deletedAt} is null`, userFacts),
  of(sessions, sql`encode(${sessions.idHash}, 'hex')`, sql`${sessions.state} <> 'ended'`, sessionFacts),
  of(signingKeys, sql`${signingKeys.kid}`, sql`${signingKeys.state} <> 'retired'`, signingKeyFacts),
  of(passkeys, sql`${passkeys.id}::text`, sql`${passkeys.state} = 'active'`, passkeyFacts),
  of(
    linkedIdentities,
    sql`${linkedIdentities.id}::text`,
    sql`${linkedIdentities.state} = 'active'`,
    linkedIdentityFacts,
  ),
  of(
    externalSignIns,
    sql`${externalSignIns.id}::text`,
    sql`${externalSignIns.state} in ('awaiting', 'answered')`,
    externalSignInFacts,
  ),
  of(
    emailChallenges,
    sql`${emailChallenges.id}::text`,
    sql`${emailChallenges.state} = 'active'`,
    (row: typeof emailChallenges.$inferSelect) => emailChallengeFacts({ ...row, goesOn: goesOnOf(row) }),
  ),
];

function of<Table extends PgTable & { readonly mac: unknown }>(
  table: Table,
  key: SQL<string>,
  alive: SQL,
  facts: (row: never) => Facts,
): Authenticated {
  return {
    table,
    key,
    alive,
    read: async (db, where) => {
      const rows = await reading(() =>
        db
          .select({ key, version: rowVersion(table), row: table as PgTable })
          .from(table as PgTable)
          .where(where)
          .orderBy(key)
          .limit(ROWS_AT_ONCE),
      );
      return (rows as unknown as { key: string; version: string; row: { mac: Buffer | null } }[]).map(
        ({ row, ...rest }) => ({ ...rest, mac: row.mac, facts: facts(row as never) }),
      );
    },
  };
}

/** How many rows of each table got a MAC. */
export type Renewed = Readonly<Record<string, number>>;

/** After a rotation of the root secret: what an older entry of the list made, and only that. */
export const renewRowMacs = (db: Drizzle, macs: RowMacs): Promise<Renewed> =>
  throughAll(db, macs, ({ facts, mac }) => mac !== null && !macs.isOfNewest(mac) && macs.isRight(...facts, mac));

/** For rows that somebody vouches for: each that has no MAC, or a wrong one. */
export const authenticateRows = (db: Drizzle, macs: RowMacs): Promise<Renewed> =>
  throughAll(db, macs, ({ facts, mac }) => !macs.isRight(...facts, mac));

/** How many rows of each table are ignored: their MAC is from no root secret that is listed. Changes nothing. */
export const countIgnoredRows = (db: Drizzle, macs: RowMacs): Promise<Renewed> =>
  throughAll(db, macs, ({ facts, mac }) => !macs.isRight(...facts, mac), false);

async function throughAll(db: Drizzle, macs: RowMacs, isDue: (row: Row) => boolean, writes = true): Promise<Renewed> {
  const renewed: Record<string, number> = {};
  for (const authenticated of TABLES) {
    const { name } = getTableConfig(authenticated.table);
    renewed[name] = await throughOne(db, macs, authenticated, isDue, writes);
  }
  return renewed;
}

async function throughOne(
  db: Drizzle,
  macs: RowMacs,
  { table, key, alive, read }: Authenticated,
  isDue: (row: Row) => boolean,
  writes: boolean,
): Promise<number> {
  let count = 0;
  for (let last = ''; ; ) {
    const rows = await read(db, sql`${key} > ${last} and ${alive}`, key);
    const due = rows.filter(isDue).map(({ key, version, facts }) => ({
      key,
      version,
      mac: macs.macOf(...facts).toString('hex'),
    }));
    count += due.length;
    if (due.length > 0 && writes) {
      // A row that was changed meanwhile got its MAC with the change.
      await writing(() =>
        db.execute(sql`update ${table} set mac = decode(due.mac, 'hex')
          from jsonb_to_recordset(${JSON.stringify(due)}::text::jsonb) as due(key text, version text, mac text)
          where ${key} = due.key and ${rowVersion(table)} = due.version`),
      );
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < ROWS_AT_ONCE) return count;
    last = end.key;
  }
}

/** Whether a migration has made the columns. */
export async function hasRowMacs(db: Drizzle): Promise<boolean> {
  const rows = await reading(() =>
    db.execute(
      sql`select 1 as found from pg_attribute where attrelid = to_regclass('public.users') and attname = 'mac' and not attisdropped`,
    ),
  );
  return Array.from(rows as unknown as Iterable<unknown>).length > 0;
}
