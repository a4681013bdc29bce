/** Clients, through the management API. */

import { CLIENTS_FILE } from '../../config/configuration.ts';
import { describeRecordProblem } from '../../config/problem.ts';
import { systemRandom } from '../../crypto/random.ts';
import type { Asked, Document } from '../../management/client/documents.ts';
import { CLIENT_FIELDS, fromNames, readClientRecord } from '../../registration/client-metadata.ts';
import { isJsonObject, type Reading, withoutNulls } from '../../registration/record-problem.ts';
import { accepted } from '../accepted.ts';
import type { CheckedClient } from '../effective-policy.ts';
import { CommandRefused, declaredElsewhere, differs, noSuch } from '../failure.ts';
import { type Imported, IS_DECLARED, NEEDS_ID, type Outcome, recordName, recordProblemsOf } from '../import-records.ts';
import type { ManagementApi } from './api.ts';
import { allOf } from './lists.ts';
import { isReason, orNull, recordProblems, refusedRecord } from './refusals.ts';

type Fields = Readonly<Record<string, unknown>>;
type Warnings = readonly string[];
type ShownClient = Document<'GET', '/clients/{client_id}'>;

export type ClientChanged = {
  readonly outcome: Outcome;
  /** The RFC 7591 names of the fields that differ from what was stored. */
  readonly changed: readonly string[];
  readonly client: CheckedClient;
  /** Null: none was made. Shown once. */
  readonly madeSecret: string | null;
  readonly warnings: Warnings;
};

/** Each throws CommandRefused, also for a client that is not there. */
export function clientsAt(api: ManagementApi) {
  const at = (clientId: string) => ({ client_id: clientId });
  const find = (clientId: string) =>
    orNull(api.send('GET', '/clients/{client_id}', { params: { client_id: clientId } }));

  /** @param seen the entity tag of the registration to replace; `anything`: any registration; null: only create. */
  async function place(clientId: string, record: Fields, warnings: Warnings, seen: Seen): Promise<ClientChanged> {
    const asked = { params: at(clientId), body: record as Body };
    try {
      const { status, value } = await administered(clientId, api.send('PUT', '/clients/{client_id}', asked));
      return changed(status === 201 ? 'created' : 'unchanged', [], value, warnings);
    } catch (error) {
      if (!isReason(error, 'precondition_required')) throw error;
      const fields = error.errors.map(({ field }) => String(field));
      const stored = await find(clientId);
      if (stored?.value.declared) throw declaredElsewhere(clientId, CLIENTS_FILE);
      if (seen === null) throw differs('client', fields);
      const ifMatch = (seen === 'anything' ? stored?.etag : seen) ?? NEVER_SEEN;
      const { value } = await api.send('PUT', '/clients/{client_id}', { ...asked, ifMatch });
      return changed('updated', fields, value, warnings);
    }
  }

  /** The server's problems of the record. Changes nothing, since a server checks preconditions only for a valid request (RFC 9110 §13.2.1). */
  async function whatIsWrong({ clientId, record }: NamedRecord): Promise<readonly string[]> {
    try {
      if ((await find(clientId))?.value.declared) return [describeRecordProblem(IS_DECLARED)];
      const asked = { params: at(clientId), body: record as Body, ifMatch: NEVER_SEEN };
      await api.send('PUT', '/clients/{client_id}', asked);
      return [];
    } catch (error) {
      if (isReason(error, 'changed_meanwhile')) return [];
      if (isReason(error, 'client_is_declared')) return [describeRecordProblem(IS_DECLARED)];
      const problems = recordProblems(error);
      if (problems === null) throw error;
      return problems;
    }
  }

  /**
   * The server looks at every record before anything is changed. Then the records go one by one, and what has become wrong meanwhile
   * stops the import there. Importing the file again completes it.
   * @throws CommandRefused with all that is wrong with the records; nothing was changed then.
   */
  async function importAll(inputs: readonly unknown[]): Promise<Import> {
    const problems: string[] = [];
    const records: { value: NamedRecord; warnings: Warnings }[] = [];
    const report = (input: unknown, index: number, words: string) =>
      void problems.push(`  ${recordName(ID, input, index)}: ${words}`);
    const { repeated } = recordProblemsOf(ID, report);
    for (const [index, input] of inputs.entries()) {
      const reading = readNamed(input);
      if (!reading.ok) {
        for (const found of reading.problems) report(input, index, describeRecordProblem(found));
        continue;
      }
      repeated(input, index, reading.value.clientId);
      for (const words of await whatIsWrong(reading.value)) report(input, index, words);
      records.push(reading);
    }
    if (problems.length > 0) throw new CommandRefused(`${REFUSED}\n${problems.join('\n')}`);

    const done: Imported[] = [];
    for (const [index, { value, warnings }] of records.entries()) {
      try {
        done.push(await imported(value, warnings));
      } catch (error) {
        if (!(error instanceof CommandRefused)) throw error;
        const words = (recordProblems(error) ?? [error.message]).map(
          (text) => `  ${recordName(ID, inputs[index], index)}: ${text}`,
        );
        const why =
          done.length === 0
            ? REFUSED
            : `The import stopped: ${earlier(done.length)} imported, this one and the rest not.`;
        return { done, stopped: `${why}\n${words.join('\n')}` };
      }
    }
    return { done, stopped: null };
  }

  async function imported({ clientId, record }: NamedRecord, warnings: Warnings): Promise<Imported> {
    const { outcome, changed, madeSecret, ...done } = await place(clientId, record, warnings, 'anything');
    const made: Imported['made'] = madeSecret === null ? {} : { client_secret: madeSecret };
    return { name: clientId, outcome, changed, made, warnings: done.warnings };
  }

  return {
    /** By client_id. */
    list: async () => (await allOf((page) => api.send('GET', '/clients', { query: page }))).map(clientIn),
    find: async (clientId: string) => {
      const answered = await find(clientId);
      return answered && clientIn(answered.value);
    },
    keysOf: async (clientId: string) =>
      (await administered(clientId, api.send('GET', '/clients/{client_id}/keys', { params: at(clientId) }))).value,
    /** The same client again changes nothing; another with its id is refused. */
    create: async (record: Fields) => {
      const { warnings } = accepted('client', readClientRecord(record));
      const body = known(record);
      const clientId = String(record['client_id']);
      try {
        const asked = { body: body as Body, idempotencyKey: systemRandom.uuid() };
        const { value } = await administered(clientId, api.send('POST', '/clients', asked));
        return changed('created', [], value, warnings);
      } catch (error) {
        if (!isReason(error, 'already_exists')) refusedRecord('client', error);
      }
      // Creating the same client twice does no harm; replacing another registration could.
      return place(clientId, body, warnings, null).catch((error) => refusedRecord('client', error));
    },
    /** @param unset fields that go back to their defaults. */
    update: async (clientId: string, given: Fields, unset: readonly string[]) => {
      const stored = await find(clientId);
      if (!stored) throw noSuch('client', clientId);
      if (stored.value.declared) throw declaredElsewhere(clientId, CLIENTS_FILE);
      const kept = Object.entries(known(stored.value)).filter(([name]) => !unset.includes(name));
      const record = { ...Object.fromEntries(kept), ...given, client_id: clientId };
      const { warnings } = accepted('client', readClientRecord(record));
      return place(clientId, known(record), warnings, stored.etag).catch((error) => refusedRecord('client', error));
    },
    /** @returns the new secret. */
    rotateSecret: async (clientId: string, keepPrevious: boolean) => {
      const asked = {
        params: at(clientId),
        body: { replaces: !keepPrevious },
        idempotencyKey: systemRandom.uuid(),
      };
      const made = await administered(clientId, api.send('POST', '/clients/{client_id}/secrets', asked));
      return made.value.client_secret;
    },
    /** Of two secrets, the older stops working. */
    endPreviousSecret: async (clientId: string) => {
      const params = at(clientId);
      const { value } = await administered(clientId, api.send('GET', '/clients/{client_id}/secrets', { params }));
      // A client without secrets is refused by its machine, with the reason.
      const oldest = { ...params, secret_id: value.items[0]?.secret_id ?? 'none' };
      const path = '/clients/{client_id}/secrets/{secret_id}';
      await administered(clientId, api.send('DELETE', path, { params: oldest }));
    },
    remove: async (clientId: string) => {
      await administered(clientId, api.send('DELETE', '/clients/{client_id}', { params: at(clientId) }));
    },
    import: importAll,
  };
}

