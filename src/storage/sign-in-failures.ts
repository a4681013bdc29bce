/** Counts failed sign-ins across all nodes. */
import { and, gt, inArray, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { nowOf } from './now.ts';
import { signInFailures } from './schema.ts';

export function signInFailureStore(db: Drizzle, clock: Clock) {
  const now = () => nowOf(clock);
  return {
    /** Counts nothing. @returns the failures of the running window, in the order of the keys. */
    countsOf: async (keyHashes: readonly Buffer[]): Promise<number[]> => {
      const { keyHash, failures, windowEndsAt } = signInFailures;
      const rows = await reading(() =>
        db
          .select({ keyHash, failures })
          .from(signInFailures)
          .where(and(inArray(keyHash, [...keyHashes]), gt(windowEndsAt, now()))),
      );
      return inOrder(keyHashes, rows);
    },
    /** Counts one failure under each key. @returns the failures of the running window, in the order of the keys. */
    count: async (keyHashes: readonly Buffer[], windowSeconds: number): Promise<number[]> => {
      const windowEndsAt = sql`${now()} + make_interval(secs => ${windowSeconds})`;
      const ended = sql`${signInFailures.windowEndsAt} <= ${now()}`;
      const counted = await writing(() =>
        db
          .insert(signInFailures)
          // Always in the same order: two failures that lock each other's rows would be a deadlock.
          .values(keyHashes.toSorted(Buffer.compare).map((keyHash) => ({ keyHash, failures: 1, windowEndsAt })))
          .onConflictDoUpdate({
            target: signInFailures.keyHash,
            set: {
              failures: sql`case when ${ended} then 1 else ${signInFailures.failures} + 1 end`,
              windowEndsAt: sql`case when ${ended} then excluded.window_ends_at else ${signInFailures.windowEndsAt} end`,
            },
          })
          .returning({ keyHash: signInFailures.keyHash, failures: signInFailures.failures }),
      );
      return inOrder(keyHashes, counted);
    },
  };
}

type Counted = { readonly keyHash: Buffer; readonly failures: number };

const inOrder = (keyHashes: readonly Buffer[], rows: readonly Counted[]): number[] =>
  keyHashes.map((key) => rows.find((row) => row.keyHash.equals(key))?.failures ?? 0);
