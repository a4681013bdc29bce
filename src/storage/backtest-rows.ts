/**
 * The rows for a backtest: ledger entries of approvals, exchanges and refreshes with their grants, and the active grants.
 * Short statements read them in pages.
 */
import { and, asc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Grant } from '../model/grant.ts';
import type { Clock } from '../system/clock.ts';
import { LIFE_COLUMNS } from './consequences.ts';
import type { Drizzle } from './database.ts';
import { TODAYS_EPOCHS } from './grant-list.ts';
import { beyond } from './ledger-filter.ts';
import { IS_IN_ORDER, recordedAround } from './ledger-instants.ts';
import { plannedRead } from './planned-read.ts';
import { clients, grants, server, transitions, users } from './schema.ts';
import { databaseNow } from './server-row.ts';
import { areSpread } from './spread-databases.ts';

/** `to` is exclusive. */
export type Period = { readonly from: Date; readonly to: Date };

/** An accepted step of a grant, as the ledger has it. */
export type RecordedUse = {
  readonly grantId: string;
  readonly at: Date;
  readonly kind: 'approval' | 'exchange' | 'refresh' | 'retry';
  /** Of the head afterwards. Null: an approval. */
  readonly generation: bigint | null;
  readonly clientId: string | null;
  /** The policy of the client at that time. */
  readonly policy: string | null;
};

/** A part of the space of ids, by their first 32 bits; `to` is exclusive. */
export type IdRange = { readonly from: number; readonly to: number };
export const EVERY_ID: IdRange = { from: 0, to: 2 ** 32 };

export const idIsIn = ({ from, to }: IdRange, id: string): boolean => {
  const place = Number.parseInt(id.slice(0, 8), 16);
  return place >= from && place < to;
};

/** The values of the order of the reader, as texts. */
type Place = readonly string[];
export type UsesPage = { readonly uses: readonly RecordedUse[]; readonly next: Place | null };

/** How many ledger entries one statement reads. */
const LINES_AT_A_TIME = 5000;

const isUse = and(
  inArray(transitions.machine, ['authorizationCode', 'refreshToken']),
  eq(transitions.fromState, 'active'),
  eq(transitions.toState, 'used'),
);
/** It changed no chain. */
const isRetry = and(
  eq(transitions.machine, 'refreshToken'),
  eq(transitions.fromState, 'used'),
  eq(transitions.toState, 'used'),
);
const isApproval = and(eq(transitions.machine, 'interaction'), eq(transitions.toState, 'approved'));

const KIND_OF = { interaction: 'approval', authorizationCode: 'exchange', refreshToken: 'refresh' } as const;

/** @returns the next page of the uses in this period. @throws StoreUnavailable */
export async function usesReader(db: Drizzle, period: Period) {
  if (areSpread(db)) return usesOfShards(db, period);
  const around = await recordedAround(db, period);
  return async (range: IdRange, after: Place | null): Promise<UsesPage> => {
    const rows = await plannedRead(db, (db) => {
      const line = db
        .select({
          ...USE,
          recordedIn: transitions.recordedIn,
          position: transitions.position,
          kept: sql<boolean>`${and(or(isUse, isRetry, isApproval), isIn(range))}`.as('kept'),
          place: sql<number>`row_number() over (order by ${transitions.recordedIn}, ${transitions.position})`.as(
            'place',
          ),
        })
        .from(transitions)
        .where(
          and(
            IS_IN_ORDER,
            around,
            gte(transitions.at, period.from),
            lt(transitions.at, period.to),
            after === null ? undefined : beyond(placeIn(after), 'asc'),
          ),
        )
        .orderBy(asc(transitions.recordedIn), asc(transitions.position))
        .limit(LINES_AT_A_TIME)
        .as('line');
      return db
        .select()
        .from(line)
        .where(sql`${line.kept} or ${line.place} = ${sql.raw(String(LINES_AT_A_TIME))}`)
        .orderBy(line.place);
    });
    const last = rows.at(-1);
    const isFull = last !== undefined && Number(last.place) === LINES_AT_A_TIME;
    return {
      uses: rows.filter(({ kept }) => kept).map(useFrom),
      next: isFull ? [last.recordedIn, String(last.position)] : null,
    };
  };
}

