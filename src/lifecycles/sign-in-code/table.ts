import { type SQL, sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { SignInCodeState } from '../../../machines/sign-in-code/facts.ts';
import { authenticated, bytes, instant } from '../columns.ts';
import { anHourBefore, ofDeletedUsers } from '../retention.ts';
import { whileNodesMade } from '../root-keys.ts';
import { beginsMoved, changed, isAnsweredBy, isNotEmptied, keeps, movesWithMachine, refuses } from '../rules.ts';
import { described, macFacts, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

/** Codes in mails, for a sign-in (machines/sign-in-code/machine.ts). Only a keyed hash of a code is stored. */
export const signInCodes = pgTable(
  'sign_in_codes',
  {
    id: uuid('id').notNull(),
    /** Under a key from the root secret. */
    codeHash: bytes('code_hash').notNull(),
    /** The key of the account in the throttle, sealed: of the typed text, which may be anything. */
    sealedAccount: text('sealed_account').notNull(),
    /** SHA-256 of the cookie of the browser that asked. */
    browserHash: bytes('browser_hash').notNull(),
    /** The id of the interaction in which it was asked for, or `DIRECT`. */
    place: text('place').notNull(),
    state: text('state').$type<Exclude<SignInCodeState, 'unrequested'>>().notNull(),
    wrongCodes: integer('wrong_codes').notNull(),
    /** Null: it was sent to no end-user. */
    userId: uuid('user_id').references(() => users.id),
    /** The end-user's epoch when it was sent. */
    userEpoch: bigint('user_epoch', { mode: 'bigint' }),
    /** The verified address that it was sent to. */
    address: text('address'),
    createdAt: instant('created_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    ...authenticated(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.browserHash] }),
    // Of two that a browser asks for together, one supersedes the other.
    uniqueIndex('sign_in_codes_one_open')
      .on(table.browserHash, table.place)
      .where(sql`${table.state} in ('requested', 'active')`),
    index('sign_in_codes_ends_at').on(table.endsAt),
    index('sign_in_codes_user_id').on(table.userId),
    check('sign_in_codes_state', sql`${table.state} in ('requested', 'active', 'used', 'spent', 'superseded')`),
    check(
      'sign_in_codes_sent_to_mailbox',
      sql`(${table.userId} is null) = (${table.userEpoch} is null) and (${table.userId} is null) = (${table.address} is null)`,
    ),
    check(
      'sign_in_codes_sent_has_user',
      sql`case ${table.state} when 'requested' then ${table.userId} is null when 'active' then ${table.userId} is not null when 'used' then ${table.userId} is not null else true end`,
    ),
  ],
);

/** Its browser, its place, its end-user, its end, and the wrong codes so far. */
export const signInCodeFacts = macFacts('sign-in-code', signInCodes, [
  'id',
  'codeHash',
  'sealedAccount',
  'browserHash',
  'place',
  'state',
  'wrongCodes',
  'userId',
  'userEpoch',
  'address',
  'createdAt',
  'endsAt',
]);

export const signInCodeTable = described(signInCodes, {
  machine: 'signInCode',
  key: signInCodes.id,
  /** `answer`: comes with the state `active`. */
  changes: { state: 'state', wrongCodes: 'attempt', userId: 'answer', userEpoch: 'answer', address: 'answer' },
  beginsOnce: { name: (row) => `${row}.id::text`, until: 'OLD.ends_at' },
  spreadBy: signInCodes.browserHash,
  rights: PASSING,
  mac: {
    facts: signInCodeFacts,
    alive: sql`${signInCodes.state} in ('requested', 'active')`,
    changesWithCommit: true,
  },
  counted: {},
  removal: (now) => [
    // Until then the page of a code says how it ended.
    { ended: sql`${signInCodes.endsAt} < ${anHourBefore(now)}`, over: signInCodes.endsAt },
    ofDeletedUsers(signInCodes.userId),
  ],
  personal: {
    name: 'codes_in_mails',
    owner: signInCodes.userId,
    shown: [signInCodes.address, signInCodes.state, signInCodes.wrongCodes, signInCodes.createdAt, signInCodes.endsAt],
    since: signInCodes.createdAt,
    erasure: 'removed',
  },
  madeUnderRoot: [
    {
      purpose: 'sign-in-code',
      what: 'codes in mails',
      remedy: 'atUse',
      count: (now: SQL) =>
        whileNodesMade(
          sql`(select created_at as made_at, ends_at from ${signInCodes} where state in ('requested', 'active') and ends_at > ${now}) codes`,
          sql`ends_at`,
        ),
    },
  ],
  rules: [
    beginsMoved(
      'a code is stored as requested, for no end-user, and without a wrong code',
      'NEW.wrong_codes <> 0',
      'NEW.user_id IS NOT NULL',
      'NEW.user_epoch IS NOT NULL',
      'NEW.address IS NOT NULL',
    ),
    keeps('keeps_what_was_asked', 'a code stays that of its browser, its place and its end'),
    movesWithMachine('sign-in-code'),
    isAnsweredBy('is_sent_once', 'sendCode', 'a code becomes that of an end-user once, when it is sent'),
    refuses(
      'counts_wrong_codes',
      ({ columns }) => ({ update: columns('attempt') }),
      'wrong codes are counted one by one while a code is open',
      ({ columns }) => [
        `${changed(columns('attempt'))} AND NOT (OLD.state IN ('requested', 'active') AND NEW.wrong_codes = OLD.wrong_codes + 1)`,
      ],
    ),
    isNotEmptied('codes end one by one'),
  ],
});
