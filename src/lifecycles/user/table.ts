import { sql } from 'drizzle-orm';
import { index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { ImportedHash } from '../../crypto/secret-types.ts';
import { addressOf } from '../../model/email-challenge.ts';
import { authenticated, epoch, instant } from '../columns.ts';
import { described, type Facts, KEPT, type Row } from '../table.ts';

/** End-users. `id` is the `sub` of every token: random, never a username. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    /** As typed, for people to read. */
    username: text('username').notNull(),
    /** Case-folded and normalized: what sign-in compares. */
    usernameKey: text('username_key').notNull(),
    passwordHash: text('password_hash').notNull(),
    /** SHA-256 (base64url) of the hash that was imported last; null: none was. */
    importedHash: text('imported_hash').$type<ImportedHash>(),
    /** When a link in an e-mail replaced the password; null: the password of today came otherwise. */
    passwordByLinkAt: instant('password_by_link_at'),
    /** OpenID Connect standard claims (`email`, `name`, …). */
    claims: jsonb('claims').$type<Readonly<Record<string, unknown>>>().notNull(),
    epoch: epoch('epoch').default(sql`0`),
    createdAt: instant('created_at').notNull().defaultNow(),
    disabledAt: instant('disabled_at'),
    /** Nothing but the `id` is left. */
    deletedAt: instant('deleted_at'),
    ...authenticated(),
  },
  (table) => [
    uniqueIndex('users_username_key').on(table.usernameKey),
    // For mails to an address that somebody types: several accounts may have it.
    index('users_email').on(sql`lower(${table.claims} ->> 'email')`),
  ],
);

type UserRow = Row<
  typeof users,
  'id' | 'usernameKey' | 'passwordHash' | 'passwordByLinkAt' | 'disabledAt' | 'macVersion'
> &
  Parameters<typeof addressOf>[0];

/**
 * By which name and password; to which address links for a new password go; and since when the mailbox alone is not enough to remove
 * factors; and whether they may sign in at all.
 */
export const userFacts = (row: UserRow): Facts => {
  const address = addressOf(row);
  return [
    'user',
    [
      row.id,
      row.usernameKey,
      row.passwordHash,
      address?.address ?? null,
      address?.isVerified ?? false,
      row.passwordByLinkAt?.toISOString() ?? null,
      row.disabledAt !== null,
      row.macVersion,
    ],
  ];
};

export const userTable = described(users, {
  machine: 'user',
  key: users.id,
  /** `record`: replaced as a whole, by an administrator; erased with the deletion. */
  changes: {
    username: 'record',
    usernameKey: 'record',
    passwordHash: 'record',
    importedHash: 'record',
    passwordByLinkAt: 'record',
    claims: 'record',
    disabledAt: 'end',
    deletedAt: 'end',
    epoch: 'epoch',
  },
  spreadBy: 'everywhere',
  rights: KEPT,
  mac: { facts: userFacts, alive: sql`${users.deletedAt} is null` },
  counted: {
    state: sql`case when ${users.deletedAt} is not null then 'deleted' when ${users.disabledAt} is not null then 'disabled' else 'enabled' end`,
  },
});
