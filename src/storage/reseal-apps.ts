/** Sealed secrets of authenticator apps: after a rotation of the root secret, those that an older entry sealed are sealed again. */
import { and, asc, eq, gt, isNotNull } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { secondFactors } from './schema.ts';

const ROWS_AT_ONCE = 1000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** @param reseal null: the row stays as it is. @returns how many were sealed again. @throws StoreUnavailable */
export async function resealApps(
  db: Drizzle,
  reseal: (app: {
    readonly id: string;
    readonly userId: string;
    readonly sealedSecret: string | null;
  }) => string | null,
): Promise<number> {
  const { id, userId, sealedSecret } = secondFactors;
  let count = 0;
  for (let last = BEFORE_ALL; ; ) {
    const rows = await reading(() =>
      db
        .select({ id, userId, sealedSecret })
        .from(secondFactors)
        .where(and(gt(id, last), isNotNull(sealedSecret)))
        .orderBy(asc(id))
        .limit(ROWS_AT_ONCE),
    );
    for (const row of rows) {
      const sealed = reseal(row);
      if (sealed === null) continue;
      // A row that was changed since is sealed again in the next round.
      const changed = await writing(() =>
        db
          .update(secondFactors)
          .set({ sealedSecret: sealed })
          .where(and(eq(id, row.id), eq(userId, row.userId), eq(sealedSecret, row.sealedSecret ?? '')))
          .returning({ id }),
      );
      count += changed.length;
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < ROWS_AT_ONCE) return count;
    last = end.id;
  }
}
