/** The end-users in pages, for administrators; never with the hash of a password. */
import { and, isNotNull, isNull, sql } from 'drizzle-orm';
import type { User } from '../model/user.ts';
import type { Drizzle } from './database.ts';
import { keyedPage, scannedKeys } from './keyed-page.ts';
import { contains, type Page, type PageRequest } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { users } from './schema.ts';

export type ListedUser = Omit<User, 'passwordHash'> & { readonly createdAt: Date };

export type UserFilter = {
  /** The username contains it, in either case. */
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

/** By username. A deleted end-user is not listed. @throws StoreUnavailable */
export const listUserPage = (
  db: Drizzle,
  { q, disabled }: UserFilter,
  page: PageRequest<string>,
): Promise<Page<ListedUser, string>> => {
  const kept = and(
    isNull(users.deletedAt),
    // The key has its letters normalized; the typed text may be composed in another way.
    q === undefined ? undefined : contains(users.usernameKey, q.normalize('NFKC')),
    disabled === undefined ? undefined : disabled ? isNotNull(users.disabledAt) : isNull(users.disabledAt),
  );
  const scan = scannedKeys(users.usernameKey, sql`(${kept})`, page.after);
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
};
