/** Clients as their rows say, with MACs of any root secret. */
import type { RegisteredClient } from '../../src/model/client.ts';
import { listClients as list } from '../../src/storage/clients.ts';
import type { Drizzle } from '../../src/storage/database.ts';

export const listClients = (db: Drizzle, only: { readonly declared?: boolean } = {}): Promise<RegisteredClient[]> =>
  list(db, null, only);

export const findClient = async (db: Drizzle, id: string): Promise<RegisteredClient | null> =>
  (await listClients(db)).find(({ clientId }) => clientId === id) ?? null;
