import { type SQL, sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type {
  EmailChallengePurpose,
  EmailChallengeState,
  SupersededReason,
} from '../../../machines/email-challenge/facts.ts';
import { authenticated, bytes, instant } from '../columns.ts';
import { ofDeletedUsers } from '../retention.ts';
import { beginsMoved, changed, endsWithReason, keeps, movesWithMachine, refuses } from '../rules.ts';
import { described, macFacts, PASSING, type Row } from '../table.ts';
import { users } from '../user/table.ts';

/** The place where the browser that asked continues after a sign-up: a path of this server, and the SHA-256 of its cookie. */
export type Resumption = { readonly path: string; readonly browserHash: Uint8Array };

/** Links in e-mails (machines/email-challenge/machine.ts). Only the hash of a link's secret is stored. */
export const emailChallenges = pgTable(
  'email_challenges',
  {
    id: uuid('id').notNull(),
    purpose: text('purpose').$type<EmailChallengePurpose>().notNull(),
    state: text('state').$type<Exclude<EmailChallengeState, 'unsent'>>().notNull(),
    supersededReason: text('superseded_reason').$type<SupersededReason>(),
    /** SHA-256 of the secret. */
    secretHash: bytes('secret_hash').notNull(),
    /** The owner: the `sub` of the end-user, or an address that has no account yet (`personOf`). */
    person: text('person').notNull(),
    /** Null: the person who opens it has no account yet. */
    userId: uuid('user_id').references(() => users.id),
    /** The end-user's epoch when it was sent; null: without an end-user. */
    userEpoch: bigint('user_epoch', { mode: 'bigint' }),
    /** As typed. Of `undo_change`: the address from before. */
    address: text('address').notNull(),
    /** The administrator who asked for it: `operator SUB`, …; null: the person did. */
    sentBy: text('sent_by'),
    /** The place where the browser with this cookie continues after a sign-up: a path of this server. */
    resumePath: text('goes_on_path'),
    resumeBrowserHash: bytes('goes_on_browser_hash'),
    /** How many newer links of the same purpose were sent to the same person. */
    newerLinks: integer('newer_links').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    ...authenticated(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.person] }),
    uniqueIndex('email_challenges_secret_hash').on(table.secretHash, table.person),
    // One active link is the newest: of two that are sent together, one counts the other. Each change of an address can be undone by itself.
    uniqueIndex('email_challenges_one_newest')
      .on(table.person, table.purpose)
      .where(sql`${table.state} = 'active' and ${table.newerLinks} = 0 and ${table.purpose} <> 'undo_change'`),
    index('email_challenges_person').on(table.person),
    index('email_challenges_ends_at').on(table.endsAt),
    check('email_challenges_state', sql`${table.state} in ('active', 'used', 'superseded')`),
    check(
      'email_challenges_purpose',
      sql`${table.purpose} in ('verify_address', 'reset_password', 'change_address', 'undo_change', 'lost_factors', 'sign_up', 'invitation')`,
    ),
    check(
      'email_challenges_superseded_has_reason',
      sql`(${table.state} = 'superseded') = (${table.supersededReason} is not null)`,
    ),
    check(
      'email_challenges_has_user',
      sql`(${table.userId} is null) = (${table.purpose} in ('sign_up', 'invitation')) and (${table.userId} is null) = (${table.userEpoch} is null)`,
    ),
    check('email_challenges_goes_on', sql`(${table.resumePath} is null) = (${table.resumeBrowserHash} is null)`),
  ],
);

/**
 * Links for an account that did not exist yet: used, or replaced by others. A link that can still be used stays: it may be another
 * person's wish, and ends by itself. An end-user changes an address by a link, so older addresses stand in links of theirs.
 */
const linksFromBefore = (
  ids: SQL,
): SQL => sql`${emailChallenges.userId} is null and ${emailChallenges.state} <> 'active'
  and lower(${emailChallenges.address}) in (
    select lower(u.claims ->> 'email') from users u where u.id in (${ids})
    union all select lower(c.address) from email_challenges c where c.user_id in (${ids}))`;

/** Its purpose, its end-user, its end, and the place where the browser continues. */
export const emailChallengeFacts = macFacts('email-challenge', emailChallenges, [
  'id',
  'purpose',
  'secretHash',
  'person',
  'userId',
  'userEpoch',
  'address',
  'resumePath',
  'resumeBrowserHash',
  'endsAt',
]);

/** As they stand in the row. */
export const resumptionOf = ({
  resumePath: path,
  resumeBrowserHash: browserHash,
}: Row<typeof emailChallenges, 'resumePath' | 'resumeBrowserHash'>): Resumption | null =>
  path === null || browserHash === null ? null : { path, browserHash };

export const emailChallengeTable = described(emailChallenges, {
  machine: 'emailChallenge',
  key: emailChallenges.id,
  /** `end`: changes with the machine. */
  changes: { state: 'state', supersededReason: 'end', newerLinks: 'end' },
  beginsOnce: { name: (row) => `${row}.id::text`, until: 'OLD.ends_at' },
  spreadBy: emailChallenges.person,
  rights: PASSING,
  mac: {
    facts: emailChallengeFacts,
    alive: sql`${emailChallenges.state} = 'active'`,
  },
  columnsOf: ({ resumption, ...row }: { readonly resumption: Resumption | null }) => ({
    ...row,
    resumePath: resumption?.path ?? null,
    resumeBrowserHash: resumption?.browserHash ?? null,
  }),
  counted: { newest: emailChallenges.endsAt },
  removal: (now) => [
    // A day after its end: until then the page of a link says how it ended.
    { ended: sql`${emailChallenges.endsAt} < ${now} - interval '1 day'`, over: emailChallenges.endsAt },
    ofDeletedUsers(emailChallenges.userId),
  ],
  personal: {
    name: 'links_in_mails',
    owner: emailChallenges.userId,
    shown: [
      emailChallenges.purpose,
      emailChallenges.address,
      emailChallenges.state,
      emailChallenges.createdAt,
      emailChallenges.endsAt,
    ],
    since: emailChallenges.createdAt,
    erasure: 'removed',
    alsoRemoved: linksFromBefore,
  },
  rules: [
    beginsMoved('a link is stored as active, and is the newest', 'NEW.newer_links <> 0'),
    refuses(
      'counts_newer_links',
      { update: ['newer_links'] },
      'newer links are counted one by one while a link is active',
      [`${changed(['newer_links'])} AND NOT (NEW.state = 'active' AND NEW.newer_links = OLD.newer_links + 1)`],
    ),
    keeps('keeps_what_was_sent', 'what was sent does not change'),
    movesWithMachine('email-challenge'),
    endsWithReason(
      'superseded_with_a_reason',
      ['state', 'superseded_reason'],
      { by: 'supersedeLink', reason: 'superseded_reason' },
      'a link is superseded once, with a reason that its machine writes',
    ),
  ],
});
