/** The list of end-users: orders, filters and facts, on both databases. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Place } from '../../../src/storage/keyed-page.ts';
import type { Page } from '../../../src/storage/page.ts';
import { rawRows } from '../../../src/storage/raw-rows.ts';
import { findUserFacts, type ListedUser, listUserPage, type UserFilter } from '../../../src/storage/user-list.ts';
import { findUserForSignIn } from '../../../src/storage/users.ts';
import { deleteUser, disableUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { givenSession, openPorts, type Ports } from './ports.ts';

const DAY = 86_400_000;

describe.each(databaseKinds)('the list of end-users on %s', (kind) => {
  let ports: Ports;
  const mark = `m${randomUUID().slice(0, 8)}`;
  const name = (short: string) => `${mark}-${short}`;
  const ids: Record<string, string> = {};
  const at = (days: number) => new Date(Date.UTC(2026, 0, 1) + days * DAY).toISOString();

  beforeAll(async () => {
    ports = await openPorts(kind);
    const people = [
      {
        short: 'ada',
        created: 3,
        claims: { department: 'Sales', email: 'a@x.test', email_verified: true, level: 3 },
        password: 'x',
      },
      {
        short: 'ben',
        created: 1,
        claims: { department: 'Sales', groups: ['staff', 'boss'], email: 'b@x.test' },
        password: 'x',
      },
      { short: 'cat', created: 2, claims: { department: 'Law', active: true, level: '3' }, password: '' },
      { short: 'dan', created: 2, claims: { email_verified: true }, password: 'x' },
    ];
    for (const { short, created, claims, password } of people) {
      ids[short] = randomUUID();
      await ports.db.execute(sql`insert into users (id, username, username_key, password_hash, claims, created_at)
        values (${ids[short]}::uuid, ${name(short)}, ${name(short)}, ${password}, ${JSON.stringify(claims)}::text::jsonb, ${at(created)}::timestamptz)`);
    }
    await disableUser(ports.db, name('ben'));
    await signedIn('ada', 10);
    await signedIn('cat', 20);
    await ports.db.execute(sql`insert into second_factors (id, user_id, state, sealed_secret, created_at)
      values (gen_random_uuid(), ${ids['ada']}::uuid, 'unconfirmed', 'x', now())`);
    await ports.db.execute(sql`update second_factors set state = 'active', last_step = 1, confirmed_at = now()
      where user_id = ${ids['ada']}::uuid`);
    await ports.db.execute(sql`insert into recovery_codes (id, user_id, state, code_hash, created_at)
      values (gen_random_uuid(), ${ids['ben']}::uuid, 'active', decode(${randomBytes(8).toString('hex')}, 'hex'), now())`);
  });
  afterAll(() => ports.close());

  const signedIn = (short: string, days: number) =>
    ports.db.execute(
      sql`insert into last_sign_ins (user_id, signed_in_at) values (${ids[short]}::uuid, ${at(days)}::timestamptz)`,
    );

  type Order = NonNullable<Parameters<typeof listUserPage>[3]>;
  async function every(filter: UserFilter, order?: Order, limit = 1): Promise<readonly string[]> {
    const found: ListedUser[] = [];
    let after: Place | null = null;
    do {
      const page: Page<ListedUser, Place> = await listUserPage(ports.db, filter, { limit, after }, order);
      found.push(...page.items);
      after = page.next;
    } while (after !== null);
    return found
      .map(({ username }) => username)
      .filter((one) => one.startsWith(mark))
      .map((one) => one.slice(mark.length + 1));
  }

  const orders: readonly [Order['sort'], boolean, readonly string[]][] = [
    ['username', false, ['ada', 'ben', 'cat', 'dan']],
    ['username', true, ['dan', 'cat', 'ben', 'ada']],
    ['last_sign_in_at', false, ['ada', 'cat', 'ben', 'dan']],
    ['last_sign_in_at', true, ['cat', 'ada', 'ben', 'dan']],
  ];
  test.each(orders)(
    'is sorted by %s, descending: %s, on pages of one and of many',
    async (sort, descending, expected) => {
      expect(await every({}, { sort, descending })).toEqual(expected);
      expect(await every({}, { sort, descending }, 3)).toEqual(expected);
      expect(await every({ q: mark }, { sort, descending }, 2)).toEqual(expected);
    },
  );

  test('is sorted by the registration, also where two have the same instant', async () => {
    const same = ['cat', 'dan'].toSorted((a, b) => ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1));
    const expected = ['ben', ...same, 'ada'];
    expect(await every({}, { sort: 'created_at', descending: false })).toEqual(expected);
    expect(await every({}, { sort: 'created_at', descending: true })).toEqual(expected.toReversed());
  });

  const filters: readonly [string, UserFilter, readonly string[]][] = [
    ['disabled', { disabled: true }, ['ben']],
    ['enabled', { disabled: false }, ['ada', 'cat', 'dan']],
    ['with a password', { hasPassword: true }, ['ada', 'ben', 'dan']],
    ['without one', { hasPassword: false }, ['cat']],
    ['with a verified address', { emailVerified: true }, ['ada']],
    ['without one', { emailVerified: false }, ['ben', 'cat', 'dan']],
    ['with the text of a claim', { claim: { name: 'department', values: ['Sales'] } }, ['ada', 'ben']],
    ['with another letter case', { claim: { name: 'department', values: ['sales'] } }, []],
    ['with a value of a list', { claim: { name: 'groups', values: ['boss'] } }, ['ben']],
    ['with a number or its text', { claim: { name: 'level', values: ['3', 3] } }, ['ada', 'cat']],
    ['with a truth value', { claim: { name: 'active', values: ['true', true] } }, ['cat']],
    ['with a claim and a state', { claim: { name: 'department', values: ['Sales'] }, disabled: false }, ['ada']],
    ['signed in since', { signedInSince: new Date(at(15)) }, ['cat']],
    ['at that very instant', { signedInSince: new Date(at(20)) }, ['cat']],
    ['not signed in since, or never', { notSignedInSince: new Date(at(15)) }, ['ada', 'ben', 'dan']],
    ['with an authenticator app', { factor: 'authenticator_app' }, ['ada']],
    ['with a recovery code', { factor: 'recovery_code' }, ['ben']],
    ['with a passkey', { factor: 'passkey' }, []],
    ['without a factor', { factor: 'none' }, ['ben', 'cat', 'dan']],
  ];
  test.each(filters)('has those %s: %j', async (_, filter, expected) => {
    expect(await every(filter)).toEqual(expected);
    // By the index of a search, too.
    expect(await every({ ...filter, q: mark })).toEqual(expected);
    const byActivity = await every(filter, { sort: 'last_sign_in_at', descending: false });
    expect(byActivity.toSorted()).toEqual(expected);
  });

  test('counts few end-users, and those that an index finds', async () => {
    const total = async (filter: UserFilter) => (await listUserPage(ports.db, filter, { limit: 1, after: null })).total;
    expect(await total({ q: mark, claim: { name: 'department', values: ['Sales'] } })).toBe(2);
    expect(await total({ claim: { name: 'department', values: ['Law'] } })).toBe(1);
    expect((await listUserPage(ports.db, { hasPassword: false, q: mark }, { limit: 9, after: null })).total).toBe(1);
  });

  test('shows a sign-in with its session, and not one that awaits a factor', async () => {
    const dan = { id: ids['dan'] ?? '', username: name('dan') };
    const user = await findUserForSignIn(ports.db, dan.username);
    if (user === null) throw new Error('dan is missing');
    const awaiting = {
      idHash: randomBytes(32),
      sid: randomUUID(),
      userId: user.id,
      userEpoch: user.epoch,
      serverEpoch: user.serverEpoch,
    };
    await ports.sessions.insert({
      ...awaiting,
      amr: ['pwd'],
      userAgent: null,
      state: 'awaitingSecondFactor',
      lifetimeSeconds: 600,
    });
    expect((await findUserFacts(ports.db, dan.id))?.lastSignInAt).toBeNull();
    const { signedInAt } = await givenSession(ports, dan);
    expect((await findUserFacts(ports.db, dan.id))?.lastSignInAt).toEqual(signedInAt);
    // An earlier sign-in that is stored later changes nothing.
    await ports.db.execute(
      sql`update last_sign_ins set signed_in_at = ${at(9999)}::timestamptz where user_id = ${dan.id}::uuid`,
    );
    await givenSession(ports, dan);
    expect((await findUserFacts(ports.db, dan.id))?.lastSignInAt).toEqual(new Date(at(9999)));
  });

  test('a change of the record has its instant, and the deletion removes the sign-in', async () => {
    const facts = (short: string) => findUserFacts(ports.db, ids[short] ?? '');
    expect((await facts('cat'))?.changedAt).toBeNull();
    expect((await facts('ben'))?.changedAt).toBeInstanceOf(Date);
    await deleteUser(ports.db, name('cat'));
    expect(await facts('cat')).toBeNull();
    const left = await ports.db.execute(sql`select user_id from last_sign_ins where user_id = ${ids['cat']}::uuid`);
    expect(rawRows(left)).toEqual([]);
  });
});
