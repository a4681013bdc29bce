/** Whom a text identifies: usernames and the verified addresses by which end-users sign in are one space of names. */
import { type SQL, sql } from 'drizzle-orm';
import { server, users } from './schema.ts';

/** The end-user with this key as the username, or else as the sign-in address. A trigger lets no two end-users share a key. */
export const identifiedBy = (key: SQL | string | null): SQL<string | null> =>
  key === null
    ? sql<string | null>`null::uuid`
    : sql<string | null>`coalesce((select u.id from ${users} u where u.username_key = ${key}),
        (select u.id from ${users} u where u.sign_in_address = ${key}))`;

/** The same of an address that an end-user is to sign in by. Null while addresses are no identifiers. */
export const identifiedByAddress = (key: SQL | string | null): SQL<string | null> =>
  sql<string | null>`case when ${server.addressesIdentify} then ${identifiedBy(key)} end`;
