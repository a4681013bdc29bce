/** Sessions in pages, for administrators: active or ended as the model says, under the current policy. */
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { type Session, type SessionLifetimes, sessionIsAlive } from '../model/session.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { readNow } from './now.ts';
import { type InstantPosition, olderThan, type Page, type PageRequest, positionInstant, readPage } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { server, sessions, users } from './schema.ts';
import { LOADED_SESSION, sessionFrom } from './sessions.ts';

export type SessionListState = 'active' | 'ended';

export type SessionFilter = {
  readonly userId?: string | undefined;
  readonly state?: SessionListState | undefined;
};

export type ListedSession = {
  readonly session: Session;
  readonly state: SessionListState;
  /** The database's clock. */
  readonly now: Date;
};

/** Newest first, by (signed_in_at, sid). @throws StoreUnavailable */
export const listSessionPage = (
  db: Drizzle,
  clock: Clock,
  lifetimes: SessionLifetimes,
  filter: SessionFilter,
  page: PageRequest<InstantPosition>,
): Promise<Page<ListedSession, InstantPosition>> =>
  readPage(page, {
    read: (after, rows) => plannedRead(db, (db) => sessionRows(db, clock, filter, after, rows)),
    positionOf: ({ at, session }) => ({ at, id: session.sid }),
    itemOf: (row) => {
      const listed = listedFrom(row, lifetimes);
      return filter.state === undefined || filter.state === listed.state ? listed : null;
    },
    filters: filter.state !== undefined,
  });

/** @param sid its public name. @returns null: the session is not found. @throws StoreUnavailable */
export async function findListedSession(
  db: Drizzle,
  clock: Clock,
  lifetimes: SessionLifetimes,
  sid: string,
): Promise<ListedSession | null> {
  const [row] = await reading(() => withOwners(db, clock, placesOf(db, eq(sessions.sid, sid)).limit(1)));
  return row ? listedFrom(row, lifetimes) : null;
}

/** For a test of its plan, too. */
export const sessionRows = (
  db: Drizzle,
  clock: Clock,
  { userId }: SessionFilter,
  after: InstantPosition | null,
  rows: number,
) => {
  const where = and(
    userId === undefined ? undefined : eq(sessions.userId, userId),
    olderThan(sessions.signedInAt, sessions.sid, after),
  );
  return withOwners(db, clock, placesOf(db, where).orderBy(desc(sessions.signedInAt), desc(sessions.sid)).limit(rows));
};

const placesOf = (db: Drizzle, where: SQL | undefined) =>
  db
    .select({ userId: sessions.userId, signedInAt: sessions.signedInAt, sid: sessions.sid })
    .from(sessions)
    .where(where)
    .$dynamic();

function withOwners(db: Drizzle, clock: Clock, chosen: ReturnType<typeof placesOf>) {
  const place = chosen.as('place');
  return db
    .select({ now: readNow(clock), at: positionInstant(sessions.signedInAt), ...LOADED_SESSION })
    .from(place)
    .innerJoin(sessions, and(eq(sessions.sid, place.sid), eq(sessions.userId, place.userId)))
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(server, sql`true`)
    .orderBy(desc(place.signedInAt), desc(place.sid));
}

type Row = Awaited<ReturnType<typeof withOwners>>[number];

function listedFrom(row: Row, lifetimes: SessionLifetimes): ListedSession {
  const [session, now] = [sessionFrom(row), row.now];
  return { session, state: sessionIsAlive(session, lifetimes, now) ? 'active' : 'ended', now };
}
