/** Counts failed sign-ins across all nodes. An attempt is counted before the password is checked, and given back when it is right. */
import { eq, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { writing } from './failures.ts';
import { nowOf } from './now.ts';
import { signInFailures } from './schema.ts';

export function signInFailureStore(db: Drizzle, clock: Clock) {
  const now = () => nowOf(clock);
  return {
    /** Counts one attempt under each key. @returns the count of the running window, in the order of the keys. */
    count: async (keyHashes: readonly Buffer[], windowSeconds: number): Promise<number[]> => {
      const windowEndsAt = sql`${now()} + make_interval(secs => ${windowSeconds})`;
      const ended = sql`${signInFailures.windowEndsAt} <= ${now()}`;
      const counted = await writing(() =>
        db
          .insert(signInFailures)
          // Always in the same order: two attempts that lock each other's rows would be a deadlock.
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
      return keyHashes.map((key) => counted.find((row) => row.keyHash.equals(key))?.failures ?? 0);
    },
    /** One statement per key, so that no statement waits for a row while it has locked another. */
    giveBack: (keyHashes: readonly Buffer[]): Promise<unknown> =>
      Promise.all(
        keyHashes.map((keyHash) =>
          writing(() =>
            db
              .update(signInFailures)
              .set({ failures: sql`greatest(${signInFailures.failures} - 1, 0)` })
              .where(eq(signInFailures.keyHash, keyHash)),
          ),
        ),
      ),
  };
}
