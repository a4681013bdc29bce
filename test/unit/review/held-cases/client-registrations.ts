/** Registrations of clients: how one is stored, and when it and its client go. */
import { DOCUMENT, REGISTRATION } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const remove = (table: string, clientId: string) => `delete from ${table} where client_id = '${clientId}' returning 1`;

const insertRegistration = (instead: Readonly<Record<string, string>> = {}): string =>
  insertCopy({
    table: 'client_registrations',
    where: `client_id = '${REGISTRATION.unused}'`,
    columns: 'token_hash, created_at, unused_until',
    values: { client_id: "'active'", state: "'unused'", ...instead },
  });

const deleted = (clientId: string): string =>
  updateOf('clients', 'client_id')(clientId, 'deleted_at = now(), epoch = epoch + 1');

export const clientRegistrationCases: readonly HeldCase[] = [
  allowed('a registration is stored', insertRegistration()),
  ...['used', 'ended'].map((state) =>
    refused(
      'client_registrations_begins_with_its_machine',
      `a registration is stored as ${state}`,
      insertRegistration({ state: `'${state}'` }),
    ),
  ),
  refused(
    'client_registrations_stays_until_its_end',
    'a registration is removed before its end',
    remove('client_registrations', REGISTRATION.used),
  ),
  refused('client_registrations_is_not_emptied', 'registrations are emptied', 'truncate client_registrations'),
  allowed(
    'a client that registered itself goes after its registration',
    remove('client_registrations', REGISTRATION.old),
    remove('clients', REGISTRATION.old),
  ),
  allowed(
    'a client that registered itself, and is deleted, goes after its registration',
    remove('client_registrations', REGISTRATION.old),
    deleted(REGISTRATION.old),
    remove('clients', REGISTRATION.old),
  ),
  refused(
    'clients_stays',
    'a client with a document goes after its deletion',
    remove('client_documents', DOCUMENT.old),
    deleted(DOCUMENT.old),
    remove('clients', DOCUMENT.old),
  ),
];
