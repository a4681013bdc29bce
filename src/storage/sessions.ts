/** The statements about sessions: load, list, insert, record a use, add a factor, end. */
import { and, desc, eq, gt, inArray, ne, type SQL, sql, type WithSubquery } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import { InvariantViolation } from '../engine/errors.ts';
import type {
  LoadedSession,
  NewSession,
  ProvenFactor,
  SessionCommit,
  SessionKey,
  SessionStore,
} from '../lifecycles/session/lifecycle.ts';
import { sessionFacts } from '../lifecycles/session/table.ts';
import type { HeldTable } from '../lifecycles/table.ts';
import { HELD_TABLES } from '../lifecycles/tables.ts';
import type { Session } from '../model/session.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading, writing } from './failures.ts';
import { administrationLine, entryLine, instant, ledgerColumns, originLine } from './ledger.ts';
import { EPOCHS_OF_USER } from './live-epochs.ts';
import { fixedNow, nowOf, nowOr, readInstant, readNow } from './now.ts';
import { FIRST_VERSION } from './row-version.ts';
import { lastSignIns, server, sessions, transitions, users } from './schema.ts';
import { selectionFor, typed } from './selection.ts';
import { databaseNow } from './server-row.ts';
import { SIGN_IN } from './sign-in-lines.ts';

/** More than an end-user has browsers. */
const MAX_LISTED = 100;

export function sessionStore(db: Drizzle, clock: Clock, macs: RowMacs): SessionStore {
  const loadStatement = db
    .select({ now: readInstant(nowOr('now')), ...LOADED_SESSION })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(server, sql`true`)
    .where(sql`${sessions.idHash} = ${sql.placeholder('idHash')}::bytea`)
    .prepare('load_session');

  const loadByName = async (
    { sid, userId }: Extract<SessionKey, { sid: string }>,
    factor?: ProvenFactor,
  ): Promise<LoadedSession> => {
    const factorStands = sql<boolean | null>`${factor === undefined ? sql`null::boolean` : stands(factor, userId)}`;
    const [row] = await reading(() =>
      db
        .select({ now: readNow(clock), ...LOADED_SESSION, factorStands })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .innerJoin(server, sql`true`)
        .where(and(eq(sessions.userId, userId), eq(sessions.sid, sid))),
    );
    return { ...loadedFrom(row), ...(factor && { factorStands: row?.factorStands === true }) };
  };

  return {
    load: async (key, factor) => {
      if ('sid' in key) return loadByName(key, factor);
      const rows = await reading(() => loadStatement.execute({ idHash: key.idHash, now: fixedNow(clock) }));
      const row = authenticFirst(rows, macs);
      return authentic(loadedFrom(row), row, macs);
    },
    list: async (userId, states = ['active']) => {
      const now = nowOf(clock);
      const rows = await reading(() =>
        db
          .select({ now: readInstant(now), ...LOADED_SESSION })
          .from(sessions)
          .innerJoin(users, eq(users.id, sessions.userId))
          .innerJoin(server, sql`true`)
          .where(
            and(
              eq(sessions.userId, userId),
              inArray(sessions.state, [...states]),
              gt(sessions.endsAt, now),
              // Those that an epoch has ended would take the places of others.
              eq(sessions.userEpoch, users.epoch),
              eq(sessions.serverEpoch, server.epoch),
            ),
          )
          .orderBy(desc(sessions.lastUsedAt))
          .limit(MAX_LISTED),
      );
      return {
        now: rows[0]?.now ?? new Date(0),
        sessions: rows.flatMap((row) => loadedFrom(row).session ?? []),
      };
    },
    insert: async ({ lifetimeSeconds, idHash, authenticatedAt, factor = null, signIn, now: read, ...session }) => {
      // Known first: the end stands under the MAC.
      const began = read ?? (await databaseNow(db, clock));
      const now = instant(began);
      const signedInAt = authenticatedAt === undefined ? now : sql`least(${now}, ${instant(authenticatedAt)})`;
      const endsAt = new Date(began.getTime() + lifetimeSeconds * 1000);
      const mac = macs.macOf(...sessionFacts({ ...session, idHash, endsAt, macVersion: FIRST_VERSION }));
      const values = { ...session, idHash: Buffer.from(idHash), signedInAt, lastUsedAt: now, endsAt, mac };
      const returned = {
        sid: sessions.sid,
        signedInAt: sessions.signedInAt,
        lastUsedAt: sessions.lastUsedAt,
        endsAt: sessions.endsAt,
      };
      const stored = db.$with('stored').as(insertWhileAllStand(db, values, factor).returning(returned));
      const parts: WithSubquery[] = [stored];
      if (session.state === 'active') parts.push(noted(db, sql`${stored}`, session.userId, sql`${stored.signedInAt}`));
      // The user and the origin of the sign-in: the server writes the entry with the session, or not at all.
      if (signIn !== undefined) {
        const entry = db.select(signInLine(session, signIn, sql`${stored.sid}`, now)).from(stored);
        parts.push(db.$with('line').as(db.insert(transitions).select(entry).returning({ at: transitions.at })));
      }
      const [inserted] = await writing(() =>
        db
          .with(...parts)
          .select()
          .from(stored),
      );
      if (!inserted) return null;
      const { sid: _, ...times } = inserted;
      return times;
    },
    commit: (commit) => committing(() => STATEMENTS[commit.kind](db, commit as never, clock, macs)),
  };
}

