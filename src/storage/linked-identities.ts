/** The statements about linked identities: list, load, remove. A sign-in stores them (external-sign-ins.ts). */
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { LinkedIdentityCommit, LinkedIdentityStore, LoadedIdentity } from '../lifecycles/linked-identity.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { administrationLine, entryLine, instant, ledgerColumns } from './ledger.ts';
import { nowOf } from './now.ts';
import { linkedIdentities, passkeys, transitions, users } from './schema.ts';

export const linkedIdentityStore = (db: Drizzle, clock: Clock): LinkedIdentityStore => ({
  load: async ({ id, userId }) => {
    const [row] = await reading(() =>
      db
        .select({ now: sql<string>`${nowOf(clock)}`, identity: linkedIdentities, hasAnotherWay: hasAnotherWay(id) })
        .from(users)
        .leftJoin(linkedIdentities, and(eq(linkedIdentities.userId, users.id), eq(linkedIdentities.id, id)))
        .where(eq(users.id, userId)),
    );
    return row ? { ...row, now: new Date(row.now) } : NOBODY;
  },
  list: (userId) =>
    reading(() =>
      db
        .select()
        .from(linkedIdentities)
        .where(and(eq(linkedIdentities.userId, userId), eq(linkedIdentities.state, 'active')))
        .orderBy(asc(linkedIdentities.linkedAt), asc(linkedIdentities.id)),
    ),
  commit: (commit) => committing(() => remove(db, commit)),
});

const NOBODY: LoadedIdentity = { now: new Date(0), identity: null, hasAnotherWay: false };

/** Of the end-user whose row is at hand. */
const hasAnotherWay = (id: string) =>
  sql<boolean>`(${users.passwordHash} <> '' or exists (select from ${linkedIdentities} other where other.subject_id = ${users.id}
    and other.state = 'active' and other.id <> ${id}::uuid) or exists (select from ${passkeys} where ${passkeys.userId} = ${users.id}
    and ${passkeys.state} = 'active'))`;

/**
 * The row of the end-user is locked first, in a statement of its own: so two removals at once see each other, and do not take each
 * other's last way to sign in.
 */
async function remove(db: Drizzle, { after, needsAnotherWay, entry, now }: LinkedIdentityCommit) {
  return db.transaction(async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, after.userId)).for('update');
    const keepsAWay = sql`exists (select from ${users} where ${users.id} = ${after.userId} and ${hasAnotherWay(after.id)})`;
    const removed = tx.$with('removed').as(
      tx
        .update(linkedIdentities)
        .set({ state: 'removed', removedAt: after.removedAt, removedReason: after.removedReason })
        .where(
          and(
            eq(linkedIdentities.id, after.id),
            eq(linkedIdentities.state, 'active'),
            needsAnotherWay ? keepsAWay : undefined,
          ),
        )
        .returning({ userId: linkedIdentities.userId }),
    );
    const line = ledgerColumns({
      ...entryLine(entry),
      ...administrationLine(entry),
      at: instant(now),
      userId: sql`${removed.userId}`,
    });
    return tx
      .with(removed)
      .insert(transitions)
      .select(tx.select(line).from(removed))
      .returning({ userId: transitions.userId });
  });
}

const AT_A_TIME = 500;

/** Active identities of end-users who were deleted: their machine is told. */
export const identitiesOfDeletedUsers = (db: Drizzle): Promise<{ id: string; userId: string }[]> =>
  reading(() =>
    db
      .select({ id: linkedIdentities.id, userId: linkedIdentities.userId })
      .from(linkedIdentities)
      .innerJoin(users, eq(users.id, linkedIdentities.userId))
      .where(and(eq(linkedIdentities.state, 'active'), isNotNull(users.deletedAt)))
      .limit(AT_A_TIME),
  );
