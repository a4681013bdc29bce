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
  openPorts,
  type Person,
  type Ports,
  registration,
  reuseOf,
  revoke,
  SESSION_LIFETIME_SECONDS,
} from './ports.ts';

type Asking = {
  readonly clientId: string;
  readonly person: Person;
  readonly session: Session;
  readonly interactionId: string;
  readonly approval: Approval;
};

/** `unstored`: the first step is the approval, which stores it; `alone`: the approval stores its grant and no interaction. */
type Row = 'stored' | 'unstored' | 'alone';

async function givenAsking(ports: Ports, row: Row): Promise<Asking> {
  const clientId = await givenClient(ports);
  const person = await givenUser(ports);
  const session = await givenSession(ports, person);
  const given = row === 'stored' ? await givenInteraction(ports, clientId) : await givenRequest(ports, clientId);
  const interactionId = typeof given === 'string' ? given : given.interaction.id;
  const approval = await approvalOf(ports, given, session, { grantAlone: row === 'alone' });
  return { clientId, person, session, interactionId, approval };
}

type Interference = (ports: Ports, asking: Asking) => Promise<unknown>;

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
    Object.assign(asking.approval, { reliesOn: 'consent' });
  },
};

/** Of one that is stored. */
const changes: Record<string, Interference> = {
  'another request denied it in the meantime': ({ db }, { interactionId }) =>
    db.update(interactions).set({ state: 'denied' }).where(eq(interactions.id, interactionId)),
  'another person took it over': async (ports, { interactionId }) => {
    const { id } = await givenUser(ports);
    await ports.db.update(interactions).set({ userId: id }).where(eq(interactions.id, interactionId));
  },
};

const kinds = databaseKinds.flatMap((kind) => [
  { kind, row: 'stored', what: 'that is stored' } as const,
  { kind, row: 'unstored', what: 'that is in no row' } as const,
  { kind, row: 'alone', what: 'that gets no row' } as const,
]);

