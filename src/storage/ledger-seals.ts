/** Closed stretches of the ledger and their lines: what src/ledger closes, verifies and exports. */
import { and, asc, eq, gt, gte, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Range, SealStore } from '../ledger/seal.ts';
import { type Line, readStatement, type StoredSeal } from '../ledger/stretch.ts';
import type { StoredLedger } from '../ledger/verify-stored.ts';
import { LEDGER_KEPT_DAYS } from '../model/ledger.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { nowOf } from './now.ts';
import { ledgerRetention, ledgerSeals, server, transitions } from './schema.ts';
import { noServerRow } from './server-row.ts';

const LINES_READ = 500;
const SEALS_READ = 100;

export function sealStore(db: Drizzle, clock: Clock): SealStore & StoredLedger {
  return {
    now: async () => (await standing(db, clock)).now,
    standing: () => standing(db, clock),
    cut: (range, most) => cut(db, range, most),
    lines: (range) => lines(db, range),
    indexesOf: async function* (range) {
      for await (const page of allSeals(db))
        for (const { number } of page.filter(({ statement }) => overlaps(statement, range))) {
          const [row] = await reading(() =>
            db.select({ index: ledgerSeals.lineIndex }).from(ledgerSeals).where(eq(ledgerSeals.number, number)),
          );
          if (row) yield row.index;
        }
    },
    add: async ({ number, sealedAt, statement, signature, index }) => {
      const added = await writing(() =>
        db
          .insert(ledgerSeals)
          .values({ number, sealedAt, statement, signature, lineIndex: Buffer.from(index) })
          .onConflictDoNothing()
          .returning({ number: ledgerSeals.number }),
      );
      return added.length > 0;
    },
    last: async () => (await standing(db, clock)).last,
    seals: (behind) => sealsWithIndex(db, behind),
    beginsAt: async (instant) => {
      const [row] = await reading(() =>
        db
          .select({ number: ledgerSeals.number })
          .from(ledgerSeals)
          .where(gte(ledgerSeals.sealedAt, instant))
          .orderBy(asc(ledgerSeals.number))
          .limit(1),
      );
      return row?.number ?? null;
    },
    countOpen: (from) => reading(() => db.$count(transitions, sql`${transitions.recordedIn} >= ${from}::xid8`)),
  };
}

function overlaps(statement: string, range: Range): boolean {
  const said = readStatement({ statement });
  return said !== null && BigInt(said.from) < BigInt(range.below) && BigInt(range.from) < BigInt(said.below);
}

