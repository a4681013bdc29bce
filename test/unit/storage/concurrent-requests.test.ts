/** The server batches concurrent requests into one statement. Every rule for one request has to hold for each of them. */

import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { HeadMove } from '../../../src/lifecycles/grant/lifecycle.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { grantStore } from '../../../src/storage/grant-store.ts';
import { clients, grants, server, users } from '../../../src/storage/schema.ts';
import { type RequestTime, withinTime } from '../../../src/system/request-time.ts';
import { deleteClient, disableUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testClients } from '../../support/macs.ts';
import { unheld } from '../../support/unheld.ts';
import {
  type Granted,
  givenClient,
  givenGrant,
  ledgerOf,
  loadGrant,
  moveHead,
  nextMove,
  openPorts,
  type Ports,
  reuseOf,
  revoke,
} from './ports.ts';

type Session = {
  prepareQuery: (query: unknown, fields: unknown, name: string) => { execute: (values: unknown) => Promise<unknown> };
};

/** A store, and the names of the statements that it runs: a batch that fails is made up for one by one, which answers would not show. */
function notingStatements({ db, clock }: Ports) {
  const ran: string[] = [];
  const { session } = db as unknown as { session: Session };
  const prepare = session.prepareQuery.bind(session);
  const spy = vi.spyOn(session, 'prepareQuery').mockImplementation((...prepared) => {
    const statement = prepare(...prepared);
    const execute = statement.execute.bind(statement);
    return Object.assign(statement, {
      execute: (values: unknown) => {
        ran.push(prepared[2]);
        return execute(values);
      },
    });
  });
  const store = grantStore(db, clock, testClients);
  spy.mockRestore();
  return { store, ran };
}

