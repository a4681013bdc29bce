import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteClient, saveClient } from '../../src/storage/clients.ts';
import { consents } from '../../src/storage/schema.ts';
import { disableUser, enableUser } from '../../src/storage/users.ts';
import { databaseKinds } from '../support/database.ts';
import {
  type Asked,
  approvalOf,
  givenClient,
  givenInteraction,
  givenSession,
  givenUser,
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

  async function allow(asked: Asked, remember: boolean): Promise<void> {
    const session = await givenSession(world, person);
    const approval = await approvalOf(world, await givenInteraction(world, clientId, asked), session, { remember });
    expect(await world.interactions.approveInteraction(approval)).toBe(true);
  }

  async function remembered(by: Person = person) {
    const facts = await world.interactions.loadInteraction({
      id: await givenInteraction(world, clientId),
      subjectId: by.id,
    });
    if (!facts?.remembered) return null;
    const { scope, resources } = facts.remembered;
    return { scope: [...scope].sort(), resources: [...resources].sort() };
  }

  const ONE = { scope: ['read'], resources: ['https://one.example'] };
  const OTHER = { scope: ['read', 'write'], resources: ['https://other.example'] };
  const BOTH = { scope: ['read', 'write'], resources: ['https://one.example', 'https://other.example'] };

  test('what was allowed this time only is not remembered', async () => {
    await allow(ONE, false);
    expect(await remembered()).toBeNull();
  });

  test('what was allowed is remembered', async () => {
    await allow(ONE, true);
    expect(await remembered()).toEqual(ONE);
  });

  test('what is allowed later is added, once each', async () => {
    await allow(ONE, true);
    await allow(OTHER, true);
    expect(await remembered()).toEqual(BOTH);
    expect(await world.db.select().from(consents).where(eq(consents.clientId, clientId))).toHaveLength(1);
  });

  test('what is allowed this time only does not widen it', async () => {
    await allow(ONE, true);
    await allow(OTHER, false);
    expect(await remembered()).toEqual(ONE);
  });

  test('nothing asked for is remembered as nothing', async () => {
    await allow({ scope: [], resources: [] }, true);
    expect(await remembered()).toEqual({ scope: [], resources: [] });
  });

  test('another person has allowed nothing, and nobody is no person', async () => {
    await allow(ONE, true);
    expect(await remembered(await givenUser(world))).toBeNull();
    const id = await givenInteraction(world, clientId);
    const facts = await world.interactions.loadInteraction({ id, subjectId: null });
    expect(facts?.remembered).toBeNull();
  });

  test('it is forgotten with the person, and not merged into what they allow afterwards', async () => {
    await allow(ONE, true);
    await disableUser(world.db, person.username);
    await enableUser(world.db, person.username);
    expect(await remembered()).toBeNull();
    await allow(OTHER, true);
    expect(await remembered()).toEqual(OTHER);
  });

  test('it is forgotten with the client, and not merged into what it gets afterwards', async () => {
    await allow(ONE, true);
    await deleteClient(world.db, clientId);
    await saveClient(world.db, registration(clientId));
    expect(await remembered()).toBeNull();
    await allow(OTHER, true);
    expect(await remembered()).toEqual(OTHER);
  });
});
