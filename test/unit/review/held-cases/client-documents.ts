/** Documents of clients: how one is stored, and when it and its client go. */
import { DOCUMENT } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused } from './case.ts';

const remove = (table: string, clientId: string) => `delete from ${table} where client_id = '${clientId}' returning 1`;
const withoutDocument = (clientId: string) =>
  `with gone as (${remove('client_documents', clientId)}) select 1 from gone`;

const insertDocument = (instead: Readonly<Record<string, string>> = {}): string =>
  insertCopy({
    table: 'client_documents',
    where: `client_id = '${DOCUMENT.known}'`,
    columns: 'fetched_at, fresh_until',
    values: { client_id: "'active'", state: "'known'", ...instead },
  });

export const clientDocumentCases: readonly HeldCase[] = [
  allowed('a document is stored', insertDocument()),
  refused(
    'client_documents_begins_with_its_machine',
    'a document is stored as refused',
    insertDocument({ state: "'refused'", failed_at: 'now()', problem: "'a rule'" }),
  ),
  refused(
    'client_documents_begins_with_its_machine',
    'a document is stored as stale',
    insertDocument({ state: "'stale'", failed_at: 'now()', problem: "'a rule'" }),
  ),
  refused(
    'client_documents_stays_while_it_counts',
    'a document is removed while it counts',
    remove('client_documents', DOCUMENT.stale),
  ),
  allowed('a document that counts no more is removed', remove('client_documents', DOCUMENT.old)),
  refused('client_documents_is_not_emptied', 'documents are emptied', 'truncate client_documents'),
  allowed(
    'a client that introduced itself goes after its document',
    withoutDocument(DOCUMENT.old),
    remove('clients', DOCUMENT.old),
  ),
];
