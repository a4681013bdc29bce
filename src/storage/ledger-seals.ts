/** Sealed segments of the ledger and their entries, which src/ledger seals, verifies and exports. */
import { and, asc, count, desc, eq, gt, gte, lt, lte, notExists, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import { type NumberedSeal, newestAuthentic } from '../ledger/newest.ts';
import type { NodeStanding, Range, SealStore } from '../ledger/seal.ts';
import { endOf, type HashedMonth, type Line, type Place, readStatement, type StoredSeal } from '../ledger/segment.ts';
import type { StoredLedger } from '../ledger/verify-stored.ts';
import { LEDGER_KEPT_DAYS, SHARD } from '../model/ledger.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { readNow } from './now.ts';
import { hasRecordingNodes, isOnePostgres, recordedOn, recordingNodes } from './recording-nodes.ts';
import { lockedAlone } from './run-alone.ts';
import { ledgerRetention, ledgerSeals, server, transitions } from './schema.ts';
import { databaseNow, readServer } from './server-row.ts';

const LINES_READ = 500;
const SEALS_READ = 100;
/** Above, a number of JavaScript is not exact; no server comes near. */
const HIGHEST_NUMBER = Number.MAX_SAFE_INTEGER - 1;

/** For `sealNext`: a segment is made in one transaction, and one node at a time makes one. */
export const sealAlone =
  (db: Drizzle, clock: Clock) =>
  <T>(work: (store: SealStore) => Promise<T>): Promise<T | null> =>
    writing(() =>
      db.transaction(async (transaction) => {
        const isMine = lockedAlone('ledger_sealing');
        const [row] = await transaction.select({ isMine, spread: hasRecordingNodes }).from(server);
        if (row?.isMine !== true) return null;
        const { spread } = row;
        // Nodes of the server may be connected to several workers: the one that has the seals has one lock for all.
        const [other] = spread
          ? await transaction.select({ isMine, seals: count() }).from(ledgerSeals).where(ofNoNumber)
          : [];
        if (other?.isMine === false) return null;
        await transaction.execute(PLANNED);
        return work(sealStore({ db: transaction, spread }, clock));
      }),
    );

/** No segment has it: the statement is for the node that has the table. */
const ofNoNumber = and(eq(ledgerSeals.shard, SHARD), eq(ledgerSeals.number, 0));

/** `spread`: over a cluster, where a range has a recording node. */
type Source = { readonly db: Drizzle; readonly spread: boolean };

async function sourceOf(db: Drizzle): Promise<Source> {
  const [row] = await reading(() => db.select({ spread: hasRecordingNodes }).from(server));
  return { db, spread: row?.spread === true };
}

function keptSource(db: Drizzle): () => Promise<Source> {
  let source: Promise<Source> | undefined;
  return () => (source ??= sourceOf(db));
}

/** @param source a transaction in which `PLANNED` was executed. */
function sealStore(source: Source, clock: Clock): SealStore {
  const { db } = source;
  return {
    standing: () => standing(source, clock),
    newestSeals: () => newestSeals(db),
    freeNumber: (after) => freeNumber(db, after),
    cut: (range, most) => cut(source, range, most),
    hashed: (range) => hashed(source, range),
    indexesOf: (range) => indexesOf(db, range),
    add: async ({ number, sealedAt, statement, signature, index }) => {
      const added = await db
        .insert(ledgerSeals)
        .values({ number, sealedAt, statement, signature, lineIndex: Buffer.from(index) })
        .onConflictDoNothing()
        .returning({ number: ledgerSeals.number });
      return added.length > 0;
    },
  };
}

/** For verification and export. */
export function storedLedger(db: Drizzle, clock: Clock): StoredLedger {
  const source = keptSource(db);
  return {
    standing: async () => standing(await source(), clock),
    newestSeals: () => newestSeals(db),
    indexesOf: (range) => indexesOf(db, range),
    lines: async function* (range) {
      const found = await source();
      yield* lines(found, within(range, found));
    },
    last: async () => {
      for await (const [last] of newestSeals(db)) return last ?? null;
      return null;
    },
    refusedNumbers: async () => {
      const number = sql<string>`${ledgerSeals.number}::text`;
      const rows = await reading(() =>
        db
          .select({ number })
          .from(ledgerSeals)
          .where(
            sql`${ledgerSeals.number} < 1 or ${ledgerSeals.number} > ${HIGHEST_NUMBER} or ${ledgerSeals.shard} <> ${SHARD}`,
          )
          .limit(SEALS_READ),
      );
      return rows.map((row) => row.number);
    },
    seals: (behind) => sealsWithIndex(db, behind),
    sealsBelow: (number) => sealsBelow(db, number ?? HIGHEST_NUMBER + 1),
    beginsAt: async (instant) => {
      const [row] = await reading(() =>
        db
          .select({ number: ledgerSeals.number })
          .from(ledgerSeals)
          .where(and(gte(ledgerSeals.sealedAt, instant), numbered(0)))
          .orderBy(asc(ledgerSeals.number))
          .limit(1),
      );
      return row?.number ?? null;
    },
    countOpen: async (range) => {
      const found = await source();
      return reading(() => db.$count(transitions, within(range, found)));
    },
    linesOfOtherNodes: async function* (nodes) {
      const numbers = nodes.filter((node) => node !== undefined);
      const found = await source();
      if (found.spread) yield* lines(found, sql`${transitions.recordedOn} <> all(${sql.param(numbers)}::integer[])`);
    },
  };
}

const numbered = (behind: number) =>
  and(eq(ledgerSeals.shard, SHARD), gt(ledgerSeals.number, behind), lte(ledgerSeals.number, HIGHEST_NUMBER));

async function* indexesOf(db: Drizzle, range: Range): AsyncIterable<Uint8Array> {
  for await (const page of allSeals(db))
    for (const { number } of page.filter(({ statement }) => overlaps(statement, range))) {
      const [row] = await reading(() =>
        db
          .select({ index: ledgerSeals.lineIndex })
          .from(ledgerSeals)
          .where(and(eq(ledgerSeals.shard, SHARD), eq(ledgerSeals.number, number))),
      );
      if (row) yield row.index;
    }
}

function overlaps(statement: string, range: Range): boolean {
  const said = readStatement({ statement });
  return (
    said !== null &&
    said.node === range.node &&
    BigInt(said.from) <= BigInt(range.below) &&
    BigInt(range.from) <= BigInt(said.below)
  );
}

async function standing({ db, spread }: Source, clock: Clock): Promise<{ now: Date; nodes: readonly NodeStanding[] }> {
  if (spread) {
    return { now: await databaseNow(db, clock), nodes: await reading(() => recordingNodes(db)) };
  }
  const { now, ...node } = await readServer(() =>
    db
      .select({
        now: readNow(clock),
        settledBelow: sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text`,
        begunBelow: sql<string>`pg_snapshot_xmax(pg_current_snapshot())::text`,
      })
      .from(server),
  );
  return { now, nodes: [node] };
}

/** The first page is one row: mostly it is authentic. */
async function* newestSeals(db: Drizzle): AsyncIterable<readonly NumberedSeal[]> {
  const { number, statement, signature } = ledgerSeals;
  let before = HIGHEST_NUMBER + 1;
  let most = 1;
  for (;;) {
    const [above, limit] = [before, most];
    const page = await reading(() =>
      db
        .select({ number, statement, signature })
        .from(ledgerSeals)
        .where(and(numbered(0), lt(number, above)))
        .orderBy(desc(number))
        .limit(limit),
    );
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    before = page.at(-1)?.number ?? 0;
    most = SEALS_READ;
  }
}

async function freeNumber(db: Drizzle, after: number): Promise<number> {
  const next = alias(ledgerSeals, 'next');
  const [row] = await reading(() =>
    db
      .select({ number: sql<string | null>`min(${ledgerSeals.number})` })
      .from(ledgerSeals)
      .where(
        and(
          gte(ledgerSeals.number, after),
          numbered(0),
          notExists(
            db
              .select({ one: sql`1` })
              .from(next)
              .where(and(eq(next.shard, SHARD), eq(next.number, sql`${ledgerSeals.number} + 1`))),
          ),
        ),
      ),
  );
  return Number(row?.number ?? after) + 1;
}

const { recordedIn, position, at } = transitions;
const KEY = sql`${recordedIn}, ${position}, ${at}`;
const IN_ORDER = [asc(recordedIn), asc(position), asc(at)];

const WHOLE = sql<unknown>`${transitions}`.as('line');
/**
 * As it is hashed: in UTC, without null columns. By the functions of Postgres, not by others with these names. The search for a page comes first:
 * beside the search, Postgres would make the text of every line that it sorts.
 */
const jsonOf = (line: SQLWrapper) => sql`pg_catalog.jsonb_strip_nulls(pg_catalog.to_jsonb(${line}))`;
const textOf = (line: SQLWrapper) => sql<string>`${jsonOf(line)}::text`.as('line_text');
const hashOf = (text: SQLWrapper) => sql`pg_catalog.sha256(pg_catalog.convert_to(${text}, 'UTF8'))`;

/** Comparisons of rows, so that the index of the order is used; the hash is made of those alone that share the place of a division. */
function within(
  { node, from, from_entry, below, below_entry }: Partial<Range>,
  { spread }: Pick<Source, 'spread'>,
): SQL | undefined {
  const key = (transaction: string, { position, at }: Place) =>
    sql`(${transaction}::xid8, ${position}::bigint, ${at}::timestamptz)`;
  const hash = hashOf(sql`${jsonOf(sql`${transitions}`)}::text`);
  const octets = (place: Place) => sql`pg_catalog.decode(${place.hash}, 'hex')`;
  return and(
    spread ? recordedOn(node) : undefined,
    from !== undefined && from_entry === undefined ? sql`${recordedIn} >= ${from}::xid8` : undefined,
    from !== undefined && from_entry
      ? sql`(${KEY}) >= ${key(from, from_entry)} and not ((${KEY}) = ${key(from, from_entry)} and ${hash} < ${octets(from_entry)})`
      : undefined,
    below !== undefined && below_entry === undefined ? sql`${recordedIn} < ${below}::xid8` : undefined,
    below !== undefined && below_entry
      ? sql`(${KEY}) <= ${key(below, below_entry)} and not ((${KEY}) = ${key(below, below_entry)} and ${hash} >= ${octets(below_entry)})`
      : undefined,
  );
}

async function cut(source: Source, range: Range, most: number): ReturnType<SealStore['cut']> {
  const { db } = source;
  const entry = async (offset: number) => {
    const [row] = await reading(() =>
      db
        .select({
          recordedIn: textual(recordedIn, 'recorded_in'),
          position: textual(position, 'position'),
          at: textual(at, 'at'),
        })
        .from(transitions)
        .where(within(range, source))
        .orderBy(...IN_ORDER)
        .offset(offset)
        .limit(1),
    );
    return row ?? null;
  };
  const last = await entry(most);
  if (last === null) return null;
  const first = await entry(0);
  if (first === null || first.recordedIn !== last.recordedIn) return { below: last.recordedIn };
  // One transaction has more: it is divided, before the lines that share a place, or between them by their hashes.
  const place = { position: last.position, at: last.at };
  const isShared = first.position === last.position && first.at === last.at;
  return {
    below: last.recordedIn,
    below_entry: { ...place, hash: isShared ? await hashAt(source, range, { ...last, offset: most }) : '' },
  };
}

async function hashAt(
  { db, spread }: Source,
  range: Range,
  shared: { readonly recordedIn: string; readonly position: string; readonly at: string; readonly offset: number },
): Promise<string> {
  const hash = hashOf(sql`${jsonOf(sql`${transitions}`)}::text`);
  const [row] = await reading(() =>
    db
      .select({ hash: sql<string>`pg_catalog.encode(${hash}, 'hex')`.as('hash') })
      .from(transitions)
      .where(
        and(
          within(range, { spread }),
          sql`(${KEY}) = (${shared.recordedIn}::xid8, ${shared.position}::bigint, ${shared.at}::timestamptz)`,
        ),
      )
      .orderBy(sql`1`)
      .offset(shared.offset)
      .limit(1),
  );
  return row?.hash ?? '';
}

/** Hashed by Postgres, so that the node does not compute for so long that its requests wait. As `entryOf` does it for verification. */
async function hashed({ db, spread }: Source, range: Range): Promise<readonly HashedMonth[]> {
  const line = db
    .select({ recordedIn, position, json: sql`${jsonOf(sql`${transitions}`)}`.as('line_json') })
    .from(transitions)
    .where(and(within(range, { spread }), spread ? undefined : isOnePostgres))
    // Otherwise the JSON of a line would be made for its month and once more for its hash.
    .offset(0)
    .as('line');
  const month = sql<string>`coalesce(substring(${line.json} ->> 'at' from '^([0-9]{4}-[0-9]{2})-'), 'other')`;
  const hash = hashOf(sql`${line.json}::text`);
  const entry = db
    .select({ recordedIn: line.recordedIn, position: line.position, month: month.as('month'), hash: hash.as('hash') })
    .from(line)
    // Otherwise each hash would be made once more to be sorted.
    .offset(0)
    .as('entry');
  const octets = sql`pg_catalog.xid8send(${entry.recordedIn}) || pg_catalog.int8send(${entry.position}) || ${entry.hash}`;
  return reading(() =>
    db
      .select({
        month: entry.month,
        octets: sql<Uint8Array>`pg_catalog.string_agg(${octets}, ''::bytea order by ${entry.recordedIn}, ${entry.position}, ${entry.hash})`,
      })
      .from(entry)
      .groupBy(entry.month)
      .orderBy(sql`${entry.month} collate "C"`),
  );
}

/** Named otherwise than its column: `order by` means the selected expression where the names are the same. */
const textual = (value: SQLWrapper, name: string) => sql<string>`${value}::text`.as(`${name}_text`);

type PlacedLine = Line & { readonly at: string; readonly table: string; readonly row: string };

/** Lines may share a place, as those from before the order do: of one place, as they are stored. */
const lines = ({ db, spread }: Source, where: SQL | undefined): AsyncIterable<readonly Line[]> =>
  spread ? linesOfShards(db, where) : linesOfTable(db, where);

const linesOfTable = (db: Drizzle, where: SQL | undefined): AsyncIterable<readonly Line[]> =>
  pagesOf<PlacedLine>(LINES_READ, (after) =>
    planned(db, (db) => {
      const [table, row] = [sql`${transitions}.tableoid`, sql`${transitions}.ctid`];
      const place = after && sql`${after.recordedIn}::xid8, ${after.position}::bigint, ${after.at}::timestamptz`;
      const page = db
        .select({ recordedIn, position, at, table: table.as('in_table'), row: row.as('in_row'), line: WHOLE })
        .from(transitions)
        .where(
          and(
            where,
            // Where the scan of the index begins.
            place && sql`(${KEY}) >= (${place})`,
            after && sql`(${KEY}, ${table}, ${row}) > (${place}, ${after.table}::oid, ${after.row}::tid)`,
          ),
        )
        .orderBy(...IN_ORDER, table, row)
        .limit(LINES_READ)
        .as('page');
      return db
        .select({
          recordedIn: textual(page.recordedIn, 'recorded_in'),
          position: textual(page.position, 'position'),
          text: textOf(page.line),
          at: textual(page.at, 'at'),
          table: textual(page.table, 'table'),
          row: textual(page.row, 'row'),
        })
        .from(page)
        .orderBy(page.recordedIn, page.position, page.at, page.table, page.row);
    }),
  );

/**
 * A shard moves, and with it the place of a row on disk. So lines of one place are put in order by their text, and the next page leaves
 * out as many of them as were read.
 */
async function* linesOfShards(db: Drizzle, where: SQL | undefined): AsyncIterable<readonly Line[]> {
  let last: (Line & { readonly at: string }) | undefined;
  let ofItsPlace = 0;
  for (;;) {
    const [after, passed] = [last, ofItsPlace];
    const rows = await planned(db, (db) => {
      const text = textOf(sql`${transitions}`);
      const place = after && sql`(${after.recordedIn}::xid8, ${after.position}::bigint, ${after.at}::timestamptz)`;
      return db
        .select({
          recordedIn: textual(recordedIn, 'recorded_in'),
          position: textual(position, 'position'),
          text,
          at: textual(at, 'at'),
        })
        .from(transitions)
        .where(and(where, place && sql`(${KEY}) >= ${place}`))
        .orderBy(...IN_ORDER, sql`${jsonOf(sql`${transitions}`)}::text`)
        .offset(passed)
        .limit(LINES_READ);
    });
    if (rows.length > 0) yield rows;
    if (rows.length < LINES_READ) return;
    last = rows.at(-1);
    const isBeside = (row: (typeof rows)[number]) =>
      row.recordedIn === last?.recordedIn && row.position === last.position && row.at === last.at;
    ofItsPlace = rows.filter(isBeside).length + (after !== undefined && isBeside({ ...after }) ? passed : 0);
  }
}

/** @param read the page of `most` rows after this one; undefined: the first. */
async function* pagesOf<T>(
  most: number,
  read: (after: T | undefined) => Promise<readonly T[]>,
): AsyncIterable<readonly T[]> {
  let after: T | undefined;
  do {
    const rows: readonly T[] = await read(after);
    if (rows.length > 0) yield rows;
    after = rows.length === most ? rows.at(-1) : undefined;
  } while (after !== undefined);
}

const planned = <T>(db: Drizzle, read: (db: Drizzle) => PromiseLike<T>): Promise<T> =>
  reading(() =>
    db.transaction(async (transaction) => {
      await transaction.execute(PLANNED);
      return read(transaction);
    }),
  );

/** A page comes from the index in its order: without statistics Postgres would sort all that is left of the table for each page. */
const PLANNED = sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('TimeZone', 'UTC', true),
  set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`;

const allSeals = (db: Drizzle) =>
  pagesOf<{ readonly number: number; readonly statement: string }>(SEALS_READ, (after) =>
    reading(() =>
      db
        .select({ number: ledgerSeals.number, statement: ledgerSeals.statement })
        .from(ledgerSeals)
        .where(numbered(after?.number ?? 0))
        .orderBy(asc(ledgerSeals.number))
        .limit(SEALS_READ),
    ),
  );

/** One at a time: an index may be large. */
async function* sealsWithIndex(
  db: Drizzle,
  behind: number,
): AsyncIterable<StoredSeal & { readonly number: number; readonly sealedAt: Date }> {
  let after = behind;
  for (;;) {
    const from = after;
    const [row] = await reading(() =>
      db.select().from(ledgerSeals).where(numbered(from)).orderBy(asc(ledgerSeals.number)).limit(1),
    );
    if (!row) return;
    const { number, sealedAt, statement, signature, lineIndex } = row;
    yield { number, sealedAt, statement, signature, index: lineIndex };
    after = number;
  }
}

async function* sealsBelow(db: Drizzle, number: number): AsyncIterable<StoredSeal & { readonly number: number }> {
  let below = number;
  for (;;) {
    const before = below;
    const [row] = await reading(() =>
      db
        .select()
        .from(ledgerSeals)
        .where(and(numbered(0), lt(ledgerSeals.number, before)))
        .orderBy(desc(ledgerSeals.number))
        .limit(1),
    );
    if (!row) return;
    yield { number: row.number, statement: row.statement, signature: row.signature, index: row.lineIndex };
    below = row.number;
  }
}

export type SealStanding = {
  /** The number of the newest authentic seal; 0: there is none. */
  readonly newest: number;
  /** How old the oldest line is that is in no segment; 0: there is none. */
  readonly openSeconds: number;
};

/** For metrics. @throws StoreUnavailable */
export async function sealStanding(db: Drizzle, clock: Clock, keys: SealVerifier): Promise<SealStanding> {
  const source = await sourceOf(db);
  const { now, nodes } = await standing(source, clock);
  const { seal } = await newestAuthentic(newestSeals(db), keys);
  let openSeconds = 0;
  for (const { node } of nodes) {
    const { below: from = '0', below_entry: from_entry } = endOf(seal?.statement ?? null, node) ?? {};
    const [oldest] = await planned(db, (db) =>
      db
        .select({ at: transitions.at })
        .from(transitions)
        .where(within({ node, from, from_entry }, source))
        .orderBy(...IN_ORDER)
        .limit(1),
    );
    if (oldest) openSeconds = Math.max(openSeconds, (now.getTime() - oldest.at.getTime()) / 1000);
  }
  return { newest: seal?.number ?? 0, openSeconds };
}

/**
 * Lines are kept for this long from now on. Only the owner of the tables may say so: the role of a server could drop lines early.
 * @returns how long they are kept.
 */
export async function keepLedgerFor(db: Drizzle, days: number): Promise<number> {
  const [before] = await reading(() => db.select({ days: ledgerRetention.keptDays }).from(ledgerRetention));
  if (before?.days === days) return days;
  const [row] = await reading(() =>
    db.select({ may: sql<boolean>`has_table_privilege('public.ledger_retention', 'UPDATE')` }).from(server),
  );
  if (!row?.may) return before?.days ?? LEDGER_KEPT_DAYS;
  await writing(() => db.update(ledgerRetention).set({ keptDays: days }));
  return days;
}
