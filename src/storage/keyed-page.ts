/** Pages of a table in the order of its unique text key, of which a filter in SQL leaves rows out. */
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { itemsOfPage, type Page, type PageRequest } from './page.ts';

/** The most rows that one request reads, of the index and of the columns that the filter asks for. */
export const MAX_KEYS_READ = 10_000;
const MAX = sql.raw(String(MAX_KEYS_READ));

/** `stops`: the scan ended here, since it has read enough, and not because there are no further rows. */
export type Scanned = { readonly key: string; readonly kept: boolean; readonly stops: boolean };

/** The keys of at most MAX_KEYS_READ rows that the filter keeps. The last of so many comes along, kept or not. */
export const scannedKeys = (key: AnyPgColumn, kept: SQL, after: string | null) => ({
  from: sql`(select ${key} as key, ${kept} as kept, row_number() over (order by ${key}) as place
    from ${key.table} ${after === null ? sql`` : sql`where ${key} > ${after}`}
    order by ${key} limit ${MAX}) as scanned`,
  columns: {
    key: sql<string>`scanned.key`,
    kept: sql<boolean>`scanned.kept`,
    stops: sql<boolean>`scanned.place = ${MAX}`,
  },
  where: sql`scanned.kept or scanned.place = ${MAX}`,
  matches: sql`${key} = scanned.key`,
  order: sql`scanned.key`,
});

/** @param read at most so many rows of the scan above. */
export async function keyedPage<Item>(
  { limit }: PageRequest<string>,
  read: (rows: number) => Promise<readonly { readonly scanned: Scanned; readonly item: Item }[]>,
): Promise<Page<Item, string>> {
  const wanted = itemsOfPage(limit);
  const rows = await read(wanted + 1);
  const items: Item[] = [];
  let position: string | null = null;
  for (const { scanned, item } of rows) {
    if (items.length === wanted) return { items, next: position };
    position = scanned.key;
    if (scanned.kept) items.push(item);
  }
  return { items, next: rows.at(-1)?.scanned.stops ? position : null };
}
