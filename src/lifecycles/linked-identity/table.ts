import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { IdentityRemovalReason } from '../../../machines/linked-identity/facts.ts';
import { authenticated, instant } from '../columns.ts';
import { pairsOf } from '../moves.ts';
import {
  along,
  beginsMoved,
  changed,
  type Held,
  hasEnded,
  isNotEmptied,
  keeps,
  movesWithMachine,
  oneOf,
  refuses,
  staysUntil,
} from '../rules.ts';
import { described, macFacts, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

/** Accounts at other OpenID Providers with which end-users sign in here (machines/linked-identity/machine.ts). */
export const linkedIdentities = pgTable(
  'linked_identities',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    issuer: text('issuer').notNull(),
    /** The `sub` at that issuer. */
    subject: text('subject').notNull(),
    /** The name of the provider in upstreams.yaml at the time of the link. */
    provider: text('provider').notNull(),
    linkedAt: instant('linked_at').notNull(),
    state: text('state').$type<'active' | 'removed'>().notNull(),
    removedAt: instant('removed_at'),
    removedReason: text('removed_reason').$type<IdentityRemovalReason>(),
    ...authenticated(),
  },
  (table) => [
    // An account there signs in as one end-user here.
    uniqueIndex('linked_identities_issuer_subject')
      .on(table.issuer, table.subject)
      .where(sql`${table.state} = 'active'`),
    index('linked_identities_user_id').on(table.userId),
    check('linked_identities_state', sql`${table.state} in ('active', 'removed')`),
    check(
      'linked_identities_removed_has_reason',
      sql`(${table.state} = 'removed') = (${table.removedReason} is not null and ${table.removedAt} is not null)`,
    ),
  ],
);

export const linkedIdentityFacts = macFacts('linked-identity', linkedIdentities, ['id', 'userId', 'issuer', 'subject']);

/** In the first state nothing is stored. */
const endingsOf = ({ machine, moves }: Held) =>
  pairsOf(moves, 'removeIdentity').filter(({ from }) => from !== machine.initial);

export const linkedIdentityTable = described(linkedIdentities, {
  machine: 'linkedIdentity',
  key: linkedIdentities.id,
  changes: { state: 'state', removedAt: 'end', removedReason: 'end' },
  beginsOnce: { name: (row) => `${row}.id::text`, until: 'NULL' },
  // One account there is one end-user here, among all: so each node has them, as it has the end-users.
  spreadBy: 'everywhere',
  rights: PASSING,
  mac: { facts: linkedIdentityFacts, alive: sql`${linkedIdentities.state} = 'active'` },
  counted: {},
  removal: () => [
    // The server has no reason to remember whose account it was.
    { ended: sql`${linkedIdentities.state} = 'removed'`, over: null },
  ],
  personal: {
    name: 'linked_identities',
    owner: linkedIdentities.userId,
    shown: [
      linkedIdentities.issuer,
      linkedIdentities.subject,
      linkedIdentities.provider,
      linkedIdentities.linkedAt,
      linkedIdentities.state,
      linkedIdentities.removedAt,
    ],
    since: linkedIdentities.linkedAt,
    // Its machine removes it with the end-user (userDeleted), and housekeeping then drops the row.
    erasure: 'kept',
  },
  webhookEvents: {
    'linked_identity.added': [{ from: ['unlinked'], to: ['active'] }],
    'linked_identity.removed': [{ from: ['active'], to: ['removed'] }],
  },
  rules: [
    beginsMoved('an identity begins as linked'),
    keeps('keeps_what_was_linked', 'an identity stays that of its end-user and of its account'),
    movesWithMachine('linked identity', endingsOf),
    refuses(
      'ends_once_with_a_reason',
      { update: ['removed_at', 'removed_reason'] },
      'an identity is removed once, with an instant and a reason that its machine writes',
      (held) => [
        `NEW.state = OLD.state AND ${changed(['removed_at', 'removed_reason'])}`,
        ...endingsOf(held).map(
          (pair) => `${along(pair)} AND NOT coalesce(${oneOf('NEW.removed_reason', pair.reasons)}, false)`,
        ),
      ],
    ),
    staysUntil('stays_until_it_is_removed', 'an identity stays until it is removed', (held) => [
      `NOT ${hasEnded(held)}`,
    ]),
    isNotEmptied('identities are removed one by one'),
  ],
});
