/** The end-users as they are loaded for a change. */

import { eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { UserStore } from '../lifecycles/user/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { identifiedBy, identifiedByAddress } from './identified.ts';
import { readNow } from './now.ts';
import { rowVersion } from './row-version.ts';
import { server, users } from './schema.ts';
import { readServer } from './server-row.ts';
import { versionOf } from './user-macs.ts';
import { registeredColumns, usernameKey } from './users.ts';

/** The end-user with the sent `sub`. */
const holder = alias(users, 'holder');

export const userStore = (db: Drizzle, clock: Clock, macs: RowMacs): UserStore => ({
  load: async (id, username, sub = null, address = null) => {
    const { now, user, version, mac, macVersion, holderId, ...identified } = await readServer(() =>
      db
        .select({
          now: readNow(clock),
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
    const subIsTaken = holderId !== null && holderId !== id;
    const loadedVersion = user && versionOf(macs, user, { version, mac, macVersion });
    return { now, row: { user }, version: loadedVersion, subIsTaken, ...identified };
  },
  commit: commitStore(db, macs),
});
