/** The registered clients in pages, for administrators. */
import { and, eq, getTableColumns, isNull } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import { clientSearchText } from '../lifecycles/client/table.ts';
import type { RegisteredClient } from '../model/client.ts';
import { authenticClients, type ClientRow } from './authentic-clients.ts';
import { clientOf } from './clients.ts';
import type { Drizzle } from './database.ts';
import { keyedPage, scannedPart } from './keyed-page.ts';
import type { Page, PageRequest } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { clients } from './schema.ts';
import { searchFor } from './search.ts';

export type ListedClient = RegisteredClient & { readonly createdAt: Date };

const listed = (macs: RowMacs, row: ClientRow): ListedClient => ({
  ...clientOf(authenticClients(macs).whole(row)),
  createdAt: row.createdAt,
});

export type ClientFilter = {
  /** The id and the name together have each word of it. */
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
  const list = {
    key: clients.clientId,
    listed: and(isNull(clients.deletedAt), declared === undefined ? undefined : eq(clients.declared, declared)),
    text: clientSearchText(clients),
    search: q === undefined ? null : searchFor(q),
  };
  return keyedPage(list, page, async (scan, rows) => {
    const scanned = scannedPart(list.key, scan);
    const read = (db: Drizzle) =>
      db
        .select({ scanned: scanned.columns, item: getTableColumns(clients) })
        .from(scanned.from)
        .innerJoin(clients, scanned.matches)
        .where(scanned.where)
        .orderBy(scanned.order)
        .limit(rows);
    const found = await plannedRead(db, read, scan.planning);
    return found.map(({ scanned, item }) => ({ scanned, item: item && listed(macs, item) }));
  });
};
