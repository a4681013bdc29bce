/**
 * Verified addresses as identifiers. `server.addresses_identify` says so to the commits of every node, which keep each address the
 * `sign_in_address` of at most one end-user. This file follows a change of the policy, and changes no account.
 */

import { and, asc, eq, isNotNull, isNull, not, or, type SQL, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import { verifiedAddressKey } from '../model/user.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { rowVersion } from './row-version.ts';
import { server, users } from './schema.ts';
import { authenticColumns, isAuthenticUser, userColumns } from './users.ts';

const ROWS_READ = 10_000;
/** Each row holds locks until its statement ends, and Postgres has some thousands of them. */
const ROWS_WRITTEN = 250;

/** @returns whether it was otherwise before. */
export async function setAddressesIdentify(db: Drizzle, identify: boolean): Promise<boolean> {
  const changed = await writing(() =>
    db
      .update(server)
      .set({ addressesIdentify: identify })
      .where(not(eq(server.addressesIdentify, identify)))
      .returning({ id: server.id }),
  );
  return changed.length > 0;
}

const isVerified = sql`${users.claims} -> 'email_verified' = 'true'::jsonb`;
/** Close to `verifiedAddressKey`, which decides. */
const key = sql<string>`lower(normalize(${users.claims} ->> 'email', NFKC))`;
const isVerifiedAlone = and(isNull(users.deletedAt), isNull(users.signInAddress), isVerified);

/**
 * Takes the address from accounts that have another one. Then gives each free verified address to the oldest account that has it. The
 * username of another account is not free. Repeating it changes nothing.
 */
export async function giveSignInAddresses(db: Drizzle, macs: RowMacs, signal: AbortSignal): Promise<void> {
  const isOutdated = and(isNotNull(users.signInAddress), or(not(isVerified), sql`${key} <> ${users.signInAddress}`));
  await each(db, isOutdated, signal, async (rows) => {
    const due = rows.filter((row) => verifiedAddressKey(row) !== row.signInAddress);
    await write(db, due, () => null);
  });
  await each(db, isVerifiedAlone, signal, async (rows) => {
    const due = rows.filter((row) => isAuthenticUser(row, macs));
    const first = new Map(due.toReversed().map((row) => [verifiedAddressKey(row), row]));
    await write(
      db,
      due.filter((row) => first.get(verifiedAddressKey(row)) === row),
      verifiedAddressKey,
    );
  });
}

const rowsWhere = (db: Drizzle, which: SQL | undefined) =>
  db
    .select({
      ...userColumns,
      ...authenticColumns,
      signInAddress: users.signInAddress,
      version: rowVersion(users),
      at: sql<string>`${users.createdAt}::text`,
    })
    .from(users)
    .where(which)
    .orderBy(asc(users.createdAt), asc(users.id))
    .limit(ROWS_READ);
type FoundRow = Awaited<ReturnType<typeof rowsWhere>>[number];

/** The oldest first. @param work of some of the rows */
async function each(
  db: Drizzle,
  which: SQL | undefined,
  signal: AbortSignal,
  work: (rows: readonly FoundRow[]) => Promise<void>,
): Promise<void> {
  let after: SQL | undefined;
  for (;;) {
    const rows = await reading(() => rowsWhere(db, and(which, after)));
    for (let at = 0; at < rows.length && !signal.aborted; at += ROWS_WRITTEN)
      await work(rows.slice(at, at + ROWS_WRITTEN));
    const end = rows.at(-1);
    if (end === undefined || rows.length < ROWS_READ || signal.aborted) return;
    after = sql`(${users.createdAt}, ${users.id}) > (${end.at}::timestamptz, ${end.id}::uuid)`;
  }
}

/** A row that was changed since has its address from that change. */
async function write(
  db: Drizzle,
  rows: readonly FoundRow[],
  addressOf: (row: FoundRow) => string | null,
): Promise<void> {
  if (rows.length === 0) return;
  const due = rows.map((row) => ({ id: row.id, version: row.version, address: addressOf(row) }));
  await writing(() =>
    // Read and locked first: each node of a cluster has another version of the row.
    db.execute(sql`with as_read as (
        select ${users.id}, ${rowVersion(users)} as version from ${users}
        where ${users.id} = any(${sql.param(due.map(({ id }) => id))}::uuid[]) order by 1 for no key update
      )
      update ${users} set sign_in_address = due.address
      from as_read join jsonb_to_recordset(${JSON.stringify(due)}::text::jsonb) as due(id uuid, version text, address text)
        on due.id = as_read.id and due.version = as_read.version
      where ${users.id} = as_read.id and not exists (
        select 1 from ${users} other
        where other.id <> due.id and (other.sign_in_address = due.address or other.username_key = due.address))`),
  );
}

/** Where addresses identify no end-user. */
export async function takeSignInAddresses(db: Drizzle, signal: AbortSignal): Promise<void> {
  const some = db
    .select({ id: users.id })
    .from(users)
    .where(isNotNull(users.signInAddress))
    .orderBy(asc(users.id))
    .limit(ROWS_READ);
  for (;;) {
    const taken = await writing(() =>
      db.update(users).set({ signInAddress: null }).where(sql`${users.id} in ${some}`).returning({ id: users.id }),
    );
    if (taken.length < ROWS_READ || signal.aborted) return;
  }
}

/** The end-users with a verified address that does not identify them, the oldest first. */
export async function findUnidentifiedByAddress(db: Drizzle, limit: number): Promise<readonly string[]> {
  const found = await reading(() =>
    db
      .select({ id: users.id })
      .from(users)
      .where(isVerifiedAlone)
      .orderBy(asc(users.createdAt), asc(users.id))
      .limit(limit),
  );
  return found.map(({ id }) => id);
}

/** `usernames`: of the accounts with this verified address, the oldest first. `named`: the other account with it as the username; null: none. */
export type SharedAddress = { readonly usernames: readonly string[]; readonly named: string | null };

/** Verified addresses that cannot identify everyone who has them, whatever the policy is. Read only. */
export async function sharedAddresses(db: Drizzle, limit: number): Promise<readonly SharedAddress[]> {
  const named = sql`(select o.username from ${users} o where o.username_key = ${key})`;
  return reading(() =>
    db
      .select({
        usernames: sql<string[]>`array_agg(${users.username} order by ${users.createdAt}, ${users.id})`,
        named: sql<string | null>`case when not bool_or(${users.usernameKey} = ${key}) then max(${named}) end`,
      })
      .from(users)
      .where(and(isNull(users.deletedAt), isVerified))
      .groupBy(key)
      .having(sql`count(*) > 1 or (not bool_or(${users.usernameKey} = ${key}) and max(${named}) is not null)`)
      .orderBy(key)
      .limit(limit),
  );
}
