/** The statements about clients that registered themselves. A registration is loaded with its client. */
import { eq, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { ClientRegistrationStore } from '../lifecycles/client-registration/lifecycle.ts';
import { clientRegistrationFacts } from '../lifecycles/client-registration/table.ts';
import type { Clock } from '../system/clock.ts';
import { clientStore } from './client-store.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { clientRegistrations, server } from './schema.ts';
import { noServerRow } from './server-row.ts';

export const clientRegistrationStore = (db: Drizzle, clock: Clock, macs: RowMacs): ClientRegistrationStore => {
  const clients = clientStore(db, clock, macs);
  return {
    load: async (clientId) => {
      const client = clients.load(clientId);
      const found = reading(() =>
        db
          .select({
            registration: clientRegistrations,
            othersStored: sql<string>`(select count(*) from client_registrations o where o.client_id <> ${clientId})`,
          })
          .from(server)
          .leftJoin(clientRegistrations, eq(clientRegistrations.clientId, clientId)),
      );
      const [{ now, row, version }, [stored]] = await Promise.all([client, found]);
      if (!stored) throw noServerRow();
      const { registration, othersStored } = stored;
      // A row that the server did not write manages no client.
      const isAuthentic =
        registration !== null && macs.isRight(...clientRegistrationFacts(registration), registration.mac);
      return {
        now,
        clientId,
        registration: isAuthentic ? registration : null,
        client: row.client,
        version,
        othersStored: Number(othersStored),
      };
    },
    commit: commitStore(db, macs),
  };
};
