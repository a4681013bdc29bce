/** Rows that are loaded with the client that they are about, since one commit changes both. */
import { eq, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { ClientRow, RowVersion } from '../lifecycles/client/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { clientStore } from './client-store.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { type clientDocuments, type clientRegistrations, server } from './schema.ts';
import { noServerRow } from './server-row.ts';

type BesideClient = typeof clientDocuments | typeof clientRegistrations;

export type LoadedBesideClient<Row> = ClientRow & {
  readonly now: Date;
  /** Of the row of the client. */
  readonly version: RowVersion;
  /** Null: this client has none in the table. */
  readonly row: Row | null;
  readonly othersStored: number;
};

/** @throws StoreUnavailable */
export function besideClients<Table extends BesideClient>(table: Table, db: Drizzle, clock: Clock, macs: RowMacs) {
  const clients = clientStore(db, clock, macs);
  return async (clientId: string): Promise<LoadedBesideClient<Table['$inferSelect']>> => {
    const client = clients.load(clientId);
    const found = reading(() =>
      db
        .select({
          row: table as BesideClient,
          others: sql<string>`(select count(*) from ${table} o where o.client_id <> ${clientId})`,
        })
        .from(server)
        .leftJoin(table as BesideClient, eq(table.clientId, clientId)),
    );
    const [{ now, row, version }, [stored]] = await Promise.all([client, found]);
    if (!stored) throw noServerRow();
    return { now, ...row, version, row: stored.row, othersStored: Number(stored.others) };
  };
}
