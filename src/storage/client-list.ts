/** The registered clients in pages, for administrators. */
import { and, eq, getTableColumns, isNull, or, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { RegisteredClient } from '../model/client.ts';
import { authenticClients, type ClientRow } from './authentic-clients.ts';
import { clientOf } from './clients.ts';
import type { Drizzle } from './database.ts';
import { keyedPage, scannedKeys } from './keyed-page.ts';
import { contains, type Page, type PageRequest } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { clients } from './schema.ts';

export type ListedClient = RegisteredClient & { readonly createdAt: Date };

const listed = (macs: RowMacs, row: ClientRow): ListedClient => ({
  ...clientOf(authenticClients(macs).whole(row)),
  createdAt: row.createdAt,
});

export type ClientFilter = {
  /** The id or the name contains it, in either case. */
  readonly q?: string | undefined;
  /** True: only clients that configuration declares; false: only the others. */
  readonly declared?: boolean | undefined;
};

/** By client_id. A deleted client is not listed. @throws StoreUnavailable */
export const listClientPage = (
  db: Drizzle,
  macs: RowMacs,
  { q, declared }: ClientFilter,
  page: PageRequest<string>,
): Promise<Page<ListedClient, string>> => {
  const kept = and(
    isNull(clients.deletedAt),
    q === undefined ? undefined : or(contains(clients.clientId, q), contains(clients.clientName, q)),
    declared === undefined ? undefined : eq(clients.declared, declared),
  );
  const scan = scannedKeys(clients.clientId, sql`(${kept})`, page.after);
  return keyedPage(page, async (rows) => {
    const read = await plannedRead(db, (db) =>
      db
        .select({ scanned: scan.columns, item: getTableColumns(clients) })
        .from(scan.from)
        .innerJoin(clients, scan.matches)
        .where(scan.where)
        .orderBy(scan.order)
        .limit(rows),
    );
    return read.map(({ scanned, item }) => ({ scanned, item: item && listed(macs, item) }));
  });
};
