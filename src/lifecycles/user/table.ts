import { sql } from 'drizzle-orm';
import { type AnyPgColumn, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { ImportedHash } from '../../crypto/secret-types.ts';
import { addressOf } from '../../model/user.ts';
import { authenticated, epoch, instant } from '../columns.ts';
import {
  beginsDerived,
  changed,
  type Derived,
  epochRises,
  isNotEmptied,
  keeps,
  movesDerived,
  refuses,
  stays,
} from '../rules.ts';
import { searchText, trigrams } from '../search-text.ts';
import { described, type Facts, KEPT, type Row } from '../table.ts';

/** The claims in which an administrator searches for an end-user, beside the username. */
const SEARCHED_CLAIMS = ['name', 'given_name', 'family_name', 'nickname', 'preferred_username', 'email'] as const;

/** The text of an end-user for searches. */
export const userSearchText = ({
  username,
  claims,
}: {
  readonly username: AnyPgColumn;
  readonly claims: AnyPgColumn;
}) => searchText([username, ...SEARCHED_CLAIMS.map((claim) => sql`${claims} ->> ${sql.raw(`'${claim}'`)}`)]);

/** End-users. `id` is random, never a username. It is the `sub` of every token where `sub` is null. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    /** The `sub` of another system, imported with the end-user. A `sub` that is a UUID is the `id`. */
    sub: text('sub'),
    /** As typed, for people to read. */
    username: text('username').notNull(),
    /** Case-folded and normalized: a sign-in compares this. */
    usernameKey: text('username_key').notNull(),
    passwordHash: text('password_hash').notNull(),
    /** SHA-256 (base64url) of the hash that was imported last; null: none was. */
    importedHash: text('imported_hash').$type<ImportedHash>(),
    /** When a link in an e-mail replaced the password; null: the current password came otherwise. */
    passwordByLinkAt: instant('password_by_link_at'),
    /** OpenID Connect standard claims (`email`, `name`, …). */
    claims: jsonb('claims').$type<Readonly<Record<string, unknown>>>().notNull(),
    /**
     * The verified address of the claims, as a sign-in compares it; null: no sign-in finds the row by an address. A sign-in compares the
     * claims too, so the MAC need not cover it.
     */
    signInAddress: text('sign_in_address'),
    epoch: epoch('epoch').default(sql`0`),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** When the record changed last; null: it is as it was registered, or changed before there was this column. */
    changedAt: instant('changed_at'),
    disabledAt: instant('disabled_at'),
    /** Nothing but the `id` is left. */
    deletedAt: instant('deleted_at'),
    ...authenticated(),
  },
  (table) => [
    uniqueIndex('users_username_key').on(table.usernameKey),
    uniqueIndex('users_sub').on(table.sub),
    // No username of another end-user is the same text: the trigger an_identifier_is_of_one_user in drizzle/.
    uniqueIndex('users_sign_in_address').on(table.signInAddress),
    // Lists of administrators, in this order and with these filters.
    index('users_created_at').on(table.createdAt, table.id),
    index('users_disabled')
      .on(table.usernameKey)
      .where(sql`${table.disabledAt} is not null and ${table.deletedAt} is null`),
    index('users_claims').using('gin', table.claims.op('jsonb_path_ops')).where(sql`${table.deletedAt} is null`),
    // For mails to an address that a visitor types: several accounts may have it.
    index('users_email').on(sql`lower(${table.claims} ->> 'email')`),
    index('users_search')
      .using('gin', trigrams(userSearchText(table)))
      .where(sql`${table.deletedAt} is null`),
  ],
);

type UserRow = Row<
  typeof users,
  'id' | 'sub' | 'usernameKey' | 'passwordHash' | 'passwordByLinkAt' | 'disabledAt' | 'macVersion'
> &
  Parameters<typeof addressOf>[0];

/**
 * The username, the password, the address for links to a new password, and whether the user may sign in. The last fact is the instant
 * from which the mailbox alone is not enough to remove factors.
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
      // Without one, the MAC is that of rows from before the column.
      ...(row.sub === null ? [] : [row.sub]),
    ],
  ];
};

/** lifecycle.ts derives them. */
const STATES: Derived = {
  enabled: (row) => `${row}.deleted_at IS NULL AND ${row}.disabled_at IS NULL`,
  disabled: (row) => `${row}.deleted_at IS NULL AND ${row}.disabled_at IS NOT NULL`,
  deleted: (row) => `${row}.deleted_at IS NOT NULL`,
};

const STANDS = { from: ['enabled', 'disabled'], to: ['enabled', 'disabled'] } as const;

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
    signInAddress: 'record',
    changedAt: 'use',
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
  webhookEvents: {
    'user.created': [{ from: ['unregistered'], to: ['enabled'] }],
    'user.changed': [
      {
        ...STANDS,
        events: ['registrationRequested', 'addressVerified', 'addressChanged', 'addressRestored'],
        changesPassword: false,
      },
    ],
    'user.credential_changed': [
      { ...STANDS, events: ['registrationRequested'], changesPassword: true, kind: 'password' },
      { ...STANDS, events: ['passwordChangeRequested', 'passwordReset'], kind: 'password' },
    ],
    'user.disabled': [{ events: ['disableRequested'], from: ['enabled'], to: ['disabled'] }],
    'user.enabled': [{ events: ['enableRequested'], from: ['disabled'], to: ['enabled'] }],
    'user.deleted': [{ from: ['enabled', 'disabled'], to: ['deleted'] }],
  },
  rules: [
    beginsDerived('an end-user begins as enabled', STATES),
    keeps('keeps_its_sub', 'an end-user keeps the sub'),
    movesDerived('user', ['disabled_at', 'deleted_at'], STATES),
    epochRises,
    refuses('disabling_raises_epoch', { update: ['disabled_at'] }, 'disabling an end-user raises the epoch', [
      'OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL AND NEW.epoch <= OLD.epoch',
    ]),
    refuses('deletion_raises_epoch', { update: ['deleted_at'] }, 'deleting an end-user raises the epoch', [
      'OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.epoch <= OLD.epoch',
    ]),
    refuses('deletion_erases', { update: ['deleted_at'] }, 'nothing but the sub is left of a deleted end-user', [
      "NEW.deleted_at IS NOT NULL AND (NEW.disabled_at IS NULL OR NEW.username <> '' OR NEW.password_hash <> '' OR NEW.imported_hash IS NOT NULL OR NEW.password_by_link_at IS NOT NULL OR NEW.claims <> '{}'::jsonb OR NEW.sign_in_address IS NOT NULL)",
    ]),
    refuses(
      'erased_stays_erased',
      ({ columns }) => ({ update: [...columns('record'), 'disabled_at', 'deleted_at'] }),
      'what was erased of an end-user does not come back',
      ({ columns }) => [
        `OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NOT NULL AND ${changed([...columns('record'), 'disabled_at', 'deleted_at'])}`,
      ],
    ),
    stays('an end-user keeps the row, so that nobody else gets the sub'),
    isNotEmptied('end-users are deleted one by one'),
  ],
});
