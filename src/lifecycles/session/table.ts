import { sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { SessionEndReason, SessionState } from '../../../machines/session/facts.ts';
import { MAX_SESSION_SECONDS } from '../../../policies/schema.ts';
import { authenticated, bytes, epoch, instant, texts } from '../columns.ts';
import { epochThatEnded } from '../retention.ts';
import { type Bytes, described, type Facts, PASSING, type Row } from '../table.ts';
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

type SessionRow = Bytes<'idHash'> &
  Row<typeof sessions, 'sid' | 'userId' | 'userEpoch' | 'serverEpoch' | 'amr' | 'state' | 'endsAt' | 'macVersion'>;

/** Who signed in, how, in which browser, until when, and whether a factor is missing. */
export const sessionFacts = (row: SessionRow): Facts => [
  'session',
  [
    row.idHash,
    row.sid,
    row.userId,
    row.userEpoch,
    row.serverEpoch,
    row.amr,
    row.state,
    row.endsAt.toISOString(),
    row.macVersion,
  ],
];

export const sessionTable = described(sessions, {
  machine: 'session',
  key: sessions.sid,
  /** `use`: moves forward while the session lives. `end`: changes with the machine, and never to a later instant. `factor`: changes with a further factor. */
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
    // The browser's own words may tell people apart.
    erasure: 'removed',
  },
});
