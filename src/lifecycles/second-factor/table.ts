import { type SQL, sql } from 'drizzle-orm';
import { bigint, check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { SecondFactorState } from '../../../machines/second-factor/facts.ts';
import { instant } from '../columns.ts';
import { forgotten, ofDeletedUsers } from '../retention.ts';
import { byKey, hex, octetsOf } from '../root-keys.ts';
import { beginsFirst, changed, hasEnded, isNotEmptied, keeps, movesWithMachine, refuses } from '../rules.ts';
import { described, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

/** Authenticator apps (machines/second-factor/machine.ts). */
export const secondFactors = pgTable(
  'second_factors',
  {
    id: uuid('id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    state: text('state').$type<SecondFactorState>().notNull(),
    /** Sealed under the root secret. Null: dropped with the removal. */
    sealedSecret: text('sealed_secret'),
    /** The time step of the last code that was accepted (RFC 6238 §4.2). */
    lastStep: bigint('last_step', { mode: 'number' }),
    createdAt: instant('created_at').notNull(),
    confirmedAt: instant('confirmed_at'),
    removedAt: instant('removed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.userId] }),
    index('second_factors_user_id').on(table.userId),
    check('second_factors_state', sql`${table.state} in ('unconfirmed', 'active', 'removed')`),
    check('second_factors_removed', sql`(${table.state} = 'removed') = (${table.removedAt} is not null)`),
    check('second_factors_secret', sql`(${table.state} = 'removed') = (${table.sealedSecret} is null)`),
    check('second_factors_confirmed', sql`${table.state} <> 'active' or ${table.lastStep} is not null`),
  ],
);

const abandoned = (now: SQL) =>
  sql`${secondFactors.state} = 'unconfirmed' and ${secondFactors.createdAt} < ${now} - interval '1 day'`;

export const secondFactorTable = described(secondFactors, {
  machine: 'secondFactor',
  key: secondFactors.id,
  /** `instant`: set once. `secret`: replaced while the factor lives, dropped with its end, and never set again. `use`: moves forward. */
  changes: { state: 'state', sealedSecret: 'secret', lastStep: 'use', confirmedAt: 'instant', removedAt: 'instant' },
  // Its secret is sealed for this id.
  beginsOnce: { name: (row) => `${row}.id::text`, until: 'NULL' },
  spreadBy: secondFactors.userId,
  rights: PASSING,
  counted: {},
  removal: (now) => [
    { ended: sql`(${secondFactors.removedAt} < ${forgotten(now)} or ${abandoned(now)})`, over: null },
    ofDeletedUsers(secondFactors.userId),
  ],
  personal: {
    name: 'second_factors',
    owner: secondFactors.userId,
    shown: [secondFactors.state, secondFactors.createdAt, secondFactors.confirmedAt, secondFactors.removedAt],
    since: secondFactors.createdAt,
    erasure: 'removed',
  },
  madeUnderRoot: [
    {
      purpose: 'second-factor',
      what: 'authenticator apps',
      remedy: 'renewed',
      count: () =>
        byKey(
          hex(sql`substring(${octetsOf(sql`left(sealed_secret, 8)`)} from 2 for 4)`),
          sql`${secondFactors} where sealed_secret is not null`,
        ),
    },
  ],
  provesSignInWhile: 'active',
  webhookEvents: {
    'factor.added': [{ from: ['unconfirmed'], to: ['active'], kind: 'authenticator_app' }],
    'factor.removed': [{ from: ['active'], to: ['removed'], kind: 'authenticator_app' }],
  },
  rules: [
    beginsFirst('a second factor begins in the first state of its machine', 'NEW.last_step IS NOT NULL'),
    keeps('keeps_its_owner', 'a second factor stays that of its end-user'),
    movesWithMachine('second-factor'),
    refuses(
      'accepts_a_code_once',
      { update: ['last_step'] },
      'the time step of a second factor only rises, while the factor lives',
      (held) => [
        'OLD.last_step IS NOT NULL AND (NEW.last_step IS NULL OR NEW.last_step < OLD.last_step)',
        `${hasEnded(held)} AND ${changed(['last_step'])}`,
      ],
    ),
    refuses(
      'removed_stays_removed',
      { update: ['sealed_secret', 'removed_at'] },
      'what was removed does not come back',
      (held) => [
        'OLD.sealed_secret IS NULL AND NEW.sealed_secret IS NOT NULL',
        `${hasEnded(held)} AND ${changed(['removed_at'])}`,
      ],
    ),
    isNotEmptied('second factors are removed one by one'),
  ],
});
