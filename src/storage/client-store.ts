/**
 * The commits of clients: each replaces exactly the row that was loaded, and writes its ledger entry. A row that the server did not write
 * is loaded without rights, so the next write is authentic: it takes over nothing.
 */

import { eq, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { ClientCommit, ClientStore } from '../lifecycles/client/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { authenticClients, isAuthenticClient, macsOfClient } from './authentic-clients.ts';
import { clientOf } from './clients.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { entriesFrom } from './ledger.ts';
import { nowOf } from './now.ts';
import { loadedVersion, nextMacVersion, rowVersion, storedVersion } from './row-version.ts';
import { clients, server, transitions } from './schema.ts';
import { noServerRow } from './server-row.ts';

export const clientStore = (db: Drizzle, clock: Clock, macs: RowMacs): ClientStore => ({
  load: async (clientId) => {
    const [row] = await reading(() =>
      db
        .select({ now: sql<string>`${nowOf(clock)}`, client: clients, version: rowVersion(clients) })
        .from(server)
        .leftJoin(clients, eq(clients.clientId, clientId)),
    );
    if (!row) throw noServerRow();
    const { client, version } = row;
    return {
      now: new Date(row.now),
      row: { clientId, client: client && clientOf(authenticClients(macs).whole(client)) },
      version: client && loadedVersion(isAuthenticClient(macs, client), { version, macVersion: client.macVersion }),
    };
  },
  commit: (commit) => committing(() => commitStatement(db, macs, commit)),
});

function commitStatement(db: Drizzle, macs: RowMacs, { version, after, now, entries }: ClientCommit) {
  const macVersion = nextMacVersion(version);
  const authenticity = { macVersion, ...macsOfClient(macs, { ...after, macVersion }) };
  const { clientId, ...values } = after;
  const saved = db.$with('saved').as(
    version === null
      ? db
          .insert(clients)
          .values({ ...after, ...authenticity })
          .onConflictDoNothing()
          .returning({ clientId: clients.clientId })
      : db
          .update(clients)
          .set({ ...values, ...authenticity })
          .where(sql`${eq(clients.clientId, clientId)} and ${rowVersion(clients)} = ${storedVersion(version)}`)
          .returning({ clientId: clients.clientId }),
  );
  return db
    .with(saved)
    .insert(transitions)
    .select(entriesFrom(db, saved, { entries, now }))
    .returning({ clientId: transitions.clientId });
}
