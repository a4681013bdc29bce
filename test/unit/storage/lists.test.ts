/** The lists for administrators: filters, order, bounds, and pages that show each row once while others are written. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lifetimes } from '../../../src/model/lifetimes.ts';
import { listClientPage } from '../../../src/storage/client-list.ts';
import { consequencesForClient, consequencesForUser } from '../../../src/storage/consequences.ts';
import { findListedGrant, type GrantFilter, type ListedGrant, listGrantPage } from '../../../src/storage/grant-list.ts';
import { MAX_MATCHES_SORTED, type Place } from '../../../src/storage/keyed-page.ts';
import type { InstantPosition, Page } from '../../../src/storage/page.ts';
import { findListedSession, listSessionPage, type SessionFilter } from '../../../src/storage/session-list.ts';
import { countStates } from '../../../src/storage/state-counts.ts';
import { listUserPage } from '../../../src/storage/user-list.ts';
import { deleteClient, disableUser, saveClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import {
  approvalOf,
  approve,
  type Granted,
  givenClient,
  givenGrant,
  givenRequest,
  givenSession,
  givenUser,
  loadGrant,
  moveHead,
  nextMove,
  openPorts,
  type Ports,
  registration,
  reuseOf,
  revoke,
  SESSION_LIFETIME_SECONDS,
} from './ports.ts';

const LIFETIMES: Lifetimes = {
  name: 'default',
  accessTokenLifetimeSeconds: 900,
  authorizationCodeLifetimeSeconds: 60,
  refreshIdleLifetimeSeconds: 3600,
  refreshAbsoluteLifetimeSeconds: 7200,
};
const SIGN_IN = { sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS };
const lifetimesOf = () => LIFETIMES;

/** Every item, page by page. @param between what happens after each page. */
async function everyPage<Item, Position>(
  read: (after: Position | null) => Promise<Page<Item, Position>>,
  between: () => Promise<unknown> = async () => {},
): Promise<Item[]> {
  const items: Item[] = [];
  let after: Position | null = null;
  do {
    const page: Page<Item, Position> = await read(after);
    items.push(...page.items);
    after = page.next;
    if (after !== null) await between();
  } while (after !== null);
  return items;
}

