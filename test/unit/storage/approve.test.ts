import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Approval } from '../../../src/lifecycles/interaction/lifecycle.ts';
import { endSession } from '../../../src/lifecycles/session/lifecycle.ts';
import type { Session } from '../../../src/model/session.ts';
import { clients, grants, interactions, users } from '../../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { deleteClient, disableUser, enableUser, saveClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { unheld } from '../../support/unheld.ts';
import {
  approvalOf,
  approve,
  givenClient,
  givenInteraction,
  givenRequest,
  givenSession,
  givenUser,
  ledgerOf,
  loadInteraction,
  moveHead,
  moveInteraction,
  NOBODY_ASKED,
  nextMove,
  openWorld,
  type Person,
  registration,
  reuseOf,
  revoke,
  SESSION_LIFETIME_SECONDS,
  type World,
} from './world.ts';

type Asking = {
  readonly clientId: string;
  readonly person: Person;
  readonly session: Session;
  readonly interactionId: string;
  readonly approval: Approval;
};

/** @param isStored false: the first step is the approval, which stores it. */
async function givenAsking(world: World, isStored: boolean): Promise<Asking> {
  const clientId = await givenClient(world);
  const person = await givenUser(world);
  const session = await givenSession(world, person);
  const given = isStored ? await givenInteraction(world, clientId) : await givenRequest(world, clientId);
  const interactionId = typeof given === 'string' ? given : given.interaction.id;
  return { clientId, person, session, interactionId, approval: await approvalOf(world, given, session) };
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
  'the person signed out': ({ sessions }, { session }) =>
    endSession(
      { sessions, lifetimes: () => ({ sessionLifetimeSeconds: SESSION_LIFETIME_SECONDS }), sleep: async () => {} },
      session,
      'signOutRequested',
    ),
  'its time is over': async ({ clock }) => clock.advanceSeconds(60),
  'the consent that it relies on is not there': async (_, asking) => {
    Object.assign(asking.approval, { reliesOnConsent: true });
  },
};

/** Of one that is stored. */
const changes: Record<string, Interference> = {
  'another request denied it in the meantime': ({ db }, { interactionId }) =>
    db.update(interactions).set({ state: 'denied' }).where(eq(interactions.id, interactionId)),
  'another person took it over': async (world, { interactionId }) => {
    const { id } = await givenUser(world);
    await world.db.update(interactions).set({ userId: id }).where(eq(interactions.id, interactionId));
  },
};

const kinds = databaseKinds.flatMap((kind) => [
  { kind, isStored: true, what: 'that is stored' },
  { kind, isStored: false, what: 'that is in no row' },
]);

