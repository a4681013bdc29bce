import { sql } from 'drizzle-orm';
import { check, index, pgTable, text } from 'drizzle-orm/pg-core';
import type { ClientDocumentState } from '../../../machines/client-document/facts.ts';
import { clients } from '../client/table.ts';
import { instant } from '../columns.ts';
import { earlier } from '../retention.ts';
import { beginsMoved, isNotEmptied, keeps, movesWithMachine, staysUntil } from '../rules.ts';
import { described, PASSING } from '../table.ts';

/** Two hours more than a document can count without a fetch (`BOUNDS` of its guards): an interaction that began with it lasts an hour at most. */
const KEPT = sql.raw(`interval '26 hours'`);

/** The documents of clients whose `client_id` is a URL (machines/client-document/machine.ts). The client itself has the authority, and a MAC. */
export const clientDocuments = pgTable(
  'client_documents',
  {
    /** The URL of the document. */
    clientId: text('client_id')
      .primaryKey()
      .references(() => clients.clientId),
    state: text('state').$type<Exclude<ClientDocumentState, 'unseen'>>().notNull(),
    /** When the last valid document came. */
    fetchedAt: instant('fetched_at').notNull(),
    freshUntil: instant('fresh_until').notNull(),
    /** When the last fetch failed. Null: none has failed since. */
    failedAt: instant('failed_at'),
    /** The rule that the last fetch broke, for the developer of the client. Null: none. */
    problem: text('problem'),
  },
  (table) => [
    index('client_documents_fetched_at').on(table.fetchedAt),
    check('client_documents_state', sql`${table.state} in ('known', 'stale', 'refused')`),
    check(
      'client_documents_failed',
      sql`(${table.state} = 'known') = (${table.failedAt} is null) and (${table.failedAt} is null) = (${table.problem} is null)`,
    ),
  ],
);

export const clientDocumentTable = described(clientDocuments, {
  machine: 'clientDocument',
  key: clientDocuments.clientId,
  /** `due`: by a fetch, with the state or without. */
  changes: { state: 'state', fetchedAt: 'due', freshUntil: 'due', failedAt: 'due', problem: 'due' },
  spreadBy: clientDocuments.clientId,
  rights: PASSING,
  counted: { newest: clientDocuments.fetchedAt },
  // A document that comes back is fetched again. Until its client has grants, the two are one.
  removal: (now) => [
    {
      ended: sql`greatest(${clientDocuments.fetchedAt}, ${clientDocuments.failedAt}) < ${earlier(now)} - ${KEPT}`,
      over: clientDocuments.fetchedAt,
    },
  ],
  rules: [
    beginsMoved('a document is stored as known'),
    keeps('keeps_its_url', 'a document stays that of its URL'),
    movesWithMachine('client-document'),
    staysUntil('stays_while_it_counts', 'a document stays while it can count', [
      `OLD.fetched_at >= now() - interval '24 hours'`,
    ]),
    isNotEmptied('documents end one by one'),
  ],
});
