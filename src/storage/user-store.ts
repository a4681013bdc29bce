/** The commits of end-users: each replaces exactly the row that was loaded, and writes its ledger entries. */

import { eq, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { RowVersion } from '../lifecycles/client/lifecycle.ts';
import type { UserCommit, UserStore } from '../lifecycles/user/lifecycle.ts';
import { userFacts } from '../lifecycles/user/table.ts';
import type { RegisteredUser } from '../model/user.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { entriesFrom } from './ledger.ts';
import { nowOf } from './now.ts';
import { PERSONAL_TABLES } from './personal-data.ts';
import { FIRST_VERSION, isOurs, loadedVersion, nextMacVersion, rowVersion, storedVersion } from './row-version.ts';
import { server, transitions, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { registeredColumns, usernameKey } from './users.ts';

const named = alias(users, 'named');

export const userStore = (db: Drizzle, clock: Clock, macs: RowMacs): UserStore => ({
  load: async (id, username) => {
    const [row] = await reading(() =>
      db
        .select({
          now: sql<string>`${nowOf(clock)}`,
          user: registeredColumns,
          version: rowVersion(users),
          mac: users.mac,
          macVersion: users.macVersion,
          usernameOf: named.id,
        })
        .from(server)
        .leftJoin(users, eq(users.id, id))
        .leftJoin(named, username === null ? sql`false` : eq(named.usernameKey, usernameKey(username))),
    );
    if (!row) throw noServerRow();
    const { now, user, usernameOf } = row;
    return { now: new Date(now), row: { user }, version: user && versionOf(macs, user, row), usernameOf };
  },
  commit: (commit) => committing(() => commitStatement(db, macs, commit)),
});

/** No username has a control character (src/registration/user-record.ts), so the key of an erased end-user is no user's username. */
export const usernameKeyOf = ({ id, username, deletedAt }: RegisteredUser): string =>
  deletedAt === null ? usernameKey(username) : `\u0001${id}`;

export function versionOf(
  macs: RowMacs,
  user: RegisteredUser,
  row: { readonly version: string | null; readonly mac: Buffer | null; readonly macVersion: bigint | null },
): NonNullable<RowVersion> {
  const facts = { ...user, usernameKey: usernameKeyOf(user), macVersion: row.macVersion ?? FIRST_VERSION };
  return loadedVersion(macs.isRight(...userFacts(facts), row.mac), row);
}

export const macOfUser = (macs: RowMacs, user: RegisteredUser, macVersion = FIRST_VERSION): Buffer =>
  macs.macOf(...userFacts({ ...user, usernameKey: usernameKeyOf(user), macVersion }));

/** A column that another process wrote into the row does not become authentic through a change of another column. */
export function macOfChange(macs: RowMacs, version: RowVersion, after: RegisteredUser) {
  const macVersion = nextMacVersion(version);
  return { mac: isOurs(version) ? macOfUser(macs, after, macVersion) : null, macVersion };
}

function commitStatement(db: Drizzle, macs: RowMacs, { version, after, entries, now }: UserCommit) {
  const { id, ...rest } = after;
  const values = { ...rest, usernameKey: usernameKeyOf(after), ...macOfChange(macs, version, after) };
  const saved = db.$with('saved').as(
    version === null
      ? db
          .insert(users)
          .values({ ...values, id })
          .onConflictDoNothing()
          .returning({ id: users.id })
      : db
          .update(users)
          .set(values)
          .where(
            sql`${eq(users.id, id)} and ${rowVersion(users)} = ${storedVersion(version)} and ${isFree(id, values.usernameKey)}`,
          )
          .returning({ id: users.id }),
  );
  const isErasure = version !== null && after.deletedAt !== null;
  return db
    .with(saved, ...(isErasure ? removedWith(db, saved) : []))
    .insert(transitions)
    .select(entriesFrom(db, saved, { entries, now }, id))
    .returning({ userId: transitions.userId });
}

/** The rows that name the end-user in other tables, in the statement that erases them. */
const removedWith = (db: Drizzle, saved: { readonly id: unknown }) =>
  PERSONAL_TABLES.filter(({ erasure }) => erasure === 'removed').map(({ name, table, owner, alsoRemoved }) => {
    const ids = sql`select ${saved.id} from ${saved}`;
    return db.$with(`removed_${name}`).as(
      db
        .delete(table)
        // The statement sees the end-user as before: with the address.
        .where(or(sql`${owner} in (${ids})`, alsoRemoved?.(ids)))
        .returning({ removed: sql`1`.as('removed') }),
    );
  });

const isFree = (id: string, key: string) =>
  sql`not exists (select from ${users} ${named} where ${named.usernameKey} = ${key} and ${named.id} <> ${id})`;
