/** End-users, through the management API. */

import { systemRandom } from '../../crypto/random.ts';
import { usernameKey } from '../../oauth/username.ts';
import type { PlacedUser } from '../../registration/import-users.ts';
import { readUserRecord, type UserRecord } from '../../registration/user-record.ts';
import { accepted } from '../accepted.ts';
import { differs, noSuch } from '../failure.ts';
import { makePassword } from '../passwords.ts';
import type { Imported, Outcome, ShownUser, UserChanged, Users } from '../ports.ts';
import type { Document, ManagementApi } from './api.ts';
import { allOf, userNamed } from './lists.ts';
import { type ApiRefused, isReason, recordProblems, refusedRecord } from './refusals.ts';

export function remoteUsers(api: ManagementApi): Users {
  const find = async (username: string): Promise<ShownUser | null> => {
    const user = await userNamed(api, username);
    return user && userIn(user);
  };
  const named = async (username: string): Promise<ShownUser> => {
    const user = await find(username);
    if (user === null) throw noSuch('user', username);
    return user;
  };

  /**
   * @param body of a PUT: as the end-user shall be.
   * @param patch what is sent where that differs from what is stored; null: nothing, a difference is refused.
   */
  async function place(
    user: ShownUser,
    body: object,
    patch: object | null,
  ): Promise<Pick<Imported, 'outcome' | 'changed'>> {
    const path = ['users', user.id];
    try {
      // Without a condition it changes nothing (RFC 6585 §3), and says what it would change.
      await api.send('PUT', path, { body });
      return { outcome: 'unchanged', changed: [] };
    } catch (error) {
      if (!isReason(error, 'precondition_required')) throw error;
      const fields = error.errors.map(({ field }) => String(field));
      if (patch === null) throw differs('user', fields);
      // Whatever is stored by now: the record says all that it is about.
      const method = patch === body ? 'PUT' : 'PATCH';
      await api.send(method, path, { body: patch, ifMatch: '*' });
      return { outcome: 'updated', changed: fields };
    }
  }

  const register = async ({ username, claims, ...others }: UserRecord): Promise<ShownUser> => {
    const body = { username, ...passwordIn(others), claims };
    const { document } = await api.send('POST', ['users'], { body, idempotencyKey: systemRandom.uuid() });
    return userIn(document);
  };

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
        await register(record);
        return { outcome: 'created', username, changed: [], disabled: false };
      } catch (error) {
        if (!isReason(error, 'username_taken')) throw error;
      }
    }
    const user = await named(username);
    const whole = replacing(user, record);
    const done = await place(user, whole, whole);
    return { username: user.username, ...done, disabled: user.disabledAt !== null };
  }

  return {
    list: async () => (await allOf(api, ['users'])).map(userIn),
    find,
    create: async (record, given) => {
      const made = given === null ? makePassword(systemRandom) : null;
      const { value, warnings } = accepted('user', readUserRecord({ ...record, password: given ?? made }, false));
      try {
        return told('created', await register(value), made, warnings);
      } catch (error) {
        if (!isReason(error, 'username_taken')) refusedRecord('user', error);
      }
      const user = await named(value.username);
      const { outcome } = await place(user, replacing(user, value), null);
      return told(outcome, user, made, warnings);
    },
    setPassword: async (username, given) => {
      const user = await named(username);
      const password = given ?? makePassword(systemRandom);
      const { warnings } = accepted('user', readUserRecord({ username: user.username, password }, false));
      const whole = { username: user.username, password, claims: user.claims };
      const { outcome } = await place(user, whole, { password }).catch((error) => refusedRecord('user', error));
      return told(outcome, user, given === null ? password : null, warnings);
    },
    invite: async (email, mail) => {
      const body = { email, send_mail: mail !== null, ...(mail?.language && { language: mail.language }) };
      const { document } = await api.send('POST', ['invitations'], { body, idempotencyKey: systemRandom.uuid() });
      return {
        id: document['invitation_id'],
        email: document['email'],
        endsAt: new Date(document['ends_at']),
        link: document['link'],
      };
    },
    change: async (username, change) => {
      const user = await named(username);
      if (change === 'delete') await api.send('DELETE', ['users', user.id]);
      else await api.send('PATCH', ['users', user.id], { body: { disabled: change === 'disable' }, ifMatch: '*' });
      return { id: user.id };
    },
    people: {
      read: (input) => readUserRecord(input, false),
      known: async (usernames) => {
        const users = await inTurn(usernames, (username) => find(username));
        return new Set(users.flatMap((user) => (user === null ? [] : [usernameKey(user.username)])));
      },
      place: (records) => inTurn(records, placeOrRefused),
      atOnce: USERS_AT_ONCE,
    },
  };
}

/** The username stays as it is stored; the password too, where the record has none. */
const replacing = ({ username }: ShownUser, { claims, ...others }: UserRecord): object => ({
  username,
  ...passwordIn(others),
  claims,
});

const passwordIn = ({ password, passwordHash }: Pick<UserRecord, 'password' | 'passwordHash'>): object => ({
  ...(password !== null && { password }),
  ...(passwordHash !== null && { password_hash: passwordHash }),
});

/** Other records may fare better. */
const isAboutTheRecord = (error: unknown): error is ApiRefused =>
  isReason(error, 'invalid_fields', 'username_taken', 'changed_meanwhile', 'user_unknown');

/** So many at the same time; more would only wait for each other. */
const USERS_AT_ONCE = 50;
const REQUESTS_AT_ONCE = 8;

/** In the order of the items. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(REQUESTS_AT_ONCE, items.length) }, worker));
  return results;
}

const userIn = (document: Document): ShownUser => ({
  id: document.sub,
  username: document.username,
  claims: document.claims,
  disabledAt: document.disabled ? new Date(document.disabled_at) : null,
});

const told = (
  outcome: Outcome,
  { id, username }: ShownUser,
  madePassword: string | null,
  warnings: readonly string[],
): UserChanged => ({ outcome, id, username, madePassword, warnings });