const placeIn = ([recordedIn = '', position = '']: Place) => ({ recordedIn, position });

/**
 * By grant, and of each grant in the order of its generations: a cluster has no order of all entries, and a grant may move to another node.
 */
const ORDER_OF_SHARDS: readonly { readonly value: SQL | AnyPgColumn; readonly type: string }[] = [
  { value: transitions.shardKey, type: 'uuid' },
  { value: sql`coalesce(${transitions.generation}, -1)`, type: 'bigint' },
  { value: transitions.fromState, type: 'text' },
  { value: transitions.at, type: 'timestamptz' },
  { value: transitions.position, type: 'bigint' },
];

const usesOfShards =
  (db: Drizzle, period: Period) =>
  async (range: IdRange, after: Place | null): Promise<UsesPage> => {
    const order = ORDER_OF_SHARDS.map(({ value }) => value);
    const values = after && ORDER_OF_SHARDS.map(({ type }, at) => sql`${after[at] ?? ''}::${sql.raw(type)}`);
    const rows = await plannedRead(db, (db) =>
      db
        .select({
          ...USE,
          place: sql<string[]>`array[${sql.join(
            order.map((value) => sql`${value}::text`),
            sql`, `,
          )}]`.as('place'),
        })
        .from(transitions)
        .where(
          and(
            isIn(range),
            values ? sql`${transitions.shardKey} >= ${values[0]}` : undefined,
            values ? sql`(${sql.join(order, sql`, `)}) > (${sql.join(values, sql`, `)})` : undefined,
            IS_IN_ORDER,
            gte(transitions.at, period.from),
            lt(transitions.at, period.to),
            or(isUse, isRetry, isApproval),
          ),
        )
        .orderBy(...order)
        .limit(LINES_AT_A_TIME),
    );
    const last = rows.length === LINES_AT_A_TIME ? rows.at(-1) : undefined;
    return { uses: rows.map(useFrom), next: last?.place ?? null };
  };

const USE = {
  grantId: transitions.shardKey,
  at: transitions.at,
  machine: transitions.machine,
  fromState: transitions.fromState,
  generation: transitions.generation,
  clientId: transitions.clientId,
  policy: transitions.policy,
};

const useFrom = ({ grantId, at, machine, fromState, generation, clientId, policy }: UseRow): RecordedUse => ({
  grantId,
  at,
  kind: fromState === 'used' ? 'retry' : KIND_OF[machine as keyof typeof KIND_OF],
  generation,
  clientId,
  policy,
});
type UseRow = Omit<RecordedUse, 'kind'> & { readonly machine: string; readonly fromState: string };

const uuidAt = (place: number): SQL =>
  sql`${`${place.toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`}::uuid`;
const isIn = ({ from, to }: IdRange): SQL | undefined =>
  and(
    from === EVERY_ID.from ? undefined : sql`${transitions.shardKey} >= ${uuidAt(from)}`,
    to === EVERY_ID.to ? undefined : sql`${transitions.shardKey} < ${uuidAt(to)}`,
  );

const DAY_MILLISECONDS = 86_400_000;
/** Most chains were used shortly before. A month of the ledger without an entry of theirs is looked through once. */
const LOOKS_BACK_DAYS = [2, 35, null] as const;

/** @returns the last exchange or refresh of each grant before this instant. @throws StoreUnavailable */
export async function lastUsesBefore(
  db: Drizzle,
  ids: readonly string[],
  before: Date,
): Promise<ReadonlyMap<string, RecordedUse>> {
  const found = new Map<string, RecordedUse>();
  for (const days of LOOKS_BACK_DAYS) {
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length === 0) break;
    const since = days === null ? null : new Date(before.getTime() - days * DAY_MILLISECONDS);
    const rows = await plannedRead(db, (db) =>
      db
        .selectDistinctOn([transitions.shardKey], USE)
        .from(transitions)
        .where(
          and(aboutThese(missing), lt(transitions.at, before), since ? gte(transitions.at, since) : undefined, isUse),
        )
        .orderBy(transitions.shardKey, sql`${transitions.generation} desc nulls last`),
    );
    for (const row of rows) found.set(row.grantId, useFrom(row));
  }
  return found;
}

