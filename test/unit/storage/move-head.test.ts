import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HeadMove } from '../../../src/lifecycles/grant/lifecycle.ts';
import { grantStore } from '../../../src/storage/grant-store.ts';
import { clients, grants, server, users } from '../../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { deleteClient, disableUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testClients } from '../../support/macs.ts';
import { unheld } from '../../support/unheld.ts';
import {
  type Granted,
  givenGrant,
  ledgerOf,
  loadGrant,
  moveHead,
  NOBODY_ASKED,
  nextMove,
  openPorts,
  type Ports,
  reuseOf,
  revoke,
} from './ports.ts';

/** A chain whose head has moved once: every fact of the guard has a value. */
async function givenChain(ports: Ports): Promise<Granted> {
  const granted = await givenGrant(ports);
  if (!(await moveHead(ports, nextMove(ports, await loadGrant(ports, granted))))) throw new Error('not moved');
  return granted;
}

type Interference = (ports: Ports, granted: Granted, move: HeadMove) => Promise<unknown>;

/** Possible changes between load and commit, one fact of the guard each; nothing else changes. */
const interferences: Record<string, Interference> = {
  'the head moved': ({ db }, { grantId }) =>
    unheld(db, (own) => own.update(grants).set({ refreshGeneration: 1n }).where(eq(grants.id, grantId))),
  'the head went back, as after a restored backup': ({ db }, { grantId }) =>
    unheld(db, (own) =>
      own.update(grants).set({ refreshGeneration: null, refreshNonce: null }).where(eq(grants.id, grantId)),
    ),
  'the nonce is another one': ({ db }, { grantId }) =>
    unheld(db, (own) =>
      own
        .update(grants)
        .set({ refreshNonce: Buffer.alloc(16, 7) })
        .where(eq(grants.id, grantId)),
    ),
  'the grant was revoked': (ports, _, move) => revoke(ports, { ...reuseOfMove(move), entries: [move.entry] }),
  'the client signed out everywhere': ({ db }, { clientId }) =>
    db.update(clients).set({ epoch: 1n }).where(eq(clients.clientId, clientId)),
  'the client was marked as deleted': ({ db, clock }, { clientId }) =>
    unheld(db, (own) => own.update(clients).set({ deletedAt: clock.now() }).where(eq(clients.clientId, clientId))),
  'the client was deleted': ({ db }, { clientId }) => deleteClient(db, clientId),
  'the person signed out everywhere': ({ db }, { person }) =>
    db.update(users).set({ epoch: 1n }).where(eq(users.id, person.id)),
  'the person was marked as disabled': ({ db, clock }, { person }) =>
    unheld(db, (own) => own.update(users).set({ disabledAt: clock.now() }).where(eq(users.id, person.id))),
  'the person was disabled': ({ db }, { person }) => disableUser(db, person.username),
  'the server ended every grant': ({ db }) => raiseServerEpoch(db),
};

const reuseOfMove = ({ loaded, now }: HeadMove) => ({
  grantId: loaded.id,
  clientId: loaded.clientId,
  now,
  reason: 'refresh_token_reused' as const,
  policy: null,
});

