/** The statements about sessions: load, list, insert, record a use, end. */
import { and, desc, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { LoadedSession, NewSession, SessionCommit, SessionKey, SessionStore } from '../lifecycles/session.ts';
import type { Session } from '../model/session.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading, writing } from './failures.ts';
import { entryLine, instant, ledgerColumns } from './ledger.ts';
import { fixedNow, nowOf, nowOr } from './now.ts';
import { server, sessions, transitions, users } from './schema.ts';

/** More than an end-user has browsers. */
const MAX_LISTED = 100;

export function sessionStore(db: Drizzle, clock: Clock): SessionStore {
  const loadStatement = db
    .select({ now: nowOr('now'), ...LOADED_SESSION })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(server, sql`true`)
    .where(sql`${sessions.idHash} = ${sql.placeholder('idHash')}::bytea`)
    .prepare('load_session');

  const loadByName = async ({ sid, userId }: Extract<SessionKey, { sid: string }>): Promise<LoadedSession> => {
    const [row] = await reading(() =>
      db
        .select({ now: sql<string>`${nowOf(clock)}`, ...LOADED_SESSION })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .innerJoin(server, sql`true`)
        .where(and(eq(sessions.userId, userId), eq(sessions.sid, sid))),
    );
    return loadedFrom(row);
  };

  return {
    load: async (key) => {
      if ('sid' in key) return loadByName(key);
      const [row] = await reading(() => loadStatement.execute({ idHash: key.idHash, now: fixedNow(clock) }));
      return loadedFrom(row);
    },
    list: async (userId) => {
      const now = nowOf(clock);
      const rows = await reading(() =>
        db
          .select({ now: sql<string>`${now}`, ...LOADED_SESSION })
          .from(sessions)
          .innerJoin(users, eq(users.id, sessions.userId))
          .innerJoin(server, sql`true`)
          .where(and(eq(sessions.userId, userId), eq(sessions.state, 'active'), gt(sessions.endsAt, now)))
          .orderBy(desc(sessions.lastUsedAt))
          .limit(MAX_LISTED),
      );
      return {
        now: rows[0] ? new Date(rows[0].now) : new Date(0),
        sessions: rows.flatMap((row) => loadedFrom(row).session ?? []),
      };
    },
    insert: async ({ lifetimeSeconds, idHash, ...session }: NewSession) => {
      const now = nowOf(clock);
      const endsAt = sql`${now} + make_interval(secs => ${lifetimeSeconds})`;
      const [inserted] = await writing(() =>
        db
          .insert(sessions)
          .values({ ...session, idHash: Buffer.from(idHash), signedInAt: now, lastUsedAt: now, endsAt })
          .returning({ signedInAt: sessions.signedInAt, endsAt: sessions.endsAt }),
      );
      if (!inserted) throw new Error('The INSERT of a session returned no row.');
      return inserted;
    },
    commit: (commit) => committing(() => (commit.kind === 'end' ? ended(db, commit) : used(db, commit))),
  };
}

/** With `users` of the session, and `server`. */
export const LOADED_SESSION = {
  session: sessions,
  username: users.username,
  liveUserEpoch: sql<string | null>`case when ${users.disabledAt} is null then ${users.epoch} end`,
  liveServerEpoch: server.epoch,
};

type Row = {
  readonly now: string;
  readonly session: typeof sessions.$inferSelect;
  readonly username: string;
  readonly liveUserEpoch: string | null;
  readonly liveServerEpoch: bigint;
};

function loadedFrom(row: Row | undefined): LoadedSession {
  return row ? { now: new Date(row.now), session: sessionFrom(row) } : { now: new Date(0), session: null };
}

export const sessionFrom = ({ session, username, liveUserEpoch, liveServerEpoch }: Omit<Row, 'now'>): Session => ({
  ...session,
  username,
  liveUserEpoch: liveUserEpoch === null ? null : BigInt(liveUserEpoch),
  liveServerEpoch,
});

const isActive = ({ loaded }: SessionCommit): SQL | undefined =>
  and(eq(sessions.idHash, Buffer.from(loaded.idHash)), eq(sessions.state, 'active'));

/** Leaves no line in the ledger: a use decides nothing. */
const used = (db: Drizzle, commit: SessionCommit) =>
  db
    .update(sessions)
    .set({ lastUsedAt: sql`greatest(${sessions.lastUsedAt}, ${instant(commit.now)})` })
    .where(isActive(commit))
    .returning({ sid: sessions.sid });

/** Requires only that the session is active, so that no use can outrun it. */
function ended(db: Drizzle, commit: Extract<SessionCommit, { kind: 'end' }>) {
  const moved = db.$with('moved').as(
    db
      .update(sessions)
      .set({
        state: 'ended',
        endedReason: commit.reason,
        endsAt: sql`least(${sessions.endsAt}, ${instant(commit.now)})`,
      })
      .where(isActive(commit))
      .returning({ sid: sessions.sid }),
  );
  const columns = ledgerColumns({ ...entryLine(commit.entry), at: instant(commit.now), sessionId: sql`${moved.sid}` });
  return db
    .with(moved)
    .insert(transitions)
    .select(db.select(columns).from(moved))
    .returning({ sessionId: transitions.sessionId });
}