/** @param began rows of the statement: one if the session is stored as active, else none. */
const noted = (db: Drizzle, began: SQL, userId: string, signedInAt: SQL) =>
  db.$with('noted', {}).as(sql`insert into ${lastSignIns} (user_id, signed_in_at)
    select ${userId}::uuid, ${signedInAt} from ${began}
    on conflict (user_id) do update set signed_in_at = greatest(${lastSignIns.signedInAt}, excluded.signed_in_at) returning 1`);

/** With `users` of the session, and `server`. */
export const LOADED_SESSION = {
  session: sessions,
  sub: users.sub,
  username: users.username,
  ...EPOCHS_OF_USER,
};

type Row = {
  readonly now: Date;
  readonly session: typeof sessions.$inferSelect;
  readonly sub: string | null;
  readonly username: string;
  readonly liveUserEpoch: bigint | null;
  readonly liveServerEpoch: bigint;
};

function loadedFrom(row: Row | undefined): LoadedSession {
  return row ? { now: row.now, session: sessionFrom(row) } : { now: new Date(0), session: null };
}

export const sessionFrom = ({ session, sub, username, liveUserEpoch, liveServerEpoch }: Omit<Row, 'now'>): Session => ({
  ...session,
  ...{ sub, username, liveUserEpoch, liveServerEpoch },
});

/** Whether a session of this row may sign in its user. An ended session does not, with any other columns. */
export const isAuthenticSession = (session: typeof sessions.$inferSelect, macs: RowMacs): boolean =>
  session.state === 'ended' || macs.isRight(...sessionFacts(session), session.mac);

/** A writer to the database can put a row of another end-user beside it, with the hash of the same cookie: it hides no session. */
export const authenticFirst = <Row extends { readonly session: typeof sessions.$inferSelect | null }>(
  rows: readonly Row[],
  macs: RowMacs,
): Row | undefined =>
  rows.find(({ session }) => session !== null && macs.isRight(...sessionFacts(session), session.mac)) ?? rows[0];

/** A row that was not made here is no session. */
const authentic = (loaded: LoadedSession, row: Row | undefined, macs: RowMacs): LoadedSession =>
  row === undefined || isAuthenticSession(row.session, macs) ? loaded : { ...loaded, session: null };

const signInLine = (
  { userId, state }: Pick<NewSession, 'userId' | 'state'>,
  { method, origin }: NonNullable<NewSession['signIn']>,
  sid: SQL,
  now: SQL,
) =>
  ledgerColumns({
    ...SIGN_IN,
    ...originLine(origin),
    at: now,
    event: sql`${method}`,
    to: sql`${state === 'active' ? 'accepted' : 'factorRequired'}`,
    shardKey: sql`${userId}`,
    userId: sql`${userId}`,
    begunSessionId: sid,
  });

const isStill = ({ loaded }: SessionCommit, state: Session['state']): SQL | undefined =>
  and(eq(sessions.idHash, Buffer.from(loaded.idHash)), eq(sessions.userId, loaded.userId), eq(sessions.state, state));

/** `lock`: read again, and held until the session is stored: a removal either waits for it, or was first and prevents it. */
function stands({ kind, id }: ProvenFactor, userId: string, lock = sql``): SQL {
  const { table, state } = factorIn(kind);
  return sql`exists (select 1 from ${table} where ${table}.id = ${id}::uuid and ${table}.user_id = ${userId}::uuid
    and ${table}.state = ${state} ${lock})`;
}
const LOCKED = sql`for share`;

/** Where a row with this id is such a factor, and in which state. */
function factorIn(kind: ProvenFactor['kind']): { readonly table: PgTable; readonly state: string } {
  const held: HeldTable | undefined = HELD_TABLES.find(({ machine }) => machine === kind);
  if (held?.provesSignInWhile === undefined) throw new InvariantViolation(`a ${kind} proves no sign-in`);
  return { table: held.table, state: held.provesSignInWhile };
}

