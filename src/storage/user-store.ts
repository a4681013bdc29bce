/** The end-users as they are loaded for a change. */

import { eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { UserStore } from '../lifecycles/user/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { identifiedBy, identifiedByAddress } from './identified.ts';
import { nowOf } from './now.ts';
import { rowVersion } from './row-version.ts';
import { server, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { versionOf } from './user-macs.ts';
import { registeredColumns, usernameKey } from './users.ts';

/** The end-user with the sent `sub`. */
const holder = alias(users, 'holder');

export const userStore = (db: Drizzle, clock: Clock, macs: RowMacs): UserStore => ({
  load: async (id, username, sub = null, address = null) => {
    const [row] = await reading(() =>
      db
        .select({
          now: sql<string>`${nowOf(clock)}`,
          user: registeredColumns,
          version: rowVersion(users),
          mac: users.mac,
          macVersion: users.macVersion,
          addressesIdentify: server.addressesIdentify,
          usernameOf: identifiedBy(username === null ? null : usernameKey(username)),
          addressOf: identifiedByAddress(address),
          holderId: holder.id,
        })
        .from(server)
        .leftJoin(users, eq(users.id, id))
        .leftJoin(holder, sub === null ? sql`false` : eq(holder.sub, sub)),
    );
    if (!row) throw noServerRow();
    const { now, user, version, mac, macVersion, holderId, ...identified } = row;
    const subIsTaken = holderId !== null && holderId !== id;
    const loadedVersion = user && versionOf(macs, user, { version, mac, macVersion });
    return { now: new Date(now), row: { user }, version: loadedVersion, subIsTaken, ...identified };
  },
  commit: commitStore(db, macs),
});
