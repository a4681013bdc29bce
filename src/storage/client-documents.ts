/** The statements about documents of clients. A document is loaded with the client that it describes. */
import { eq, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { ClientDocumentStore } from '../lifecycles/client-document/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { clientStore } from './client-store.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { clientDocuments, server } from './schema.ts';
import { noServerRow } from './server-row.ts';

export const clientDocumentStore = (db: Drizzle, clock: Clock, macs: RowMacs): ClientDocumentStore => {
  const clients = clientStore(db, clock, macs);
  return {
    load: async (clientId) => {
      const client = clients.load(clientId);
      const found = reading(() =>
        db
          .select({
            document: clientDocuments,
            othersStored: sql<string>`(select count(*) from client_documents o where o.client_id <> ${clientId})`,
          })
          .from(server)
          .leftJoin(clientDocuments, eq(clientDocuments.clientId, clientId)),
      );
      const [{ now, row, version }, [stored]] = await Promise.all([client, found]);
      if (!stored) throw noServerRow();
      const { document, othersStored } = stored;
      return { now, clientId, document, client: row.client, version, othersStored: Number(othersStored) };
    },
    commit: commitStore(db, macs),
  };
};
