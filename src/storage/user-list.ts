/** The end-users in pages, for administrators; never with the hash of a password. */
import { and, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { User } from '../model/user.ts';
import { isUuidInEitherCase } from '../oauth/sub.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { keyedPage, scannedKeys } from './keyed-page.ts';
import { contains, type Page, type PageRequest } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { users } from './schema.ts';

export type ListedUser = Omit<User, 'passwordHash'> & { readonly createdAt: Date };

export type UserFilter = {
  /** The username contains it, in either case; or it is the `sub`. */
  readonly q?: string | undefined;
  readonly disabled?: boolean | undefined;
};

const LISTED = {
  id: users.id,
  sub: users.sub,
  username: users.username,
  claims: users.claims,
  epoch: users.epoch,
  disabledAt: users.disabledAt,
  createdAt: users.createdAt,
};

/** The end-user with the searched `sub` first, then by username. A deleted end-user is not listed. @throws StoreUnavailable */
export async function listUserPage(
  db: Drizzle,
  filter: UserFilter,
  page: PageRequest<string>,
): Promise<Page<ListedUser, string>> {
  const first = filter.q === undefined || page.after !== null ? [] : await withSub(db, filter.q, filter);
  // Before the first username.
  if (first.length === page.limit) return { items: first, next: '' };
  const { items, next } = await listByUsername(db, filter, { ...page, limit: page.limit - first.length });
  return { items: [...first, ...items], next };
}

const isOf = (sub: string): SQL | undefined =>
  isUuidInEitherCase(sub) ? or(eq(users.id, sub), eq(users.sub, sub)) : eq(users.sub, sub);

const isListed = ({ disabled }: UserFilter): SQL | undefined =>
  and(
    isNull(users.deletedAt),
    disabled === undefined ? undefined : disabled ? isNotNull(users.disabledAt) : isNull(users.disabledAt),
  );

/** By the indexes: among many end-users a search by username would come to it after some pages. */
const withSub = (db: Drizzle, sub: string, filter: UserFilter): Promise<ListedUser[]> =>
  reading(() =>
    db
      .select(LISTED)
      .from(users)
      .where(and(isOf(sub), isListed(filter)))
      .limit(1),
  );

function listByUsername(
  db: Drizzle,
  { q, ...filter }: UserFilter,
  page: PageRequest<string>,
): Promise<Page<ListedUser, string>> {
  // The key has its letters normalized; the typed text may be composed in another way.
  const contained = q === undefined ? undefined : contains(users.usernameKey, q.normalize('NFKC'));
  const isFirst = q === undefined ? undefined : sql`(${isOf(q)}) is not true`;
  const scan = scannedKeys(users.usernameKey, sql`(${and(isListed(filter), contained, isFirst)})`, page.after);
  return keyedPage(page, (rows) =>
    plannedRead(db, (db) =>
      db
        .select({ scanned: scan.columns, item: LISTED })
        .from(scan.from)
        .innerJoin(users, scan.matches)
        .where(scan.where)
        .orderBy(scan.order)
        .limit(rows),
    ),
  );
}
