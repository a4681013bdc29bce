import { sql } from 'drizzle-orm';
import { check, index, pgTable, text } from 'drizzle-orm/pg-core';
import type { ClientRegistrationState } from '../../../machines/client-registration/facts.ts';
import { clients } from '../client/table.ts';
import { authenticated, bytes, instant } from '../columns.ts';
import { anHourBefore, earlier } from '../retention.ts';
import { beginsMoved, isNotEmptied, keeps, movesWithMachine, staysUntil } from '../rules.ts';
import { described, macFacts, PASSING } from '../table.ts';

/** Clients that registered themselves (machines/client-registration/machine.ts). Only the hash of a registration access token is stored. */
export const clientRegistrations = pgTable(
  'client_registrations',
  {
    clientId: text('client_id')
      .primaryKey()
      .references(() => clients.clientId),
    state: text('state').$type<Exclude<ClientRegistrationState, 'unregistered'>>().notNull(),
    /** SHA-256 of the registration access token. */
    tokenHash: bytes('token_hash').notNull(),
    createdAt: instant('created_at').notNull(),
    /** Until then the client stays without a sign-in. */
    unusedUntil: instant('unused_until').notNull(),
    ...authenticated(),
  },
  (table) => [
    index('client_registrations_unused_until').on(table.unusedUntil),
    check('client_registrations_state', sql`${table.state} in ('unused', 'used', 'ended')`),
  ],
);

/** The client and the token that manages it. The end moves without a decision about authority. */
export const clientRegistrationFacts = macFacts('client-registration', clientRegistrations, [
  'clientId',
  'state',
  'tokenHash',
]);

export const clientRegistrationTable = described(clientRegistrations, {
  machine: 'clientRegistration',
  key: clientRegistrations.clientId,
  /** `due`: by a sign-in, with the state or without, and by the deletion. */
  changes: { state: 'state', unusedUntil: 'due' },
  spreadBy: clientRegistrations.clientId,
  rights: PASSING,
  mac: {
    facts: clientRegistrationFacts,
    alive: sql`${clientRegistrations.state} <> 'ended'`,
    changesWithCommit: true,
  },
  counted: { newest: clientRegistrations.createdAt },
  // While nothing names its client, which goes afterwards.
  removal: (now) => [
    {
      ended: sql`${clientRegistrations.unusedUntil} < ${anHourBefore(earlier(now))}`,
      over: clientRegistrations.unusedUntil,
      keptBy: {
        column: clientRegistrations.clientId,
        tables: ['grants', 'pushed_requests', 'interactions'],
      },
    },
  ],
  rules: [
    beginsMoved('a registration is stored as unused'),
    keeps('keeps_its_token', 'a registration stays that of its client and its token'),
    movesWithMachine('client-registration'),
    staysUntil('stays_until_its_end', 'a registration stays while its client may be used', [
      'OLD.unused_until >= now()',
    ]),
    isNotEmptied('registrations of clients end one by one'),
  ],
});
