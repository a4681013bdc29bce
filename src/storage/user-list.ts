/** The end-users in pages, for administrators; never with the hash of a password. */
import { and, eq, isNotNull, isNull, not, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import { userSearchText } from '../lifecycles/user/table.ts';
import type { User } from '../model/user.ts';
import { isUuidInEitherCase } from '../oauth/sub.ts';
import type { Drizzle } from './database.ts';
import { FACTORS_BESIDE_SESSIONS, TABLE_OF_FACTOR } from './factors.ts';
import { reading } from './failures.ts';
import { type KeyedList, keyedPage, type Place, scannedPart } from './keyed-page.ts';
import { ofAnotherKey } from './of-another-key.ts';
import type { Page, PageRequest } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { lastSignIns, users } from './schema.ts';
import { searchIn } from './search.ts';
import { areSpread } from './spread-databases.ts';

export type UserFactor = keyof typeof TABLE_OF_FACTOR;
export const USER_FACTORS = Object.keys(TABLE_OF_FACTOR) as [UserFactor, ...UserFactor[]];

/** Facts about an end-user that requests about the record do not write. */
export type UserFacts = {
  readonly createdAt: Date;
  readonly changedAt: Date | null;
  readonly lastSignInAt: Date | null;
  readonly hasPassword: boolean;
  readonly factors: readonly UserFactor[];
};

export type ListedUser = Omit<User, 'passwordHash'> & UserFacts;

export type UserSort = 'username' | 'created_at' | 'last_sign_in_at';

export type UserFilter = {
  /** The username, a name or the e-mail address has each word of it; or it is the `sub`. */
  readonly q?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly hasPassword?: boolean | undefined;
  readonly emailVerified?: boolean | undefined;
  /** A claim has this value, or the value is one of its list. */
  readonly claim?: { readonly name: string; readonly values: readonly unknown[] } | undefined;
  readonly signedInSince?: Date | undefined;
  /** Also true of an end-user who never signed in. */
  readonly notSignedInSince?: Date | undefined;
  /** `none`: neither a passkey nor an authenticator app. */
  readonly factor?: UserFactor | 'none' | undefined;
};

/** True of an end-user with such a row. */
type Having = (table: PgTable & { readonly userId: AnyPgColumn }, which: SQL) => SQL;

const byKey: Having = (table, which) =>
  sql`exists (select 1 from ${table} where ${table.userId} = ${users.id} and ${which})`;
/** Hashed: among the rows of walked end-users, which a cluster has read. */
const amongRead: Having = (table, which) => sql`${users.id} in (select ${table.userId} from ${table} where ${which})`;

const hasFactor = (factor: UserFactor, having: Having): SQL => {
  const table = TABLE_OF_FACTOR[factor];
  return having(table, sql`${table.state} = 'active'`);
};
const signInOf = sql`from ${lastSignIns} where ${lastSignIns.userId} = ${users.id}`;

const FACTS = {
  createdAt: users.createdAt,
  changedAt: users.changedAt,
  hasPassword: sql<boolean>`${users.passwordHash} <> ''`,
  lastSignInAt: sql<Date | null>`(select ${lastSignIns.signedInAt} ${signInOf})`.mapWith(lastSignIns.signedInAt),
  factors: sql<UserFactor[]>`array_remove(array[${sql.join(
    USER_FACTORS.map((factor) => sql`case when ${hasFactor(factor, byKey)} then ${sql.raw(`'${factor}'`)} end`),
    sql`, `,
  )}]::text[], null)`,
};

/** The rows of the facts about these end-users, which a cluster reads first. @param ids a query of them */
const theirRows = (db: Drizzle, ids: SQL) =>
  [lastSignIns, ...FACTORS_BESIDE_SESSIONS].map((table) => ofAnotherKey(db, table, sql`${table.userId} in (${ids})`));

const ROWS_OF_WALKED = [lastSignIns, ...Object.values(TABLE_OF_FACTOR)].map(
  (table) => sql`${table} as (select * from ${table} where ${table.userId} in (select id from walked))`,
);

const LISTED = {
  id: users.id,
  sub: users.sub,
  username: users.username,
  claims: users.claims,
  epoch: users.epoch,
  disabledAt: users.disabledAt,
  ...FACTS,
};

/** Null: no end-user has the id, or had it before a deletion. @throws StoreUnavailable */
export async function findUserFacts(db: Drizzle, id: string): Promise<UserFacts | null> {
  const [facts] = await reading(() =>
    db
      .with(...theirRows(db, sql`${id}::uuid`))
      .select(FACTS)
      .from(users)
      .where(and(eq(users.id, id), isNull(users.deletedAt))),
  );
  return facts ?? null;
}

/** The end-user with this exact username, if the filter lists them. @throws StoreUnavailable */
export async function findListedUser(db: Drizzle, usernameKey: string, filter: UserFilter): Promise<ListedUser | null> {
  const { q } = filter;
  const { indexed, searched } = searchIn(userSearchText(users), q);
  const fits = q === undefined ? undefined : or(isOf(q), indexed ?? searched);
  const where = and(eq(users.usernameKey, usernameKey), isListed(filter), hasClaim(filter), fits);
  const found = sql`select ${users.id} from ${users} where ${where}`;
  const [user] = await reading(() =>
    db
      .with(...theirRows(db, found))
      .select(LISTED)
      .from(users)
      .where(and(where, hasRows(filter))),
  );
  return user ?? null;
}

type Order = { readonly sort: UserSort; readonly descending: boolean };

/** The end-user with the searched `sub` first, then in this order. A deleted end-user is not listed. @throws StoreUnavailable */
export async function listUserPage(
  db: Drizzle,
  filter: UserFilter,
  page: PageRequest<Place>,
  order: Order = { sort: 'username', descending: false },
): Promise<Page<ListedUser, Place>> {
  const withSub = filter.q === undefined ? [] : await findBySub(db, filter.q, filter);
  const first = page.after === null ? withSub : [];
  // Before the first of the others.
  if (first.length === page.limit) return { items: first, next: [] };
  const others = await listInOrder(db, filter, order, { ...page, limit: page.limit - first.length });
  return {
    ...others,
    items: [...first, ...others.items],
    ...(others.total !== undefined && { total: others.total + withSub.length }),
  };
}

const isOf = (sub: string): SQL | undefined =>
  isUuidInEitherCase(sub) ? or(eq(users.id, sub), eq(users.sub, sub)) : eq(users.sub, sub);

const IS_VERIFIED = sql`${users.claims} @> '{"email_verified": true}'::jsonb and ${users.claims} ? 'email'`;
const either = (wanted: boolean | undefined, holds: SQL): SQL | undefined =>
  wanted === undefined ? undefined : wanted ? holds : sql`(${holds}) is not true`;

function isListed({ disabled, hasPassword, emailVerified }: UserFilter): SQL | undefined {
  return and(
    isNull(users.deletedAt),
    either(disabled, isNotNull(users.disabledAt)),
    either(hasPassword, FACTS.hasPassword),
    either(emailVerified, IS_VERIFIED),
  );
}

const hasSignedIn = ({ signedInSince, notSignedInSince }: UserFilter, having: Having): SQL | undefined =>
  and(
    signedInSince && having(lastSignIns, since(signedInSince)),
    notSignedInSince && not(having(lastSignIns, since(notSignedInSince))),
  );

const hasFactors = ({ factor }: UserFilter, having: Having): SQL | undefined =>
  factor &&
  (factor === 'none'
    ? not(or(hasFactor('passkey', having), hasFactor('authenticator_app', having)) as SQL)
    : hasFactor(factor, having));

const hasRows = (filter: UserFilter): SQL | undefined => and(hasSignedIn(filter, byKey), hasFactors(filter, byKey));

const since = (instant: Date): SQL => sql`${lastSignIns.signedInAt} >= ${instant.toISOString()}::timestamptz`;

const hasClaim = ({ claim }: UserFilter): SQL | undefined =>
  claim &&
  or(
    ...claim.values
      .flatMap((value) => [value, [value]])
      .map((value) => sql`${users.claims} @> ${JSON.stringify({ [claim.name]: value })}::text::jsonb`),
  );

/** By the indexes: among many end-users a search by username would come to it after some pages. */
function findBySub(db: Drizzle, sub: string, filter: UserFilter): Promise<ListedUser[]> {
  return reading(() =>
    db
      .with(...theirRows(db, sql`select ${users.id} from ${users} where ${isOf(sub)}`))
      .select(LISTED)
      .from(users)
      .where(and(isOf(sub), isListed(filter), hasRows(filter), hasClaim(filter)))
      .limit(1),
  );
}

function listInOrder(
  db: Drizzle,
  filter: UserFilter,
  { sort, descending }: Order,
  page: PageRequest<Place>,
): Promise<Page<ListedUser, Place>> {
  const isBeside = areSpread(db);
  const having = isBeside ? amongRead : byKey;
  const signedIn = hasSignedIn(filter, having);
  const list = (more: Pick<KeyedList, 'from' | 'order' | 'range'>, only: SQL | undefined): KeyedList => {
    const { indexed, searched } = searchIn(userSearchText(users), filter.q);
    const isFirst = filter.q === undefined ? undefined : sql`(${isOf(filter.q)}) is not true`;
    const isDisabled = filter.disabled ? isNotNull(users.disabledAt) : undefined;
    const ofOthers = and(only, hasFactors(filter, having));
    return {
      ...more,
      descending,
      id: users.id,
      listed: and(isListed(filter), isFirst, isBeside ? undefined : ofOthers),
      beside: isBeside && ofOthers ? { rows: ROWS_OF_WALKED, kept: ofOthers, items: users } : undefined,
      searched,
      indexed: and(indexed, hasClaim(filter), isDisabled) ?? null,
    };
  };
  const byUsername = { from: sql`${users}`, order: [users.usernameKey] };
  switch (sort) {
    case 'username':
      return pageOf(db, list(byUsername, signedIn), page);
    case 'created_at':
      return pageOf(db, list({ from: sql`${users}`, order: [users.createdAt, users.id] }, signedIn), page);
    case 'last_sign_in_at': {
      const from = sql`${lastSignIns} join ${users} on ${users.id} = ${lastSignIns.userId}`;
      const { signedInSince, notSignedInSince } = filter;
      const range = and(signedInSince && since(signedInSince), notSignedInSince && not(since(notSignedInSince)));
      const ever = list({ from, order: [lastSignIns.signedInAt, lastSignIns.userId], range }, undefined);
      const hasNever = not(having(lastSignIns, sql`true`));
      const never = { ...list(byUsername, hasNever), descending: false };
      return inTwoParts(db, ever, signedInSince ? null : never, page);
    }
  }
}

/** End-users who never signed in come last, always by username. A place in that part has one value, and in the other two. */
async function inTwoParts(
  db: Drizzle,
  ever: KeyedList,
  never: KeyedList | null,
  { limit, after }: PageRequest<Place>,
): Promise<Page<ListedUser, Place>> {
  const isInFirst = after === null || after.length !== 1;
  const { total: _, ...first } = isInFirst ? await pageOf(db, ever, { limit, after }) : { items: [], next: null };
  if (first.next !== null || never === null) return first;
  const START_OF_REST = [''];
  if (first.items.length === limit) return { ...first, next: START_OF_REST };
  const rest = await pageOf(db, never, { limit: limit - first.items.length, after: isInFirst ? [] : after });
  return { items: [...first.items, ...rest.items], next: rest.next };
}

function pageOf(db: Drizzle, list: KeyedList, page: PageRequest<Place>): Promise<Page<ListedUser, Place>> {
  return keyedPage(list, page, (scan, rows) => {
    const scanned = scannedPart(scan);
    const read = (db: Drizzle) => {
      const found = sql`select * from ${scanned.from} where ${scanned.where ?? sql`true`} order by ${scanned.order} limit ${rows}`;
      return db
        .with(db.$with('scanned', {}).as(found), ...theirRows(db, sql`select id from scanned`))
        .select({ scanned: scanned.columns, item: LISTED })
        .from(sql`scanned`)
        .innerJoin(users, scanned.matches)
        .orderBy(scanned.order);
    };
    return plannedRead(db, read, scan.planning);
  });
}