type Values = Omit<NewSession, 'factor' | 'signIn' | 'now' | 'lifetimeSeconds' | 'authenticatedAt' | 'idHash'> & {
  readonly idHash: Buffer;
  readonly signedInAt: SQL;
  readonly lastUsedAt: SQL;
  readonly endsAt: Date;
  readonly mac: Buffer;
};

/**
 * A sign-in that took longer than its end-user has no session. Without a lock: an end that begins during the statement is one after it, and
 * commits about factors lock the end-user before the factor.
 */
const mayStillSignIn = ({ userId, userEpoch }: Pick<Session, 'userId' | 'userEpoch'>): SQL =>
  sql`exists (select 1 from ${users} where ${users.id} = ${userId}::uuid and ${users.epoch} = ${userEpoch.toString()}::bigint
    and ${users.disabledAt} is null)`;

function insertWhileAllStand(db: Drizzle, values: Values, factor: ProvenFactor | null) {
  const row = typed(sessions, {
    ...values,
    userEpoch: values.userEpoch.toString(),
    serverEpoch: values.serverEpoch.toString(),
    signInTimeIsKnown: values.signInTimeIsKnown ?? true,
    amr: sql.param([...values.amr]),
    endsAt: values.endsAt.toISOString(),
    macVersion: FIRST_VERSION.toString(),
  });
  return db.insert(sessions).select(
    db
      .select(selectionFor(sessions, row))
      .from(server)
      .where(and(mayStillSignIn(values), factor === null ? undefined : stands(factor, values.userId, LOCKED))),
  );
}

/** Leaves no line in the ledger: a use decides nothing. */
const used = (db: Drizzle, commit: Commit<'recordUse'>) =>
  db
    .update(sessions)
    .set({ lastUsedAt: sql`greatest(${sessions.lastUsedAt}, ${instant(commit.now)})` })
    .where(isStill(commit, 'active'))
    .returning({ sid: sessions.sid });

/** Requires only that the session has not ended, with any cookie: neither a use nor an additional factor can outrun it. */
function ended(db: Drizzle, commit: Commit<'end'>) {
  const moved = db.$with('moved').as(
    db
      .update(sessions)
      .set({
        state: 'ended',
        endedReason: commit.reason,
        endsAt: sql`least(${sessions.endsAt}, ${instant(commit.now)})`,
      })
      .where(
        and(
          eq(sessions.sid, commit.loaded.sid),
          eq(sessions.userId, commit.loaded.userId),
          ne(sessions.state, 'ended'),
        ),
      )
      .returning({ sid: sessions.sid }),
  );
  return db
    .with(moved)
    .insert(transitions)
    .select(db.select(lineOf(commit, sql`${moved.sid}`)).from(moved))
    .returning({ sessionId: transitions.sessionId });
}

/** The earlier cookie is invalid from then on. */
function renewed(db: Drizzle, commit: Commit<'addFactor'>, clock: Clock, macs: RowMacs) {
  const { loaded, added, now, dueAt } = commit;
  // As it was loaded: a row of this table.
  const { macVersion } = loaded as typeof loaded & { readonly macVersion: bigint };
  const after = { ...loaded, ...added, state: 'active', macVersion: macVersion + 1n } as const;
  const moved = db.$with('moved').as(
    db
      .update(sessions)
      .set({
        state: 'active',
        idHash: Buffer.from(added.idHash),
        amr: added.amr,
        mac: macs.macOf(...sessionFacts(after)),
        macVersion: after.macVersion,
        lastUsedAt: sql`greatest(${sessions.lastUsedAt}, ${instant(now)})`,
      })
      .where(
        and(
          isStill(commit, loaded.state),
          eq(sessions.macVersion, macVersion),
          mayStillSignIn(loaded),
          stands(added.factor, loaded.userId, LOCKED),
          sql`${nowOf(clock)} < ${instant(dueAt)}`,
        ),
      )
      .returning({ sid: sessions.sid }),
  );
  // The sign-in is complete.
  const first = loaded.state === 'active' ? [] : [noted(db, sql`${moved}`, loaded.userId, instant(now))];
  return db
    .with(moved, ...first)
    .insert(transitions)
    .select(db.select(lineOf(commit, sql`${moved.sid}`)).from(moved))
    .returning({ sessionId: transitions.sessionId });
}

const STATEMENTS = { recordUse: used, end: ended, addFactor: renewed } as const;

type Commit<Kind extends SessionCommit['kind']> = Extract<SessionCommit, { kind: Kind }>;

const lineOf = (commit: Commit<'end'> | Commit<'addFactor'>, sid: SQL) =>
  ledgerColumns({
    ...entryLine(commit.entry),
    ...administrationLine(commit.entry),
    ...('added' in commit && originLine(commit.added.origin)),
    at: instant(commit.now),
    shardKey: sql`${commit.loaded.userId}`,
    sessionId: sid,
  });
