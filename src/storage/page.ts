/** Pages of lists: each request reads a bounded number of rows, and the next page begins where the last row was read. */
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { MAX_PAGE_ITEMS } from './page-size.ts';

/** `items` may be fewer than were asked for although there is a next page: a filter matched few of the rows that were read. */
export type Page<Item, Position> = {
  readonly items: readonly Item[];
  /** Where the next page begins; null: this is the last page. */
  readonly next: Position | null;
  /** The number of all items, where it was counted. */
  readonly total?: number;
};

export type PageRequest<Position> = {
  /** How many items, from 1 to 100. */
  readonly limit: number;
  /** The `next` of the page before; null: the first page. */
  readonly after: Position | null;
};

/** A place in a list that is sorted by an instant. `at`: ISO 8601 in UTC with microseconds, as Postgres keeps it. */
export type InstantPosition = { readonly at: string; readonly id: string };

export { MAX_PAGE_ITEMS };

/** Of a list whose filter is asked row by row. */
const ROWS_AT_A_TIME = 500;
const MAX_ROWS_READ = 2000;

export type PageReading<Row, Item, Position> = {
  /** At most `rows` rows behind `after`, in the order of the list. */
  readonly read: (after: Position | null, rows: number) => Promise<readonly Row[]>;
  readonly positionOf: (row: Row) => Position;
  /** Null: the filter leaves it out. */
  readonly itemOf: (row: Row) => Item | null;
  /** Whether `itemOf` leaves rows out. */
  readonly filters: boolean;
};

export async function readPage<Row, Item, Position>(
  { limit, after }: PageRequest<Position>,
  { read, positionOf, itemOf, filters }: PageReading<Row, Item, Position>,
): Promise<Page<Item, Position>> {
  const wanted = itemsOfPage(limit);
  const atATime = filters ? ROWS_AT_A_TIME : wanted + 1;
  const items: Item[] = [];
  let position = after;
  for (let rowsRead = 0; rowsRead < MAX_ROWS_READ; rowsRead += atATime) {
    const rows = await read(position, atATime);
    for (const row of rows) {
      if (items.length === wanted) return { items, next: position };
      position = positionOf(row);
      const item = itemOf(row);
      if (item !== null) items.push(item);
    }
    if (rows.length < atATime) return { items, next: null };
  }
  return { items, next: position };
}

export const itemsOfPage = (limit: number): number => Math.min(Math.max(Math.trunc(limit), 1), MAX_PAGE_ITEMS);

/** The instant of a position: a Date would lose the microseconds, and with them rows. */
export const positionInstant = (column: AnyPgColumn | SQL): SQL<string> =>
  sql<string>`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Rows behind this position, newest first. */
export const olderThan = (at: AnyPgColumn, id: AnyPgColumn, position: InstantPosition | null): SQL | undefined =>
  position === null ? undefined : sql`(${at}, ${id}) < (${position.at}::timestamptz, ${position.id}::uuid)`;