describe.each(kinds)('approving an interaction $what on $kind', ({ kind, isStored }) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  const grantsOf = (interactionId: string) => world.db.select().from(grants).where(eq(grants.id, interactionId));

  test('it makes the grant, with the epochs at the approval, and one entry', async () => {
    const { clientId, person, session, interactionId, approval } = await givenAsking(world, isStored);
    expect(await approve(world, approval)).toBe(true);
    const { loaded, codeHash, codeEndsAt, now } = approval;
    expect(await grantsOf(interactionId)).toEqual([
      {
        id: interactionId,
        clientId,
        userId: person.id,
        clientEpoch: loaded.clientEpoch,
        userEpoch: session.userEpoch,
        serverEpoch: session.serverEpoch,
        scope: loaded.scope,
        resources: loaded.resources,
        policy: 'default',
        identity: approval.identity,
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
        shardKey: interactionId,
        grantId: interactionId,
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
        ...NOBODY_ASKED,
      },
    ]);
    const facts = await loadInteraction(world, interactionId, person.id);
    expect(facts?.interaction).toEqual({ ...loaded, state: 'approved', userId: person.id });
    expect(facts?.grant).toEqual({ id: interactionId, codeIsUnused: true, codeEndsAt, codeHash });
  });

  test('a double submit makes one grant', async () => {
    const { approval, interactionId } = await givenAsking(world, isStored);
    const submits = Array.from({ length: 10 }, () => ({ ...approval, codeHash: randomBytes(32) }));
    const approved = await Promise.all(submits.map((submit) => approve(world, submit)));
    expect(approved.filter(Boolean)).toHaveLength(1);
    expect(await grantsOf(interactionId)).toHaveLength(1);
    expect(await ledgerOf(world, interactionId)).toHaveLength(1);
  });

  test('the grant keeps the sign-in for ID Tokens, and its policy', async () => {
    const { approval, interactionId } = await givenAsking(world, isStored);
    const identity = { nonce: 'n-0S6_WzA2Mj', authTime: 1_700_000_000, sid: approval.session.sid };
    const entry = { ...approval.entry, reason: 'a_reason' };
    expect(await approve(world, { ...approval, identity, policy: 'strict', entry })).toBe(true);
    expect(await grantsOf(interactionId)).toMatchObject([{ identity, policy: 'strict' }]);
    expect(await ledgerOf(world, interactionId)).toMatchObject([{ policy: 'strict', reason: 'a_reason' }]);
  });

  test('its code is unused until it is exchanged, or the grant revoked', async () => {
    for (const end of ['exchange', 'revocation']) {
      const { approval, clientId, interactionId } = await givenAsking(world, isStored);
      await approve(world, approval);
      const isUnused = async () => (await loadInteraction(world, interactionId))?.grant?.codeIsUnused;
      expect(await isUnused()).toBe(true);
      const { grant } = await world.grants.load({ clientId, grantId: approval.loaded.id });
      if (!grant) throw new Error('no grant');
      await (end === 'exchange' ? moveHead(world, nextMove(world, grant)) : revoke(world, reuseOf(world, grant)));
      expect(await isUnused()).toBe(false);
    }
  });

  test('without a consent page, an earlier consent in force is enough', async () => {
    const { approval, clientId, session } = await givenAsking(world, isStored);
    const earlier = await approvalOf(world, await givenRequest(world, clientId), session, { remembers: true });
    expect(await approve(world, earlier)).toBe(true);
    expect(await approve(world, { ...approval, reliesOnConsent: true })).toBe(true);
  });

  test('without a consent page, an earlier consent to less, or for another resource, is not enough', async () => {
    for (const less of [{ scope: ['read'] }, { resources: ['https://other.example'] }]) {
      const { approval, clientId, session } = await givenAsking(world, isStored);
      const earlier = await approvalOf(world, await givenRequest(world, clientId, less), session, { remembers: true });
      expect(await approve(world, earlier)).toBe(true);
      expect(await approve(world, { ...approval, reliesOnConsent: true })).toBe(false);
    }
  });

  if (!isStored)
    test('a row that another request has stored in between is not stored again', async () => {
      const { approval, interactionId, person } = await givenAsking(world, isStored);
      const { loaded, now, entry } = approval;
      const move = { loaded, isStored, now, to: 'denied' as const, userId: person.id, entry };
      expect(await moveInteraction(world, move)).toBe(true);
      expect(await approve(world, approval)).toBe(false);
      expect(await grantsOf(interactionId)).toEqual([]);
      expect((await loadInteraction(world, interactionId))?.interaction.state).toBe('denied');
    });

  test('no interaction can have two grants, by any writer', async () => {
    const { interactionId, approval } = await givenAsking(world, isStored);
    await approve(world, approval);
    const [row] = await grantsOf(interactionId);
    if (!row) throw new Error('no grant');
    const second = { ...row, codeHash: randomBytes(32) };
    await expect(world.db.insert(grants).values(second)).rejects.toThrow();
    expect(await grantsOf(interactionId)).toHaveLength(1);
  });

  const all = { ...interferences, ...(isStored ? changes : {}) };
  test.each(Object.entries(all))('it fails, and no row is written, when %s', async (_, interfere) => {
    const asking = await givenAsking(world, isStored);
    const { interactionId, person, clientId } = asking;
    await interfere(world, asking);
    expect(await approve(world, { ...asking.approval, remembers: true })).toBe(false);
    expect(await grantsOf(interactionId)).toEqual([]);
    expect(await ledgerOf(world, interactionId)).toEqual([]);
    const another = await givenInteraction(world, clientId);
    const facts = await loadInteraction(world, another, person.id);
    expect(facts?.remembered).toBeNull();
    if (!isStored) expect(await loadInteraction(world, interactionId)).toBeNull();
  });
});
