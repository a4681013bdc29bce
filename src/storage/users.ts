import { and, eq, exists, inArray, isNull, not, or, type SQL, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { PasswordHash } from '../crypto/secret-types.ts';
import { userFacts } from '../lifecycles/user/table.ts';
import { type Claims, NO_PASSWORD, type RegisteredUser, subOf, type User, verifiedAddressKey } from '../model/user.ts';
import { isUuid, isUuidInEitherCase } from '../oauth/sub.ts';
import { usernameKey } from '../oauth/username.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { identifiedBy } from './identified.ts';
import { clients, passkeys, secondFactors, server, users } from './schema.ts';

export { usernameKey };

/** As in sign-in.yaml. */
export type Identifiers = 'username' | 'email' | 'both';

/** Of an end-user who can sign in, or could. */
export const userColumns = {
  id: users.id,
  sub: users.sub,
  username: users.username,
  passwordHash: sql<PasswordHash>`${users.passwordHash}`,
  claims: users.claims,
  epoch: users.epoch,
  disabledAt: users.disabledAt,
};

/** Columns that a sign-in does not need. */
export const registeredColumns = {
  ...userColumns,
  deletedAt: users.deletedAt,
  signInAddress: users.signInAddress,
  importedHash: users.importedHash,
  passwordByLinkAt: users.passwordByLinkAt,
};

/** The other columns that `isAuthenticUser` needs. */
export const authenticColumns = {
  usernameKey: users.usernameKey,
  passwordByLinkAt: users.passwordByLinkAt,
  mac: users.mac,
  macVersion: users.macVersion,
};
type AuthenticColumns = Parameters<typeof userFacts>[0] & { readonly mac: Buffer | null };

/** The user with the server's epoch, which a new session carries. */
export const findUserForSignIn = (db: Drizzle, username: string): Promise<UserToSignIn | null> =>
  findUserBy(db, eq(users.usernameKey, usernameKey(username)));

/** @param id the `sub`. */
export const findUserById = (db: Drizzle, id: string): Promise<UserToSignIn | null> => findUserBy(db, eq(users.id, id));

type UserToSignIn = User & {
  readonly serverEpoch: bigint;
  readonly usernameKey: string;
  readonly signInAddress: string | null;
  readonly passwordByLinkAt: Date | null;
  readonly mac: Buffer | null;
  readonly macVersion: bigint;
};

/** Whether a process with the root secret stored the facts that give the row its authority. */
export const isAuthenticUser = (user: AuthenticColumns, macs: RowMacs): boolean =>
  macs.isRight(...userFacts(user), user.mac);

/** @param typed on a sign-in page. One statement, whichever end-user it finds, and where it finds none. */
export async function findIdentifiedUser(
  db: Drizzle,
  macs: RowMacs,
  typed: string,
  identifiers: Identifiers,
): Promise<UserToSignIn | null> {
  const key = usernameKey(typed);
  const isName = eq(users.usernameKey, key);
  const found = await findUserBy(
    db,
    identifiers === 'username' ? isName : or(isName, eq(users.signInAddress, key)),
    isName,
  );
  const user = found && withPassword(found, macs);
  if (user === null || identifiers === 'username') return user;
  // The address of the MAC counts, and not a text that another process wrote beside it.
  const address =
    isAuthenticUser(user, macs) && user.signInAddress === verifiedAddressKey(user) ? user.signInAddress : null;
  if (address === key) return user;
  const isByName = user.usernameKey === key && (identifiers === 'both' || address === null);
  return isByName ? user : null;
}

/** The key of the username of the account that the text identifies, for limits per account; of no account: its own key. */
export async function accountKeyOf(db: Drizzle, typed: string, identifiers: Identifiers): Promise<string> {
  const key = usernameKey(typed);
  // No address is without it: the username itself is the key.
  if (identifiers === 'username' || !key.includes('@')) return key;
  const [user] = await reading(() =>
    db
      .select({ key: users.usernameKey })
      .from(users)
      .where(eq(users.id, identifiedBy(key))),
  );
  return user?.key ?? key;
}

/** As `findIdentifiedUser`, of an end-user who is known already. @param id of the end-user */
export async function findUserToVerify(db: Drizzle, macs: RowMacs, id: string): Promise<UserToSignIn | null> {
  const user = await findUserById(db, id);
  return user && withPassword(user, macs);
}

/** For a sign-in with a password: a row that was not made here has none. */
const withPassword = (user: UserToSignIn, macs: RowMacs): UserToSignIn =>
  isAuthenticUser(user, macs) ? user : { ...user, passwordHash: NO_PASSWORD };

/** @param first comes before other rows that are meant; absent: there is at most one. */
async function findUserBy(db: Drizzle, which: SQL | undefined, first?: SQL): Promise<UserToSignIn | null> {
  const [user] = await reading(() => {
    const query = db
      .select({ ...userColumns, ...authenticColumns, signInAddress: users.signInAddress, serverEpoch: server.epoch })
      .from(users)
      .innerJoin(server, sql`true`)
      .where(which);
    return first === undefined ? query : query.orderBy(sql`${first} desc`).limit(1);
  });
  return user ?? null;
}

/** Those who have one of these usernames, with the server's epoch left out. */
export const findUsersNamed = (
  db: Drizzle,
  usernames: readonly string[],
): Promise<readonly (RegisteredUser & { readonly usernameKey: string })[]> =>
  reading(() =>
    db
      .select({
        ...registeredColumns,
        usernameKey: users.usernameKey,
      })
      .from(users)
      .where(eq(users.usernameKey, sql`any(${sql.param(usernames.map(usernameKey))}::text[])`)),
  );

/** By the names of OpenID Connect Core §5.1; `preferred_username` defaults to the username. */
export async function findClaims(db: Drizzle, id: string): Promise<Claims | null> {
  const [user] = await reading(() =>
    db.select({ username: users.username, claims: users.claims }).from(users).where(eq(users.id, id)),
  );
  return user ? { preferred_username: user.username, ...user.claims } : null;
}

/** Null: not found, deleted, or a row that the server did not write: writing another name into a row gives no role. */
export async function findUsername(db: Drizzle, macs: RowMacs, id: string): Promise<string | null> {
  const [user] = await reading(() =>
    db
      .select({ ...userColumns, ...authenticColumns })
      .from(users)
      .where(and(eq(users.id, id), isNull(users.deletedAt))),
  );
  return user && isAuthenticUser(user, macs) ? user.username : null;
}

/** The keys of those usernames that end-users have. */
export async function knownUsernameKeys(db: Drizzle, usernames: readonly string[]): Promise<string[]> {
  if (usernames.length === 0) return [];
  const keys = usernames.map(usernameKey);
  const found = await reading(() =>
    db
      .select({ key: users.usernameKey })
      .from(users)
      .where(and(inArray(users.usernameKey, keys), isNull(users.deletedAt))),
  );
  return found.map(({ key }) => key);
}

/** Those of these usernames whose end-users have neither a passkey nor an authenticator app. */
export async function usernameKeysWithoutFactor(db: Drizzle, usernames: readonly string[]): Promise<string[]> {
  if (usernames.length === 0) return [];
  const activeOf = (table: typeof passkeys | typeof secondFactors) =>
    exists(
      db
        .select({ one: sql`1` })
        .from(table)
        .where(and(eq(table.userId, users.id), eq(table.state, 'active'))),
    );
  const found = await reading(() =>
    db
      .select({ key: users.usernameKey })
      .from(users)
      .where(
        and(
          inArray(users.usernameKey, usernames.map(usernameKey)),
          isNull(users.deletedAt),
          not(activeOf(passkeys)),
          not(activeOf(secondFactors)),
        ),
      ),
  );
  return found.map(({ key }) => key);
}

/** Whether the text is the `sub` of an end-user, also of a deleted one; a UUID in letters of either case. */
export async function isSub(db: Drizzle, text: string): Promise<boolean> {
  const isIt = isUuidInEitherCase(text) ? or(eq(users.id, text), eq(users.sub, text)) : eq(users.sub, text);
  return (await reading(() => db.select({ id: users.id }).from(users).where(isIt))).length > 0;
}

/** The id of the end-user with this `sub`. An id itself is not looked up. Null: no end-user has the `sub`. */
export async function idOfSub(db: Drizzle, sub: string): Promise<string | null> {
  if (isUuid(sub)) return sub;
  const [user] = await reading(() => db.select({ id: users.id }).from(users).where(eq(users.sub, sub)));
  return user?.id ?? (isUuidInEitherCase(sub) ? sub.toLowerCase() : null);
}

/** Those of these values that end-users have, or had before they were deleted, as their `sub`, and the ids of clients (RFC 9700 §4.15). */
export async function takenSubs(db: Drizzle, subs: readonly string[]): Promise<ReadonlySet<string>> {
  if (subs.length === 0) return new Set();
  const ids = subs.filter((sub) => isUuidInEitherCase(sub)).map((sub) => sub.toLowerCase());
  const found = await reading(() =>
    db
      .select({ id: users.id, sub: users.sub })
      .from(users)
      .where(
        or(eq(users.sub, sql`any(${sql.param([...subs])}::text[])`), eq(users.id, sql`any(${sql.param(ids)}::uuid[])`)),
      ),
  );
  const ofClients = await reading(() =>
    db
      .select({ clientId: clients.clientId })
      .from(clients)
      .where(inArray(clients.clientId, [...subs])),
  );
  const taken = new Set([
    ...found.flatMap(({ id, sub }) => (sub === null ? [id] : [id, sub])),
    ...ofClients.map(({ clientId }) => clientId),
  ]);
  return new Set(subs.filter((sub) => taken.has(sub) || taken.has(sub.toLowerCase())));
}

export type KnownUser = { readonly sub: string; readonly username: string | null };

/** By id: the `sub` of each of these end-users, and the username of those that are not deleted. */
export async function knownUsers(db: Drizzle, ids: readonly string[]): Promise<ReadonlyMap<string, KnownUser>> {
  if (ids.length === 0) return new Map();
  const found = await reading(() =>
    db
      .select({ id: users.id, sub: users.sub, username: users.username, deletedAt: users.deletedAt })
      .from(users)
      .where(inArray(users.id, [...new Set(ids)])),
  );
  return new Map(
    found.map(({ id, sub, username, deletedAt }) => [
      id,
      { sub: subOf({ id, sub }), username: deletedAt === null ? username : null },
    ]),
  );
}

/**
 * Accounts whose verified address this is, in any case; the oldest first. Bounded: accounts that only say so do not count, or five
 * of them would take the places of the owner's. Rows that were not made here are left out.
 */
export async function usersWithAddress(
  db: Drizzle,
  macs: RowMacs,
  address: string,
  limit: number,
): Promise<RegisteredUser[]> {
  const found = await reading(() =>
    db
      .select({ user: registeredColumns, authentic: authenticColumns })
      .from(users)
      .where(
        sql`lower(${users.claims} ->> 'email') = lower(${address}) and ${users.claims} -> 'email_verified' = 'true'::jsonb
          and ${users.deletedAt} is null`,
      )
      .orderBy(users.createdAt, users.id)
      .limit(limit),
  );
  return found.flatMap((row) => authenticUser(row, macs) ?? []);
}

/** Null: not found, or a row that the server did not write. */
export async function findRegisteredUserNamed(
  db: Drizzle,
  macs: RowMacs,
  username: string,
): Promise<RegisteredUser | null> {
  const [row] = await reading(() =>
    db
      .select({ user: registeredColumns, authentic: authenticColumns })
      .from(users)
      .where(and(eq(users.usernameKey, usernameKey(username)), isNull(users.deletedAt))),
  );
  return row ? authenticUser(row, macs) : null;
}

/** Null: not found, or a row that the server did not write: writing an address into a row sends no mail there. */
export async function findRegisteredUser(db: Drizzle, macs: RowMacs, userId: string): Promise<RegisteredUser | null> {
  const [row] = await reading(() =>
    db.select({ user: registeredColumns, authentic: authenticColumns }).from(users).where(eq(users.id, userId)),
  );
  return row ? authenticUser(row, macs) : null;
}

type WithAuthentic = {
  readonly user: RegisteredUser;
  readonly authentic: { readonly usernameKey: string; readonly mac: Buffer | null; readonly macVersion: bigint };
};

const authenticUser = ({ user, authentic }: WithAuthentic, macs: RowMacs): RegisteredUser | null =>
  isAuthenticUser({ ...user, ...authentic }, macs) ? user : null;
