/** The statement of a proven retry: it writes the entry, and nothing else, while the head is the loaded one. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HeadRepeat } from '../../../src/lifecycles/grant/lifecycle.ts';
import { clients, grants, users } from '../../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { disableUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
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

describe.each(databaseKinds)('answering the head again on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  const rowOf = async ({ grantId }: Granted) => (await ports.db.select().from(grants).where(eq(grants.id, grantId)))[0];
  const repeatHead = (repeat: HeadRepeat) => ports.grants.commit({ kind: 'repeatHead', repeat });

  async function givenRetry() {
    const granted = await givenGrant(ports);
    for (let times = 0; times < 2; times++) await moveHead(ports, nextMove(ports, await loadGrant(ports, granted)));
    const { loaded, now, endsAt, policy } = nextMove(ports, await loadGrant(ports, granted));
    const presenter = { address: '192.0.2.7', userAgent: 'an agent' };
    const place = { machine: 'refreshToken', event: 'presented', from: 'used', to: 'used' };
    const entry = { ...place, reason: null, generation: loaded.refreshGeneration, scopeWithheld: 'write', presenter };
    return { granted, repeat: { loaded, now, endsAt, policy, entry } };
  }

  test('writes one entry, which names the presenter, and leaves the row', async () => {
    const { granted, repeat } = await givenRetry();
    const [row, before] = [await rowOf(granted), await ledgerOf(ports, granted.grantId)];
    expect(await repeatHead({ ...repeat, policy: 'strict' })).toBe(true);
    expect(await rowOf(granted)).toEqual(row);
    expect((await ledgerOf(ports, granted.grantId)).slice(before.length)).toEqual([
      {
        at: repeat.now,
        machine: 'refreshToken',
        shardKey: granted.grantId,
        grantId: granted.grantId,
        interactionId: null,
        event: 'presented',
        fromState: 'used',
        toState: 'used',
        reason: null,
        generation: 1n,
        clientId: granted.clientId,
        policy: 'strict',
        signingKeyId: null,
        sessionId: null,
        scopeWithheld: 'write',
        ...NOBODY_ASKED,
        address: '192.0.2.7',
        userAgent: 'an agent',
      },
    ]);
    expect(await repeatHead(repeat)).toBe(true);
  });

  test.each<[string, (granted: Granted) => Promise<unknown>]>([
    ['the head was rotated', async (granted) => moveHead(ports, nextMove(ports, await loadGrant(ports, granted)))],
    [
      'the nonce is another one',
      ({ grantId }) =>
        unheld(ports.db, (own) =>
          own
            .update(grants)
            .set({ refreshNonce: Buffer.alloc(16, 7) })
            .where(eq(grants.id, grantId)),
        ),
    ],
    [
      'the generation is another one',
      ({ grantId }) =>
        unheld(ports.db, (own) => own.update(grants).set({ refreshGeneration: 9n }).where(eq(grants.id, grantId))),
    ],
    ['the grant was revoked', async (granted) => revoke(ports, reuseOf(ports, await loadGrant(ports, granted)))],
    [
      'the client signed out everywhere',
      ({ clientId }) => ports.db.update(clients).set({ epoch: 1n }).where(eq(clients.clientId, clientId)),
    ],
    [
      'the client was marked as deleted',
      ({ clientId }) =>
        unheld(ports.db, (own) =>
          own.update(clients).set({ deletedAt: ports.clock.now() }).where(eq(clients.clientId, clientId)),
        ),
    ],
    [
      'the end-user signed out everywhere',
      ({ person }) => ports.db.update(users).set({ epoch: 1n }).where(eq(users.id, person.id)),
    ],
    [
      'the end-user was marked as disabled',
      ({ person }) =>
        unheld(ports.db, (own) =>
          own.update(users).set({ disabledAt: ports.clock.now() }).where(eq(users.id, person.id)),
        ),
    ],
    ['the end-user was disabled', ({ person }) => disableUser(ports.db, person.username)],
    ['the server ended every grant', () => raiseServerEpoch(ports.db)],
  ])('writes nothing when %s', async (_, interfere) => {
    const { granted, repeat } = await givenRetry();
    await interfere(granted);
    const [row, ledger] = [await rowOf(granted), await ledgerOf(ports, granted.grantId)];
    expect(await repeatHead(repeat)).toBe(false);
    expect(await rowOf(granted)).toEqual(row);
    expect(await ledgerOf(ports, granted.grantId)).toEqual(ledger);
  });

  test.each([
    ['a millisecond before the end', 1, true],
    ['at the end', 0, false],
  ])('committed %s of the retry', async (_, millisecondsLeft, isMade) => {
    const { repeat } = await givenRetry();
    ports.clock.set(new Date(repeat.endsAt.getTime() - millisecondsLeft));
    expect(await repeatHead(repeat)).toBe(isMade);
  });

  test('many at the same time are all made, and a rotation beside them is made once', async () => {
    const { granted, repeat } = await givenRetry();
    const move = nextMove(ports, repeat.loaded);
    const made = await Promise.all([...Array.from({ length: 10 }, () => repeatHead(repeat)), moveHead(ports, move)]);
    expect(made.at(-1)).toBe(true);
    expect((await loadGrant(ports, granted)).refreshGeneration).toBe(2n);
    const entries = (await ledgerOf(ports, granted.grantId)).filter(({ fromState }) => fromState === 'used');
    expect(entries).toHaveLength(made.slice(0, -1).filter(Boolean).length);
    expect(await repeatHead(repeat)).toBe(false);
  });
});
