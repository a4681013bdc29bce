/** Alarms for an administrator: chains that a decision ended, and failed sign-ins. Read from the stored rows. */
import { and, count, desc, eq, gt, max, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { nowOf, readNow } from './now.ts';
import { grants, server, signInFailures } from './schema.ts';
import { readServer } from './server-row.ts';

export type EndedChains = {
  readonly reason: string;
  readonly times: number;
  readonly lastAt: Date;
};

/** Grants that decisions have ended since, by reason, as far as their rows are there. @throws StoreUnavailable */
export async function endedChains(db: Drizzle, clock: Clock, seconds: number): Promise<readonly EndedChains[]> {
  const since = sql`${nowOf(clock)} - make_interval(secs => ${seconds})`;
  const rows = await reading(() =>
    db
      .select({ reason: grants.revokedReason, times: count(), lastAt: max(grants.revokedAt) })
      .from(grants)
      .where(and(eq(grants.state, 'revoked'), gt(grants.revokedAt, since)))
      .groupBy(grants.revokedReason)
      .orderBy(desc(count())),
  );
  return rows.flatMap(({ reason, times, lastAt }) =>
    reason === null || lastAt === null ? [] : [{ reason, times, lastAt }],
  );
}

/** Of the running windows. `counters`: accounts, addresses, and accounts at an address; `most`: the failures of one of them. */
export type FailedSignIns = { readonly counters: number; readonly most: number };

/** @throws StoreUnavailable */
export async function failedSignIns(db: Drizzle, clock: Clock): Promise<FailedSignIns> {
  const [row] = await reading(() =>
    db
      .select({ counters: count(), most: max(signInFailures.failures) })
      .from(signInFailures)
      .where(gt(signInFailures.windowEndsAt, nowOf(clock))),
  );
  return { counters: row?.counters ?? 0, most: row?.most ?? 0 };
}

export type DatabaseFacts = { readonly now: Date; readonly version: string; readonly bytes: number };

/** @throws StoreUnavailable */
export function databaseFacts(db: Drizzle, clock: Clock): Promise<DatabaseFacts> {
  return readServer(() =>
    db
      .select({
        now: readNow(clock),
        version: sql<string>`current_setting('server_version')`,
        bytes: sql<number>`pg_database_size(current_database())::float8`,
      })
      .from(server),
  );
}
