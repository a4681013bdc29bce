/** The statements about documents of clients. */
import type { RowMacs } from '../crypto/row-mac.ts';
import type { ClientDocumentStore } from '../lifecycles/client-document/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { besideClients } from './beside-clients.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { clientDocuments } from './schema.ts';

export const clientDocumentStore = (db: Drizzle, clock: Clock, macs: RowMacs): ClientDocumentStore => {
  const load = besideClients(clientDocuments, db, clock, macs);
  return {
    load: async (clientId) => {
      const { row, ...loaded } = await load(clientId);
      return { ...loaded, document: row };
    },
    commit: commitStore(db, macs),
  };
};
