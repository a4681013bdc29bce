import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { consents } from '../../../src/storage/schema.ts';
import { deleteClient, disableUser, enableUser, saveClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import {
  type Asked,
  approvalOf,
  approve,
  givenClient,
  givenInteraction,
  givenRequest,
  givenSession,
  givenUser,
  loadInteraction,
  openPorts,
  type Person,
  type Ports,
  registration,
} from './ports.ts';

describe.each(databaseKinds)('remembering a consent on %s', (kind) => {
  let ports: Ports;
  let clientId: string;
  let person: Person;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  beforeEach(async () => {
    clientId = await givenClient(ports);
    person = await givenUser(ports);
  });
  afterAll(() => ports.close());

  async function allow(asked: Asked, remembers: boolean): Promise<void> {
    const session = await givenSession(ports, person);
    const approval = await approvalOf(ports, await givenInteraction(ports, clientId, asked), session, { remembers });
    expect(await approve(ports, approval)).toBe(true);
  }

  /** The consents for these resources together. */
  async function remembered(at: readonly string[] = HERE, by: Person = person) {
    const facts = await loadInteraction(ports, await givenInteraction(ports, clientId, { resources: at }), by.id);
    const ofRequest = await givenRequest(ports, clientId, { resources: at }, by.id);
    expect(ofRequest.remembered).toEqual(facts?.remembered);
    if (!facts?.remembered) return null;
    return { scope: [...facts.remembered.scope].sort(), resources: facts.remembered.resources };
  }

  const HERE = ['https://one.example'];
  const THERE = ['https://other.example'];
  const READ = { scope: ['read'], resources: HERE };
  const WRITE = { scope: ['write'], resources: HERE };

  test('a consent for one time is not remembered', async () => {
    await allow(READ, false);
    expect(await remembered()).toBeNull();
  });

  test('a consent is remembered', async () => {
    await allow(READ, true);
    expect(await remembered()).toEqual(READ);
  });

  test('a later consent for the same resources adds its scopes, once each', async () => {
    await allow(READ, true);
    await allow(WRITE, true);
    await allow(READ, true);
    expect(await remembered()).toEqual({ scope: ['read', 'write'], resources: HERE });
    expect(await ports.db.select().from(consents).where(eq(consents.clientId, clientId))).toHaveLength(1);
  });

  test('a consent for one resource does not cover another', async () => {
    await allow(WRITE, true);
    await allow({ scope: ['read'], resources: THERE }, true);
    expect(await remembered(HERE)).toEqual(WRITE);
    expect(await remembered(THERE)).toEqual({ scope: ['read'], resources: THERE });
    expect(await remembered([...HERE, ...THERE])).toBeNull();
  });

  test('a consent for one time does not widen it', async () => {
    await allow(READ, true);
    await allow(WRITE, false);
    expect(await remembered()).toEqual(READ);
  });

  test('another user, or none, has no consent', async () => {
    await allow(READ, true);
    expect(await remembered(HERE, await givenUser(ports))).toBeNull();
    const id = await givenInteraction(ports, clientId, { resources: HERE });
    const facts = await loadInteraction(ports, id);
    expect(facts?.remembered).toBeNull();
  });

  test('it is deleted with the user, and not merged into a later consent', async () => {
    await allow(READ, true);
    await disableUser(ports.db, person.username);
    await enableUser(ports.db, person.username);
    expect(await remembered()).toBeNull();
    await allow(WRITE, true);
    expect(await remembered()).toEqual(WRITE);
  });

  test('it is deleted with the client, and not merged into a later consent', async () => {
    await allow(READ, true);
    await deleteClient(ports.db, clientId);
    await saveClient(ports.db, registration(clientId));
    expect(await remembered()).toBeNull();
    await allow(WRITE, true);
    expect(await remembered()).toEqual(WRITE);
  });
});