describe.each(kinds)('approving an interaction $what on $kind', ({ kind, row }) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const loadAgain = ({ loaded, session }: Approval) =>
    ports.interactions.load({ id: loaded.id, requested: row === 'alone' ? loaded : null }, session.userId);
  const grantsOf = (interactionId: string) => ports.db.select().from(grants).where(eq(grants.id, interactionId));

  test('it makes the grant, with the epochs at the approval, and one entry', async () => {
    const { clientId, person, session, interactionId, approval } = await givenAsking(ports, row);
    expect(await approve(ports, approval)).toBe(true);
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
        dpopJkt: loaded.dpopJkt,
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
    expect(await ledgerOf(ports, interactionId)).toEqual([
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
    const facts = await loadAgain(approval);
    const answered = row === 'alone' ? {} : { state: 'approved', userId: person.id };
    expect(facts?.interaction).toEqual({ ...loaded, ...answered });
    expect(facts?.isStored).toBe(row !== 'alone');
    expect(facts?.grant).toEqual({ id: interactionId, userId: person.id, codeIsUnused: true, codeEndsAt, codeHash });
  });

  test('a double submit makes one grant', async () => {
    const { approval, interactionId } = await givenAsking(ports, row);
    const submits = Array.from({ length: 10 }, () => ({ ...approval, codeHash: randomBytes(32) }));
    const approved = await Promise.all(submits.map((submit) => approve(ports, submit)));
    expect(approved.filter(Boolean)).toHaveLength(1);
    expect(await grantsOf(interactionId)).toHaveLength(1);
    expect(await ledgerOf(ports, interactionId)).toHaveLength(1);
  });

  test('the grant keeps the sign-in for ID Tokens, and its policy', async () => {
    const { approval, interactionId } = await givenAsking(ports, row);
    const identity = { nonce: 'n-0S6_WzA2Mj', authTime: 1_700_000_000, sid: approval.session.sid };
    const entry = { ...approval.entry, reason: 'a_reason' };
    expect(await approve(ports, { ...approval, identity, policy: 'strict', entry })).toBe(true);
    expect(await grantsOf(interactionId)).toMatchObject([{ identity, policy: 'strict' }]);
    expect(await ledgerOf(ports, interactionId)).toMatchObject([{ policy: 'strict', reason: 'a_reason' }]);
  });

  test('its code is unused until it is exchanged, or the grant revoked', async () => {
    for (const end of ['exchange', 'revocation']) {
      const { approval, clientId } = await givenAsking(ports, row);
      await approve(ports, approval);
      const isUnused = async () => (await loadAgain(approval))?.grant?.codeIsUnused;
      expect(await isUnused()).toBe(true);
      const { grant } = await ports.grants.load({ clientId, grantId: approval.loaded.id });
      if (!grant) throw new Error('no grant');
      await (end === 'exchange' ? moveHead(ports, nextMove(ports, grant)) : revoke(ports, reuseOf(ports, grant)));
      expect(await isUnused()).toBe(false);
    }
  });

  test('without a consent page, an earlier consent in force is enough', async () => {
    const { approval, clientId, session } = await givenAsking(ports, row);
    const earlier = await approvalOf(ports, await givenRequest(ports, clientId), session, { remembers: true });
    expect(await approve(ports, earlier)).toBe(true);
    expect(await approve(ports, { ...approval, reliesOn: 'consent' })).toBe(true);
  });

  test('without a consent page, an earlier consent to less, or for another resource, is not enough', async () => {
    for (const less of [{ scope: ['read'] }, { resources: ['https://other.example'] }]) {
      const { approval, clientId, session } = await givenAsking(ports, row);
      const earlier = await approvalOf(ports, await givenRequest(ports, clientId, less), session, { remembers: true });
      expect(await approve(ports, earlier)).toBe(true);
      expect(await approve(ports, { ...approval, reliesOn: 'consent' })).toBe(false);
    }
  });

  if (row !== 'stored')
    test('a row that another request has stored in between is not stored again', async () => {
      const { approval, interactionId, person } = await givenAsking(ports, row);
      const { loaded, now, entry } = approval;
      const move = { loaded, isStored: false, now, to: 'denied' as const, userId: person.id, entry };
      expect(await moveInteraction(ports, move)).toBe(true);
      expect(await approve(ports, approval)).toBe(false);
      expect(await grantsOf(interactionId)).toEqual([]);
      expect((await loadInteraction(ports, interactionId))?.interaction.state).toBe('denied');
    });

  if (row !== 'stored')
    test('nothing is stored for an interaction whose grant was stored alone', async () => {
      const { approval, interactionId, person } = await givenAsking(ports, row);
      const { loaded, now, entry } = approval;
      expect(await approve(ports, { ...approval, grantAlone: true })).toBe(true);
      expect(await approve(ports, approval)).toBe(false);
      const move = { loaded, isStored: false, now, to: 'denied' as const, userId: person.id, entry };
      expect(await moveInteraction(ports, move)).toBe(false);
      expect(await loadInteraction(ports, interactionId)).toBeNull();
      expect(await ledgerOf(ports, interactionId)).toHaveLength(1);
    });

  test('no interaction can have two grants, by any writer', async () => {
    const { interactionId, approval } = await givenAsking(ports, row);
    await approve(ports, approval);
    const [grant] = await grantsOf(interactionId);
    if (!grant) throw new Error('no grant');
    const second = { ...grant, codeHash: randomBytes(32) };
    await expect(ports.db.insert(grants).values(second)).rejects.toThrow();
    expect(await grantsOf(interactionId)).toHaveLength(1);
  });

  const all = { ...interferences, ...(row === 'stored' ? changes : {}) };
  test.each(Object.entries(all))('it fails, and no row is written, when %s', async (_, interfere) => {
    const asking = await givenAsking(ports, row);
    const { interactionId, person, clientId } = asking;
    await interfere(ports, asking);
    expect(await approve(ports, { ...asking.approval, remembers: true })).toBe(false);
    expect(await grantsOf(interactionId)).toEqual([]);
    expect(await ledgerOf(ports, interactionId)).toEqual([]);
    const another = await givenInteraction(ports, clientId);
    const facts = await loadInteraction(ports, another, person.id);
    expect(facts?.remembered).toBeNull();
    if (row !== 'stored') expect(await loadInteraction(ports, interactionId)).toBeNull();
  });
});
