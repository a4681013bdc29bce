/**
 * The clients as they are loaded for a change. A row that the server did not write is loaded without rights, and replaced as a whole: the
 * next write is authentic and takes over nothing.
 */

import { eq } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { ClientStore } from '../lifecycles/client/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { authenticClients, isAuthenticClient } from './authentic-clients.ts';
import { clientOf } from './clients.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { readNow } from './now.ts';
import { loadedVersion, rowVersion } from './row-version.ts';
import { clients, server } from './schema.ts';
import { readServer } from './server-row.ts';

export const clientStore = (db: Drizzle, clock: Clock, macs: RowMacs): ClientStore => ({
  load: async (clientId) => {
    const row = await readServer(() =>
      db
        .select({ now: readNow(clock), client: clients, version: rowVersion(clients) })
        .from(server)
        .leftJoin(clients, eq(clients.clientId, clientId)),
    );
    const { client, version } = row;
    return {
      now: row.now,
      row: { clientId, client: client && clientOf(authenticClients(macs).whole(client)) },
      version: client && loadedVersion(isAuthenticClient(macs, client), { version, macVersion: client.macVersion }),
    };
  },
  commit: commitStore(db, macs),
});
