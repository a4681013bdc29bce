import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Approval } from '../../../src/lifecycles/interaction.ts';
import type { Session } from '../../../src/model/session.ts';
import { deleteClient, saveClient } from '../../../src/storage/clients.ts';
import { clients, grants, interactions, users } from '../../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { disableUser, enableUser } from '../../../src/storage/users.ts';
import { databaseKinds } from '../../support/database.ts';
import { unheld } from '../../support/unheld.ts';
import {
  approvalOf,
  approve,
  givenClient,
  givenInteraction,
  givenSession,
  givenUser,
  ledgerOf,
  openWorld,
  type Person,
  registration,
  type World,
} from './world.ts';

type Asking = {
  readonly clientId: string;
  readonly person: Person;
  readonly session: Session;
  readonly interactionId: string;
  readonly approval: Approval;
};

async function givenAsking(world: World): Promise<Asking> {
  const clientId = await givenClient(world);
  const person = await givenUser(world);
  const session = await givenSession(world, person);
  const interactionId = await givenInteraction(world, clientId);
  return { clientId, person, session, interactionId, approval: await approvalOf(world, interactionId, session) };
}

type Interference = (world: World, asking: Asking) => Promise<unknown>;

const interferences: Record<string, Interference> = {
  'the person was disabled': ({ db }, { person }) => disableUser(db, person.username),
  'the person was disabled and enabled again': async ({ db }, { person }) => {
    await disableUser(db, person.username);
    await enableUser(db, person.username);
  },
  'the person was marked as disabled': ({ db, clock }, { person }) =>
    unheld(db, (own) => own.update(users).set({ disabledAt: clock.now() }).where(eq(users.id, person.id))),
  'the client was deleted': ({ db }, { clientId }) => deleteClient(db, clientId),
  'the client was deleted and registered again': async ({ db }, { clientId }) => {
    await deleteClient(db, clientId);
    await saveClient(db, registration(clientId));
  },
  'the client was marked as deleted': ({ db, clock }, { clientId }) =>
    unheld(db, (own) => own.update(clients).set({ deletedAt: clock.now() }).where(eq(clients.clientId, clientId))),
  'the server ended every session': ({ db }) => raiseServerEpoch(db),
  'somebody refused in the meantime': ({ db }, { interactionId }) =>
    db.update(interactions).set({ state: 'denied' }).where(eq(interactions.id, interactionId)),
  'another person took it over': async (world, { interactionId }) => {
    const { id } = await givenUser(world);
    await world.db.update(interactions).set({ userId: id }).where(eq(interactions.id, interactionId));
  },
};

describe.each(databaseKinds)('approving an interaction on %s', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  const grantsOf = (interactionId: string) =>
    world.db.select().from(grants).where(eq(grants.interactionId, interactionId));

  test('it makes the grant, with the epochs that the person saw, and one line', async () => {
    const { clientId, person, session, interactionId, approval } = await givenAsking(world);
    expect(await approve(world, approval)).toBe(true);
    const { loaded, grantId, codeHash, codeEndsAt, now } = approval;
    expect(await grantsOf(interactionId)).toEqual([
      {
        id: grantId,
        interactionId,
        clientId,
        userId: person.id,
        clientEpoch: loaded.clientEpoch,
        userEpoch: session.userEpoch,
        serverEpoch: session.serverEpoch,
        scope: loaded.scope,
        resources: loaded.resources,
        policy: 'default',
        identity: null,
        codeHash,
        codeChallenge: loaded.codeChallenge,
        redirectUri: loaded.redirectUri,
        codeEndsAt,
        state: 'active',
        revokedAt: null,
        revokedReason: null,
        refreshGeneration: null,
        refreshNonce: null,
        createdAt: now,
        lastUsedAt: null,
        chainEndsAt: null,
      },
    ]);
    expect(await ledgerOf(world, interactionId)).toEqual([
      {
        at: now,
        machine: 'interaction',
        grantId,
        interactionId,
        event: 'consented',
        fromState: 'awaitingSignIn',
        toState: 'approved',
        reason: null,
        generation: null,
        clientId,
        policy: 'default',
        signingKeyId: null,
        sessionId: null,
        scopeWithheld: null,
      },
    ]);
    const facts = await world.interactions.load({ id: interactionId, userId: person.id });
    expect(facts?.interaction).toMatchObject({ state: 'approved', userId: person.id });
    expect(facts?.grant).toEqual({ id: grantId, codeIsUnused: true, codeEndsAt, codeHash });
  });

  test('a double submit makes one grant', async () => {
    const { session, interactionId } = await givenAsking(world);
    const submits = await Promise.all(Array.from({ length: 10 }, () => approvalOf(world, interactionId, session)));
    const approved = await Promise.all(submits.map((submit) => approve(world, submit)));
    expect(approved.filter(Boolean)).toHaveLength(1);
    expect(await grantsOf(interactionId)).toHaveLength(1);
    expect(await ledgerOf(world, interactionId)).toHaveLength(1);
  });

  test('no interaction can have two grants, whoever writes them', async () => {
    const { interactionId, approval } = await givenAsking(world);
    await approve(world, approval);
    const [row] = await grantsOf(interactionId);
    if (!row) throw new Error('no grant');
    const second = { ...row, id: '00000000-0000-4000-8000-000000000001' };
    await expect(world.db.insert(grants).values(second)).rejects.toThrow();
    expect(await grantsOf(interactionId)).toHaveLength(1);
  });

  test.each(Object.entries(interferences))('it loses, and nothing is written, when %s', async (_, interfere) => {
    const asking = await givenAsking(world);
    const { interactionId, person, clientId } = asking;
    await interfere(world, asking);
    expect(await approve(world, { ...asking.approval, remembers: true })).toBe(false);
    expect(await grantsOf(interactionId)).toEqual([]);
    expect(await ledgerOf(world, interactionId)).toEqual([]);
    const another = await givenInteraction(world, clientId);
    const facts = await world.interactions.load({ id: another, userId: person.id });
    expect(facts?.remembered).toBeNull();
  });
});
