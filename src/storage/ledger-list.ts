/**
 * The ledger as a feed, in the order in which its entries were recorded: (recorded_in, position). A forward reader sees an entry only
 * after every transaction that began before its own has ended. So it never misses an entry that is committed late
 * (docs/decisions/0032). Entries older than this order come first, by their instant.
 */
import { and, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { isCluster } from './each-node.ts';
import { reading } from './failures.ts';
import {
  behind,
  beyond,
  direction,
  innerOf,
  isBroad,
  keptBy,
  type LedgerFilter,
  type LedgerOrder,
  type LedgerPage,
  type LedgerPosition,
  type ListedLine,
  MAX_LINES_READ,
  type NodesPosition,
  type OnePosition,
} from './ledger-filter.ts';
import { IS_IN_ORDER, recordedAround } from './ledger-instants.ts';
import { listNodes } from './ledger-of-nodes.ts';
import { itemsOfPage, type PageRequest, positionInstant } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { isOnePostgres } from './recording-nodes.ts';
import { transitions } from './schema.ts';
import { areSpread } from './spread-databases.ts';

type Asked<Position> = PageRequest<Position> & { readonly order: LedgerOrder };

/** @throws StoreUnavailable */
export async function listLedger(
  db: Drizzle,
  filter: LedgerFilter,
  { after, ...asked }: Asked<LedgerPosition>,
): Promise<LedgerPage> {
  if (areSpread(db)) return listNodes(db, filter, { after, ...asked });
  const isOfNodes = after !== null && 'nodes' in after;
  if (isOfNodes && (await reading(() => isCluster(db)))) return listNodes(db, filter, { after, ...asked });
  const page = await listOne(db, filter, { after: isOfNodes ? placeOfOne(after) : after, ...asked });
  // The tables may have been spread since this node asked: the statements for one Postgres read nothing then.
  const isSpreadSince = page.items.length === 0 && (await reading(() => isCluster(db)));
  return isSpreadSince ? listNodes(db, filter, { after, ...asked }) : page;
}

const placeOfOne = ({ nodes }: NodesPosition): OnePosition | null => {
  const place = nodes.find(({ node }) => node === null);
  return place === undefined ? null : { recordedIn: place.recordedIn, position: place.position };
};

async function listOne(db: Drizzle, filter: LedgerFilter, page: Asked<OnePosition>): Promise<LedgerPage> {
  const wanted = itemsOfPage(page.limit);
  const reader = await readerOf(db, filter, page.order);
  const parts: readonly Part[] = page.order === 'desc' ? ['recorded', 'older'] : ['older', 'recorded'];
  const begun = page.after === null ? parts[0] : 'at' in page.after ? 'older' : 'recorded';
  const items: ListedLine[] = [];
  let position: LedgerPosition | null = page.after;
  for (const part of parts.slice(parts.indexOf(begun ?? 'recorded'))) {
    const after = begun === part ? page.after : null;
    const rows = await reader(part, after, wanted - items.length + 1);
    for (const { kept, line } of rows) {
      if (items.length === wanted) return { items, next: position, caughtUp: false };
      position = line.position;
      if (kept) items.push(line);
    }
    if (rows.at(-1)?.stops) return { items, next: position, caughtUp: false };
  }
  return { items, next: page.order === 'asc' ? position : null, caughtUp: true };
}

type Part = 'recorded' | 'older';

async function readerOf(db: Drizzle, filter: LedgerFilter, order: LedgerOrder) {
  const [inner, range] = await Promise.all([innerOf(db, filter), recordedAround(db, filter)]);
  return async (part: Part, after: OnePosition | null, rows: number) => {
    const where =
      part === 'recorded' ? and(inner, recordedPart(after, order), range) : and(inner, olderPart(after, order));
    return lineRows(db, filter, { part, order, where, rows });
  };
}

/**
 * For a forward reader, entries of a transaction wait until no older transaction can write any more. After a position the first
 * condition adds nothing. With it, Postgres would begin at the first entry of the position's transaction and not at the position.
 */
export const recordedPart = (after: OnePosition | null, order: LedgerOrder): SQL | undefined =>
  and(
    isOnePostgres,
    after === null || 'at' in after || order === 'desc' ? IS_IN_ORDER : undefined,
    order === 'asc' ? sql`${transitions.recordedIn} < pg_snapshot_xmin(pg_current_snapshot())` : undefined,
    after === null || 'at' in after ? undefined : beyond(after, order),
  );

const PLACE = { table: sql`${transitions}.tableoid`, row: sql`${transitions}.ctid` };

const olderPart = (after: OnePosition | null, order: LedgerOrder): SQL | undefined =>
  and(
    // Both, so that the index of the order finds these lines.
    sql`${transitions.recordedIn} = '0'::xid8 and ${transitions.position} = 0`,
    after === null || !('at' in after)
      ? undefined
      : sql`(${transitions.at}, ${PLACE.table}, ${PLACE.row}) ${behind(order)}
          (${after.at}::timestamptz, ${after.table}::oid, ${after.row}::tid)`,
  );

const MAX = sql.raw(String(MAX_LINES_READ));

/** The last of MAX_LINES_READ lines comes along, kept or not. */
async function lineRows(
  db: Drizzle,
  filter: LedgerFilter,
  { part, order, where, rows }: { part: Part; order: LedgerOrder; where: SQL | undefined; rows: number },
) {
  const found = await plannedRead(db, (db) => lineStatement(db, filter, { part, order, where, rows }));
  return found.map(({ kept, stops, instant, table, row, place: _, recordedIn, position, ...said }) => ({
    kept,
    stops,
    line: {
      ...said,
      position: part === 'recorded' ? { recordedIn, position: String(position) } : { at: instant, table, row },
    },
  }));
}

/** For a test of its plan, too. */
export function lineStatement(
  db: Drizzle,
  filter: LedgerFilter,
  { part, order, where, rows }: { part: Part; order: LedgerOrder; where: SQL | undefined; rows: number },
) {
  const to = direction(order);
  const sorted =
    part === 'recorded'
      ? sql`${transitions.recordedIn} ${to}, ${transitions.position} ${to}`
      : sql`${transitions.at} ${to}, ${PLACE.table} ${to}, ${PLACE.row} ${to}`;
  const place = sql`row_number() over (order by ${sorted})`;
  const line = db
    .select({
      ...getTableColumns(transitions),
      instant: positionInstant(transitions.at).as('instant'),
      table: sql<string>`${PLACE.table}::text`.as('table_id'),
      row: sql<string>`${PLACE.row}::text`.as('row_id'),
      place: sql<string>`${place}`.as('place'),
      kept: sql<boolean>`coalesce(${keptBy(filter)}, false)`.as('kept'),
      stops: sql<boolean>`${place} = ${MAX}`.as('stops'),
    })
    .from(transitions)
    .where(where)
    .orderBy(sorted)
    .limit(isBroad(filter) ? MAX_LINES_READ : rows)
    .as('line');
  return db.select().from(line).where(sql`${line.kept} or ${line.stops}`).orderBy(line.place).limit(rows);
}
