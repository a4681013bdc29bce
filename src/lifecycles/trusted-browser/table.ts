import { sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { TrustedBrowserState } from '../../../machines/trusted-browser/facts.ts';
import { authenticated, bytes, epoch, instant } from '../columns.ts';
import { epochThatEnded, forgotten, ofDeletedUsers } from '../retention.ts';
import { beginsMoved, changed, hasEnded, isNotEmptied, keeps, movesWithMachine, refuses } from '../rules.ts';
import { described, macFacts, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

/** Browsers that end-users trust (machines/trusted-browser/machine.ts). Only the hash of the cookie's secret is stored. */
export const trustedBrowsers = pgTable(
  'trusted_browsers',
  {
    /** The public name: in lists and forms. */
    id: uuid('id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    state: text('state').$type<TrustedBrowserState>().notNull(),
    /** SHA-256 of the secret in the cookie. Null: dropped with the end. */
    secretHash: bytes('secret_hash'),
    userEpoch: epoch('user_epoch'),
    serverEpoch: epoch('server_epoch'),
    /** The passkey or authenticator app that was proven. */
    factorId: uuid('factor_id').notNull(),
    userAgent: text('user_agent'),
    createdAt: instant('created_at').notNull(),
    /** As the policy was when it began. */
    endsAt: instant('ends_at').notNull(),
    lastUsedAt: instant('last_used_at'),
    endedAt: instant('ended_at'),
    ...authenticated(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.userId] }),
    uniqueIndex('trusted_browsers_user_id_secret_hash').on(table.userId, table.secretHash),
    index('trusted_browsers_ends_at').on(table.endsAt),
    check('trusted_browsers_state', sql`${table.state} in ('active', 'ended')`),
    check('trusted_browsers_ended', sql`(${table.state} = 'ended') = (${table.endedAt} is not null)`),
    check('trusted_browsers_secret', sql`(${table.state} = 'ended') = (${table.secretHash} is null)`),
  ],
);

/** The end-user, the secret, the epochs, the factor, and the times. */
export const trustedBrowserFacts = macFacts('trusted-browser', trustedBrowsers, [
  'id',
  'userId',
  'secretHash',
  'userEpoch',
  'serverEpoch',
  'factorId',
  'createdAt',
  'endsAt',
]);

const endOfTrust = epochThatEnded('trusted_browsers');
const derivedState = sql`case when ${endOfTrust} is null then trusted_browsers.state else 'ended' end`;

export const trustedBrowserTable = described(trustedBrowsers, {
  machine: 'trustedBrowser',
  key: trustedBrowsers.id,
  /** `secret`: dropped with the end, and never set again. `use`: changes while it is active. */
  changes: { state: 'state', secretHash: 'secret', lastUsedAt: 'use', endedAt: 'instant' },
  // Its end is under the MAC: no image counts after it.
  beginsOnce: { name: (row) => `${row}.id::text`, until: 'OLD.ends_at' },
  spreadBy: trustedBrowsers.userId,
  rights: PASSING,
  mac: { facts: trustedBrowserFacts, alive: sql`${trustedBrowsers.state} = 'active'` },
  counted: { state: derivedState, newest: trustedBrowsers.createdAt },
  removal: (now) => [
    { ended: sql`${trustedBrowsers.endsAt} < ${now}`, over: trustedBrowsers.endsAt },
    { ended: sql`${trustedBrowsers.endedAt} < ${forgotten(now)}`, over: trustedBrowsers.endedAt },
    ofDeletedUsers(trustedBrowsers.userId),
  ],
  personal: {
    name: 'trusted_browsers',
    owner: trustedBrowsers.userId,
    shown: [
      trustedBrowsers.state,
      trustedBrowsers.userAgent,
      trustedBrowsers.createdAt,
      trustedBrowsers.lastUsedAt,
      trustedBrowsers.endsAt,
      trustedBrowsers.endedAt,
    ],
    shownAs: { state: derivedState },
    since: trustedBrowsers.createdAt,
    // The browser's own words may identify people.
    erasure: 'removed',
  },
  provesSignInWhile: 'active',
  rules: [
    beginsMoved('a trusted browser is stored with its first proof'),
    keeps('keeps_its_owner', 'a trusted browser stays that of its end-user and its factor'),
    movesWithMachine('trusted-browser'),
    refuses(
      'stays_ended',
      { update: ['secret_hash', 'ended_at', 'last_used_at'] },
      'trust that has ended does not come back',
      (held) => [
        'OLD.secret_hash IS NOT NULL AND NEW.secret_hash IS NOT NULL AND NEW.secret_hash <> OLD.secret_hash',
        'OLD.secret_hash IS NULL AND NEW.secret_hash IS NOT NULL',
        `${hasEnded(held)} AND ${changed(['ended_at', 'last_used_at'])}`,
      ],
    ),
    isNotEmptied('trust of browsers ends one by one'),
  ],
});
