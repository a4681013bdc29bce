/** Clients, through the management API. */

import { CLIENTS_FILE } from '../../config/configuration.ts';
import { describeRecordProblem } from '../../config/problem.ts';
import { systemRandom } from '../../crypto/random.ts';
import { CLIENT_FIELDS, fromNames, readClientRecord } from '../../registration/client-metadata.ts';
import { isJsonObject, type Reading, withoutNulls } from '../../registration/record-problem.ts';
import { accepted } from '../accepted.ts';
import type { CheckedClient } from '../effective-policy.ts';
import { CommandRefused, declaredElsewhere, differs, noSuch } from '../failure.ts';
import { IS_DECLARED, NEEDS_ID } from '../import-records.ts';
import type { ClientChanged, Clients } from '../ports.ts';
import type { Answered, Document, ManagementApi } from './api.ts';
import { importRemotely } from './import.ts';
import { allOf } from './lists.ts';
import { isReason, orNull, refusedRecord } from './refusals.ts';

type Fields = Readonly<Record<string, unknown>>;
type Warnings = readonly string[];

export function remoteClients(api: ManagementApi): Clients {
  const find = (clientId: string): Promise<Answered | null> => orNull(api.send('GET', ['clients', clientId]));

  /** @param seen the entity tag of what may be replaced; `anything`: whatever is stored; null: nothing may be replaced. */
  async function place(clientId: string, record: Fields, warnings: Warnings, seen: Seen): Promise<ClientChanged> {
    const path = ['clients', clientId];
    try {
      const { status, document } = await api.send('PUT', path, { body: record });
      return changed(status === 201 ? 'created' : 'unchanged', [], document, warnings);
    } catch (error) {
      if (!isReason(error, 'precondition_required')) throw error;
      const fields = error.errors.map(({ field }) => String(field));
      const stored = await find(clientId);
      if (stored?.document.declared) throw declaredElsewhere(clientId, CLIENTS_FILE);
      if (seen === null) throw differs('client', fields);
      const ifMatch = (seen === 'anything' ? stored?.etag : seen) ?? '"none"';
      const { document } = await api.send('PUT', path, { body: record, ifMatch });
      return changed('updated', fields, document, warnings);
    }
  }

  /** @throws CommandRefused in the words of a command on the database. */
  async function administered<T>(clientId: string, asking: Promise<T>): Promise<T> {
    try {
      return await asking;
    } catch (error) {
      if (isReason(error, 'not_found')) throw noSuch('client', clientId);
      if (isReason(error, 'client_is_declared')) throw declaredElsewhere(clientId, CLIENTS_FILE);
      if (isReason(error, 'client_is_own', 'client_is_public', 'too_many_secrets', 'last_secret')) {
        throw new CommandRefused(`"${clientId}": ${error.message}`);
      }
      throw error;
    }
  }

  return {
    list: async () => (await allOf(api, ['clients'])).map(clientIn),
    find: async (clientId) => {
      const answered = await find(clientId);
      return answered && clientIn(answered.document);
    },
    create: async (record) => {
      const { warnings } = accepted('client', readClientRecord(record));
      const body = known(record);
      try {
        const { document } = await api.send('POST', ['clients'], { body, idempotencyKey: systemRandom.uuid() });
        return changed('created', [], document, warnings);
      } catch (error) {
        if (!isReason(error, 'already_exists')) refusedRecord('client', error);
      }
      // Creating the same client twice does no harm; replacing another registration could.
      return place(String(record['client_id']), body, warnings, null).catch((error) => refusedRecord('client', error));
    },
    update: async (clientId, given, unset) => {
      const stored = await find(clientId);
      if (!stored) throw noSuch('client', clientId);
      if (stored.document.declared) throw declaredElsewhere(clientId, CLIENTS_FILE);
      const kept = Object.entries(known(stored.document)).filter(([name]) => !unset.includes(name));
      const record = { ...Object.fromEntries(kept), ...given, client_id: clientId };
      const { warnings } = accepted('client', readClientRecord(record));
      return place(clientId, known(record), warnings, stored.etag).catch((error) => refusedRecord('client', error));
    },
    rotateSecret: async (clientId, keepPrevious) => {
      const asked = { body: { replaces: !keepPrevious }, idempotencyKey: systemRandom.uuid() };
      const { document } = await administered(clientId, api.send('POST', ['clients', clientId, 'secrets'], asked));
      return document.client_secret;
    },
    endPreviousSecret: async (clientId) => {
      const path = ['clients', clientId, 'secrets'];
      const { document } = await administered(clientId, api.send('GET', path));
      // A client without secrets is refused by its machine, with the reason.
      const oldest = document.items[0]?.secret_id ?? 'none';
      await administered(clientId, api.send('DELETE', [...path, oldest]));
    },
    remove: async (clientId) => {
      await administered(clientId, api.send('DELETE', ['clients', clientId]));
    },
    import: (records) =>
      importRemotely(
        {
          idField: 'client_id',
          read: readNamed,
          keyOf: ({ clientId }) => clientId,
          compare: async ({ clientId }) =>
            (await find(clientId))?.document.declared ? describeRecordProblem(IS_DECLARED) : null,
          place: async ({ clientId, record }, warnings) => {
            const done = await place(clientId, record, warnings, 'anything');
            const made: Readonly<Record<string, string>> =
              done.madeSecret === null ? {} : { client_secret: done.madeSecret };
            return { name: clientId, outcome: done.outcome, changed: done.changed, made, warnings: done.warnings };
          },
        },
        records,
      ),
  };
}

type Seen = string | 'anything' | null;

const NAMES = new Set<string>(CLIENT_FIELDS.map(({ name }) => name));

/** The fields that the API takes; the command line has warned of the others. */
const known = (record: Fields): Fields =>
  Object.fromEntries(Object.entries(withoutNulls(record)).filter(([name]) => NAMES.has(name)));

function readNamed(input: unknown): Reading<{ clientId: string; record: Fields }> {
  const reading = readClientRecord(input);
  if (!reading.ok) return reading;
  const { client_id: clientId } = reading.value;
  if (clientId === undefined || !isJsonObject(input)) return { ok: false, problems: [NEEDS_ID] };
  return { ...reading, value: { clientId, record: known(input) } };
}

const clientIn = (document: Document): CheckedClient => ({
  ...fromNames(document),
  clientId: String(document.client_id),
  clientName: String(document.client_name),
  secrets: Number(document.stored_secrets),
});

const changed = (
  outcome: ClientChanged['outcome'],
  fields: readonly string[],
  document: Document,
  warnings: Warnings,
): ClientChanged => ({
  outcome,
  changed: fields,
  client: clientIn(document),
  madeSecret: document.client_secret ?? null,
  warnings: [...warnings, ...(document.warnings ?? [])],
});
