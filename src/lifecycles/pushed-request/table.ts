import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { PushedRequestState } from '../../../machines/pushed-request/facts.ts';
import { clients } from '../client/table.ts';
import { bytes, instant } from '../columns.ts';
import { anHourBefore, earlier } from '../retention.ts';
import { beginsMoved, changed, isNotEmptied, keeps, movesWithMachine, refuses, staysUntil } from '../rules.ts';
import { described, PASSING } from '../table.ts';

/** Authorization requests that clients pushed (machines/pushed-request/machine.ts). */
export const pushedRequests = pgTable(
  'pushed_requests',
  {
    /** It follows from the `request_uri`. Its interaction and the grant of that have the same id. */
    id: uuid('id').primaryKey(),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.clientId),
    /** SHA-256 of the random part of the `request_uri`. */
    handleHash: bytes('handle_hash').notNull(),
    /** The parameters, under a key from the root secret; empty once the client has its answer. */
    sealed: text('sealed').notNull(),
    state: text('state').$type<Exclude<PushedRequestState, 'unpushed'>>().notNull(),
    createdAt: instant('created_at').notNull(),
    endsAt: instant('ends_at').notNull(),
  },
  (table) => [
    index('pushed_requests_client_id').on(table.clientId, table.endsAt),
    index('pushed_requests_ends_at').on(table.endsAt),
    check('pushed_requests_state', sql`${table.state} in ('pushed', 'used')`),
    check('pushed_requests_used_is_empty', sql`(${table.state} = 'used') = (${table.sealed} = '')`),
  ],
);

export const pushedRequestTable = described(pushedRequests, {
  machine: 'pushedRequest',
  key: pushedRequests.id,
  /** `secret`: erased with the state `used`. */
  changes: { state: 'state', sealed: 'secret' },
  spreadBy: pushedRequests.id,
  rights: PASSING,
  counted: { newest: pushedRequests.endsAt },
  // An interaction that began in time lasts for an hour at most, and its answer spends the row.
  removal: (now) => [
    { ended: sql`${pushedRequests.endsAt} < ${anHourBefore(earlier(now))}`, over: pushedRequests.endsAt },
  ],
  rules: [
    beginsMoved('a pushed request is stored as pushed'),
    keeps('keeps_what_was_pushed', 'a pushed request stays that of its client, its link and its end'),
    movesWithMachine('pushed-request'),
    refuses(
      'is_erased_with_its_state',
      ({ columns }) => ({ update: columns('secret') }),
      'the parameters of a pushed request change once: its answer erases them',
      ({ columns }) => [`NEW.state = OLD.state AND ${changed(columns('secret'))}`],
    ),
    staysUntil('stays_until_its_end', 'a pushed request stays until no interaction can answer it', [
      `OLD.ends_at >= now() - interval '1 hour'`,
    ]),
    isNotEmptied('pushed requests end one by one'),
  ],
});
