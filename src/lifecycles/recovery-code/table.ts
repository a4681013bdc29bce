import { sql } from 'drizzle-orm';
import { check, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { RecoveryCodeState } from '../../../machines/recovery-code/facts.ts';
import { bytes, instant } from '../columns.ts';
import { forgotten, ofDeletedUsers } from '../retention.ts';
import { whileNodesMade } from '../root-keys.ts';
import { beginsFirst, isNotEmptied, keeps, movesWithMachine } from '../rules.ts';
import { described, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

/** Recovery codes (machines/recovery-code/machine.ts). */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: uuid('id').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    state: text('state').$type<RecoveryCodeState>().notNull(),
    /** A keyed hash, under a key from the root secret. */
    codeHash: bytes('code_hash').notNull(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.userId] }),
    uniqueIndex('recovery_codes_user_id_code_hash').on(table.userId, table.codeHash),
    check('recovery_codes_state', sql`${table.state} in ('active', 'used', 'replaced')`),
    check('recovery_codes_ended', sql`(${table.state} = 'active') = (${table.endedAt} is null)`),
  ],
);

export const recoveryCodeTable = described(recoveryCodes, {
  machine: 'recoveryCode',
  key: recoveryCodes.id,
  changes: { state: 'state', endedAt: 'instant' },
  // Its hash is that of one code of one end-user, under any id.
  beginsOnce: { name: (row) => `encode(${row}.code_hash, 'hex')`, until: 'NULL' },
  spreadBy: recoveryCodes.userId,
  rights: PASSING,
  counted: {},
  removal: (now) => [
    { ended: sql`${recoveryCodes.endedAt} < ${forgotten(now)}`, over: recoveryCodes.endedAt },
    ofDeletedUsers(recoveryCodes.userId),
  ],
  personal: {
    name: 'recovery_codes',
    owner: recoveryCodes.userId,
    shown: [recoveryCodes.state, recoveryCodes.createdAt, recoveryCodes.endedAt],
    since: recoveryCodes.createdAt,
    erasure: 'removed',
  },
  madeUnderRoot: [
    {
      purpose: 'recovery-code',
      what: 'recovery codes',
      remedy: 'renewed',
      count: () =>
        whileNodesMade(sql`(select created_at as made_at from ${recoveryCodes} where state = 'active') codes`),
      keptIn: 'sealed_recovery_code_key',
    },
  ],
  provesSignInWhile: 'used',
  webhookEvents: { 'factor.recovery_code_used': [{ from: ['active'], to: ['used'], kind: 'recovery_code' }] },
  rules: [
    beginsFirst('a recovery code begins in the first state of its machine'),
    keeps('keeps_its_owner', 'a recovery code stays that of its end-user'),
    movesWithMachine('recovery-code'),
    isNotEmptied('recovery codes end one by one'),
  ],
});
