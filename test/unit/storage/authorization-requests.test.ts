/** The facts of an authorization request: one statement, alone or with others. */

import { randomBytes } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { interactionStore } from '../../../src/storage/interaction-store.ts';
import { clients, users } from '../../../src/storage/schema.ts';
import { deleteClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testClients, testMacs } from '../../support/macs.ts';
import {
  approvalOf,
  approve,
  givenClient,
  givenInteraction,
  givenSession,
  givenUser,
  openPorts,
  type Person,
  type Ports,
} from './ports.ts';

describe.each(databaseKinds)('an authorization request on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const load = (clientId: string, sessionIdHash: Uint8Array | null = null) =>
    ports.interactions.loadRequest({ clientId, sessionIdHash });

  async function allow(clientId: string, person: Person, scope: string[], resources: string[]): Promise<void> {
    const approval = await approvalOf(
      ports,
      await givenInteraction(ports, clientId, { scope, resources }),
      await givenSession(ports, person),
      { remembers: true },
    );
    expect(await approve(ports, approval)).toBe(true);
  }

  test('has its client, by the clock of the database', async () => {
    const clientId = await givenClient(ports);
    const { client } = await ports.grants.loadClient(clientId);
    expect(await load(clientId)).toEqual({ now: ports.clock.now(), client, session: null, remembered: [] });
  });

  test('may name an unknown client, and have an unknown cookie', async () => {
    expect(await load('unknown', randomBytes(32))).toMatchObject({ client: null, session: null, remembered: [] });
  });

  test('of a deleted client is reported as such', async () => {
    const clientId = await givenClient(ports);
    await deleteClient(ports.db, clientId);
    expect((await load(clientId)).client?.deletedAt).toBeInstanceOf(Date);
  });

  test('has the session of its cookie, equal to a separate load', async () => {
    const clientId = await givenClient(ports);
    const person = await givenUser(ports);
    const { idHash } = await givenSession(ports, person);
    for (const change of [{}, { epoch: 1n }, { epoch: 2n, disabledAt: new Date() }]) {
      await ports.db
        .update(users)
        .set({ username: person.username, ...change })
        .where(eq(users.id, person.id));
      const { now, session } = await ports.sessions.load({ idHash });
      expect(session).toMatchObject({ userId: person.id });
      expect(await load(clientId, idHash)).toMatchObject({ now, session });
    }
  });

  test('has the consents of this end-user for this client, for each set of resources', async () => {
    const [clientId, another] = [await givenClient(ports), await givenClient(ports)];
    const [person, otherUser] = [await givenUser(ports), await givenUser(ports)];
    await allow(clientId, person, ['read'], ['https://one.example']);
    await allow(clientId, person, ['write'], ['https://one.example', 'https://other.example']);
    await allow(another, person, ['read', 'write'], ['https://one.example']);
    await allow(clientId, otherUser, ['read', 'write'], ['https://one.example']);
    const { idHash } = await givenSession(ports, person);
    const { remembered } = await load(clientId, idHash);
    expect(remembered.toSorted((one, other) => one.resources.length - other.resources.length)).toMatchObject([
      { scope: ['read'], resources: ['https://one.example'], grantedAt: ports.clock.now() },
      { scope: ['write'], resources: ['https://one.example', 'https://other.example'], grantedAt: ports.clock.now() },
    ]);
    expect((await load(clientId)).remembered).toEqual([]);
  });

  test.each([
    ['client', (clientId: string) => ports.db.update(clients).set(RAISED).where(eq(clients.clientId, clientId))],
    ['end-user', (_: string, { id }: Person) => ports.db.update(users).set(RAISED).where(eq(users.id, id))],
  ])('has no consent from before the %s signed out everywhere', async (_, happens) => {
    const clientId = await givenClient(ports);
    const person = await givenUser(ports);
    await allow(clientId, person, ['read'], ['https://one.example']);
    const { idHash } = await givenSession(ports, person);
    expect((await load(clientId, idHash)).remembered).toHaveLength(1);
    await happens(clientId, person);
    expect((await load(clientId, idHash)).remembered).toEqual([]);
  });
  const RAISED = { epoch: sql`epoch + 1` };

  test('shares its statement with concurrent ones, and each has its own answer', async () => {
    const execute = vi.fn();
    const { session } = ports.db as unknown as { session: { prepareQuery: (...given: unknown[]) => Statement } };
    const prepare = session.prepareQuery.bind(session);
    const spy = vi.spyOn(session, 'prepareQuery').mockImplementation((...given) => {
      const statement = prepare(...given);
      const run = statement.execute.bind(statement);
      return Object.assign(statement, {
        execute: (values: unknown) => {
          execute(given[2]);
          return run(values);
        },
      });
    });
    const store = interactionStore(ports.db, ports.clock, testMacs, testClients);
    spy.mockRestore();

    const clientId = await givenClient(ports);
    const people = [await givenUser(ports), await givenUser(ports)];
    const keys = [];
    for (const person of people) {
      await allow(clientId, person, [person.username], ['https://one.example']);
      await allow(clientId, person, [person.username], ['https://other.example']);
      keys.push({ clientId, sessionIdHash: (await givenSession(ports, person)).idHash });
    }
    const asked = [...keys, { clientId: 'unknown', sessionIdHash: null }, ...keys];
    const alone = [];
    for (const key of asked) alone.push(await store.loadRequest(key));
    expect(alone.map(({ session: found, remembered }) => [found?.userId, remembered.length])).toEqual([
      [people[0]?.id, 2],
      [people[1]?.id, 2],
      [undefined, 0],
      [people[0]?.id, 2],
      [people[1]?.id, 2],
    ]);
    execute.mockClear();
    expect(await Promise.all(asked.map((key) => store.loadRequest({ ...key })))).toEqual(alone);
    expect(execute.mock.calls).toEqual([['load_authorization_requests']]);
  });
});

type Statement = { execute: (values: unknown) => Promise<unknown> };