describe.each(databaseKinds)('lists on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const grantPage = (filter: GrantFilter, after: InstantPosition | null = null, limit = 2) =>
    listGrantPage(ports.db, ports.clock, lifetimesOf, filter, { limit, after });
  const grantIds = (listed: readonly ListedGrant[]) => listed.map(({ grant }) => grant.id);
  const sessionPage = (filter: SessionFilter, after: InstantPosition | null = null, limit = 2) =>
    listSessionPage(ports.db, ports.clock, SIGN_IN, filter, { limit, after });

  async function allow(person: { id: string; username: string }, clientId: string): Promise<Granted> {
    const session = await givenSession(ports, person);
    const approval = await approvalOf(ports, await givenRequest(ports, clientId), session);
    if (!(await approve(ports, approval))) throw new Error('not approved');
    return { clientId, person, grantId: approval.loaded.id };
  }

  describe('of clients', () => {
    const prefix = `list-${randomUUID()}-`;
    beforeAll(async () => {
      for (const name of ['c', 'a', 'b', 'gone', 'd%_']) {
        await saveClient(ports.db, { ...registration(prefix + name), clientName: `The ${name.toUpperCase()} shop` });
      }
      await saveClient(ports.db, registration(`${prefix}declared`), true);
      await deleteClient(ports.db, `${prefix}gone`);
    });
    const ids = (filter: { q?: string; declared?: boolean }, limit = 2) =>
      everyPage((after: Place | null) => listClientPage(ports.db, testMacs, filter, { limit, after })).then((found) =>
        found.map(({ clientId }) => clientId.replace(prefix, '')),
      );

    test('are in the order of their ids, without deleted clients', async () => {
      const all = await ids({ q: prefix });
      expect(all.toSorted()).toEqual(['a', 'b', 'c', 'd%_', 'declared']);
      expect(await ids({ q: prefix }, 100)).toEqual(all);
    });

    test('are found by a part of the id or the name, in either case; the letters are no pattern', async () => {
      expect(await ids({ q: `${prefix.toUpperCase()}B` })).toEqual(['b']);
      expect(await ids({ q: 'the b SHOP' })).toEqual(['b']);
      expect(await ids({ q: '%' })).toEqual(['d%_']);
      expect(await ids({ q: `${prefix}_` })).toEqual([]);
      expect(await ids({ q: "'" })).toEqual([]);
    });

    test('can be limited to declared ones, or to the others', async () => {
      expect(await ids({ q: prefix, declared: true })).toEqual(['declared']);
      expect(await ids({ q: prefix, declared: false })).not.toContain('declared');
    });

    test('have the time of their registration; deleted clients are not among them', async () => {
      const page = await listClientPage(ports.db, testMacs, { q: prefix }, { limit: 100, after: null });
      expect(page.items.find(({ clientId }) => clientId === `${prefix}a`)?.createdAt).toBeInstanceOf(Date);
      expect(page.items.map(({ clientId }) => clientId)).not.toContain(`${prefix}gone`);
    });
  });

  describe('of end-users', () => {
    test('are in the order of their usernames, found by a part of it, without the hash of a password', async () => {
      const people = [await givenUser(ports), await givenUser(ports), await givenUser(ports)];
      const names = people.map(({ username }) => username).toSorted();
      await disableUser(ports.db, names[1] ?? '');
      const found = await everyPage((after: Place | null) => listUserPage(ports.db, {}, { limit: 1, after }));
      expect(found.map(({ username }) => username).filter((name) => names.includes(name))).toEqual(names);
      expect(Object.keys(found[0] ?? {})).not.toContain('passwordHash');
      const disabled = await everyPage((after: Place | null) =>
        listUserPage(ports.db, { disabled: true }, { limit: 1, after }),
      );
      expect(disabled.map(({ username }) => username)).toContain(names[1]);
      expect(disabled.every(({ disabledAt }) => disabledAt !== null)).toBe(true);
      const [only] = (await listUserPage(ports.db, { q: names[0]?.toUpperCase() ?? '' }, { limit: 9, after: null }))
        .items;
      expect(only).toMatchObject({ username: names[0], createdAt: expect.any(Date), disabledAt: null });
    });

    test('are found by the whole sub, of another system or of this one, once and first', async () => {
      const mark = randomUUID().slice(0, 8);
      const sub = `auth0|${mark}`;
      const moved = await givenUser(ports);
      await ports.db.execute(sql`
        insert into users (id, sub, username, username_key, password_hash, claims)
        values (gen_random_uuid(), ${sub}, ${`a-${sub}`}, ${`a-${sub}`}, '', '{}'::jsonb),
          (gen_random_uuid(), null, ${`b-${sub}`}, ${`b-${sub}`}, '', '{}'::jsonb)`);
      const found = async (filter: Parameters<typeof listUserPage>[1], limit: number) => {
        const all = await everyPage((after: Place | null) => listUserPage(ports.db, filter, { limit, after }));
        return all.map(({ username }) => username);
      };
      for (const limit of [1, 2, 100]) {
        expect(await found({ q: sub }, limit)).toEqual([`a-${sub}`, `b-${sub}`]);
        expect(await found({ q: moved.id }, limit)).toEqual([moved.username]);
        expect(await found({ q: moved.id.toUpperCase() }, limit)).toEqual([moved.username]);
      }
      expect(await found({ q: sub, disabled: true }, 100)).toEqual([]);
      // A part of a sub is none.
      expect(await found({ q: moved.id.slice(1) }, 100)).toEqual([]);
    });
  });

  describe('of end-users, in a search', () => {
    const mark = randomUUID().slice(0, 8);
    const given = {
      [`ada.${mark}`]: { name: 'Ada Lovelace', email: `lovelace@analytical-${mark}.example` },
      [`renee.${mark}`]: { given_name: 'Renée', family_name: 'Müller', nickname: '100%_\\' },
      [`wei.${mark}`]: { name: '张伟', preferred_username: 'Zhang' },
    };
    beforeAll(async () => {
      for (const [username, claims] of Object.entries(given))
        await ports.db.execute(sql`
          insert into users (id, username, username_key, password_hash, claims)
          values (gen_random_uuid(), ${username}, ${username}, '', ${JSON.stringify(claims)}::jsonb)`);
    });
    const [ada, renee, wei] = Object.keys(given);
    test.each([
      ['a part of the name', `lovel ${mark}`, [ada]],
      ['a part of the e-mail address', `lytical-${mark}`, [ada]],
      ['words in another order, and of several claims', `${mark} MULLER renee`, [renee]],
      ['letters with their accents', `Renée ${mark}`, [renee]],
      ['letters without their accents', `renee ${mark}`, [renee]],
      ['accents that are letters of their own', `mu\u0308ller ${mark}`, [renee]],
      ['signs, which are no pattern', `100%_\\ ${mark}`, [renee]],
      ['the same signs, where nothing has them', `1%0 ${mark}`, []],
      ['the beginning of a word, by its first letters', `lo ${mark}`, [ada]],
      ['a short name in another script', `张伟 ${mark}`, [wei]],
      ['a short part in the middle of a word', `ov ${mark}`, []],
      ['a claim with another name', `zhang ${mark}`, [wei]],
      ['no user', `lovelace zhang ${mark}`, []],
      ['every user', mark, [ada, renee, wei]],
    ])('finds %s', async (_, q, expected) => {
      const page = await listUserPage(ports.db, { q }, { limit: 100, after: null });
      expect(page.items.map(({ username }) => username)).toEqual(expected);
      expect(page.total).toBe(expected.length);
    });

    test('counts all matches on each page', async () => {
      const pages = [null, [ada ?? '']].map((after) => listUserPage(ports.db, { q: mark }, { limit: 1, after }));
      expect((await Promise.all(pages)).map(({ total }) => total)).toEqual([3, 3]);
    });

    test('counts an end-user whose sub is searched once', async () => {
      const { id, username } = await givenUser(ports);
      await ports.db.execute(
        sql`update users set claims = ${JSON.stringify({ nickname: id })}::jsonb where id = ${id}`,
      );
      const page = await listUserPage(ports.db, { q: id }, { limit: 100, after: null });
      expect(page.items.map((found) => found.username)).toEqual([username]);
      expect(page.total).toBe(1);
    });
  });

  describe('of grants', () => {
    test('are newest first, of one client or one end-user', async () => {
      const clientId = await givenClient(ports);
      const [alice, bob] = [await givenUser(ports), await givenUser(ports)];
      const granted: Granted[] = [];
      for (const person of [alice, bob, alice, bob, alice]) {
        ports.clock.advanceSeconds(1);
        granted.push(await allow(person, clientId));
      }
      const newest = granted.map(({ grantId }) => grantId).toReversed();
      const all = await everyPage((after: InstantPosition | null) => grantPage({ clientId }, after));
      expect(grantIds(all)).toEqual(newest);
      expect(all[0]).toMatchObject({
        clientName: `Client ${clientId}`,
        username: alice.username,
        state: 'active',
      });
      const ofBob = await everyPage((after: InstantPosition | null) => grantPage({ userId: bob.id }, after));
      expect(grantIds(ofBob)).toEqual([newest[1], newest[3]]);
      const createdAt = all[1]?.grant.createdAt;
      expect(grantIds((await grantPage({ clientId, createdFrom: createdAt })).items)).toEqual(newest.slice(0, 2));
      expect(grantIds((await grantPage({ clientId, createdTo: createdAt }, null, 9)).items)).toEqual(newest.slice(2));
    });

    test('are active or ended as the model says: revoked, by epoch, or by time under the current policy', async () => {
      const clientId = await givenClient(ports);
      const fresh = async () => allow(await givenUser(ports), clientId);
      const [code, chain, revoked, disabled] = [await fresh(), await fresh(), await fresh(), await fresh()];
      await moveHead(ports, nextMove(ports, await loadGrant(ports, chain)));
      await revoke(ports, reuseOf(ports, await loadGrant(ports, revoked)));
      await disableUser(ports.db, disabled.person.username);
      const idsOf = async (state: 'active' | 'ended') =>
        grantIds(await everyPage((after: InstantPosition | null) => grantPage({ clientId, state }, after, 1)));
      const sorted = (...of: Granted[]) => of.map(({ grantId }) => grantId).toSorted();
      expect((await idsOf('active')).toSorted()).toEqual(sorted(code, chain));
      expect((await idsOf('ended')).toSorted()).toEqual(sorted(revoked, disabled));
      expect(await consequencesForClient(ports.db, ports.clock, lifetimesOf, clientId)).toEqual({
        livingGrants: 2,
        users: 2,
        aboveCeiling: 0,
        exact: true,
      });
      ports.clock.advanceSeconds(60);
      expect(await idsOf('active')).toEqual([]);
      expect(await idsOf('ended')).toHaveLength(4);
      expect(await findListedGrant(ports.db, ports.clock, lifetimesOf, code.grantId)).toMatchObject({
        state: 'ended',
        grant: { id: code.grantId, state: 'active' },
        now: ports.clock.now(),
      });
      expect(await findListedGrant(ports.db, ports.clock, lifetimesOf, randomUUID())).toBeNull();
    });

    test('equal the load of the server', async () => {
      const granted = await givenGrant(ports);
      const found = await findListedGrant(ports.db, ports.clock, lifetimesOf, granted.grantId);
      expect(found?.grant).toMatchObject(await loadGrant(ports, granted));
    });

    test('contain rows that share an instant, and rows that are written between two pages, once', async () => {
      const first = await givenGrant(ports);
      await copies(first.grantId, 57, '0 seconds');
      const written: string[] = [];
      const seen = grantIds(
        await everyPage(
          (after: InstantPosition | null) => grantPage({ clientId: first.clientId }, after, 7),
          async () => {
            await copies(first.grantId, 1, '1 second');
            written.push('newer');
          },
        ),
      );
      expect(written).toHaveLength(8);
      expect(seen).toHaveLength(58);
      expect(new Set(seen).size).toBe(58);
    });

    test('have short pages, which lead to every match, for a filter that matches few of many rows', async () => {
      const first = await givenGrant(ports);
      await copies(first.grantId, 2500, '1 second');
      await revoke(ports, reuseOf(ports, await loadGrant(ports, first)));
      const filter = { clientId: first.clientId, state: 'ended' } as const;
      const page = await grantPage(filter);
      expect(page.items).toEqual([]);
      expect(page.next).not.toBeNull();
      expect(grantIds((await grantPage(filter, page.next)).items)).toEqual([first.grantId]);
    });

    /** Of a grant, later by this interval. */
    const copies = (id: string, number: number, later: string) =>
      ports.db.execute(sql`
        insert into grants (id, client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources,
          policy, code_hash, code_challenge, redirect_uri, code_ends_at, state, created_at)
        select gen_random_uuid(), client_id, user_id, client_epoch, user_epoch, server_epoch, scope,
          resources, policy, code_hash, code_challenge, redirect_uri, code_ends_at, 'active', created_at + ${later}::interval
        from grants, generate_series(1, ${number}::int) n where id = ${id}::uuid`);
  });

  describe('of sessions', () => {
    test('are newest first, with user and browser; found by the sid alone', async () => {
      const person = await givenUser(ports);
      const signedIn: string[] = [];
      for (const _ of [1, 2, 3]) {
        ports.clock.advanceSeconds(1);
        signedIn.unshift((await givenSession(ports, person)).sid);
      }
      const all = await everyPage((after: InstantPosition | null) => sessionPage({ userId: person.id }, after));
      expect(all.map(({ session }) => session.sid)).toEqual(signedIn);
      expect(all[0]).toMatchObject({ session: { username: person.username, userAgent: null }, state: 'active' });
      const [sid = ''] = signedIn;
      const found = await findListedSession(ports.db, ports.clock, SIGN_IN, sid);
      expect(found).toMatchObject({ session: { sid, userId: person.id }, now: ports.clock.now() });
      expect(await findListedSession(ports.db, ports.clock, SIGN_IN, randomUUID())).toBeNull();
    });

    test('are active or ended as the model says, and counted among those that end with their end-user', async () => {
      const person = await givenUser(ports);
      await givenSession(ports, person);
      ports.clock.advanceSeconds(SESSION_LIFETIME_SECONDS);
      const granted = await allow(person, await givenClient(ports));
      const states = async (state: 'active' | 'ended') =>
        (await sessionPage({ userId: person.id, state })).items.length;
      expect([await states('active'), await states('ended')]).toEqual([1, 1]);
      const deps = { lifetimesOf, signIn: SIGN_IN };
      expect(await consequencesForUser(ports.db, ports.clock, deps, person.id)).toEqual({
        livingGrants: 1,
        clients: 1,
        activeSessions: 1,
        exact: true,
      });
      await disableUser(ports.db, granted.person.username);
      expect([await states('active'), await states('ended')]).toEqual([0, 2]);
      expect(await consequencesForUser(ports.db, ports.clock, deps, person.id)).toMatchObject({ livingGrants: 0 });
    });
  });

  test('states are counted for each machine; a chain counts its used tokens', async () => {
    const before = await counts();
    const granted = await givenGrant(ports);
    await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    const gained = difference(before, await counts());
    expect(gained).toEqual({
      'authorizationCode used': 1,
      'client registered': 1,
      'grant active': 1,
      'interaction approved': 1,
      'refreshToken active': 1,
      'refreshToken used': 1,
      'session active': 1,
      'user enabled': 1,
    });
    const alive = await counts();
    await revoke(ports, reuseOf(ports, await loadGrant(ports, granted)));
    expect(difference(alive, await counts())).toEqual({
      'authorizationCode revoked': 1,
      'authorizationCode used': -1,
      'grant active': -1,
      'grant revoked': 1,
      'refreshToken active': -1,
      'refreshToken revoked': 2,
      'refreshToken used': -1,
    });
    expect((await countStates(ports.db)).every(({ exact }) => exact)).toBe(true);
  });

  async function counts(): Promise<Record<string, number>> {
    const all = await countStates(ports.db);
    return Object.fromEntries(
      all.flatMap(({ machine, states }) =>
        Object.entries(states).map(([state, rows]) => [`${machine} ${state}`, rows]),
      ),
    );
  }

  const difference = (before: Record<string, number>, after: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(after)
        .map(([name, rows]) => [name, rows - (before[name] ?? 0)] as const)
        .filter(([, gained]) => gained !== 0),
    );

  test('a search that no index helps reads a bounded number of rows, and continues where it stopped', async () => {
    const prefix = `zz-${randomUUID()}`;
    await people(prefix, 10_500);
    await ports.db.execute(
      sql`update users set username = username || '~!' where username_key = ${`${prefix}-010499`}`,
    );
    const first = await listUserPage(ports.db, { q: '~!' }, { limit: 5, after: [prefix] });
    expect(first).toEqual({ items: [], next: [`${prefix}-010000`] });
    const second = await listUserPage(ports.db, { q: '~!' }, { limit: 5, after: first.next });
    expect(second.items.map(({ username }) => username)).toEqual([`${prefix}-010499~!`]);
    expect(second.next).toBeNull();
  });

  test('a search with more matches than a request sorts reads the list in its order, without a total', async () => {
    const prefix = `zzz${randomUUID().replaceAll('-', '')}`;
    await people(prefix, MAX_MATCHES_SORTED);
    const all = await listUserPage(ports.db, { q: prefix }, { limit: 2, after: null });
    expect(all).toMatchObject({ total: MAX_MATCHES_SORTED, next: [`${prefix}-000002`] });
    await people(`${prefix}-more`, 1);
    const more = await listUserPage(ports.db, { q: prefix }, { limit: 2, after: [`${prefix}-000002`] });
    expect(more.items.map(({ username }) => username)).toEqual([`${prefix}-000003`, `${prefix}-000004`]);
    expect(more.total).toBeUndefined();
    const last = await listUserPage(ports.db, { q: prefix }, { limit: 2, after: [`${prefix}-more-000000`] });
    expect(last.items.map(({ username }) => username)).toEqual([`${prefix}-more-000001`]);
    expect(last.next).toBeNull();
  });

  /** Each row takes locks to the end of its statement, and Postgres has a bounded number of them. */
  async function people(prefix: string, number: number): Promise<void> {
    for (let from = 1; from <= number; from += 5000)
      await ports.db.execute(sql`
        insert into users (id, username, username_key, password_hash, claims)
        select gen_random_uuid(), name, name, '', '{}'::jsonb
        from (select ${prefix}::text || '-' || lpad(n::text, 6, '0') as name
          from generate_series(${from}::int, least(${from + 4999}::int, ${number}::int)) n) made`);
  }
});
