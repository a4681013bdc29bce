/** The origins of browser-based apps: their scripts may read the responses of the token, revocation and UserInfo Endpoints. */
import { and, eq, isNull } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import { withinTime } from '../system/request-time.ts';
import type { AuthenticClients } from './authentic-clients.ts';
import type { Drizzle } from './database.ts';
import { inTime, reading } from './failures.ts';
import { clients } from './schema.ts';

/**
 * How long a node caches the origins. Requests with invented origins cause at most one scan of the clients in this time, and a
 * newly registered app waits no longer. For as long, an origin that is no longer registered may still read responses, but only
 * to its own credentials.
 */
const CACHED_MILLISECONDS = 10_000;

/** @returns a function that loads the origins; it throws StoreUnavailable only until the first load has succeeded. */
export function browserOriginSource(
  db: Drizzle,
  clock: Clock,
  authentic: AuthenticClients,
): () => Promise<ReadonlySet<string>> {
  let known: ReadonlySet<string> | null = null;
  let loadedAt = 0;
  let loading: Promise<ReadonlySet<string>> | null = null;
  // Monotonic: only differences matter here.
  const elapsed = () => clock.fixedNow()?.getTime() ?? performance.now();

  async function load(): Promise<ReadonlySet<string>> {
    loadedAt = elapsed();
    try {
      known = await listBrowserOrigins(db, authentic);
    } catch (error) {
      // The request itself will find the database unavailable, and the app should be able to read its 503.
      if (known === null) throw error;
    }
    return known;
  }

  return () => {
    if (known !== null && elapsed() - loadedAt < CACHED_MILLISECONDS) return Promise.resolve(known);
    // Several requests wait for it: none of them may end it for the others.
    loading ??= withinTime(null, load).finally(() => {
      loading = null;
    });
    return inTime(loading, false);
  };
}

/** From the http(s) redirect URIs of public web clients. A confidential client's requests come from its server. */
async function listBrowserOrigins(db: Drizzle, authentic: AuthenticClients): Promise<ReadonlySet<string>> {
  const rows = await reading(() =>
    db
      .select()
      .from(clients)
      .where(
        and(isNull(clients.deletedAt), eq(clients.tokenEndpointAuthMethod, 'none'), eq(clients.applicationType, 'web')),
      ),
  );
  const uris = rows.flatMap((row) => authentic.whole(row).redirectUris).filter((uri) => /^https?:/i.test(uri));
  // As browsers write it (the HTML standard's serialization of an origin): lower case, no default port, Punycode.
  return new Set(uris.flatMap((uri) => (URL.canParse(uri) ? [new URL(uri).origin] : [])));
}
