import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantStore } from '../../../src/storage/grant-store.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { deleteClient, disableUser, updateUser } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testClients } from '../../support/macs.ts';
import { unheld } from '../../support/unheld.ts';
import {
  type Granted,
  givenClient,
  givenGrant,
  loadGrant,
  moveHead,
  nextMove,
  openPorts,
  type Ports,
} from './ports.ts';

describe.each(databaseKinds)('loading a grant on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  test('a grant has its client and the current epochs', async () => {
    const granted = await givenGrant(ports);
    const { now, client, grant } = await ports.grants.load(granted);
    expect(now).toEqual(ports.clock.now());
    expect(client).toMatchObject({ clientId: granted.clientId, deletedAt: null, epoch: 0n });
    expect(grant).toMatchObject({
      id: granted.grantId,
      clientId: granted.clientId,
      userId: granted.person.id,
      scope: ['read', 'write'],
      resources: ['https://api.example'],
      state: 'active',
      refreshGeneration: null,
      refreshNonce: null,
      createdAt: ports.clock.now(),
      lastUsedAt: null,
      chainEndsAt: null,
    });
    expect(grant?.liveClientEpoch).toBe(grant?.clientEpoch);
    expect(grant?.liveUserEpoch).toBe(grant?.userEpoch);
    expect(grant?.liveServerEpoch).toBe(grant?.serverEpoch);
  });

  test('a moved head is loaded byte for byte, beyond the range of a number', async () => {
    const granted = await givenGrant(ports);
    const generation = 2n ** 62n + 1n;
    const move = { ...nextMove(ports, await loadGrant(ports, granted)), generation };
    const moved = unheld(ports.db, (own) => moveHead({ grants: grantStore(own, ports.clock, testClients) }, move));
    expect(await moved).toBe(true);
    const { refreshGeneration, refreshNonce, lastUsedAt, chainEndsAt } = await loadGrant(ports, granted);
    expect(refreshGeneration).toBe(generation);
    expect(Buffer.from(refreshNonce ?? []).toString('hex')).toBe(Buffer.from(move.nonce).toString('hex'));
    expect(lastUsedAt).toEqual(move.now);
    expect(chainEndsAt).toEqual(move.chainEndsAt);
  });

  test('an unknown grant loads its client alone', async () => {
    const clientId = await givenClient(ports);
    const loaded = await ports.grants.load({ clientId, grantId: randomUUID() });
    expect(loaded.client?.clientId).toBe(clientId);
    expect(loaded.grant).toBeNull();
  });

  test('an unknown grant and client load as none, with the time', async () => {
    const now = ports.clock.now();
    const nothing = await ports.grants.load({ clientId: 'unknown', grantId: randomUUID() });
    expect(nothing).toEqual({ now, client: null, grant: null, claims: null });
    expect(await ports.grants.loadClient('unknown')).toEqual({ now, client: null });
  });

  test("another client's presentation loads the grant with its own client's epoch", async () => {
    const granted = await givenGrant(ports);
    const stranger = await givenClient(ports);
    const { client, grant } = await ports.grants.load({ clientId: stranger, grantId: granted.grantId });
    expect(client?.clientId).toBe(stranger);
    expect(grant?.clientId).toBe(granted.clientId);
    expect(grant?.liveClientEpoch).toBe(grant?.clientEpoch);
  });

  test('a deleted client has no current epoch', async () => {
    const granted = await givenGrant(ports);
    await deleteClient(ports.db, granted.clientId);
    expect((await loadGrant(ports, granted)).liveClientEpoch).toBeNull();
  });

  test('a disabled user has no current epoch', async () => {
    const granted = await givenGrant(ports);
    await disableUser(ports.db, granted.person.username);
    expect((await loadGrant(ports, granted)).liveUserEpoch).toBeNull();
  });

  test("the server's current epoch is beside the grant's", async () => {
    const granted = await givenGrant(ports);
    const raised = await raiseServerEpoch(ports.db);
    const grant = await loadGrant(ports, granted);
    expect(grant.liveServerEpoch).toBe(raised);
    expect(grant.serverEpoch).toBe(raised - 1n);
  });

  test("the end-user's claims are loaded on request, at each load", async () => {
    const granted = [await givenGrant(ports), await givenGrant(ports)];
    const claimsOf = granted.map(({ person }) => ({ preferred_username: person.username, name: `Named ${person.id}` }));
    for (const { person } of granted) {
      await updateUser(ports.db, person.id, { claims: { name: `Named ${person.id}` }, passwordHash: null });
    }
    const asked = { wanted: false };
    const store = grantStore(ports.db, ports.clock, testClients, () => asked.wanted);
    const [one] = granted as [Granted];
    const alone = async (grants: Ports['grants']) => (await grants.load(one)).claims;
    const together = async (grants: Ports['grants']) =>
      (await Promise.all(granted.map((each) => grants.load(each)))).map(({ claims }) => claims);

    expect([await alone(ports.grants), await together(ports.grants)]).toEqual([null, [null, null]]);
    expect([await alone(store), await together(store)]).toEqual([null, [null, null]]);
    asked.wanted = true;
    expect([await alone(store), await together(store)]).toEqual([claimsOf[0], claimsOf]);
  });

  test("without a clock of its own, the time is the database's", async () => {
    const before = Date.now();
    const { now } = await grantStore(ports.db, databaseClock, testClients).loadClient('unknown');
    const aDayMilliseconds = 86_400_000;
    expect(Math.abs(now.getTime() - before)).toBeLessThan(aDayMilliseconds);
  });
});
