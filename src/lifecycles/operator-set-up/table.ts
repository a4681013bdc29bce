import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { OperatorSetUpEnd, OperatorSetUpState } from '../../../machines/operator-set-up/facts.ts';
import { authenticated, bytes, epoch, instant } from '../columns.ts';
import { ofDeletedUsers } from '../retention.ts';
import { beginsMoved, endsWithReason, isAnsweredBy, isNotEmptied, keeps, movesWithMachine } from '../rules.ts';
import { described, macFacts, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

/** Links that make the first operator (machines/operator-set-up/machine.ts). Only the hash of a link's secret is stored. */
export const operatorSetUps = pgTable(
  'operator_set_ups',
  {
    id: uuid('id').primaryKey(),
    state: text('state').$type<Exclude<OperatorSetUpState, 'unissued'>>().notNull(),
    /** SHA-256 of the secret. */
    secretHash: bytes('secret_hash').notNull(),
    /** Whom the link is for; null: its user chooses the username. */
    username: text('username'),
    /** The `sub` of the operator; null: it was not used. */
    userId: uuid('user_id').references(() => users.id),
    /** Of the server, when the link was issued. */
    serverEpoch: epoch('server_epoch'),
    createdAt: instant('created_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    endedReason: text('ended_reason').$type<OperatorSetUpEnd>(),
    ...authenticated(),
  },
  (table) => [
    uniqueIndex('operator_set_ups_secret_hash').on(table.secretHash),
    // One link can be used, and one operator has the right of a link.
    uniqueIndex('operator_set_ups_one_each').on(table.state).where(sql`${table.state} <> 'ended'`),
    index('operator_set_ups_user_id').on(table.userId),
    check('operator_set_ups_state', sql`${table.state} in ('active', 'used', 'ended')`),
    check('operator_set_ups_ended', sql`(${table.state} = 'ended') = (${table.endedReason} is not null)`),
    check(
      'operator_set_ups_has_user',
      sql`${table.state} = 'ended' or (${table.state} = 'used') = (${table.userId} is not null)`,
    ),
  ],
);

/** Everything: the row makes an operator, or is the right of one. */
export const operatorSetUpFacts = macFacts('operator-set-up', operatorSetUps, [
  'id',
  'state',
  'secretHash',
  'username',
  'userId',
  'serverEpoch',
  'createdAt',
  'endsAt',
]);

export const operatorSetUpTable = described(operatorSetUps, {
  machine: 'operatorSetUp',
  key: operatorSetUps.id,
  /** `answer`: comes with the state `used`. */
  changes: { state: 'state', userId: 'answer', endedReason: 'end' },
  // The id follows from the secret, so no secret makes a second link.
  beginsOnce: { name: (row) => `${row}.id::text`, until: 'NULL' },
  spreadBy: 'everywhere',
  rights: PASSING,
  mac: {
    facts: operatorSetUpFacts,
    alive: sql`${operatorSetUps.state} <> 'ended'`,
    changesWithCommit: true,
  },
  counted: {},
  removal: () => [ofDeletedUsers(operatorSetUps.userId)],
  personal: {
    name: 'operator_set_ups',
    owner: operatorSetUps.userId,
    shown: [operatorSetUps.username, operatorSetUps.state, operatorSetUps.createdAt, operatorSetUps.endsAt],
    since: operatorSetUps.createdAt,
    erasure: 'removed',
  },
  rules: [
    beginsMoved('a set-up of an operator is stored as active, for no end-user', 'NEW.user_id IS NOT NULL'),
    keeps('keeps_what_was_issued', 'a set-up of an operator keeps its link and its end'),
    movesWithMachine('operator-set-up'),
    isAnsweredBy('makes_one_operator', 'useSetUp', 'a set-up gets its operator once, when its link is used'),
    endsWithReason(
      'ends_with_a_reason',
      ['state', 'ended_reason'],
      { by: 'endSetUp', reason: 'ended_reason' },
      'a set-up ends once, with a reason that its machine writes',
    ),
    isNotEmptied('set-ups of operators end one by one'),
  ],
});
