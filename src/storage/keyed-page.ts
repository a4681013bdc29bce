/** Pages of a table in the order of columns that name a row, of which a filter in SQL and a search leave rows out. */
import { and, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import { itemsOfPage, type Page, type PageRequest, positionInstant } from './page.ts';
import { BY_INDEXES, type Planning, SCANNING } from './planned-read.ts';

/** The most rows that one request reads, of the index and of the columns that the filter asks for. */
export const MAX_KEYS_READ = 10_000;
/** The most matches of a search that one request sorts. Of a search with more, each part of the list has some. */
export const MAX_MATCHES_SORTED = 5000;

const number = (count: number): SQL => sql.raw(String(count));

/** The values of the columns of the order, as texts. None: the place before the first row. */
export type Place = readonly string[];

export type KeyedList = {
  /** The columns of the order. Together they name a row. An index has them. */
  readonly order: readonly AnyPgColumn[];
  readonly descending?: boolean;
  /** The table of the order, with each table that the filter reads. */
  readonly from: SQL;
  /** The primary key of the items. */
  readonly id: AnyPgColumn;
  /** Of each row that is listed at all. */
  readonly listed: SQL | undefined;
  /** The part of the order that can have such rows. Absent: all of it. */
  readonly range?: SQL | undefined;
  /** A condition that an index answers; null: there is none. */
  readonly indexed: SQL | null;
  /** A condition that reads each row. */
  readonly searched?: SQL | undefined;
  /** A condition on rows of another key, on a cluster. */
  readonly beside?: Beside | undefined;
};

/** Read for the rows of `walked` alone: Citus joins no rows that every node has with rows of a shard in another way. */
export type Beside = {
  /** Common tables. */
  readonly rows: readonly SQL[];
  readonly kept: SQL;
  /** The table whose id the condition names. */
  readonly items: PgTable;
};

/** `stops`: the scan ended here, since it has read enough, and not because there are no further rows. */
type Scanned = { readonly place: Place; readonly kept: boolean; readonly stops: boolean; readonly matches: number };

/** The keys of rows behind a position, in their order. */
type Scan = {
  readonly list: KeyedList;
  readonly from: SQL;
  readonly where: SQL | undefined;
  readonly planning: Planning;
};

const placeColumns = ({ order }: KeyedList): readonly SQL[] => order.map((_, at) => sql.raw(`place_${at}`));
const inOrder = ({ descending }: KeyedList, columns: readonly SQL[]): SQL =>
  sql.join(
    columns.map((column) => (descending ? sql`${column} desc` : column)),
    sql`, `,
  );
const listOf = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

/** The part of a scan in the statement of a list. */
export function scannedPart({ list, from, where }: Scan) {
  const columns = placeColumns(list).map((column) => sql`scanned.${column}`);
  const texts = list.order.map((column, at) => {
    const value = columns[at] as SQL;
    return isInstant(column) ? positionInstant(value) : sql`${value}::text`;
  });
  return {
    columns: {
      place: sql<Place>`array[${listOf(texts)}]`,
      kept: sql<boolean>`scanned.kept`,
      stops: sql<boolean>`scanned.stops`,
      matches: sql<number>`scanned.matches::int`,
    },
    from,
    where,
    matches: sql`${list.id} = scanned.id`,
    order: inOrder(list, columns),
  };
}

const isInstant = (column: AnyPgColumn): boolean => column.getSQLType().startsWith('timestamp');

/** Rows behind the place. */
function behind({ order, descending }: KeyedList, columns: readonly SQL[], after: Place | null): SQL | undefined {
  if (after === null || after.length === 0) return undefined;
  const values = order.map((column, at) => sql`${after[at] ?? ''}::${sql.raw(column.getSQLType())}`);
  return sql`(${listOf(columns)}) ${sql.raw(descending ? '<' : '>')} (${listOf(values)})`;
}

const keysOf = (list: KeyedList): SQL => {
  const names = placeColumns(list);
  return sql`${listOf(list.order.map((column, at) => sql`${column} as ${names[at]}`))}, ${list.id} as id`;
};

const besideWalked = ({ rows, items }: Beside, keys: SQL, select: SQL): SQL =>
  sql`with walked as materialized (${keys}), ${listOf(rows)} ${select} from walked as ${items}`;

/** At most MAX_KEYS_READ rows, in the order of the list. The last of so many comes along, kept or not. */
function walk(list: KeyedList, after: Place | null): Scan {
  const columns = list.order.map((column) => sql`${column}`);
  const kept = and(list.listed, list.indexed ?? undefined, list.searched) ?? sql`true`;
  const order = inOrder(list, columns);
  const names = listOf(placeColumns(list));
  const where = and(list.range, behind(list, columns, after));
  const keys = sql`
        select ${keysOf(list)}, (${kept}) as kept
        from ${list.from} ${where === undefined ? sql`` : sql`where ${where}`}
        order by ${order} limit ${number(MAX_KEYS_READ)}
      `;
  const { beside } = list;
  const walked = beside
    ? besideWalked(beside, keys, sql`select ${names}, id, kept and (${beside.kept}) as kept`)
    : keys;
  return {
    list,
    // Numbered once they are read: a cluster would number every row of the table.
    from: sql`(select ${names}, id, kept, row_number() over (order by ${inOrder(list, placeColumns(list))}) = ${number(MAX_KEYS_READ)} as stops, 0 as matches
      from (${walked}) as walked) as scanned`,
    where: sql`scanned.kept or scanned.stops`,
    planning: SCANNING,
  };
}

/** All matches, or one more than are sorted. */
function lookup(list: KeyedList, indexed: SQL, after: Place | null): Scan {
  const names = listOf(placeColumns(list));
  const keys = sql`
      select ${keysOf(list)} from ${list.from} where ${and(indexed, list.searched, list.listed, list.range)} limit ${number(MAX_MATCHES_SORTED + 1)}
    `;
  const { beside } = list;
  const tooMany = sql`(select count(*) from walked having count(*) > ${number(MAX_MATCHES_SORTED)})`;
  const found = beside
    ? sql`${besideWalked(beside, keys, sql`select ${names}, id, ${tooMany} as too_many`)} where ${beside.kept}`
    : keys;
  const matches = beside ? sql`greatest(count(*) over (), too_many)` : sql`count(*) over ()`;
  return {
    list,
    from: sql`(select ${names}, id, true as kept, false as stops, ${matches} as matches from (${found}) as found) as scanned`,
    where: behind(
      list,
      placeColumns(list).map((column) => sql`scanned.${column}`),
      after,
    ),
    planning: BY_INDEXES,
  };
}

type Row<Item> = { readonly scanned: Scanned; readonly item: Item };

/** @param read at most so many rows of the scan. */
export async function keyedPage<Item>(
  list: KeyedList,
  { limit, after }: PageRequest<Place>,
  read: (scan: Scan, rows: number) => Promise<readonly Row<Item>[]>,
): Promise<Page<Item, Place>> {
  const wanted = itemsOfPage(limit);
  if (list.indexed !== null) {
    const rows = await read(lookup(list, list.indexed, after), wanted + 1);
    const [first] = rows;
    const areAll =
      first === undefined ? after === null && list.beside === undefined : first.scanned.matches <= MAX_MATCHES_SORTED;
    if (areAll) return { ...pageIn(rows, wanted), total: first?.scanned.matches ?? 0 };
  }
  const page = pageIn(await read(walk(list, after), wanted + 1), wanted);
  const isAll = after === null && page.next === null;
  return isAll ? { ...page, total: page.items.length } : page;
}

function pageIn<Item>(rows: readonly Row<Item>[], wanted: number): Page<Item, Place> {
  const items: Item[] = [];
  let position: Place | null = null;
  for (const { scanned, item } of rows) {
    if (items.length === wanted) return { items, next: position };
    position = scanned.place;
    if (scanned.kept) items.push(item);
  }
  return { items, next: rows.at(-1)?.scanned.stops ? position : null };
}
