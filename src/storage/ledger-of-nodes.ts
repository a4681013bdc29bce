/**
 * The feed of a ledger that the nodes of a cluster record (docs/decisions/0119). A position has a place of each recording node. Of the
 * next entries of all nodes, a page takes the one with the earliest instant, or backward the latest. It takes each entry once, and those
 * of a node in their order.
 */
import { and, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import {
  beyond,
  innerOf,
  isBroad,
  keptBy,
  type LedgerFilter,
  type LedgerOrder,
  type LedgerPage,
  type LedgerPosition,
  type ListedLine,
  MAX_LINES_READ,
  type NodePlace,
  type OlderPlace,
} from './ledger-filter.ts';
import { IS_IN_ORDER, recordedAroundOn } from './ledger-instants.ts';
import { itemsOfPage, type PageRequest, positionInstant } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { type RecordingNode, recordedOn, recordingNodes } from './recording-nodes.ts';
import { transitions } from './schema.ts';

type Places = { readonly nodes: Map<number | null, NodePlace>; older: OlderPlace | null };

const AFTER_ALL: OlderPlace = { at: '9999-12-31T23:59:59.999999Z', hash: '' };
const LAST_HASH = 'f'.repeat(32);

/** @throws StoreUnavailable also where a worker is away: its shards have entries of any node. */
export async function listNodes(
  db: Drizzle,
  filter: LedgerFilter,
  { order, limit, after }: PageRequest<LedgerPosition> & { readonly order: LedgerOrder },
): Promise<LedgerPage> {
  const wanted = itemsOfPage(limit);
  const nodes = await reading(() => recordingNodes(db));
  const places = placesIn(after, order, nodes);
  const inner = await innerOf(db, filter);
  const streams = await Promise.all([
    olderRows(db, filter, { order, inner, after: places.older, rows: wanted + 1 }),
    ...nodes
      .filter(({ node = null }) => order === 'asc' || places.nodes.has(node))
      .map((node) =>
        nodeRows(db, filter, { order, inner, node, after: places.nodes.get(node.node ?? null), rows: wanted + 1 }),
      ),
  ]);
  const items: ListedLine[] = [];
  const next = () => positionOf(places, after);
  for (;;) {
    const stream = nextOf(streams, order);
    if (stream === null) return { items, next: order === 'asc' ? next() : null, caughtUp: true };
    if (items.length === wanted) return { items, next: next(), caughtUp: false };
    const row = stream.shift() as Row;
    if ('hash' in row.place) places.older = row.place;
    else places.nodes.set(row.place.node, row.place);
    if (row.kept) items.push({ ...row.line, position: positionOf(places, after) as LedgerPosition });
    // Further entries of this node may come before those of the others.
    if (row.stops) return { items, next: next(), caughtUp: false };
  }
}

type Row = {
  readonly kept: boolean;
  /** The last of the most lines that one request reads. */
  readonly stops: boolean;
  readonly line: Omit<ListedLine, 'position'>;
  readonly place: NodePlace | OlderPlace;
};

/** The positions of before the tables were spread stay valid. */
function placesIn(after: LedgerPosition | null, order: LedgerOrder, nodes: readonly RecordingNode[]): Places {
  if (after !== null && 'nodes' in after)
    return { nodes: new Map(after.nodes.map((place) => [place.node, place])), older: after.older };
  if (after !== null && 'at' in after)
    return { nodes: new Map(), older: { at: after.at, hash: order === 'asc' ? '' : LAST_HASH } };
  if (after !== null)
    return { nodes: new Map([[null, { node: null, ...after }]]), older: order === 'asc' ? AFTER_ALL : null };
  // A backward reader meets no entry that is recorded after its first page.
  const ends = nodes.map(({ node = null, begunBelow }): [number | null, NodePlace] => [
    node,
    { node, recordedIn: begunBelow, position: '0' },
  ]);
  return { nodes: new Map(order === 'asc' ? [] : ends), older: null };
}

const positionOf = ({ nodes, older }: Places, before: LedgerPosition | null): LedgerPosition | null =>
  nodes.size === 0 && older === null ? before : { nodes: [...nodes.values()], older };

/** The rows of the node whose next entry comes first. */
function nextOf(streams: readonly Row[][], order: LedgerOrder): Row[] | null {
  let first: Row[] | null = null;
  for (const stream of streams) {
    const [at, least] = [stream[0]?.line.at, first?.[0]?.line.at];
    if (at === undefined) continue;
    if (least === undefined || (order === 'asc' ? at < least : at > least)) first = stream;
  }
  return first;
}

type Reading = {
  readonly order: LedgerOrder;
  readonly inner: SQL | undefined;
  readonly rows: number;
};

async function nodeRows(
  db: Drizzle,
  filter: LedgerFilter,
  {
    order,
    inner,
    rows,
    node,
    after,
  }: Reading & { readonly node: RecordingNode; readonly after: NodePlace | undefined },
): Promise<Row[]> {
  const to = sql.raw(order);
  const where = and(
    inner,
    recordedOn(node.node),
    after === undefined || order === 'desc' ? IS_IN_ORDER : undefined,
    order === 'asc' ? sql`${transitions.recordedIn} < ${node.settledBelow}::xid8` : undefined,
    after === undefined ? undefined : beyond(after, order),
    await recordedAroundOn(db, node.node, filter),
  );
  const sorted = sql`${transitions.recordedIn} ${to}, ${transitions.position} ${to}`;
  const found = await plannedRead(db, (db) => nodeStatement(db, filter, { where, sorted, rows }));
  return found.map(({ kept, stops, instant: _, hash: __, place: ___, recordedIn, position, ...said }) => ({
    kept,
    stops,
    line: said,
    place: { node: node.node ?? null, recordedIn, position: String(position) },
  }));
}

async function olderRows(
  db: Drizzle,
  filter: LedgerFilter,
  { order, inner, rows, after }: Reading & { readonly after: OlderPlace | null },
): Promise<Row[]> {
  const to = sql.raw(order);
  const where = and(
    inner,
    recordedOn(undefined),
    sql`${transitions.recordedIn} = '0'::xid8 and ${transitions.position} = 0`,
    after === null
      ? undefined
      : sql`(${transitions.at}, ${HASH}) ${sql.raw(order === 'asc' ? '>' : '<')} (${after.at}::timestamptz, ${after.hash}::text)`,
  );
  const sorted = sql`${transitions.at} ${to}, ${HASH} ${to}`;
  const found = await plannedRead(db, (db) => nodeStatement(db, filter, { where, sorted, rows }));
  return found.map(({ kept, stops, instant, hash, place: _, recordedIn: __, position: ___, ...said }) => ({
    kept,
    stops,
    line: said,
    place: { at: instant, hash },
  }));
}

/** A shard moves, and with it the place of a row on disk. */
const HASH = sql<string>`md5(${transitions}::text)`;
const MAX = sql.raw(String(MAX_LINES_READ));

/** Citus limits what each shard sends only where no window function stands beside the limit. */
function nodeStatement(
  db: Drizzle,
  filter: LedgerFilter,
  { where, sorted, rows }: { readonly where: SQL | undefined; readonly sorted: SQL; readonly rows: number },
) {
  const line = db
    .select({
      ...getTableColumns(transitions),
      instant: positionInstant(transitions.at).as('instant'),
      hash: sql<string>`${HASH}`.as('hash'),
      kept: sql<boolean>`coalesce(${keptBy(filter)}, false)`.as('kept'),
    })
    .from(transitions)
    .where(where)
    .orderBy(sorted)
    .limit(isBroad(filter) ? MAX_LINES_READ : rows)
    .as('line');
  const place = sql`row_number() over ()`;
  const names = Object.keys(line._.selectedFields) as (keyof typeof line._.selectedFields)[];
  const fields = Object.fromEntries(names.map((name) => [name, line[name]])) as unknown as typeof line._.selectedFields;
  const numbered = db
    .select({
      ...fields,
      place: sql<string>`${place}`.as('place'),
      stops: sql<boolean>`${place} = ${MAX}`.as('stops'),
    })
    .from(line)
    .as('numbered');
  return db
    .select()
    .from(numbered)
    .where(sql`${numbered.kept} or ${numbered.stops}`)
    .orderBy(numbered.place)
    .limit(rows);
}
