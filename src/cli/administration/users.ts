/** End-users, through the management API. */

import { systemRandom } from '../../crypto/random.ts';
import type { Asked, Item } from '../../management/client/documents.ts';
import type { FoundUser, PlacedUser } from '../../registration/import-users.ts';
import { type ImportedUser, readImportedUser } from '../../registration/imported-user.ts';
import { problem, type Reading } from '../../registration/record-problem.ts';
import { readUserRecord, type UserRecord } from '../../registration/user-record.ts';
import { accepted } from '../accepted.ts';
import { CommandRefused, differs, noSuch } from '../failure.ts';
import type { Imported, Outcome } from '../import-records.ts';
import { makePassword } from '../passwords.ts';
import type { PeopleImport } from '../people-import.ts';
import type { ManagementApi } from './api.ts';
import { allOf, userNamed } from './lists.ts';
import { type ApiRefused, isReason, recordProblems, refusedRecord } from './refusals.ts';

export type User = Item<'/users'>;
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
  const { named, place, register } = stepsAt(api);
  return {
    /** By username. */
    list: () => allOf((page) => api.send('GET', '/users', { query: page })),
    find: (username: string) => userNamed(api, username),
    /** @param given null: a password is made. */
    create: async (record: Readonly<Record<string, unknown>>, given: string | null) => {
      const made = given === null ? makePassword(systemRandom) : null;
      const { value, warnings } = accepted('user', readUserRecord({ ...record, password: given ?? made }, false));
      try {
        return changed('created', await register(value), made, warnings);
      } catch (error) {
        if (!isReason(error, 'username_taken')) refusedRecord('user', error);
        // It may be the verified address of another.
        if ((await userNamed(api, value.username)) === null) refusedRecord('user', error);
      }
      const user = await named(value.username);
      const { outcome } = await place(user, replacing(user, value), null);
      return changed(outcome, user, made, warnings);
    },
    /** @param given null: a password is made. The password that is stored already changes nothing. */
    setPassword: async (username: string, given: string | null) => {
      const user = await named(username);
      const password = given ?? makePassword(systemRandom);
      const { warnings } = accepted('user', readUserRecord({ username: user.username, password }, false));
      const whole = { username: user.username, password, claims: user.claims };
      const { outcome } = await place(user, whole, { password }).catch((error) => refusedRecord('user', error));
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

export function peopleAt(api: ManagementApi): PeopleImport {
  const { named, place, register } = stepsAt(api);

  async function placeOrRefused(record: UserRecord): Promise<PlacedUser> {
    try {
      return { kind: 'placed', ...(await placeRecord(record)) };
    } catch (error) {
      if (!isAboutTheRecord(error)) throw error;
      return { kind: 'refused', words: (recordProblems(error) ?? [error.message]).join(' ') };
    }
  }

  async function placeRecord(record: UserRecord): Promise<Omit<Extract<PlacedUser, { kind: 'placed' }>, 'kind'>> {
    const { username } = record;
    // Without a password it can only be there already.
    if (record.password !== null || record.passwordHash !== null) {
      try {
        const { sub } = await register(record);
        return { outcome: 'created', sub, username, changed: [], disabled: false };
      } catch (error) {
        if (!isReason(error, 'username_taken') || (await userNamed(api, username)) === null) throw error;
      }
    }
    const user = await named(username);
    const whole = replacing(user, record);
    const done = await place(user, whole, whole);
    return { sub: user.sub, username: user.username, ...done, disabled: user.disabled };
  }

  return {
    read: readForServer,
    find: (records) =>
      inTurn(records, async (record): Promise<FoundUser> => {
        // A request for each; of the others, the registration shows it.
        if (record.password !== null || record.passwordHash !== null) return { kind: 'new' };
        return { kind: (await userNamed(api, record.username)) === null ? 'new' : 'known' };
      }),
    place: (records) => inTurn(records, placeOrRefused),
    rpId: null,
    atOnce: USERS_AT_ONCE,
  };
}

/** The server knows its policy. */
function readForServer(input: unknown): Reading<ImportedUser> {
  const reading = readImportedUser(input, false, { hashes: { fast: true, peppered: true } });
  if (!reading.ok) return reading;
  const { withoutPassword, disabled, createdAt, identities, totpSecrets, passkeys, recoveryCodes } = reading.value;
  const alone = [
    ...(withoutPassword ? ['without_password'] : []),
    ...(disabled ? ['disabled'] : []),
    ...(createdAt === null ? [] : ['created_at']),
    ...(identities.length > 0 ? ['identities'] : []),
    ...(totpSecrets.length > 0 ? ['totp'] : []),
    ...(passkeys.length > 0 ? ['passkeys'] : []),
    ...(recoveryCodes.length > 0 ? ['recovery_codes'] : []),
  ];
  return alone.length === 0
    ? reading
    : { ok: false, problems: alone.map((name) => problem(name, 'a running server', ON_THE_DATABASE)) };
}
const ON_THE_DATABASE = 'the database itself: name it in DATABASE_URL, or stop the server of the embedded database';

function stepsAt(api: ManagementApi) {
  const named = async (username: string): Promise<User> => {
    const user = await userNamed(api, username);
    if (user === null) throw noSuch('user', username);
    return user;
  };

  /**
   * @param body the complete end-user, for a PUT.
   * @param patch the change for a stored end-user that differs; null: a difference is an error.
   */
  const place = async (
    { sub }: User,
    body: Body,
    patch: Partial<Body> | null,
  ): Promise<Pick<Imported, 'outcome' | 'changed'>> => {
    const params = { sub };
    try {
      // Without a condition it changes nothing (RFC 6585 §3), and says what it would change.
      await api.send('PUT', '/users/{sub}', { params, body });
      return { outcome: 'unchanged', changed: [] };
    } catch (error) {
      if (!isReason(error, 'precondition_required')) throw error;
      const fields = error.errors.map(({ field }) => String(field));
      if (patch === null) throw differs('user', fields);
      // Any stored version: the record is complete.
      if (patch === body) await api.send('PUT', '/users/{sub}', { params, body, ifMatch: '*' });
      else await api.send('PATCH', '/users/{sub}', { params, body: patch, ifMatch: '*' });
      return { outcome: 'updated', changed: fields };
    }
  };

  const register = async ({ username, sub, claims, ...others }: UserRecord): Promise<User> => {
    const body = { username, ...(sub !== null && { sub }), ...passwordIn(others), claims };
    return (await api.send('POST', '/users', { body, idempotencyKey: systemRandom.uuid() })).value;
  };

  return { named, place, register };
}

/** The username stays as it is stored; the password too, where the record has none. */
const replacing = ({ username }: User, { sub, claims, ...others }: UserRecord): Body => ({
  username,
  ...(sub !== null && { sub }),
  ...passwordIn(others),
  claims,
});

const passwordIn = ({ password, passwordHash }: Pick<UserRecord, 'password' | 'passwordHash'>) => ({
  ...(password !== null && { password }),
  ...(passwordHash !== null && { password_hash: passwordHash }),
});

/** Other records may fare better. */
const isAboutTheRecord = (error: unknown): error is ApiRefused =>
  isReason(error, 'invalid_fields', 'username_taken', 'address_taken', 'changed_meanwhile', 'user_unknown');

/** So many at the same time; more would only wait for each other. */
const USERS_AT_ONCE = 50;
const REQUESTS_AT_ONCE = 8;

/** In the order of the items. */
async function inTurn<One, Result>(
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
