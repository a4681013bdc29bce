import { and, arrayContained, asc, eq, inArray, isNull, not, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { Client, RegisteredClient } from '../model/client.ts';
import { authenticClients, type ClientRow, isAuthenticClient, macsOfClient } from './authentic-clients.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { clients } from './schema.ts';

/** Without the columns that the row has beside the registration. */
export const clientOf = ({
  createdAt: _,
  mac: __,
  tokenMac: ___,
  macVersion: ____,
  ...client
}: ClientRow): RegisteredClient => client;

/** A deleted client is not found; a row that was not made here is one without rights. */
export async function findClient(db: Drizzle, macs: RowMacs, clientId: string): Promise<RegisteredClient | null> {
  const [row] = await reading(() => db.select().from(clients).where(eq(clients.clientId, clientId)));
  return row && row.deletedAt === null ? clientOf(authenticClients(macs).whole(row)) : null;
}

/**
 * @param macs rows that were not made here are clients without rights; null: as the rows are.
 * @param only.declared true: only clients that configuration declares; false: only the others.
 */
export async function listClients(
  db: Drizzle,
  macs: RowMacs | null,
  only: { readonly declared?: boolean } = {},
): Promise<RegisteredClient[]> {
  const rows = await reading(() =>
    db
      .select()
      .from(clients)
      .where(
        and(isNull(clients.deletedAt), only.declared === undefined ? undefined : eq(clients.declared, only.declared)),
      )
      .orderBy(asc(clients.clientId)),
  );
  const relied = macs === null ? (row: ClientRow) => row : authenticClients(macs).whole;
  return rows.map((row) => clientOf(relied(row)));
}

/** By id: the name of each of these clients that has one. */
export async function clientNames(db: Drizzle, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await reading(() =>
    db
      .select({ clientId: clients.clientId, clientName: clients.clientName })
      .from(clients)
      .where(and(isNull(clients.deletedAt), inArray(clients.clientId, [...new Set(ids)]))),
  );
  return new Map(found.flatMap(({ clientId, clientName }) => (clientName === null ? [] : [[clientId, clientName]])));
}

/** Of these ids, those that a client has. */
export const clientsNamed = (db: Drizzle, ids: readonly string[]) =>
  ids.length === 0
    ? Promise.resolve([])
    : reading(() =>
        db
          .select({ clientId: clients.clientId, tokenEndpointAuthMethod: clients.tokenEndpointAuthMethod })
          .from(clients)
          .where(and(isNull(clients.deletedAt), inArray(clients.clientId, [...ids]))),
      );

/** The first of those whose ceiling has another scope than these. */
export const clientsBeyond = (db: Drizzle, scopes: readonly string[], limit: number) =>
  reading(() =>
    db
      .select({ clientId: clients.clientId, scope: clients.scope })
      .from(clients)
      .where(and(isNull(clients.deletedAt), not(arrayContained(clients.scope, [...scopes]))))
      .orderBy(asc(clients.clientId))
      .limit(limit),
  );

/** After a rotation of the root secret: MACs of the same client secrets under the first root secret. */
export async function replaceSecretMacs(
  db: Drizzle,
  macs: RowMacs,
  { clientId, secretMacs: loaded }: Pick<Client, 'clientId' | 'secretMacs'>,
  secretMacs: Client['secretMacs'],
): Promise<void> {
  const [row] = await reading(() => db.select().from(clients).where(eq(clients.clientId, clientId)));
  if (!row || !isAuthenticClient(macs, row)) return;
  const after = { ...row, secretMacs, macVersion: row.macVersion + 1n };
  await writing(() =>
    db
      .update(clients)
      .set({ secretMacs, macVersion: after.macVersion, ...macsOfClient(macs, after) })
      // A secret that was replaced since the load stays replaced.
      .where(
        and(
          eq(clients.clientId, clientId),
          eq(clients.macVersion, row.macVersion),
          sql`${clients.secretMacs} = ${JSON.stringify(loaded)}::jsonb`,
        ),
      ),
  );
}
