/** The end-users as they are loaded for a change. */

import { eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { UserStore } from '../lifecycles/user/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { nowOf } from './now.ts';
import { rowVersion } from './row-version.ts';
import { server, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { versionOf } from './user-macs.ts';
import { registeredColumns, usernameKey } from './users.ts';

const named = alias(users, 'named');
/** The end-user with the sent `sub`. */
const holder = alias(users, 'holder');

export const userStore = (db: Drizzle, clock: Clock, macs: RowMacs): UserStore => ({
  load: async (id, username, sub = null) => {
    const [row] = await reading(() =>
      db
        .select({
          now: sql<string>`${nowOf(clock)}`,
          user: registeredColumns,
          version: rowVersion(users),
          mac: users.mac,
          macVersion: users.macVersion,
          usernameOf: named.id,
          holderId: holder.id,
        })
        .from(server)
        .leftJoin(users, eq(users.id, id))
        .leftJoin(named, username === null ? sql`false` : eq(named.usernameKey, usernameKey(username)))
        .leftJoin(holder, sub === null ? sql`false` : eq(holder.sub, sub)),
    );
    if (!row) throw noServerRow();
    const { now, user, usernameOf, holderId } = row;
    const subIsTaken = holderId !== null && holderId !== id;
    return { now: new Date(now), row: { user }, version: user && versionOf(macs, user, row), usernameOf, subIsTaken };
  },
  commit: commitStore(db, macs),
});