describe.each(databaseKinds)('moving the head of a chain on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const rowOf = async ({ grantId }: Granted) => (await ports.db.select().from(grants).where(eq(grants.id, grantId)))[0];

  test('the exchange begins the chain and writes one entry', async () => {
    const granted = await givenGrant(ports);
    const before = await rowOf(granted);
    ports.clock.advanceSeconds(1);
    const next = nextMove(ports, await loadGrant(ports, granted));
    const move = { ...next, policy: 'strict', entry: { ...next.entry, reason: 'a_reason', scopeWithheld: 'write' } };
    expect(await moveHead(ports, move)).toBe(true);
    expect(await rowOf(granted)).toEqual({
      ...before,
      refreshGeneration: 0n,
      refreshNonce: move.nonce,
      lastUsedAt: move.now,
      chainEndsAt: move.chainEndsAt,
    });
    const [approval, ...lines] = await ledgerOf(ports, granted.grantId);
    expect(approval?.machine).toBe('interaction');
    expect(lines).toEqual([
      {
        at: move.now,
        machine: 'authorizationCode',
        shardKey: granted.grantId,
        grantId: granted.grantId,
        interactionId: null,
        event: 'presented',
        fromState: 'active',
        toState: 'used',
        reason: 'a_reason',
        generation: 0n,
        clientId: granted.clientId,
        policy: 'strict',
        signingKeyId: null,
        sessionId: null,
        scopeWithheld: 'write',
        ...NOBODY_ASKED,
      },
    ]);
  });

  test('each rotation moves it by one', async () => {
    const granted = await givenChain(ports);
    for (const generation of [1n, 2n, 3n]) {
      expect(await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)))).toBe(true);
      expect((await loadGrant(ports, granted)).refreshGeneration).toBe(generation);
    }
  });

  test('the same move, sent twice, is made once', async () => {
    const granted = await givenChain(ports);
    const move = nextMove(ports, await loadGrant(ports, granted));
    expect(await moveHead(ports, move)).toBe(true);
    expect(await moveHead(ports, move)).toBe(false);
  });

  test('another grant does not change', async () => {
    const [granted, bystander] = [await givenChain(ports), await givenChain(ports)];
    const before = await rowOf(bystander);
    await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    expect(await rowOf(bystander)).toEqual(before);
  });

  test.each(Object.entries(interferences))('it does not move, and no row is written, when %s', async (_, interfere) => {
    const granted = await givenChain(ports);
    const move = nextMove(ports, await loadGrant(ports, granted));
    await interfere(ports, granted, move);
    const [row, ledger] = [await rowOf(granted), await ledgerOf(ports, granted.grantId)];
    expect(await moveHead(ports, move)).toBe(false);
    expect(await rowOf(granted)).toEqual(row);
    expect(await ledgerOf(ports, granted.grantId)).toEqual(ledger);
  });

  const ends: Record<string, { readonly millisecondsLeft: number; readonly moves: boolean }> = {
    'a millisecond before what was presented ends': { millisecondsLeft: 1, moves: true },
    'when what was presented ends': { millisecondsLeft: 0, moves: false },
    'after what was presented has ended': { millisecondsLeft: -1, moves: false },
  };

  test.each(Object.entries(ends))('committed %s, decided in time', async (_, { millisecondsLeft, moves }) => {
    const granted = await givenChain(ports);
    const move = nextMove(ports, await loadGrant(ports, granted));
    ports.clock.set(new Date(move.endsAt.getTime() - millisecondsLeft));
    const [row, ledger] = [await rowOf(granted), await ledgerOf(ports, granted.grantId)];
    expect(await moveHead(ports, move)).toBe(moves);
    if (moves) return expect(await rowOf(granted)).toMatchObject({ refreshNonce: move.nonce });
    expect(await rowOf(granted)).toEqual(row);
    expect(await ledgerOf(ports, granted.grantId)).toEqual(ledger);
  });

  test("outside tests, the database's clock decides that it is committed in time", async () => {
    const store = grantStore(ports.db, databaseClock, testClients);
    const granted = await givenChain(ports);
    const { now } = await store.load(granted);
    const move = nextMove(ports, await loadGrant(ports, granted));
    const hour = 3_600_000;
    expect(await moveHead({ grants: store }, { ...move, endsAt: now })).toBe(false);
    expect(await moveHead({ grants: store }, { ...move, endsAt: new Date(now.getTime() + hour) })).toBe(true);
  });

  test('it does not move for an unknown grant', async () => {
    const granted = await givenChain(ports);
    const loaded = { ...(await loadGrant(ports, granted)), id: '00000000-0000-4000-8000-000000000000' };
    expect(await moveHead(ports, nextMove(ports, loaded))).toBe(false);
  });

  test('of many concurrent moves from the same head, one is made', async () => {
    const granted = await givenChain(ports);
    const loaded = await loadGrant(ports, granted);
    const moves = Array.from({ length: 20 }, () => nextMove(ports, loaded));
    const made = await Promise.all(moves.map((move) => moveHead(ports, move)));
    expect(made.filter(Boolean)).toHaveLength(1);
    const after = await loadGrant(ports, granted);
    expect(after.refreshGeneration).toBe(1n);
    expect(after.refreshNonce).toEqual(moves[made.indexOf(true)]?.nonce);
    expect((await ledgerOf(ports, granted.grantId)).filter(({ generation }) => generation === 1n)).toHaveLength(1);
  });

  test("the server's one row is still one row", async () => {
    expect(await ports.db.select({ id: server.id }).from(server)).toEqual([{ id: 1 }]);
  });

  test('a reuse ends the chain however far its head has moved since the load', async () => {
    const granted = await givenChain(ports);
    const reuse = reuseOf(ports, await loadGrant(ports, granted));
    for (let rotations = 0; rotations < 5; rotations++) {
      await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    }
    expect(await revoke(ports, reuse)).toBe(true);
    expect((await loadGrant(ports, granted)).state).toBe('revoked');
  });
});
