/** Browsers that are signed in to the console. A row holds an access token, sealed, and decides nothing. */
import { and, desc, eq, ne, notInArray, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { nowOf } from './now.ts';
import { consoleSessions } from './schema.ts';

type StoredConsoleSession = {
  readonly formId: string;
  readonly userId: string;
  readonly sealedToken: string;
  readonly renewalIsDue: boolean;
  readonly tokenHasEnded: boolean;
};

type NewConsoleSession = {
  /** SHA-256 of the cookie. */
  readonly idHash: Buffer;
  readonly formId: string;
  readonly userId: string;
  readonly sealedToken: string;
  readonly tokenLifetimeSeconds: number;
  readonly renewAfterSeconds: number;
};

/** More browsers of one person sign the oldest out. */
const MAX_PER_USER = 20;

export function consoleSessionStore(db: Drizzle, clock: Clock) {
  const now = () => nowOf(clock);
  const after = (seconds: number) => sql`${now()} + make_interval(secs => ${seconds})`;
  return {
    find: async (idHash: Buffer): Promise<StoredConsoleSession | null> => {
      const { formId, userId, sealedToken, renewAt, tokenEndsAt } = consoleSessions;
      const [row] = await reading(() =>
        db
          .select({
            formId,
            userId,
            sealedToken,
            renewalIsDue: sql<boolean>`${renewAt} <= ${now()}`,
            tokenHasEnded: sql<boolean>`${tokenEndsAt} <= ${now()}`,
          })
          .from(consoleSessions)
          .where(eq(consoleSessions.idHash, idHash)),
      );
      return row ?? null;
    },
    save: async ({ tokenLifetimeSeconds, renewAfterSeconds, ...session }: NewConsoleSession): Promise<void> => {
      const times = { createdAt: now(), renewAt: after(renewAfterSeconds), tokenEndsAt: after(tokenLifetimeSeconds) };
      await writing(() => db.insert(consoleSessions).values({ ...session, ...times }));
      const ofUser = eq(consoleSessions.userId, session.userId);
      const newest = db
        .select({ idHash: consoleSessions.idHash })
        .from(consoleSessions)
        .where(ofUser)
        .orderBy(desc(consoleSessions.createdAt))
        .limit(MAX_PER_USER);
      // Never this session itself, however many began at the same instant.
      const isOlder = and(ne(consoleSessions.idHash, session.idHash), notInArray(consoleSessions.idHash, newest));
      await writing(() => db.delete(consoleSessions).where(and(ofUser, isOlder)));
    },
    end: async (idHash: Buffer): Promise<void> => {
      await writing(() => db.delete(consoleSessions).where(eq(consoleSessions.idHash, idHash)));
    },
  };
}
