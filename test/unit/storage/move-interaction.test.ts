import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InteractionMove, StoredInteraction } from '../../../src/lifecycles/interaction/lifecycle.ts';
import { databaseKinds } from '../../support/database.ts';
import {
  givenClient,
  givenInteraction,
  givenRequest,
  givenUser,
  ledgerOf,
  loadInteraction,
  moveInteraction,
  NOBODY_ASKED,
  openPorts,
  type Ports,
} from './ports.ts';

describe.each(databaseKinds)('moving an interaction on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  async function load(id: string): Promise<StoredInteraction> {
    const facts = await loadInteraction(ports, id);
    if (!facts) throw new Error('unknown interaction');
    return facts;
  }

  const signedIn = ({ interaction, isStored }: StoredInteraction, userId: string): InteractionMove => ({
    loaded: interaction,
    isStored,
    now: ports.clock.now(),
    to: 'awaitingConsent',
    userId,
    entry: {
      machine: 'interaction',
      event: 'signedIn',
      from: interaction.state,
      to: 'awaitingConsent',
      reason: null,
      generation: null,
    },
  });

  test('it begins without a user, is in no row, and expires', async () => {
    const clientId = await givenClient(ports);
    const facts = await givenRequest(ports, clientId);
    const { id } = facts.interaction;
    expect(facts).toMatchObject({
      now: ports.clock.now(),
      interaction: { id, clientId, state: 'awaitingSignIn', userId: null, requestState: 'xyz' },
      isStored: false,
      client: { clientId },
      remembered: null,
      grant: null,
    });
    expect(facts.interaction.createdAt).toEqual(ports.clock.now());
    expect(facts.interaction.endsAt).toEqual(new Date(ports.clock.now().getTime() + 60_000));
    expect(await loadInteraction(ports, id)).toBeNull();
    ports.clock.advanceSeconds(1);
    const again = await ports.interactions.load({ id, requested: facts.interaction }, null);
    expect(again).toEqual({ ...facts, now: ports.clock.now() });
  });

  test('an unknown one is null', async () => {
    expect(await loadInteraction(ports, randomUUID())).toBeNull();
  });

  const given = async (isStored: boolean): Promise<StoredInteraction> => {
    const clientId = await givenClient(ports);
    return isStored ? load(await givenInteraction(ports, clientId)) : givenRequest(ports, clientId);
  };

  test.each([true, false])('it is bound to the signed-in user, with one entry (stored: %s)', async (isStored) => {
    const loaded = await given(isStored);
    const { id } = loaded.interaction;
    const { id: userId } = await givenUser(ports);
    expect(await moveInteraction(ports, signedIn(loaded, userId))).toBe(true);
    const moved = await load(id);
    expect(moved.isStored).toBe(true);
    expect(moved.interaction).toEqual({ ...loaded.interaction, state: 'awaitingConsent', userId });
    // The text in the browser has no effect any longer: the row decides.
    const carried = await ports.interactions.load({ id, requested: loaded.interaction }, null);
    expect(carried).toEqual(moved);
    expect(await ledgerOf(ports, id)).toMatchObject([
      {
        machine: 'interaction',
        event: 'signedIn',
        fromState: 'awaitingSignIn',
        toState: 'awaitingConsent',
        grantId: null,
      },
    ]);
  });

  test('the first move stores every requested parameter but the login_hint, and the entry gives the reason', async () => {
    const { id: userId } = await givenUser(ports);
    const loaded = await givenRequest(ports, await givenClient(ports), {
      requestState: null,
      nonce: 'n-0S6_WzA2Mj',
      prompt: ['login', 'consent'],
      maxAgeSeconds: 300,
      hintedUserId: userId,
      loginHint: 'ada',
      responseMode: 'form_post',
    });
    const { interaction } = loaded;
    const move = signedIn(loaded, userId);
    expect(await moveInteraction(ports, { ...move, entry: { ...move.entry, reason: 'a_reason' } })).toBe(true);
    expect((await load(interaction.id)).interaction).toEqual({
      ...interaction,
      state: 'awaitingConsent',
      userId,
      loginHint: null,
    });
    expect(await ledgerOf(ports, interaction.id)).toEqual([
      {
        at: move.now,
        machine: 'interaction',
        shardKey: interaction.id,
        grantId: null,
        interactionId: interaction.id,
        event: 'signedIn',
        fromState: 'awaitingSignIn',
        toState: 'awaitingConsent',
        reason: 'a_reason',
        generation: null,
        clientId: interaction.clientId,
        policy: null,
        signingKeyId: null,
        sessionId: null,
        scopeWithheld: null,
        ...NOBODY_ASKED,
      },
    ]);
  });

  test('a stored one moves also after its end, as to expired', async () => {
    const loaded = await given(true);
    const { id: userId } = await givenUser(ports);
    ports.clock.advanceSeconds(60);
    expect(await moveInteraction(ports, signedIn(loaded, userId))).toBe(true);
  });

  test('in another state in between: it does not move', async () => {
    const loaded = await given(true);
    const { id: userId } = await givenUser(ports);
    expect(await moveInteraction(ports, { ...signedIn(loaded, userId), to: 'denied', userId: null })).toBe(true);
    expect(await moveInteraction(ports, signedIn(loaded, userId))).toBe(false);
    expect((await load(loaded.interaction.id)).interaction.state).toBe('denied');
  });

  test('of a client without a row cannot be loaded', async () => {
    const { interaction } = await given(false);
    const requested = { ...interaction, clientId: 'unknown' };
    const loading = ports.interactions.load({ id: interaction.id, requested }, null);
    await expect(loading).rejects.toThrow('The client of an interaction has no row.');
  });

  test('after its end it is not stored: its row may have been there, and gone', async () => {
    const loaded = await given(false);
    const { id: userId } = await givenUser(ports);
    ports.clock.advanceSeconds(60);
    expect(await moveInteraction(ports, signedIn(loaded, userId))).toBe(false);
    expect(await loadInteraction(ports, loaded.interaction.id)).toBeNull();
    expect(await ledgerOf(ports, loaded.interaction.id)).toEqual([]);
  });

  test.each([true, false])('of two users who sign in concurrently, one gets it (stored: %s)', async (isStored) => {
    const loaded = await given(isStored);
    const { id } = loaded.interaction;
    const people = [await givenUser(ports), await givenUser(ports)];
    const moves = people.map((person) => moveInteraction(ports, signedIn(loaded, person.id)));
    const moved = await Promise.all(moves);
    expect(moved.filter(Boolean)).toHaveLength(1);
    expect((await load(id)).interaction.userId).toBe(people[moved.indexOf(true)]?.id);
    expect(await ledgerOf(ports, id)).toHaveLength(1);
  });

  test('another user in between: it does not move', async () => {
    const id = await givenInteraction(ports, await givenClient(ports));
    const [first, second] = [await givenUser(ports), await givenUser(ports)];
    await moveInteraction(ports, signedIn(await load(id), first.id));
    const asFirst = await load(id);
    await moveInteraction(ports, signedIn(asFirst, second.id));
    expect(await moveInteraction(ports, signedIn(asFirst, first.id))).toBe(false);
    expect((await load(id)).interaction.userId).toBe(second.id);
  });
});
