import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { SessionEndReason, SessionState } from '../../../machines/session/facts.ts';
import { MAX_SESSION_SECONDS } from '../../../policies/schema.ts';
import { authenticated, bytes, epoch, instant, texts } from '../columns.ts';
import { pairsOf, statesBy } from '../moves.ts';
import { epochThatEnded } from '../retention.ts';
import {
  along,
  changed,
  type Held,
  hasEnded,
  keeps,
  movesWithMachine,
  oneOf,
  refuses,
  wrongReasons,
} from '../rules.ts';
import { described, macFacts, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

/** A browser in which an end-user has signed in. Only the hash of the cookie is stored. */
export const sessions = pgTable(
  'sessions',
  {
    idHash: bytes('id_hash').notNull(),
    /** The session's public name: `sid` of ID Tokens. */
    sid: uuid('sid').notNull().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    userEpoch: epoch('user_epoch'),
    serverEpoch: epoch('server_epoch'),
    signedInAt: instant('signed_in_at').notNull(),
    /** False: the identity provider does not say when, and `signed_in_at` is when the end-user came from there. */
    signInTimeIsKnown: boolean('sign_in_time_is_known').notNull().default(true),
    /** RFC 8176. */
    amr: texts('amr').notNull().default(['pwd']),
    /** Where the policy has an idle lifetime, it is counted from here. */
    lastUsedAt: instant('last_used_at').notNull().defaultNow(),
    /** As the sign-in set it; brought forward when the session ends. */
    endsAt: instant('ends_at').notNull(),
    state: text('state').$type<SessionState>().notNull().default('active'),
    endedReason: text('ended_reason').$type<SessionEndReason>(),
    userAgent: text('user_agent'),
    ...authenticated(),
  },
  (table) => [
    index('sessions_ends_at').on(table.endsAt),
    index('sessions_user_id_signed_in_at').on(table.userId, table.signedInAt),
    index('sessions_signed_in_at').on(table.signedInAt),
    // An image with an earlier cookie does not stand beside the row: the end-user is under its MAC.
    primaryKey({ columns: [table.sid, table.userId] }),
    uniqueIndex('sessions_id_hash').on(table.idHash, table.userId),
    check('sessions_state', sql`${table.state} in ('awaitingSecondFactor', 'active', 'ended')`),
    check('sessions_ended_has_reason', sql`(${table.state} = 'ended') = (${table.endedReason} is not null)`),
  ],
);

const endOfSession = epochThatEnded('sessions');

/** The user of the session, the methods, the browser, the end, and whether a factor is missing. */
export const sessionFacts = macFacts('session', sessions, [
  'idHash',
  'sid',
  'userId',
  'userEpoch',
  'serverEpoch',
  'amr',
  'state',
  'endsAt',
]);

const renewalsOf = ({ moves }: Held) =>
  pairsOf(moves, 'addFactor').filter(({ to }) => statesBy('addFactor', moves).includes(to));

export const sessionTable = described(sessions, {
  machine: 'session',
  key: sessions.sid,
  /** `use`: moves forward while the session is active. `end`: changes with the machine, and never to a later instant. `factor`: changes with an additional factor. */
  changes: { idHash: 'factor', amr: 'factor', state: 'state', lastUsedAt: 'use', endsAt: 'end', endedReason: 'end' },
  // An ended session has its end brought forward, and no image of it has a later end than a session that begins now.
  beginsOnce: {
    name: (row) => `${row}.sid::text`,
    until: `CASE WHEN OLD.state = 'ended' THEN now() + interval '${MAX_SESSION_SECONDS} seconds' ELSE OLD.ends_at END`,
  },
  spreadBy: sessions.userId,
  rights: PASSING,
  mac: { facts: sessionFacts, alive: sql`${sessions.state} <> 'ended'` },
  counted: { from: sql`session_states`, newest: sessions.signedInAt },
  removal: (now) => [{ ended: sql`${sessions.endsAt} < ${now}`, over: sessions.endsAt }],
  personal: {
    name: 'sessions',
    owner: sessions.userId,
    shown: [
      sessions.sid,
      sessions.signedInAt,
      sessions.signInTimeIsKnown,
      sessions.amr,
      sessions.lastUsedAt,
      sessions.endsAt,
      sessions.state,
      sessions.endedReason,
      sessions.userAgent,
    ],
    shownAs: {
      state: sql`case when ${endOfSession} is null then sessions.state else 'ended' end`,
      ended_reason: sql`coalesce(sessions.ended_reason, ${endOfSession})`,
    },
    since: sessions.signedInAt,
    // The browser's own words may identify people.
    erasure: 'removed',
  },
  webhookEvents: {
    'session.started': [
      // The line that is written with the session; and the second factor of a session that awaited it.
      { machine: 'signIn', to: ['accepted'] },
      { from: ['awaitingSecondFactor'], to: ['active'] },
    ],
    'session.ended': [{ from: ['active'], to: ['ended'] }],
  },
  rules: [
    refuses(
      'begins_with_its_machine',
      'insert',
      'a session begins in the first state of its machine or as active, with no end',
      // A sign-in with all that is demanded is stored as active.
      ({ machine, moves }) => [`NOT ${oneOf('NEW.state', [machine.initial, ...statesBy('beginSession', moves)])}`],
    ),
    keeps('keeps_what_signed_in', 'a session stays that of its sign-in'),
    movesWithMachine('session'),
    refuses(
      'is_renewed_with_a_factor',
      ({ columns }) => ({ update: ['state', ...columns('factor')] }),
      'a further factor renews the cookie of a session that lives, and no method of the sign-in is lost',
      (held) => [
        `NOT ${oneOf('NEW.state', statesBy('addFactor', held.moves))} AND ${changed(held.columns('factor'))}`,
        `${hasEnded(held)} AND ${changed(held.columns('factor'))}`,
        `NOT (NEW.amr @> OLD.amr)`,
        `NEW.id_hash = OLD.id_hash AND ${changed(['amr'])}`,
        ...renewalsOf(held).map((pair) => `${along(pair)} AND NEW.id_hash = OLD.id_hash`),
      ],
    ),
    refuses(
      'ends_once_with_a_reason',
      { update: ['ended_reason', 'ends_at'] },
      'a session ends once, with a reason that its machine writes, and never later than before',
      (held) => [
        ...renewalsOf(held).map((pair) => `${along(pair)} AND ${changed(['ended_reason', 'ends_at'])}`),
        `NEW.state = OLD.state AND ${changed(['ended_reason', 'ends_at'])}`,
        'NEW.ends_at > OLD.ends_at',
        ...wrongReasons(held, { by: 'endSession', reason: 'ended_reason' }),
      ],
    ),
    refuses(
      'is_used_while_active',
      { update: ['last_used_at'] },
      'a session is used forward in time, and while it lives',
      (held) => ['NEW.last_used_at < OLD.last_used_at', `${hasEnded(held)} AND ${changed(['last_used_at'])}`],
    ),
  ],
});
