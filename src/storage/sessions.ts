import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Session } from '../model/session.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { fixedNow, nowOf, nowOr } from './now.ts';
import { server, sessions, users } from './schema.ts';

export type NewSession = {
  /** SHA-256 of the cookie's value. */
  readonly idHash: Buffer;
  readonly sid: string;
  readonly userId: string;
  readonly userEpoch: bigint;
  readonly serverEpoch: bigint;
  readonly lifetimeSeconds: number;
};

export function sessionStore(db: Drizzle, clock: Clock) {
  const findStatement = db
    .select({
      sid: sessions.sid,
      userId: sessions.userId,
      username: users.username,
      userEpoch: sessions.userEpoch,
      serverEpoch: sessions.serverEpoch,
      signedInAt: sessions.signedInAt,
    })
    .from(sessions)
    .innerJoin(users, and(eq(users.id, sessions.userId), eq(users.epoch, sessions.userEpoch)))
    .innerJoin(server, eq(server.epoch, sessions.serverEpoch))
    .where(
      and(
        sql`${sessions.idHash} = ${sql.placeholder('idHash')}::bytea`,
        gt(sessions.endsAt, nowOr('now')),
        isNull(users.disabledAt),
      ),
    )
    .prepare('find_session');
  return {
    /** A session that has ended, or whose person was disabled or signed out everywhere, is not found. */
    find: async (idHash: Buffer): Promise<Session | null> => {
      const [session] = await reading(() => findStatement.execute({ idHash, now: fixedNow(clock) }));
      return session ?? null;
    },
    insert: async ({ lifetimeSeconds, ...session }: NewSession): Promise<{ readonly signedInAt: Date }> => {
      const now = nowOf(clock);
      const endsAt = sql`${now} + make_interval(secs => ${lifetimeSeconds})`;
      const [inserted] = await writing(() =>
        db
          .insert(sessions)
          .values({ ...session, signedInAt: now, endsAt })
          .returning({ signedInAt: sessions.signedInAt }),
      );
      if (!inserted) throw new Error('A session that was inserted came back as nothing.');
      return inserted;
    },
    remove: (idHash: Buffer): Promise<unknown> => writing(() => db.delete(sessions).where(eq(sessions.idHash, idHash))),
  };
}
