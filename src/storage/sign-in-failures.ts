/** Counts failed sign-ins across all nodes. */
import { and, gt, inArray, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { nowOf, readNow } from './now.ts';
import { server, signInFailures } from './schema.ts';
import { noServerRow } from './server-row.ts';

export function signInFailureStore(db: Drizzle, clock: Clock) {
  const now = () => nowOf(clock);
  return {
    /** Counts nothing. `failures`: of the running window, in the order of the keys. */
    recentOf: async (keyHashes: readonly Buffer[]): Promise<{ now: Date; failures: readonly RecentFailures[] }> => {
      const { keyHash, failures, lastFailedAt, windowEndsAt } = signInFailures;
      const rows = await reading(() =>
        db
          .select({ now: readNow(clock), keyHash, failures, lastFailedAt, windowEndsAt })
          .from(server)
          .leftJoin(signInFailures, and(inArray(keyHash, [...keyHashes]), gt(windowEndsAt, now()))),
      );
      const [row] = rows;
      if (!row) throw noServerRow();
      return {
        now: row.now,
        failures: keyHashes.map((key) =>
          recent(
            rows.find((one) => one.keyHash?.equals(key)),
            row.now,
          ),
        ),
      };
    },
    /** Counts one failure under each key. @returns the failures of the running window, in the order of the keys. */
    count: async (
      keyHashes: readonly Buffer[],
      windowSeconds: number,
      lasting: readonly Buffer[] = [],
    ): Promise<number[]> => {
      const ends = (windows: number) => sql`${now()} + make_interval(secs => ${windows * windowSeconds})`;
      const lasts = (key: Buffer) => lasting.some((one) => one.equals(key));
      // The instant of the row that is not inserted is that of the statement. A cluster takes no function of the time here.
      const ended = sql`${signInFailures.windowEndsAt} <= excluded.last_failed_at`;
      const counted = await writing(() =>
        db
          .insert(signInFailures)
          // Always in the same order: two failures that lock each other's rows would be a deadlock.
          .values(
            keyHashes.toSorted(Buffer.compare).map((keyHash) => ({
              keyHash,
              failures: 1,
              lastFailedAt: sql`${now()}`,
              windowEndsAt: ends(lasts(keyHash) ? 2 : 1),
            })),
          )
          .onConflictDoUpdate({
            target: signInFailures.keyHash,
            set: {
              failures: sql`case when ${ended} then 1 else ${signInFailures.failures} + 1 end`,
              lastFailedAt: sql`excluded.last_failed_at`,
              windowEndsAt: sql`case when ${ended} or ${isOneOf(lasting)} then excluded.window_ends_at else ${signInFailures.windowEndsAt} end`,
            },
          })
          .returning({ keyHash: signInFailures.keyHash, failures: signInFailures.failures }),
      );
      return inOrder(keyHashes, counted);
    },
    forget: async (keyHashes: readonly Buffer[]): Promise<void> => {
      await writing(() => db.delete(signInFailures).where(inArray(signInFailures.keyHash, [...keyHashes])));
    },
  };
}

type RecentFailures = {
  readonly failures: number;
  readonly secondsSince: number;
  readonly secondsLeft: number;
};

type Row = { readonly failures: number | null; readonly lastFailedAt: Date | null; readonly windowEndsAt: Date | null };

function recent(row: Row | undefined, now: Date): RecentFailures {
  if (!row?.lastFailedAt || !row.windowEndsAt)
    return { failures: 0, secondsSince: Number.POSITIVE_INFINITY, secondsLeft: 0 };
  const seconds = (milliseconds: number) => Math.max(0, milliseconds / 1000);
  return {
    failures: row.failures ?? 0,
    secondsSince: seconds(now.getTime() - row.lastFailedAt.getTime()),
    secondsLeft: seconds(row.windowEndsAt.getTime() - now.getTime()),
  };
}

const isOneOf = (keyHashes: readonly Buffer[]) =>
  keyHashes.length === 0 ? sql`false` : inArray(signInFailures.keyHash, [...keyHashes]);

type Counted = { readonly keyHash: Buffer; readonly failures: number };

const inOrder = (keyHashes: readonly Buffer[], rows: readonly Counted[]): number[] =>
  keyHashes.map((key) => rows.find((row) => row.keyHash.equals(key))?.failures ?? 0);
