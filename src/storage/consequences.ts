/** The rows that end with a client or an end-user, for the question before an administrator ends it. Bounded: reads at most 10,000 rows. */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { grantIsAlive } from '../model/lifetimes.ts';
import { type SessionLifetimes, sessionIsAlive } from '../model/session.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { type LifetimesOf, TODAYS_EPOCHS } from './grant-list.ts';
import { readNow } from './now.ts';
import { type InstantPosition, olderThan, positionInstant } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { clients, grants, server, users } from './schema.ts';
import { sessionRows } from './session-list.ts';
import { sessionFrom } from './sessions.ts';

/** `exact` false: there are more grants or sessions than were read, and the numbers are about the newest. */
export type ClientConsequences = {
  readonly livingGrants: number;
  /** The end-users of those grants. */
  readonly users: number;
  /** The number of those grants above the client's current ceiling: their tokens leave out the excess (docs/decisions/0027). */
  readonly aboveCeiling: number;
  readonly exact: boolean;
};
export type UserConsequences = {
  readonly livingGrants: number;
  /** The clients of those grants. */
  readonly clients: number;
  readonly activeSessions: number;
  readonly exact: boolean;
};

const MAX_READ = 10_000;
const ROWS_AT_A_TIME = 2500;

/** @throws StoreUnavailable */
export async function consequencesForClient(
  db: Drizzle,
  clock: Clock,
  lifetimesOf: LifetimesOf,
  clientId: string,
): Promise<ClientConsequences> {
  const { living, exact } = await livingGrants(db, clock, lifetimesOf, eq(grants.clientId, clientId));
  return {
    livingGrants: living.length,
    users: new Set(living.map(({ userId }) => userId)).size,
    aboveCeiling: living.filter(({ isAboveCeiling }) => isAboveCeiling).length,
    exact,
  };
}

/** @param userId the `sub`. @throws StoreUnavailable */
export async function consequencesForUser(
  db: Drizzle,
  clock: Clock,
  { lifetimesOf, signIn }: { readonly lifetimesOf: LifetimesOf; readonly signIn: SessionLifetimes },
  userId: string,
): Promise<UserConsequences> {
  const ofGrants = await livingGrants(db, clock, lifetimesOf, eq(grants.userId, userId));
  const ofSessions = await readBounded(
    (after, rows) => plannedRead(db, (db) => sessionRows(db, clock, { userId }, after, rows)),
    ({ at, session }) => ({ at, id: session.sid }),
  );
  const active = ofSessions.rows.filter((row) => sessionIsAlive(sessionFrom(row), signIn, row.now));
  return {
    livingGrants: ofGrants.living.length,
    clients: new Set(ofGrants.living.map(({ clientId }) => clientId)).size,
    activeSessions: active.length,
    exact: ofGrants.exact && ofSessions.exact,
  };
}

async function livingGrants(db: Drizzle, clock: Clock, lifetimesOf: LifetimesOf, of: SQL) {
  const { rows, exact } = await readBounded(
    (after, rows) => plannedRead(db, (db) => livesOf(db, clock, of, after, rows)),
    ({ at, id }) => ({ at, id }),
  );
  const living = rows.filter((row) => {
    const policy = lifetimesOf({ clientId: row.clientId, policy: row.policyToday });
    return grantIsAlive(row, policy, row.now);
  });
  return { living, exact };
}

/** In several statements, so that none takes long. */
async function readBounded<Row>(
  read: (after: InstantPosition | null, rows: number) => Promise<readonly Row[]>,
  positionOf: (row: Row) => InstantPosition,
): Promise<{ readonly rows: readonly Row[]; readonly exact: boolean }> {
  const all: Row[] = [];
  while (all.length < MAX_READ) {
    const last = all.at(-1);
    const rows = await read(last === undefined ? null : positionOf(last), ROWS_AT_A_TIME);
    all.push(...rows);
    if (rows.length < ROWS_AT_A_TIME) return { rows: all, exact: true };
  }
  return { rows: all, exact: false };
}

/** The columns that show whether a grant is active, and its owner. */
export const LIFE_COLUMNS = {
  id: grants.id,
  clientId: grants.clientId,
  userId: grants.userId,
  state: grants.state,
  clientEpoch: grants.clientEpoch,
  userEpoch: grants.userEpoch,
  serverEpoch: grants.serverEpoch,
  refreshGeneration: grants.refreshGeneration,
  createdAt: grants.createdAt,
  lastUsedAt: grants.lastUsedAt,
  chainEndsAt: grants.chainEndsAt,
  codeEndsAt: grants.codeEndsAt,
};

function livesOf(db: Drizzle, clock: Clock, of: SQL, after: InstantPosition | null, rows: number) {
  const place = db
    .select({ id: grants.id, createdAt: grants.createdAt })
    .from(grants)
    .where(and(of, olderThan(grants.createdAt, grants.id, after)))
    .orderBy(desc(grants.createdAt), desc(grants.id))
    .limit(rows)
    .as('place');
  return db
    .select({
      now: readNow(clock),
      at: positionInstant(grants.createdAt),
      ...LIFE_COLUMNS,
      policyToday: clients.policy,
      isAboveCeiling: sql<boolean>`${clients.scope} is not null and not (${grants.scope} <@ ${clients.scope})`,
      ...TODAYS_EPOCHS,
    })
    .from(place)
    .innerJoin(grants, eq(grants.id, place.id))
    .innerJoin(clients, eq(clients.clientId, grants.clientId))
    .innerJoin(users, eq(users.id, grants.userId))
    .innerJoin(server, sql`true`)
    .orderBy(desc(place.createdAt), desc(place.id));
}
