/** The statements about clients that registered themselves. */
import type { RowMacs } from '../crypto/row-mac.ts';
import type { ClientRegistrationStore } from '../lifecycles/client-registration/lifecycle.ts';
import { clientRegistrationFacts } from '../lifecycles/client-registration/table.ts';
import type { Clock } from '../system/clock.ts';
import { besideClients } from './beside-clients.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { clientRegistrations } from './schema.ts';

export const clientRegistrationStore = (db: Drizzle, clock: Clock, macs: RowMacs): ClientRegistrationStore => {
  const load = besideClients(clientRegistrations, db, clock, macs);
  return {
    load: async (clientId) => {
      const { row, ...loaded } = await load(clientId);
      // A row that the server did not write manages no client.
      const isAuthentic = row !== null && macs.isRight(...clientRegistrationFacts(row), row.mac);
      return { ...loaded, registration: isAuthentic ? row : null };
    },
    commit: commitStore(db, macs),
  };
};
