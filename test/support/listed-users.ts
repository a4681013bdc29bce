import { asc, isNull } from 'drizzle-orm';
import type { Drizzle } from '../../src/storage/database.ts';
import { users } from '../../src/storage/schema.ts';

/** The end-users that are not deleted, by their names. */
export const listUsers = (db: Drizzle): Promise<(typeof users.$inferSelect)[]> =>
  db.select().from(users).where(isNull(users.deletedAt)).orderBy(asc(users.usernameKey));
