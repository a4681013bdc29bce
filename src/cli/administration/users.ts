/** End-users, through the management API. */

import { systemRandom } from '../../crypto/random.ts';
import type { Asked, Document, Item } from '../../management/client/documents.ts';
import { importRecord } from '../../registration/import-record.ts';
import type { FoundUser, PlacedUser } from '../../registration/import-users.ts';
import { type ImportedUser, readImportedUser } from '../../registration/imported-user.ts';
import { readUserRecord, type UserRecord } from '../../registration/user-record.ts';
import { accepted } from '../accepted.ts';
import { CommandRefused, differs, noSuch } from '../failure.ts';
import type { Outcome } from '../import-records.ts';
import { makePassword } from '../passwords.ts';
import type { PeopleImport } from '../people-import.ts';
import type { ManagementApi } from './api.ts';
import { allOf, userNamed } from './lists.ts';
import { isReason, refusedRecord } from './refusals.ts';

export type User = Omit<Item<'/users'>, 'etag'>;
type Body = NonNullable<Asked<'PUT', '/users/{sub}'>['body']>;

export type UserChanged = {
  readonly outcome: Outcome;
  readonly sub: string;
  readonly username: string;
  /** Null: none was made. Shown once. */
  readonly madePassword: string | null;
  readonly warnings: readonly string[];
};

/** Each throws CommandRefused, also for an end-user who is not there. */
export function usersAt(api: ManagementApi) {
  const named = async (username: string): Promise<User> => {
    const user = await userNamed(api, username);
    if (user === null) throw noSuch('user', username);
    return user;
  };

  /**
   * @param body the complete end-user, for a PUT.
   * @param patch the change for a stored end-user that differs; null: a difference is an error.
   */
  async function place({ sub }: User, body: Body, patch: Partial<Body> | null): Promise<Outcome> {
    const params = { sub };
    try {
      // Without a condition it changes nothing (RFC 6585 §3), and says what it would change.
      await api.send('PUT', '/users/{sub}', { params, body });
      return 'unchanged';
    } catch (error) {
      if (!isReason(error, 'precondition_required')) throw error;
      if (patch === null)
        throw differs(
          'user',
          error.errors.map(({ field }) => String(field)),
        );
      // Any stored version: the change is about nothing else.
      await api.send('PATCH', '/users/{sub}', { params, body: patch, ifMatch: '*' });
      return 'updated';
    }
  }

  return {
    /** By username. @param search null: all. */
    list: (search: string | null) =>
      allOf((page) => api.send('GET', '/users', { query: { ...page, ...(search !== null && { q: search }) } })),
    find: (username: string) => userNamed(api, username),
    /** @param given null: a password is made. */
    create: async (record: Readonly<Record<string, unknown>>, given: string | null) => {
      const made = given === null ? makePassword(systemRandom) : null;
      const { value, warnings } = accepted('user', readUserRecord({ ...record, password: given ?? made }, false));
      try {
        const asked = { body: bodyOf(value.username, value), idempotencyKey: systemRandom.uuid() };
        return changed('created', (await api.send('POST', '/users', asked)).value, made, warnings);
      } catch (error) {
        if (!isReason(error, 'username_taken')) refusedRecord('user', error);
        // It may be the verified address of another.
        if ((await userNamed(api, value.username)) === null) refusedRecord('user', error);
      }
      const user = await named(value.username);
      // The username stays as it is stored; the password too, where the record has none.
      const outcome = await place(user, bodyOf(user.username, value), null);
      return changed(outcome, user, made, warnings);
    },
    /** @param given null: a password is made. The password that is stored already changes nothing. */
    setPassword: async (username: string, given: string | null) => {
      const user = await named(username);
      const password = given ?? makePassword(systemRandom);
      const { warnings } = accepted('user', readUserRecord({ username: user.username, password }, false));
      const whole = { username: user.username, password, claims: user.claims };
      const outcome = await place(user, whole, { password }).catch((error) => refusedRecord('user', error));
      return changed(outcome, user, given === null ? password : null, warnings);
    },
    /** @param mail null: the response has the link, once; otherwise the server mails it, in the given language. */
    invite: async (email: string, mail: { readonly language: string | null } | null) => {
      const language = mail?.language ?? null;
      const body = { email, send_mail: mail !== null, ...(language !== null && { language }) };
      try {
        return (await api.send('POST', '/invitations', { body, idempotencyKey: systemRandom.uuid() })).value;
      } catch (error) {
        // The one member that the command does not check.
        throw isReason(error, 'invalid_fields') ? new CommandRefused(error.message) : error;
      }
    },
    change: async (username: string, change: 'disable' | 'enable' | 'delete') => {
      const params = { sub: (await named(username)).sub };
      if (change === 'delete') await api.send('DELETE', '/users/{sub}', { params });
      else await api.send('PATCH', '/users/{sub}', { params, body: { disabled: change === 'disable' }, ifMatch: '*' });
      return params;
    },
  };
}

