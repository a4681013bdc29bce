import { and, asc, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { Client, RegisteredClient } from '../model/client.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { clients } from './schema.ts';

const { createdAt: _, ...columns } = getTableColumns(clients);
/** A client as it is registered. */
export const registeredClient = columns;

/** A deleted client is not found. */
export async function findClient(db: Drizzle, clientId: string): Promise<RegisteredClient | null> {
  const [client] = await reading(() => db.select(registeredClient).from(clients).where(eq(clients.clientId, clientId)));
  return client && client.deletedAt === null ? client : null;
}

/** @param only.declared true: only clients that configuration declares; false: only the others. */
export const listClients = (db: Drizzle, only: { readonly declared?: boolean } = {}): Promise<RegisteredClient[]> =>
  reading(() =>
    db
      .select(registeredClient)
      .from(clients)
      .where(
        and(isNull(clients.deletedAt), only.declared === undefined ? undefined : eq(clients.declared, only.declared)),
      )
      .orderBy(asc(clients.clientId)),
  );

/** After a rotation of the root secret: MACs of the same client secrets under the first root secret. */
export const replaceSecretMacs = (
  db: Drizzle,
  { clientId, secretMacs: loaded }: Pick<Client, 'clientId' | 'secretMacs'>,
  secretMacs: Client['secretMacs'],
): Promise<unknown> =>
  writing(() =>
    db
      .update(clients)
      .set({ secretMacs })
      // A secret that was replaced in the meantime stays replaced.
      .where(and(eq(clients.clientId, clientId), sql`${clients.secretMacs} = ${JSON.stringify(loaded)}::jsonb`)),
  );
