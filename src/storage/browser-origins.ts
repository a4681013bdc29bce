/** The origins of the apps that run in browsers: whose scripts may read what token, revocation and UserInfo Endpoint answer. */
import { and, eq, isNull } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { clients } from './schema.ts';

/**
 * How long a node goes without asking again. One scan of the clients in this time, however many origins are made up to ask
 * with; and whoever has just registered an app does not wait longer than it takes to open it. An origin that is no longer
 * registered may read answers for as long, which its own credentials alone can earn.
 */
const KEPT_MILLISECONDS = 10_000;

/** @returns what tells them; it throws StoreUnavailable only while it has never reached the database. */
export function browserOriginSource(db: Drizzle, clock: Clock): () => Promise<ReadonlySet<string>> {
  let known: ReadonlySet<string> | null = null;
  let askedAt = 0;
  let asking: Promise<ReadonlySet<string>> | null = null;
  // Monotonic: nothing here is an instant that anybody else sees.
  const elapsed = () => clock.fixedNow()?.getTime() ?? performance.now();

  async function ask(): Promise<ReadonlySet<string>> {
    askedAt = elapsed();
    try {
      known = await listBrowserOrigins(db);
    } catch (error) {
      // The request itself will find the database away, and its 503 is to be readable.
      if (known === null) throw error;
    }
    return known;
  }

  return () => {
    if (known !== null && elapsed() - askedAt < KEPT_MILLISECONDS) return Promise.resolve(known);
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
}

/** Of the http(s) redirect URIs of public web clients. A confidential client's requests come from its server. */
async function listBrowserOrigins(db: Drizzle): Promise<ReadonlySet<string>> {
  const rows = await reading(() =>
    db
      .select({ redirectUris: clients.redirectUris })
      .from(clients)
      .where(
        and(isNull(clients.deletedAt), eq(clients.tokenEndpointAuthMethod, 'none'), eq(clients.applicationType, 'web')),
      ),
  );
  const uris = rows.flatMap(({ redirectUris }) => redirectUris).filter((uri) => /^https?:/i.test(uri));
  // As browsers write it (the HTML standard's serialization of an origin): lower case, no default port, Punycode.
  return new Set(uris.flatMap((uri) => (URL.canParse(uri) ? [new URL(uri).origin] : [])));
}