/** @returns the approvals before this instant, for grants whose rows were removed. @throws StoreUnavailable */
export async function approvalsBefore(
  db: Drizzle,
  ids: readonly string[],
  before: Date,
): Promise<ReadonlyMap<string, Date>> {
  if (ids.length === 0) return new Map();
  const rows = await plannedRead(db, (db) =>
    db
      .select(USE)
      .from(transitions)
      .where(and(aboutThese(ids), lt(transitions.at, before), isApproval)),
  );
  return new Map(rows.map(({ grantId, at }) => [grantId, at]));
}

const aboutThese = (ids: readonly string[]): SQL => sql`${transitions.shardKey} = any(${sql.param([...ids])}::uuid[])`;

const GRANT = {
  ...LIFE_COLUMNS,
  scope: grants.scope,
  resources: grants.resources,
  revokedReason: grants.revokedReason,
};
/** The columns of a grant that decide about its tokens, and neither code nor nonce. */
export type GrantRow = Pick<Grant, keyof typeof GRANT>;

const REPLAYED = {
  id: grants.id,
  userId: grants.userId,
  scope: grants.scope,
  resources: grants.resources,
  clientEpoch: grants.clientEpoch,
  userEpoch: grants.userEpoch,
  serverEpoch: grants.serverEpoch,
  createdAt: grants.createdAt,
};
/** Of a replayed grant: the replay knows its state and its times from the ledger, and keeps many of these. */
export type ReplayedRow = Pick<Grant, keyof typeof REPLAYED>;

/** @throws StoreUnavailable */
export async function grantRowsOf(db: Drizzle, ids: readonly string[]): Promise<ReadonlyMap<string, ReplayedRow>> {
  const rows = await plannedRead(db, (db) =>
    db
      .select(REPLAYED)
      .from(grants)
      .where(sql`${grants.id} = any(${sql.param([...ids])}::uuid[])`),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** With the current epochs. */
export type LivingRow = GrantRow & Pick<Grant, 'liveClientEpoch' | 'liveUserEpoch' | 'liveServerEpoch'>;

const ROWS_AT_A_TIME = 2000;

/** @returns the next rows that no decision has ended, in the order of their ids; fewer than asked for: these are the last. @throws StoreUnavailable */
export async function activeGrantRows(
  db: Drizzle,
  after: string | null,
): Promise<{ readonly rows: readonly LivingRow[]; readonly next: string | null }> {
  const rows = await plannedRead(db, (db) => {
    const place = db
      .select({ id: grants.id })
      .from(grants)
      .where(and(eq(grants.state, 'active'), after === null ? undefined : sql`${grants.id} > ${after}::uuid`))
      .orderBy(asc(grants.id))
      .limit(ROWS_AT_A_TIME)
      .as('place');
    return db
      .select({ ...GRANT, ...TODAYS_EPOCHS })
      .from(place)
      .innerJoin(grants, eq(grants.id, place.id))
      .innerJoin(clients, eq(clients.clientId, grants.clientId))
      .innerJoin(users, eq(users.id, grants.userId))
      .innerJoin(server, sql`true`)
      .orderBy(asc(place.id));
  });
  return { rows, next: rows.length < ROWS_AT_A_TIME ? null : (rows.at(-1)?.id ?? null) };
}

/** The clock, and the first entry of the ledger in its order; null: there is none. @throws StoreUnavailable */
export async function ledgerReach(
  db: Drizzle,
  clock: Clock,
): Promise<{ readonly now: Date; readonly beginsAt: Date | null }> {
  const [now, [first]] = await Promise.all([
    databaseNow(db, clock),
    plannedRead(db, (db) =>
      db
        .select({ at: transitions.at })
        .from(transitions)
        .where(IS_IN_ORDER)
        .orderBy(asc(transitions.recordedIn), asc(transitions.position))
        .limit(1),
    ),
  ]);
  return { now, beginsAt: first?.at ?? null };
}
