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
  openWorld,
  type Person,
  registration,
  type World,
} from './world.ts';

describe.each(databaseKinds)('remembering a consent on %s', (kind) => {
  let world: World;
  let clientId: string;
  let person: Person;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  beforeEach(async () => {
    clientId = await givenClient(world);
    person = await givenUser(world);
  });
  afterAll(() => world.close());

  async function allow(asked: Asked, remembers: boolean): Promise<void> {
    const session = await givenSession(world, person);
    const approval = await approvalOf(world, await givenInteraction(world, clientId, asked), session, { remembers });
    expect(await approve(world, approval)).toBe(true);
  }

  /** The consents for these resources together. */
  async function remembered(at: readonly string[] = HERE, by: Person = person) {
    const facts = await loadInteraction(world, await givenInteraction(world, clientId, { resources: at }), by.id);
    const ofRequest = await givenRequest(world, clientId, { resources: at }, by.id);
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
    expect(await world.db.select().from(consents).where(eq(consents.clientId, clientId))).toHaveLength(1);
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
    expect(await remembered(HERE, await givenUser(world))).toBeNull();
    const id = await givenInteraction(world, clientId, { resources: HERE });
    const facts = await loadInteraction(world, id);
    expect(facts?.remembered).toBeNull();
  });

  test('it is deleted with the user, and not merged into a later consent', async () => {
    await allow(READ, true);
    await disableUser(world.db, person.username);
    await enableUser(world.db, person.username);
    expect(await remembered()).toBeNull();
    await allow(WRITE, true);
    expect(await remembered()).toEqual(WRITE);
  });

  test('it is deleted with the client, and not merged into a later consent', async () => {
    await allow(READ, true);
    await deleteClient(world.db, clientId);
    await saveClient(world.db, registration(clientId));
    expect(await remembered()).toBeNull();
    await allow(WRITE, true);
    expect(await remembered()).toEqual(WRITE);
  });
});
