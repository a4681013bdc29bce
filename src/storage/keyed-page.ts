/** Pages of a table in the order of its unique text key, of which a filter in SQL and a search leave rows out. */
import { and, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { itemsOfPage, type Page, type PageRequest } from './page.ts';
import { BY_INDEXES, type Planning, SCANNING } from './planned-read.ts';
import type { Search } from './search.ts';

/** The most rows that one request reads, of the index and of the columns that the filter asks for. */
export const MAX_KEYS_READ = 10_000;
/** The most matches of a search that one request sorts. Of a search with more, each part of the list has some. */
export const MAX_MATCHES_SORTED = 5000;

const number = (count: number): SQL => sql.raw(String(count));

export type KeyedList = {
  readonly key: AnyPgColumn;
  /** Of each row that is listed at all. */
  readonly listed: SQL | undefined;
  /** The text of a row that the search reads. */
  readonly text: SQL;
  readonly search: Search | null;
};

/** `stops`: the scan ended here, since it has read enough, and not because there are no further rows. */
type Scanned = { readonly key: string; readonly kept: boolean; readonly stops: boolean; readonly matches: number };

/** The keys of rows behind a position, in their order. */
type Scan = {
  readonly from: SQL;
  readonly where: SQL | undefined;
  readonly planning: Planning;
};

/** The part of a scan in the statement of a list. */
export const scannedPart = (key: AnyPgColumn, { from, where }: Scan) => ({
  columns: {
    key: sql<string>`scanned.key`,
    kept: sql<boolean>`scanned.kept`,
    stops: sql<boolean>`scanned.stops`,
    matches: sql<number>`scanned.matches::int`,
  },
  from,
  where,
  matches: sql`${key} = scanned.key`,
  order: sql`scanned.key`,
});

/** At most MAX_KEYS_READ rows, in the order of the keys. The last of so many comes along, kept or not. */
const walk = ({ key, listed, text, search }: KeyedList, after: string | null): Scan => ({
  from: sql`(select key, kept, place = ${number(MAX_KEYS_READ)} as stops, 0 as matches from (
      select ${key} as key, (${and(listed, search?.matches(text)) ?? sql`true`}) as kept, row_number() over (order by ${key}) as place
      from ${key.table} ${after === null ? sql`` : sql`where ${key} > ${after}`}
      order by ${key} limit ${number(MAX_KEYS_READ)}
    ) as walked) as scanned`,
  where: sql`scanned.kept or scanned.stops`,
  planning: SCANNING,
});

/** All matches, or one more than are sorted. */
const lookup = ({ key, listed, text, search }: KeyedList, after: string | null): Scan => ({
  from: sql`(select key, true as kept, false as stops, count(*) over () as matches from (
      select ${key} as key from ${key.table} where ${and(search?.matches(text), listed)} limit ${number(MAX_MATCHES_SORTED + 1)}
    ) as found) as scanned`,
  where: after === null ? undefined : sql`scanned.key > ${after}`,
  planning: BY_INDEXES,
});

type Row<Item> = { readonly scanned: Scanned; readonly item: Item };

/** @param read at most so many rows of the scan. */
export async function keyedPage<Item>(
  list: KeyedList,
  { limit, after }: PageRequest<string>,
  read: (scan: Scan, rows: number) => Promise<readonly Row<Item>[]>,
): Promise<Page<Item, string>> {
  const wanted = itemsOfPage(limit);
  if (list.search?.isIndexed) {
    const rows = await read(lookup(list, after), wanted + 1);
    const [first] = rows;
    const areAll = first === undefined ? after === null : first.scanned.matches <= MAX_MATCHES_SORTED;
    if (areAll) return { ...pageIn(rows, wanted), total: first?.scanned.matches ?? 0 };
  }
  return pageIn(await read(walk(list, after), wanted + 1), wanted);
}

function pageIn<Item>(rows: readonly Row<Item>[], wanted: number): Page<Item, string> {
  const items: Item[] = [];
  let position: string | null = null;
  for (const { scanned, item } of rows) {
    if (items.length === wanted) return { items, next: position };
    position = scanned.key;
    if (scanned.kept) items.push(item);
  }
  return { items, next: rows.at(-1)?.scanned.stops ? position : null };
}
