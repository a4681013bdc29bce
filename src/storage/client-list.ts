/** The registered clients in pages, for administrators. */
import { and, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import { clientSearchText, hasDocumentUrl } from '../lifecycles/client/table.ts';
import type { RegisteredClient } from '../model/client.ts';
import { authenticClients, type ClientRow } from './authentic-clients.ts';
import { clientOf } from './clients.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { keyedPage, type Place, scannedPart } from './keyed-page.ts';
import type { Page, PageRequest } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { clients } from './schema.ts';
import { searchIn } from './search.ts';

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
  readonly registeredThrough?: RegisteredThrough | undefined;
};

/** How the server learned of a client. */
export const REGISTERED_THROUGH = ['configuration', 'operator', 'document', 'registration'] as const;
type RegisteredThrough = (typeof REGISTERED_THROUGH)[number];

const INTRODUCED = sql`${clients.registeredBy} = 'self'`;
const HAS_DOCUMENT = hasDocumentUrl(clients);
const THROUGH: Readonly<Record<RegisteredThrough, SQL>> = {
  configuration: sql`${clients.declared}`,
  operator: sql`${clients.registeredBy} = 'operator' and not ${clients.declared}`,
  document: sql`${INTRODUCED} and ${HAS_DOCUMENT}`,
  registration: sql`${INTRODUCED} and not ${HAS_DOCUMENT}`,
};

export type ClientSort = 'client_id' | 'client_name' | 'created_at';

const ORDERS: Readonly<Record<ClientSort, readonly AnyPgColumn[]>> = {
  client_id: [clients.clientId],
  client_name: [clients.clientName, clients.clientId],
  created_at: [clients.createdAt, clients.clientId],
};

/** When the client was registered. Null: the client is not found. @throws StoreUnavailable */
export async function findCreationOfClient(db: Drizzle, clientId: string): Promise<Date | null> {
  const [row] = await reading(() =>
    db.select({ createdAt: clients.createdAt }).from(clients).where(eq(clients.clientId, clientId)),
  );
  return row?.createdAt ?? null;
}

/** A deleted client is not listed. @throws StoreUnavailable */
export const listClientPage = (
  db: Drizzle,
  macs: RowMacs,
  { q, declared, registeredThrough }: ClientFilter,
  page: PageRequest<Place>,
  { sort, descending }: { readonly sort: ClientSort; readonly descending: boolean } = {
    sort: 'client_id',
    descending: false,
  },
): Promise<Page<ListedClient, Place>> => {
  const { indexed = null, searched } = searchIn(clientSearchText(clients), q);
  const list = {
    order: ORDERS[sort],
    descending,
    from: sql`${clients}`,
    id: clients.clientId,
    listed: and(
      isNull(clients.deletedAt),
      declared === undefined ? undefined : eq(clients.declared, declared),
      registeredThrough && THROUGH[registeredThrough],
    ),
    searched,
    indexed,
  };
  return keyedPage(list, page, async (scan, rows) => {
    const scanned = scannedPart(scan);
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
