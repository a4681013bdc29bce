/** What changes clients: each commit replaces exactly the row that was loaded, and writes its line of the ledger. */

import { eq, sql } from 'drizzle-orm';
import type { ClientCommit, ClientStore } from '../lifecycles/client.ts';
import type { Clock } from '../system/clock.ts';
import { registeredClient } from './clients.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { administrationLine, entryLine, instant, ledgerColumns } from './ledger.ts';
import { nowOf } from './now.ts';
import { rowVersion } from './row-version.ts';
import { clients, server, transitions } from './schema.ts';
import { noServerRow } from './server-row.ts';

export const clientStore = (db: Drizzle, clock: Clock): ClientStore => ({
  load: async (clientId) => {
    const [row] = await reading(() =>
      db
        .select({ now: sql<string>`${nowOf(clock)}`, client: registeredClient, version: rowVersion(clients) })
        .from(server)
        .leftJoin(clients, eq(clients.clientId, clientId)),
    );
    if (!row) throw noServerRow();
    return { now: new Date(row.now), row: { clientId, client: row.client }, version: row.version };
  },
  commit: (commit) => committing(() => commitStatement(db, commit)),
});

function commitStatement(db: Drizzle, { version, after, now, entry }: ClientCommit) {
  const { clientId, ...values } = after;
  const saved = db.$with('saved').as(
    version === null
      ? db.insert(clients).values(after).onConflictDoNothing().returning({ clientId: clients.clientId })
      : db
          .update(clients)
          .set(values)
          .where(sql`${eq(clients.clientId, clientId)} and ${rowVersion(clients)} = ${version}`)
          .returning({ clientId: clients.clientId }),
  );
  const line = ledgerColumns({
    ...entryLine(entry),
    ...administrationLine(entry),
    at: instant(now),
    clientId: sql`${saved.clientId}`,
    policy: sql`${after.policy}`,
  });
  return db
    .with(saved)
    .insert(transitions)
    .select(db.select(line).from(saved))
    .returning({ clientId: transitions.clientId });
}
