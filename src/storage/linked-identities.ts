/** The statements about linked identities: list, load, remove. A sign-in stores them (external-sign-ins.ts). */
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { LinkedIdentityStore, LoadedIdentity } from '../lifecycles/linked-identity/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { readNow } from './now.ts';
import { otherWays } from './other-ways.ts';
import { linkedIdentities, users } from './schema.ts';

/** @param macs for a link, whose row has a MAC. Absent: the store lists and removes. */
export const linkedIdentityStore = (db: Drizzle, clock: Clock, macs: RowMacs | null = null): LinkedIdentityStore => ({
  load: async ({ id, userId }) => {
    const [row] = await reading(() =>
      db
        .select({
          now: readNow(clock),
          identity: linkedIdentities,
          otherWays: otherWays(sql`${id}::uuid`),
        })
        .from(users)
        .leftJoin(linkedIdentities, and(eq(linkedIdentities.userId, users.id), eq(linkedIdentities.id, id)))
        .where(eq(users.id, userId)),
    );
    return row ?? NO_USER;
  },
  list: (userId) =>
    reading(() =>
      db
        .select()
        .from(linkedIdentities)
        .where(and(eq(linkedIdentities.userId, userId), eq(linkedIdentities.state, 'active')))
        .orderBy(asc(linkedIdentities.linkedAt), asc(linkedIdentities.id)),
    ),
  commit: commitStore(db, macs),
});

const NO_USER: LoadedIdentity = {
  now: new Date(0),
  identity: null,
  otherWays: { password: false, passkeys: 0, linkedIdentities: 0 },
};

const AT_A_TIME = 500;

/** Active identities of deleted end-users, for their machine to remove. */
export const identitiesOfDeletedUsers = (db: Drizzle): Promise<{ id: string; userId: string }[]> =>
  reading(() =>
    db
      .select({ id: linkedIdentities.id, userId: linkedIdentities.userId })
      .from(linkedIdentities)
      .innerJoin(users, eq(users.id, linkedIdentities.userId))
      .where(and(eq(linkedIdentities.state, 'active'), isNotNull(users.deletedAt)))
      .limit(AT_A_TIME),
  );
