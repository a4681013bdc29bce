import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InteractionMove } from '../../../src/lifecycles/interaction.ts';
import type { Interaction } from '../../../src/model/interaction.ts';
import { databaseKinds } from '../../support/database.ts';
import { givenClient, givenInteraction, givenUser, ledgerOf, moveInteraction, openWorld, type World } from './world.ts';

describe.each(databaseKinds)('moving an interaction on %s', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  async function load(id: string): Promise<Interaction> {
    const facts = await world.interactions.load({ id, userId: null });
    if (!facts) throw new Error('no such interaction');
    return facts.interaction;
  }

  const signedIn = (loaded: Interaction, userId: string): InteractionMove => ({
    loaded,
    now: world.clock.now(),
    to: 'awaitingConsent',
    userId,
    entry: {
      machine: 'interaction',
      event: 'signedIn',
      from: loaded.state,
      to: 'awaitingConsent',
      reason: null,
      generation: null,
    },
  });

  test('it begins by waiting for somebody, and ends in time', async () => {
    const clientId = await givenClient(world);
    const id = await givenInteraction(world, clientId);
    const facts = await world.interactions.load({ id, userId: null });
    expect(facts).toMatchObject({
      now: world.clock.now(),
      interaction: { id, clientId, state: 'awaitingSignIn', userId: null, requestState: 'xyz' },
      client: { clientId },
      remembered: null,
      grant: null,
    });
    expect(facts?.interaction.endsAt).toEqual(new Date(world.clock.now().getTime() + 60_000));
  });

  test('an unknown one is null', async () => {
    expect(await world.interactions.load({ id: randomUUID(), userId: null })).toBeNull();
  });

  test('it is bound to the person who signed in, with one line', async () => {
    const id = await givenInteraction(world, await givenClient(world));
    const { id: userId } = await givenUser(world);
    expect(await moveInteraction(world, signedIn(await load(id), userId))).toBe(true);
    expect(await load(id)).toMatchObject({ state: 'awaitingConsent', userId });
    expect(await ledgerOf(world, id)).toMatchObject([
      {
        machine: 'interaction',
        event: 'signedIn',
        fromState: 'awaitingSignIn',
        toState: 'awaitingConsent',
        grantId: null,
      },
    ]);
  });

  test('of two people who sign in at once, one gets it', async () => {
    const id = await givenInteraction(world, await givenClient(world));
    const loaded = await load(id);
    const people = [await givenUser(world), await givenUser(world)];
    const moves = people.map((person) => moveInteraction(world, signedIn(loaded, person.id)));
    const moved = await Promise.all(moves);
    expect(moved.filter(Boolean)).toHaveLength(1);
    expect((await load(id)).userId).toBe(people[moved.indexOf(true)]?.id);
    expect(await ledgerOf(world, id)).toHaveLength(1);
  });

  test('another person in between: it does not move', async () => {
    const id = await givenInteraction(world, await givenClient(world));
    const [first, second] = [await givenUser(world), await givenUser(world)];
    await moveInteraction(world, signedIn(await load(id), first.id));
    const asFirst = await load(id);
    await moveInteraction(world, signedIn(asFirst, second.id));
    expect(await moveInteraction(world, signedIn(asFirst, first.id))).toBe(false);
    expect((await load(id)).userId).toBe(second.id);
  });
});
