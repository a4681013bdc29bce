/** The origins of browser-based apps, from the redirect URIs of public web clients. A confidential client's requests come from its server. */
import { and, sql } from 'drizzle-orm';
import { isPublicWebClient, webOrigins } from '../lifecycles/client/table.ts';
import type { AuthenticClients } from './authentic-clients.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { clients } from './schema.ts';

/** Many clients may share an origin. One that the server wrote is enough. */
const MAX_READ = 10;

/** @param origin as browsers write it. */
export async function isBrowserOrigin(db: Drizzle, authentic: AuthenticClients, origin: string): Promise<boolean> {
  const rows = await reading(() => clientsOfOrigin(db, origin));
  return rows
    .map(authentic.whole)
    .some(
      ({ tokenEndpointAuthMethod, applicationType, redirectUris }) =>
        tokenEndpointAuthMethod === 'none' &&
        applicationType === 'web' &&
        redirectUris.some((uri) => URL.canParse(uri) && new URL(uri).origin === origin),
    );
}

/** By the index `clients_web_origins`. */
export const clientsOfOrigin = (db: Drizzle, origin: string) =>
  db
    .select()
    .from(clients)
    .where(and(isPublicWebClient(clients), sql`${webOrigins(clients)} @> array[${origin}::text]`))
    .limit(MAX_READ);
