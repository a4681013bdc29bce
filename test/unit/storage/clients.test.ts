import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantState } from '../../../src/model/grant.ts';
import { replaceSecretMacs } from '../../../src/storage/clients.ts';
import { deleteClient, saveClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { findClient, listClients } from '../../support/stored-clients.ts';
import {
  givenClient,
  givenGrant,
  loadGrant,
  moveHead,
  nextMove,
  openPorts,
  type Ports,
  registration,
} from './ports.ts';

describe.each(databaseKinds)('clients on %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  test('a registered one is found with all its fields', async () => {
    const asked = {
      ...registration('found'),
      scope: ['a', 'b'],
      defaultScope: ['a'],
      defaultResource: 'https://api.example',
    };
    await saveClient(ports.db, asked);
    expect(await findClient(ports.db, 'found')).toMatchObject({ ...asked, epoch: 0n, deletedAt: null });
  });

  test('an unknown one is not found', async () => {
    expect(await findClient(ports.db, 'unknown')).toBeNull();
    expect(await deleteClient(ports.db, 'unknown')).toBe(false);
  });

  test('its name is compared byte for byte', async () => {
    await saveClient(ports.db, registration('exact'));
    for (const other of ['Exact', 'exact ', 'exàct', '']) expect(await findClient(ports.db, other)).toBeNull();
  });

  test('registering it again replaces the registration, and keeps its grants active', async () => {
    const granted = await givenGrant(ports);
    const again = { ...registration(granted.clientId), clientName: 'Renamed', redirectUris: [], scope: ['read'] };
    await saveClient(ports.db, again);
    expect(await findClient(ports.db, granted.clientId)).toMatchObject({ ...again, epoch: 0n });
    expect(grantState(await loadGrant(ports, granted))).toBe('active');
  });

  test('a deleted one is neither found nor listed, and deletes once', async () => {
    const [gone, stays] = [await givenClient(ports), await givenClient(ports)];
    expect(await deleteClient(ports.db, gone)).toBe(true);
    expect(await findClient(ports.db, gone)).toBeNull();
    expect(await deleteClient(ports.db, gone)).toBe(false);
    const listed = (await listClients(ports.db)).map(({ clientId }) => clientId);
    expect(listed).toContain(stays);
    expect(listed).not.toContain(gone);
  });

  test('they are listed by their names, declared ones apart from the others', async () => {
    for (const id of ['listed-c', 'listed-a']) await saveClient(ports.db, registration(id));
    await saveClient(ports.db, registration('listed-b'), true);
    const listed = async (only: { declared?: boolean }) =>
      (await listClients(ports.db, only)).map(({ clientId }) => clientId).filter((id) => id.startsWith('listed-'));
    expect(await listed({})).toEqual(['listed-a', 'listed-b', 'listed-c']);
    expect(await listed({ declared: true })).toEqual(['listed-b']);
    expect(await listed({ declared: false })).toEqual(['listed-a', 'listed-c']);
  });

  test('a self-registered client belongs to the operator after a registration by the operator', async () => {
    await saveClient(ports.db, registration('adopted'), false, 'self');
    expect(await findClient(ports.db, 'adopted')).toMatchObject({ registeredBy: 'self', declared: false });
    await saveClient(ports.db, registration('adopted'));
    expect(await findClient(ports.db, 'adopted')).toMatchObject({ registeredBy: 'operator', declared: false });
  });

  test('replacing secrets, or deleting, changes no other client', async () => {
    const [one, other] = [await givenClient(ports), await givenClient(ports)];
    const before = await findClient(ports.db, other);
    const { secretMacs = [] } = before ?? {};
    await replaceSecretMacs(ports.db, testMacs, { clientId: one, secretMacs }, []);
    await deleteClient(ports.db, one);
    expect(await findClient(ports.db, other)).toEqual(before);
  });

  test('a deleted one keeps no secret', async () => {
    const clientId = await givenClient(ports);
    await deleteClient(ports.db, clientId);
    const { client } = await ports.grants.loadClient(clientId);
    expect(client?.secretMacs).toEqual([]);
  });

  test('deleting and registering again, however often, revives no grant', async () => {
    const granted = await givenGrant(ports);
    const move = nextMove(ports, await loadGrant(ports, granted));
    for (let times = 0; times < 3; times++) {
      await deleteClient(ports.db, granted.clientId);
      await saveClient(ports.db, registration(granted.clientId));
      expect(await findClient(ports.db, granted.clientId)).not.toBeNull();
      expect(grantState(await loadGrant(ports, granted))).toBe('revoked');
      expect(await moveHead(ports, move)).toBe(false);
    }
  });

  test('its secrets can be replaced without a change of the rest', async () => {
    const clientId = await givenClient(ports);
    const before = await findClient(ports.db, clientId);
    const secretMacs = [{ keyId: '11111111', mac: 'cd' }];
    const loaded = { clientId, secretMacs: before?.secretMacs ?? [] };
    await replaceSecretMacs(ports.db, testMacs, loaded, secretMacs);
    expect(await findClient(ports.db, clientId)).toEqual({ ...before, secretMacs });
  });

  test('a secret that was replaced meanwhile is not restored', async () => {
    const clientId = await givenClient(ports);
    const loaded = { clientId, secretMacs: (await findClient(ports.db, clientId))?.secretMacs ?? [] };
    const replaced = [{ keyId: '22222222', mac: 'ef' }];
    await saveClient(ports.db, { ...registration(clientId), secretMacs: replaced });
    await replaceSecretMacs(ports.db, testMacs, loaded, [{ keyId: '11111111', mac: 'cd' }]);
    expect((await findClient(ports.db, clientId))?.secretMacs).toEqual(replaced);
  });
});
