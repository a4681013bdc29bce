import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { PasskeyState } from '../../../machines/passkey/facts.ts';
import { authenticated, bytes, instant, texts } from '../columns.ts';
import { forgotten, ofDeletedUsers } from '../retention.ts';
import { beginsMoved, changed, hasEnded, isNotEmptied, keeps, movesWithMachine, refuses } from '../rules.ts';
import { described, macFacts, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

/** Passkeys (machines/passkey/machine.ts). */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    state: text('state').$type<PasskeyState>().notNull(),
    /** As the end-user named it. */
    name: text('name').notNull(),
    /** WebAuthn §4: the id by which authenticators know it. */
    credentialId: bytes('credential_id').notNull(),
    /** COSE (RFC 9052 §7). Null: dropped with the removal. */
    publicKey: bytes('public_key'),
    counter: bigint('counter', { mode: 'number' }).notNull(),
    /** WebAuthn §6.1: it may be copied to other devices of the end-user, so it is no key of one piece of hardware. */
    backupEligible: boolean('backup_eligible').notNull(),
    transports: texts('transports').notNull(),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
    removedAt: instant('removed_at'),
    ...authenticated(),
  },
  (table) => [
    uniqueIndex('passkeys_credential_id').on(table.credentialId),
    index('passkeys_user_id').on(table.userId),
    check('passkeys_state', sql`${table.state} in ('active', 'removed')`),
    check('passkeys_removed', sql`(${table.state} = 'removed') = (${table.removedAt} is not null)`),
    check('passkeys_public_key', sql`(${table.state} = 'removed') = (${table.publicKey} is null)`),
  ],
);

export const passkeyFacts = macFacts('passkey', passkeys, ['id', 'userId', 'credentialId', 'publicKey']);

export const passkeyTable = described(passkeys, {
  machine: 'passkey',
  key: passkeys.id,
  changes: {
    state: 'state',
    name: 'name',
    publicKey: 'secret',
    counter: 'use',
    lastUsedAt: 'use',
    removedAt: 'instant',
  },
  beginsOnce: { name: (row) => `${row}.id::text`, until: 'NULL' },
  // WebAuthn §7.1: no two end-users have a credential id. So each node has them, as it has the end-users.
  spreadBy: 'everywhere',
  rights: PASSING,
  mac: { facts: passkeyFacts, alive: sql`${passkeys.state} = 'active'` },
  counted: {},
  removal: (now) => [
    { ended: sql`${passkeys.removedAt} < ${forgotten(now)}`, over: passkeys.removedAt },
    ofDeletedUsers(passkeys.userId),
  ],
  personal: {
    name: 'passkeys',
    owner: passkeys.userId,
    // The name is the person's own words.
    shown: [
      passkeys.name,
      passkeys.state,
      passkeys.backupEligible,
      passkeys.transports,
      passkeys.createdAt,
      passkeys.lastUsedAt,
      passkeys.removedAt,
    ],
    since: passkeys.createdAt,
    erasure: 'removed',
  },
  provesSignInWhile: 'active',
  webhookEvents: {
    'factor.added': [{ from: ['unregistered'], to: ['active'], kind: 'passkey' }],
    'factor.removed': [{ from: ['active'], to: ['removed'], kind: 'passkey' }],
  },
  rules: [
    beginsMoved('a passkey is stored with its registration'),
    keeps('keeps_its_owner', 'a passkey stays that of its end-user'),
    movesWithMachine('passkey'),
    refuses('counter_rises', { update: ['counter'] }, 'the signature counter of a passkey only rises', [
      'NEW.counter < OLD.counter',
    ]),
    refuses(
      'removed_stays_removed',
      { update: ['public_key', 'removed_at', 'name'] },
      'what was removed does not come back',
      (held) => [
        'OLD.public_key IS NULL AND NEW.public_key IS NOT NULL',
        `${hasEnded(held)} AND ${changed(['removed_at', 'name'])}`,
      ],
    ),
    isNotEmptied('passkeys are removed one by one'),
  ],
});
