/** What changes end-users: each commit replaces exactly the row that was loaded, and writes its line of the ledger. */

import { eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { UserCommit, UserStore } from '../lifecycles/user.ts';
import type { RegisteredUser } from '../model/user.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { administrationLine, entryLine, instant, ledgerColumns } from './ledger.ts';
import { nowOf } from './now.ts';
import { rowVersion } from './row-version.ts';
import { server, transitions, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { userColumns, usernameKey } from './users.ts';

const named = alias(users, 'named');

export const userStore = (db: Drizzle, clock: Clock): UserStore => ({
  load: async (id, username) => {
    const [row] = await reading(() =>
      db
        .select({
          now: sql<string>`${nowOf(clock)}`,
          user: { ...userColumns, deletedAt: users.deletedAt },
          version: rowVersion(users),
          usernameOf: named.id,
        })
        .from(server)
        .leftJoin(users, eq(users.id, id))
        .leftJoin(named, username === null ? sql`false` : eq(named.usernameKey, usernameKey(username))),
    );
    if (!row) throw noServerRow();
    const { now, user, version, usernameOf } = row;
    return { now: new Date(now), row: { user }, version: user && version, usernameOf };
  },
  commit: (commit) => committing(() => commitStatement(db, commit)),
});

/** No username has a control character (src/registration/user-record.ts), so the key of an erased end-user is nobody's username. */
const keyOf = ({ id, username, deletedAt }: RegisteredUser): string =>
  deletedAt === null ? usernameKey(username) : `\u0001${id}`;

function commitStatement(db: Drizzle, { version, after, entry, now }: UserCommit) {
  const { id, ...rest } = after;
  const values = { ...rest, usernameKey: keyOf(after) };
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
          .where(sql`${eq(users.id, id)} and ${rowVersion(users)} = ${version} and ${isFree(id, values.usernameKey)}`)
          .returning({ id: users.id }),
  );
  const line = ledgerColumns({
    ...entryLine(entry),
    ...administrationLine(entry),
    at: instant(now),
    userId: sql`${saved.id}`,
  });
  return db
    .with(saved)
    .insert(transitions)
    .select(db.select(line).from(saved))
    .returning({ userId: transitions.userId });
}

const isFree = (id: string, key: string) =>
  sql`not exists (select from ${users} ${named} where ${named.usernameKey} = ${key} and ${named.id} <> ${id})`;