/** The server does the work. This process reads each record by the rules of the server first, so that it can name the problems of all. */
export async function peopleAt(api: ManagementApi): Promise<PeopleImport> {
  const { value: rules } = await api.send('GET', '/user-imports', {});
  const hashes = { fast: rules.fast_hashes, peppered: rules.password_pepper };
  const operators = new Set<string>();

  async function send(records: readonly ImportedUser[], isDry: boolean): Promise<readonly Result[]> {
    const body = { records: records.map(importRecord), dry_run: isDry };
    const { results } = (await api.send('POST', '/user-imports', { body })).value;
    for (const { username, operator } of results) if (operator && username !== null) operators.add(username);
    return results;
  }

  const inTurn = async (records: readonly ImportedUser[], isDry: boolean): Promise<readonly Result[]> =>
    (await concurrently(chunksOf(records), (chunk) => send(chunk, isDry))).flat();

  return {
    read: (input) => readImportedUser(input, false, { hashes, rpId: rules.rp_id }),
    find: async (records) =>
      (await inTurn(records, true)).map(
        ({ outcome, reasons }): FoundUser =>
          outcome === 'new' || outcome === 'known' ? { kind: outcome } : { kind: 'refused', words: reasons.join(' ') },
      ),
    place: async (records) => (await inTurn(records, false)).map(placedOf),
    isOperator: (username) => operators.has(username),
    rpId: rules.rp_id,
    addressesIdentify: rules.addresses_identify,
    atOnce: USERS_AT_ONCE,
  };
}

type Result = Document<'POST', '/user-imports'>['results'][number];

function placedOf({ outcome, username, sub, changed, disabled, notes, reasons }: Result): PlacedUser {
  if (outcome === 'refused' || outcome === 'new' || outcome === 'known')
    return { kind: 'refused', words: reasons.join(' ') };
  return { kind: 'placed', outcome, username: username ?? '', sub: sub ?? '', changed, disabled, notes };
}

/** A body has at most 32 KB. */
const CHUNK_BYTES = 20_000;
const CHUNK_RECORDS = 25;

function chunksOf(records: readonly ImportedUser[]): readonly (readonly ImportedUser[])[] {
  const chunks: ImportedUser[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const length = Buffer.byteLength(JSON.stringify(importRecord(record)));
    if (bytes + length > CHUNK_BYTES || (chunks.at(-1)?.length ?? 0) >= CHUNK_RECORDS) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(record);
    bytes += length;
  }
  return chunks;
}

const bodyOf = (username: string, { sub, claims, password, passwordHash }: UserRecord): Body => ({
  username,
  ...(sub !== null && { sub }),
  ...(password !== null && { password }),
  ...(passwordHash !== null && { password_hash: passwordHash }),
  claims,
});

const USERS_AT_ONCE = 200;
const REQUESTS_AT_ONCE = 8;

/** In the order of the items. */
async function concurrently<One, Result>(
  items: readonly One[],
  work: (item: One) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(REQUESTS_AT_ONCE, items.length) }, worker));
  return results;
}

const changed = (
  outcome: Outcome,
  { sub, username }: User,
  madePassword: string | null,
  warnings: readonly string[],
): UserChanged => ({ outcome, sub, username, madePassword, warnings });
