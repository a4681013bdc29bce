import { asc, eq, isNull, sql } from 'drizzle-orm';
import type { PasswordHash } from '../crypto/secret-types.ts';
import type { Claims, User } from '../model/user.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { server, users } from './schema.ts';

/** Usernames that differ only in case or Unicode composition name the same user: NFKC, then lower case. */
export const usernameKey = (username: string): string => username.normalize('NFKC').trim().toLowerCase();

/** Of an end-user who can sign in, or could. */
export const userColumns = {
  id: users.id,
  username: users.username,
  passwordHash: sql<PasswordHash>`${users.passwordHash}`,
  claims: users.claims,
  epoch: users.epoch,
  disabledAt: users.disabledAt,
};

/** The user with the server's epoch, which a new session carries. */
export async function findUserForSignIn(
  db: Drizzle,
  username: string,
): Promise<(User & { readonly serverEpoch: bigint }) | null> {
  const [user] = await reading(() =>
    db
      .select({ ...userColumns, serverEpoch: server.epoch })
      .from(users)
      .innerJoin(server, sql`true`)
      .where(eq(users.usernameKey, usernameKey(username))),
  );
  return user ?? null;
}

/** By the names of OpenID Connect Core §5.1; `preferred_username` defaults to the username. */
export async function findClaims(db: Drizzle, id: string): Promise<Claims | null> {
  const [user] = await reading(() =>
    db.select({ username: users.username, claims: users.claims }).from(users).where(eq(users.id, id)),
  );
  return user ? { preferred_username: user.username, ...user.claims } : null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text is the `sub` of an end-user, in letters of either case. */
export async function isSub(db: Drizzle, text: string): Promise<boolean> {
  if (!UUID.test(text)) return false;
  return (await reading(() => db.select({ id: users.id }).from(users).where(eq(users.id, text)))).length > 0;
}

export const listUsers = (db: Drizzle): Promise<User[]> =>
  reading(() => db.select(userColumns).from(users).where(isNull(users.deletedAt)).orderBy(asc(users.usernameKey)));
