import { and, asc, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Client } from '../model/client.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { clients } from './schema.ts';

export type ClientRegistration = Omit<Client, 'registeredBy' | 'epoch' | 'deletedAt'>;

/** A deleted client is not found. */
export async function findClient(db: Drizzle, clientId: string): Promise<Client | null> {
  const [client] = await reading(() => db.select().from(clients).where(eq(clients.clientId, clientId)));
  return client && client.deletedAt === null ? client : null;
}

/** @param only.declared true: only clients that configuration declares; false: only the others. */
export const listClients = (db: Drizzle, only: { readonly declared?: boolean } = {}): Promise<Client[]> =>
  reading(() =>
    db
      .select()
      .from(clients)
      .where(
        and(isNull(clients.deletedAt), only.declared === undefined ? undefined : eq(clients.declared, only.declared)),
      )
      .orderBy(asc(clients.clientId)),
  );

/**
 * Registers a client or replaces its registration. Its grants stay alive, except those from before a deletion, which raised
 * the epoch for good. What an operator registers is the operator's from then on.
 */
export function saveClient(
  db: Drizzle,
  registration: ClientRegistration,
  declared = false,
  registeredBy: Client['registeredBy'] = 'operator',
): Promise<unknown> {
  const values = { ...registration, declared, registeredBy };
  return writing(() =>
    db
      .insert(clients)
      .values(values)
      .onConflictDoUpdate({ target: clients.clientId, set: { ...values, deletedAt: null } }),
  );
}

/** Deletes the client and ends all its grants, at once and for good. @returns false when there is no such client. */
export async function deleteClient(db: Drizzle, clientId: string): Promise<boolean> {
  const deleted = await writing(() =>
    db
      .update(clients)
      .set({ deletedAt: sql`now()`, epoch: sql`${clients.epoch} + 1`, secretMacs: [] })
      .where(sql`${clients.clientId} = ${clientId} and ${clients.deletedAt} is null`)
      .returning({ clientId: clients.clientId }),
  );
  return deleted.length > 0;
}

/**
 * Replaces every secret of a confidential client that is not declared in configuration, whatever is stored.
 * @returns false when there is no such client.
 */
export async function setSecretMacs(db: Drizzle, clientId: string, secretMacs: Client['secretMacs']): Promise<boolean> {
  const changed = await writing(() =>
    db
      .update(clients)
      .set({ secretMacs })
      .where(
        and(
          eq(clients.clientId, clientId),
          isNull(clients.deletedAt),
          eq(clients.declared, false),
          ne(clients.tokenEndpointAuthMethod, 'none'),
        ),
      )
      .returning({ clientId: clients.clientId }),
  );
  return changed.length > 0;
}

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
