/** The end-users in pages, for administrators; never with the hash of a password. */
import { and, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { userSearchText } from '../lifecycles/user/table.ts';
import type { User } from '../model/user.ts';
import { isUuidInEitherCase } from '../oauth/sub.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { keyedPage, scannedPart } from './keyed-page.ts';
import type { Page, PageRequest } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { users } from './schema.ts';
import { searchFor } from './search.ts';

export type ListedUser = Omit<User, 'passwordHash'> & { readonly createdAt: Date };

export type UserFilter = {
  /** The username, a name or the e-mail address has each word of it; or it is the `sub`. */
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
  const withSub = filter.q === undefined ? [] : await findBySub(db, filter.q, filter);
  const first = page.after === null ? withSub : [];
  // Before the first username.
  if (first.length === page.limit) return { items: first, next: '' };
  const others = await listByUsername(db, filter, { ...page, limit: page.limit - first.length });
  return {
    ...others,
    items: [...first, ...others.items],
    ...(others.total !== undefined && { total: others.total + withSub.length }),
  };
}

const isOf = (sub: string): SQL | undefined =>
  isUuidInEitherCase(sub) ? or(eq(users.id, sub), eq(users.sub, sub)) : eq(users.sub, sub);

const isListed = ({ disabled }: UserFilter): SQL | undefined =>
  and(
    isNull(users.deletedAt),
    disabled === undefined ? undefined : disabled ? isNotNull(users.disabledAt) : isNull(users.disabledAt),
  );

/** By the indexes: among many end-users a search by username would come to it after some pages. */
const findBySub = (db: Drizzle, sub: string, filter: UserFilter): Promise<ListedUser[]> =>
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
  const isFirst = q === undefined ? undefined : sql`(${isOf(q)}) is not true`;
  const list = {
    key: users.usernameKey,
    listed: and(isListed(filter), isFirst),
    text: userSearchText(users),
    search: q === undefined ? null : searchFor(q),
  };
  return keyedPage(list, page, (scan, rows) => {
    const scanned = scannedPart(list.key, scan);
    const read = (db: Drizzle) =>
      db
        .select({ scanned: scanned.columns, item: LISTED })
        .from(scanned.from)
        .innerJoin(users, scanned.matches)
        .where(scanned.where)
        .orderBy(scanned.order)
        .limit(rows);
    return plannedRead(db, read, scan.planning);
  });
}