async function standing(db: Drizzle, clock: Clock) {
  const { number, statement, signature } = ledgerSeals;
  const [row] = await reading(() =>
    db
      .select({
        now: sql<string>`${nowOf(clock)}`,
        settledBelow: sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text`,
        begunBelow: sql<string>`pg_snapshot_xmax(pg_current_snapshot())::text`,
        number,
        statement,
        signature,
      })
      .from(server)
      .leftJoin(ledgerSeals, eq(number, sql`(select max(number) from ledger_seals)`)),
  );
  if (!row) throw noServerRow();
  const { number: last, statement: said, signature: signed, now, settledBelow, begunBelow } = row;
  const isThere = last !== null && said !== null && signed !== null;
  return {
    now: new Date(now),
    settledBelow,
    begunBelow,
    last: isThere ? { number: last, statement: said, signature: signed } : null,
  };
}

const within = ({ from, below }: Range): SQL | undefined =>
  and(sql`${transitions.recordedIn} >= ${from}::xid8`, sql`${transitions.recordedIn} < ${below}::xid8`);

const IN_ORDER = [asc(transitions.recordedIn), asc(transitions.position)];

/** Lines from before there was an order have 0, and are a stretch of their own. */
const ORDER_BEGINS = '1';

async function cut(db: Drizzle, range: Range, most: number): Promise<string | null> {
  const at = async (where: SQL | undefined, offset: number) => {
    const [row] = await planned(db, (db) =>
      db
        .select({ recordedIn: transitions.recordedIn })
        .from(transitions)
        .where(and(within(range), where))
        .orderBy(...IN_ORDER)
        .offset(offset)
        .limit(1),
    );
    return row?.recordedIn ?? null;
  };
  const first = await at(undefined, 0);
  if (first === '0') return ORDER_BEGINS;
  const last = await at(undefined, most);
  // A transaction is in one stretch, however many lines it has.
  return last !== null && last === first ? at(sql`${transitions.recordedIn} > ${last}::xid8`, 0) : last;
}

const WHOLE = sql<unknown>`${transitions}`.as('line');
/**
 * As it is hashed: in UTC, without what is null. By the functions of Postgres, whatever others have these names. A page is found first:
 * beside the search, Postgres would make the text of every line that it sorts.
 */
const textOf = (line: SQLWrapper) =>
  sql<string>`pg_catalog.jsonb_strip_nulls(pg_catalog.to_jsonb(${line}))::text`.as('line_text');

/** Named otherwise than its column: `order by` means what is selected where the names are the same. */
const textual = (value: SQLWrapper, name: string) => sql<string>`${value}::text`.as(`${name}_text`);

async function* lines(db: Drizzle, { from, below }: Range): AsyncIterable<readonly Line[]> {
  const begun = BigInt(from) < BigInt(ORDER_BEGINS) ? ORDER_BEGINS : from;
  if (begun !== from) yield* linesBeforeTheOrder(db);
  yield* pagesOf<Line>(LINES_READ, (after) =>
    planned(db, (db) => {
      const { recordedIn, position } = transitions;
      const page = db
        .select({ recordedIn, position, line: WHOLE })
        .from(transitions)
        .where(
          and(
            within({ from: begun, below }),
            after && sql`(${recordedIn}, ${position}) > (${after.recordedIn}::xid8, ${after.position}::bigint)`,
          ),
        )
        .orderBy(...IN_ORDER)
        .limit(LINES_READ)
        .as('page');
      return db
        .select({
          recordedIn: page.recordedIn,
          position: textual(page.position, 'position'),
          text: textOf(page.line),
        })
        .from(page)
        .orderBy(asc(page.recordedIn), asc(page.position));
    }),
  );
}

type OlderLine = Line & { readonly at: string; readonly table: string; readonly row: string };

/** By their instants, as the index of the order has them; of one instant, as they are stored. */
const linesBeforeTheOrder = (db: Drizzle): AsyncIterable<readonly OlderLine[]> =>
  pagesOf<OlderLine>(LINES_READ, (after) =>
    planned(db, (db) => {
      const { recordedIn, position, at } = transitions;
      const [table, row] = [sql`${transitions}.tableoid`, sql`${transitions}.ctid`];
      const place = after && sql`${after.position}::bigint, ${after.at}::timestamptz`;
      const page = db
        .select({ position, at, table: table.as('in_table'), row: row.as('in_row'), line: WHOLE })
        .from(transitions)
        .where(
          and(
            sql`${recordedIn} = '0'::xid8`,
            // Where the scan of the index begins.
            place && sql`(${position}, ${at}) >= (${place})`,
            after && sql`(${position}, ${at}, ${table}, ${row}) > (${place}, ${after.table}::oid, ${after.row}::tid)`,
          ),
        )
        .orderBy(position, at, table, row)
        .limit(LINES_READ)
        .as('page');
      return db
        .select({
          recordedIn: sql<string>`'0'`,
          position: textual(page.position, 'position'),
          text: textOf(page.line),
          at: textual(page.at, 'at'),
          table: textual(page.table, 'table'),
          row: textual(page.row, 'row'),
        })
        .from(page)
        .orderBy(page.position, page.at, page.table, page.row);
    }),
  );

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
      await transaction.execute(
        sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('TimeZone', 'UTC', true)`,
      );
      return read(transaction);
    }),
  );

const allSeals = (db: Drizzle) =>
  pagesOf<{ readonly number: number; readonly statement: string }>(SEALS_READ, (after) =>
    reading(() =>
      db
        .select({ number: ledgerSeals.number, statement: ledgerSeals.statement })
        .from(ledgerSeals)
        .where(gt(ledgerSeals.number, after?.number ?? 0))
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
      db.select().from(ledgerSeals).where(gt(ledgerSeals.number, from)).orderBy(asc(ledgerSeals.number)).limit(1),
    );
    if (!row) return;
    const { number, sealedAt, statement, signature, lineIndex } = row;
    yield { number, sealedAt, statement, signature, index: lineIndex };
    after = number;
  }
}

export type SealStanding = {
  /** The number of the newest stretch; 0: there is none. */
  readonly newest: number;
  /** How old the oldest line is that is in no stretch; 0: there is none. */
  readonly openSeconds: number;
};

/** For metrics. @throws StoreUnavailable */
export async function sealStanding(db: Drizzle, clock: Clock): Promise<SealStanding> {
  const { last, now } = await standing(db, clock);
  const from = (last && readStatement(last)?.below) ?? '0';
  const [oldest] = await planned(db, (db) =>
    db
      .select({ at: transitions.at })
      .from(transitions)
      .where(sql`${transitions.recordedIn} >= ${from}::xid8`)
      .orderBy(...IN_ORDER)
      .limit(1),
  );
  const openSeconds = oldest ? Math.max(0, (now.getTime() - oldest.at.getTime()) / 1000) : 0;
  return { newest: last?.number ?? 0, openSeconds };
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
