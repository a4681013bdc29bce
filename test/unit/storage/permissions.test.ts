import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantState } from '../../../src/model/grant.ts';
import { permissionStore } from '../../../src/storage/permissions.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { deleteClient, disableUser, enableUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import {
  approvalOf,
  approve,
  givenClient,
  givenRequest,
  givenSession,
  givenUser,
  loadGrant,
  openPorts,
  type Person,
  type Ports,
  reuseOf,
  revoke,
} from './ports.ts';

describe.each(databaseKinds)('the permissions of an end-user, on %s', (kind) => {
  let ports: Ports;
  let permissions: ReturnType<typeof permissionStore>;
  beforeAll(async () => {
    ports = await openPorts(kind);
    permissions = permissionStore(ports.db, ports.clock, testMacs);
  });
  afterAll(() => ports.close());

  /** A second later than the earlier permissions. @returns the id of the grant. */
  async function allow(person: Person, clientId: string, resources = ['https://api.example']): Promise<string> {
    ports.clock.advanceSeconds(1);
    const session = await givenSession(ports, person);
    const request = await givenRequest(ports, clientId, { resources });
    const approval = await approvalOf(ports, request, session, { remembers: true });
    if (!(await approve(ports, approval))) throw new Error('not approved');
    return approval.loaded.id;
  }

  test('have their clients and consents, the newest grant first, and the time', async () => {
    const person = await givenUser(ports);
    const [first, second] = [await givenClient(ports), await givenClient(ports)];
    const grants = [
      await allow(person, first),
      await allow(person, second),
      await allow(person, first, ['https://other.example']),
    ];
    const { now, ...loaded } = await permissions.load(person.id);
    expect(now).toEqual(ports.clock.now());
    expect(loaded.grants.map(({ id }) => id)).toEqual(grants.toReversed());
    expect(loaded.grants.map(grantState)).toEqual(['active', 'active', 'active']);
    const [, , oldest] = loaded.grants;
    expect(oldest).toEqual(await loadGrant(ports, { clientId: first, person, grantId: grants[0] ?? '' }));
    expect([...loaded.clients.keys()].sort()).toEqual([first, second].sort());
    expect(loaded.clients.get(second)).toMatchObject({ clientId: second });
    const kept = { clientId: first, scope: ['read', 'write'], grantedAt: now };
    expect(loaded.consents).toHaveLength(3);
    expect(loaded.consents).toContainEqual({ ...kept, resources: ['https://other.example'] });
  });

  test('are empty without a grant, and exclude those of others', async () => {
    const person = await givenUser(ports);
    await allow(await givenUser(ports), await givenClient(ports));
    expect(await permissions.load(person.id)).toMatchObject({ grants: [], consents: [], clients: new Map() });
  });

  test('need an existing end-user', async () => {
    await expect(permissions.load(randomUUID())).rejects.toThrow('The user of a live session has no row.');
  });

  test('exclude what a decision ended', async () => {
    const person = await givenUser(ports);
    const clientId = await givenClient(ports);
    const [ended, lives] = [await allow(person, clientId), await allow(person, clientId)];
    await revoke(ports, reuseOf(ports, await loadGrant(ports, { clientId, person, grantId: ended })));
    expect((await permissions.load(person.id)).grants.map(({ id }) => id)).toEqual([lives]);
    expect(await permissions.grantIds(person.id, clientId)).toEqual([lives]);
  });

  const ends: Record<string, { end: (person: Person, clientId: string) => Promise<unknown>; consents: number }> = {
    'the client was deleted': { end: (_, clientId) => deleteClient(ports.db, clientId), consents: 0 },
    'the end-user was disabled': { end: ({ username }) => disableUser(ports.db, username), consents: 0 },
    'the end-user was disabled and enabled': {
      end: async ({ username }) => {
        await disableUser(ports.db, username);
        await enableUser(ports.db, username);
      },
      consents: 0,
    },
    'the epoch of the server was raised': { end: () => raiseServerEpoch(ports.db), consents: 1 },
  };
  test.each(Object.entries(ends))('show that %s', async (_, { end, consents }) => {
    const person = await givenUser(ports);
    const clientId = await givenClient(ports);
    const grantId = await allow(person, clientId);
    await end(person, clientId);
    const loaded = await permissions.load(person.id);
    expect(loaded.grants.map(grantState)).toEqual(['revoked']);
    expect(loaded.grants[0]).toEqual(await loadGrant(ports, { clientId, person, grantId }));
    expect(loaded.consents).toHaveLength(consents);
    expect([...loaded.clients.keys()]).toEqual([clientId]);
  });

  test('include the newest of many grants of one client, and all of another client; revocation finds each', async () => {
    const person = await givenUser(ports);
    const [often, once] = [await givenClient(ports), await givenClient(ports)];
    const single = await allow(person, once);
    const first = await allow(person, often);
    await ports.db.execute(sql`
      insert into grants (id, client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources,
        policy, code_hash, code_challenge, redirect_uri, code_ends_at, state, created_at)
      select gen_random_uuid(), client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources,
        policy, code_hash, code_challenge, redirect_uri, code_ends_at, state, created_at + n * interval '1 second'
      from grants, generate_series(1, 200) n where id = ${first}::uuid`);
    const { grants } = await permissions.load(person.id);
    expect(grants.filter(({ clientId }) => clientId === often)).toHaveLength(200);
    expect(grants.map(({ id }) => id)).not.toContain(first);
    expect(grants.at(-1)?.id).toBe(single);
    const ids = await permissions.grantIds(person.id, often);
    expect(ids).toHaveLength(201);
    expect(ids[0]).toBe(first);
  });

  test('are deleted for one client of one end-user, counted, and in the ledger', async () => {
    const [person, another] = [await givenUser(ports), await givenUser(ports)];
    const [one, other] = [await givenClient(ports), await givenClient(ports)];
    await allow(person, one);
    await allow(person, one, ['https://other.example']);
    await allow(person, other);
    await allow(another, one);
    expect(await permissions.forgetConsents(person.id, one)).toBe(2);
    expect(await permissions.forgetConsents(person.id, one)).toBe(0);
    const entries = await ports.db.select().from(transitions).where(eq(transitions.machine, 'consent'));
    const entry = { event: 'withdrawn', fromState: 'remembered', toState: 'ended', userId: person.id, clientId: one };
    const said = { ...entry, shardKey: person.id, actor: `end_user ${person.id}` };
    expect(entries.filter(({ userId }) => userId === person.id)).toMatchObject([said, said]);
    expect(entries.filter(({ userId }) => userId === another.id)).toEqual([]);
    expect((await permissions.load(person.id)).consents).toMatchObject([{ clientId: other }]);
    expect((await permissions.load(another.id)).consents).toMatchObject([{ clientId: one }]);
  });
});
