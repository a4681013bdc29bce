/**
 * The ledger as a feed, in the order in which its entries were recorded: (recorded_in, position). A forward reader sees an entry only
 * after every transaction that began before its own has ended. So it never misses an entry that is committed late
 * (docs/decisions/0032). Entries older than this order come first, by their instant.
 */
import { and, eq, getTableColumns, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { IS_IN_ORDER, recordedAround } from './ledger-instants.ts';
import { itemsOfPage, type Page, type PageRequest, positionInstant } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { grants, sessions, transitions } from './schema.ts';

export type LedgerFilter = {
  readonly machine?: string | undefined;
  readonly reason?: string | undefined;
  readonly clientId?: string | undefined;
  /** The `sub`: lines about the end-user, and about those of their grants and sessions that are stored. */
  readonly userId?: string | undefined;
  readonly grantId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Of sign-ins. */
  readonly accountHash?: string | undefined;
  readonly address?: string | undefined;
  /** A part of the user agent, in any case. */
  readonly userAgentPart?: string | undefined;
  readonly event?: string | undefined;
  readonly fromState?: string | undefined;
  readonly toState?: string | undefined;
  /** Of the instant of the decision; inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
};

/** `asc`: the oldest first, to be followed. */
export type LedgerOrder = 'asc' | 'desc';

export type LedgerPosition =
  /** Decimal digits both: no number of JavaScript holds them. */
  | { readonly recordedIn: string; readonly position: string }
  /** A line from before there was an order: its instant (microseconds, UTC), and its place on disk. */
  | { readonly at: string; readonly table: string; readonly row: string };

export type ListedLine = Omit<typeof transitions.$inferSelect, 'recordedIn' | 'position'> & {
  readonly position: LedgerPosition;
};

export type LedgerPage = Page<ListedLine, LedgerPosition> & {
  /** No further line is there yet. In ascending order `next` is then where lines to come will follow. */
  readonly caughtUp: boolean;
};

/** How many lines one request reads at most. */
export const MAX_LINES_READ = 20_000;

/** @throws StoreUnavailable */
export async function listLedger(
  db: Drizzle,
  filter: LedgerFilter,
  page: PageRequest<LedgerPosition> & { readonly order: LedgerOrder },
): Promise<LedgerPage> {
  const wanted = itemsOfPage(page.limit);
  const reader = await readerOf(db, filter, page.order);
  const parts: readonly Part[] = page.order === 'desc' ? ['recorded', 'older'] : ['older', 'recorded'];
  const begun = page.after === null ? parts[0] : 'at' in page.after ? 'older' : 'recorded';
  const items: ListedLine[] = [];
  let position = page.after;
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
  const [owned, range] = await Promise.all([
    filter.userId === undefined ? null : ownedBy(db, filter.userId),
    recordedAround(db, filter),
  ]);
  /** The conditions that an index answers, and the time. The rest applies to each entry that is read. */
  const inner = and(
    filter.grantId === undefined ? undefined : aboutGrants([filter.grantId]),
    filter.sessionId === undefined
      ? undefined
      : and(about([filter.sessionId]), eq(transitions.sessionId, filter.sessionId)),
    filter.userId === undefined || owned === null ? undefined : aboutUser(filter.userId, owned),
    filter.from && gte(transitions.at, filter.from),
    filter.to && lt(transitions.at, filter.to),
  );
  return async (part: Part, after: LedgerPosition | null, rows: number) => {
    const where =
      part === 'recorded' ? and(inner, recordedPart(after, order), range) : and(inner, olderPart(after, order));
    return lineRows(db, filter, { part, order, where, rows });
  };
}

const direction = (order: LedgerOrder): SQL => (order === 'desc' ? sql`desc` : sql`asc`);
const behind = (order: LedgerOrder): SQL => (order === 'desc' ? sql`<` : sql`>`);

/**
 * For a forward reader, entries of a transaction wait until no older transaction can write any more. After a position the first
 * condition adds nothing. With it, Postgres would begin at the first entry of the position's transaction and not at the position.
 */
export const recordedPart = (after: LedgerPosition | null, order: LedgerOrder): SQL | undefined =>
  and(
    after === null || 'at' in after || order === 'desc' ? IS_IN_ORDER : undefined,
    order === 'asc' ? sql`${transitions.recordedIn} < pg_snapshot_xmin(pg_current_snapshot())` : undefined,
    after === null || 'at' in after ? undefined : beyond(after, order),
  );

/** Said twice: of conditions on the first column the index begins at the plain one, and would read every line from the first. */
export const beyond = (
  after: { readonly recordedIn: string; readonly position: string },
  order: LedgerOrder,
): SQL => sql`(
  ${transitions.recordedIn} ${behind(order)}= ${after.recordedIn}::xid8
  and (${transitions.recordedIn}, ${transitions.position}) ${behind(order)} (${after.recordedIn}::xid8, ${after.position}::bigint)
)`;

const PLACE = { table: sql`${transitions}.tableoid`, row: sql`${transitions}.ctid` };

const olderPart = (after: LedgerPosition | null, order: LedgerOrder): SQL | undefined =>
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
    .limit(isNarrowed(filter) || isLookedUp(filter) ? MAX_LINES_READ : rows)
    .as('line');
  return db.select().from(line).where(sql`${line.kept} or ${line.stops}`).orderBy(line.place).limit(rows);
}

const COMPARED = ['machine', 'reason', 'clientId', 'event', 'fromState', 'toState', 'accountHash', 'address'] as const;

const isNarrowed = (filter: LedgerFilter): boolean =>
  filter.userAgentPart !== undefined || COMPARED.some((name) => filter[name] !== undefined);

/** With the limit of a page alone, Postgres would walk the order, where the next such entries may be a million entries away. */
const isLookedUp = ({ userId, grantId, sessionId }: LedgerFilter): boolean =>
  userId !== undefined || grantId !== undefined || sessionId !== undefined;

const keptBy = (filter: LedgerFilter): SQL =>
  and(
    filter.userAgentPart === undefined
      ? undefined
      : sql`strpos(lower(${transitions.userAgent}), lower(${filter.userAgentPart})) > 0`,
    ...COMPARED.map((name) => {
      const value = filter[name];
      return value === undefined ? undefined : eq(transitions[name], value);
    }),
  ) ?? sql`true`;

/** More than an end-user has browsers and clients; of further grants the lines are found by the id of the grant. */
const MAX_OWNED = 500;

export async function ownedBy(db: Drizzle, userId: string) {
  const [ofGrants, ofSessions] = await Promise.all([
    reading(() =>
      db
        .select({ id: grants.id })
        .from(grants)
        .where(eq(grants.userId, userId))
        .orderBy(sql`${grants.createdAt} desc`)
        .limit(MAX_OWNED),
    ),
    reading(() =>
      db
        .select({ id: sessions.sid })
        .from(sessions)
        .where(eq(sessions.userId, userId))
        .orderBy(sql`${sessions.signedInAt} desc`)
        .limit(MAX_OWNED),
    ),
  ]);
  return { grants: ofGrants.map(({ id }) => id), sessions: ofSessions.map(({ id }) => id) };
}

export const aboutUser = (userId: string, owned: { readonly grants: string[]; readonly sessions: string[] }) =>
  or(about([userId, ...owned.sessions]), aboutGrants(owned.grants));

/** The first condition is where the scan of the index begins: steps of an interaction before its grant was made have its key too. */
const aboutGrants = (ids: readonly string[]): SQL =>
  sql`(${transitions.shardKey} = any(${sql.param([...ids])}::uuid[]) and ${transitions.grantId} = any(${sql.param([...ids])}::uuid[]))`;

/** As the index has it: of a line about a session its `sid`, of a line about an end-user the `sub`. */
const about = (ids: readonly string[]): SQL =>
  sql`(coalesce(${transitions.sessionId}, ${transitions.userId}) is not null
    and coalesce(${transitions.sessionId}, ${transitions.userId}) = any(${sql.param([...ids])}::uuid[]))`;