describe.each(databaseKinds)('concurrent requests on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const givenGrants = (count: number): Promise<Granted[]> =>
    Promise.all(Array.from({ length: count }, () => givenGrant(ports)));
  const movesOf = (granted: readonly Granted[]): Promise<HeadMove[]> =>
    Promise.all(granted.map(async (one) => nextMove(ports, await loadGrant(ports, one))));
  const moveAll = (moves: readonly HeadMove[]) => Promise.all(moves.map((move) => moveHead(ports, move)));

  test('each is loaded as if it were alone', async () => {
    const some = await givenGrants(5);
    const [first] = some;
    const keys = [...some, { clientId: 'unknown', grantId: first?.grantId ?? '' }];
    const alone = [];
    for (const key of keys) alone.push(await ports.grants.load(key));
    expect(await Promise.all(keys.map((key) => ports.grants.load(key)))).toEqual(alone);
  });

  test('each client is loaded as if it were alone, also when several request the same, and one an unknown client', async () => {
    const [first, second] = [await givenClient(ports), await givenClient(ports)];
    const clientIds = [first, second, first, 'unknown'];
    const alone = [];
    for (const clientId of clientIds) alone.push(await ports.grants.loadClient(clientId));
    expect(alone.map(({ client }) => client?.clientId)).toEqual([first, second, first, undefined]);
    expect(await Promise.all(clientIds.map((clientId) => ports.grants.loadClient(clientId)))).toEqual(alone);
  });

  test('each head moves to its own place, with its own ledger entry', async () => {
    const some = await givenGrants(5);
    for (const generation of [0n, 1n]) {
      const moves = (await movesOf(some)).map(({ entry, ...move }, index) => ({
        ...move,
        policy: `policy ${index}`,
        entry: { ...entry, reason: `reason ${index}`, scopeWithheld: index === 1 ? null : `scope ${index}` },
      }));
      expect(await moveAll(moves)).toEqual([true, true, true, true, true]);
      for (const [index, one] of some.entries()) {
        const { refreshGeneration, refreshNonce, lastUsedAt, chainEndsAt } = await loadGrant(ports, one);
        const { nonce, now, chainEndsAt: end } = moves[index] as HeadMove;
        expect({ refreshGeneration, refreshNonce, lastUsedAt, chainEndsAt }).toEqual({
          refreshGeneration: generation,
          refreshNonce: nonce,
          lastUsedAt: now,
          chainEndsAt: end,
        });
        const lines = (await ledgerOf(ports, one.grantId)).filter((line) => line.generation === generation);
        expect(lines).toHaveLength(1);
        expect(lines[0]).toMatchObject({ clientId: one.clientId, at: now, ...entryOf(moves[index] as HeadMove) });
      }
    }
  });

  test('they are one statement', async () => {
    const { store, ran } = notingStatements(ports);
    const some = await givenGrants(3);
    const loaded = await Promise.all(some.map((one) => store.load(one)));
    expect(ran.splice(0)).toEqual(['load_presentations']);
    const clientIds = some.map(({ clientId }) => clientId);
    await Promise.all([...clientIds, ...clientIds].map((clientId) => store.loadClient(clientId)));
    expect(ran.splice(0)).toEqual(['load_clients']);
    const moves = loaded.map(({ grant }) => nextMove(ports, grant as Grant));
    const moved = await Promise.all(moves.map((move) => moveHead({ grants: store }, move)));
    expect(moved).toEqual([true, true, true]);
    expect(ran.splice(0)).toEqual(['move_heads']);
  });

  test('a single request has a statement of its own', async () => {
    const { store, ran } = notingStatements(ports);
    const [one] = (await givenGrants(1)) as [Granted];
    await store.loadClient(one.clientId);
    const { grant } = await store.load(one);
    await moveHead({ grants: store }, nextMove(ports, grant as Grant));
    await revoke({ grants: store }, reuseOf(ports, await loadGrant(ports, one)));
    expect(ran).toEqual(['load_client', 'load_presentation', 'move_head', 'revoke_grant']);
  });

  const entryOf = ({ entry, policy }: HeadMove) => {
    const { from, to, ...same } = entry;
    return { ...same, fromState: from, toState: to, policy };
  };

  const interferences: Record<string, (granted: Granted) => Promise<unknown>> = {
    'its head moved': ({ grantId }) =>
      unheld(ports.db, (own) => own.update(grants).set({ refreshGeneration: 1n }).where(eq(grants.id, grantId))),
    'its nonce is another one': ({ grantId }) =>
      unheld(ports.db, (own) =>
        own
          .update(grants)
          .set({ refreshNonce: Buffer.alloc(16, 7) })
          .where(eq(grants.id, grantId)),
      ),
    'it was revoked': async (granted) => revoke(ports, reuseOf(ports, await loadGrant(ports, granted))),
    'its client signed out everywhere': ({ clientId }) =>
      ports.db.update(clients).set({ epoch: 1n }).where(eq(clients.clientId, clientId)),
    'its client was deleted': ({ clientId }) => deleteClient(ports.db, clientId),
    'its person signed out everywhere': ({ person }) =>
      ports.db.update(users).set({ epoch: 1n }).where(eq(users.id, person.id)),
    'its person was disabled': ({ person }) => disableUser(ports.db, person.username),
  };

  test.each(Object.entries(interferences))(
    'one of them does not move when %s, and the others do',
    async (_, happens) => {
      const some = await givenGrants(3);
      await moveAll(await movesOf(some));
      const moves = await movesOf(some);
      const [, second] = some as [Granted, Granted, Granted];
      await happens(second);
      const ledger = await ledgerOf(ports, second.grantId);
      expect(await moveAll(moves)).toEqual([true, false, true]);
      expect(await ledgerOf(ports, second.grantId)).toEqual(ledger);
    },
  );

  test('an ended one does not move, and the others do', async () => {
    const some = await givenGrants(5);
    await moveAll(await movesOf(some));
    const moves = await movesOf(some);
    ports.clock.advanceSeconds(10);
    const millisecondsLeft = [20_000, -1, 0, 1, 20_000];
    const each = moves.map((move, index) => ({
      ...move,
      endsAt: new Date(ports.clock.now().getTime() + (millisecondsLeft[index] ?? 0)),
    }));
    expect(await moveAll(each)).toEqual([true, false, false, true, true]);
    for (const [index, one] of some.entries()) {
      const moved = (millisecondsLeft[index] ?? 0) > 0;
      expect((await loadGrant(ports, one)).refreshGeneration).toBe(moved ? 1n : 0n);
      // The approval, the exchange, and the rotation where there was one.
      expect(await ledgerOf(ports, one.grantId)).toHaveLength(moved ? 3 : 2);
    }
  });

  test('none of them moves when the server ended every grant', async () => {
    const moves = await movesOf(await givenGrants(3));
    await ports.db.update(server).set({ epoch: sql`${server.epoch} + 1` });
    expect(await moveAll(moves)).toEqual([false, false, false]);
  });

  test('the others succeed beside one that the database rejects', async () => {
    const [first, second, third] = (await movesOf(await givenGrants(3))) as [HeadMove, HeadMove, HeadMove];
    const moves = [first, { ...second, policy: 'no\0text' }, third].map((move) => moveHead(ports, move));
    const settled = await Promise.allSettled(moves);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  // The embedded database has one connection: a test cannot hold a table there.
  if (kind === 'postgres')
    test('after a timeout, a move may have been made, and a load has changed nothing', async () => {
      const some = await givenGrants(2);
      const moves = await movesOf(some);
      const asks: Record<string, () => Promise<unknown>[]> = {
        move: () => moves.map((move) => moveHead(ports, move)),
        load: () => some.map((one) => ports.grants.load(one)),
        client: () => some.map(({ clientId }) => ports.grants.loadClient(clientId)),
        request: () => some.map(({ clientId }) => ports.interactions.loadRequest({ clientId, sessionIdHash: null })),
      };
      const outcomes: Record<string, unknown> = {};
      await ports.db.transaction(async (holder) => {
        await holder.execute(sql`lock table ${grants}, ${clients} in access exclusive mode`);
        for (const [name, ask] of Object.entries(asks)) {
          const over: RequestTime = { endsAt: performance.now(), pausedAt: null };
          const settled = await Promise.allSettled(withinTime(over, ask));
          outcomes[name] = settled.map((one) => one.status === 'rejected' && one.reason.maybeCommitted);
        }
      });
      expect(outcomes).toEqual({
        move: [true, true],
        load: [false, false],
        client: [false, false],
        request: [false, false],
      });
    });

  // The embedded database has one connection: a test cannot hold a row there.
  if (kind === 'postgres')
    test('a locked row delays its own request only', async () => {
      const moves = await movesOf(await givenGrants(3));
      const [held] = moves as [HeadMove];
      const made: number[] = [];
      let all: Promise<unknown> = Promise.resolve();
      await ports.db.transaction(async (holder) => {
        await holder.execute(sql`select from ${grants} where ${grants.id} = ${held.loaded.id} for update`);
        const each = moves.map(async (move, index) => {
          expect(await moveHead(ports, move)).toBe(true);
          made.push(index);
        });
        all = Promise.all(each);
        await Promise.all(each.slice(1));
        expect(made.toSorted()).toEqual([1, 2]);
      });
      await all;
      expect(made).toHaveLength(3);
    });
});