/** @throws CommandRefused in words that name the client. */
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

type Import = {
  readonly done: readonly Imported[];
  /** Why it stopped after these; null: there are no others. */
  readonly stopped: string | null;
};

/** The field that names a record. */
const ID = 'client_id';
const REFUSED = 'The import is refused; nothing was changed.';

const earlier = (records: number): string =>
  records === 1 ? 'the record before was' : `the ${records} records before were`;

type Seen = string | 'anything' | null;
/** The entity tag of no client. */
const NEVER_SEEN = '"none"';

/** As it was typed, with the names of the API; the API says what is wrong with its values. */
type Body = NonNullable<Asked<'PUT', '/clients/{client_id}'>['body']>;

const NAMES = new Set<string>(CLIENT_FIELDS.map(({ name }) => name));

/** The fields that the API takes; the command line has warned of the others. */
const known = (record: Fields): Fields =>
  Object.fromEntries(Object.entries(withoutNulls(record)).filter(([name]) => NAMES.has(name)));

type NamedRecord = { readonly clientId: string; readonly record: Fields };

function readNamed(input: unknown): Reading<NamedRecord> {
  const reading = readClientRecord(input);
  if (!reading.ok) return reading;
  const { client_id: clientId } = reading.value;
  if (clientId === undefined || !isJsonObject(input)) return { ok: false, problems: [NEEDS_ID] };
  return { ...reading, value: { clientId, record: known(input) } };
}

const clientIn = (document: ShownClient): CheckedClient => ({
  ...fromNames(document),
  clientId: document.client_id,
  clientName: document.client_name ?? document.client_id,
  secrets: document.stored_secrets,
});

const changed = (
  outcome: Outcome,
  fields: readonly string[],
  document: Document<'PUT', '/clients/{client_id}'>,
  warnings: Warnings,
): ClientChanged => ({
  outcome,
  changed: fields,
  client: clientIn(document),
  madeSecret: document.client_secret ?? null,
  warnings: [...warnings, ...(document.warnings ?? [])],
});
