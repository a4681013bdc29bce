/** The table "server" has one row, which triggers keep. If it is missing nonetheless, every operation reports it with the remedy. */

import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientStore } from '../../../src/storage/client-store.ts';
import { deniedAccessTokenStore } from '../../../src/storage/denied-access-tokens.ts';
import { loadLife } from '../../../src/storage/grant-life.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { ping, raiseServerEpoch } from '../../../src/storage/server.ts';
import { signingKeyStore } from '../../../src/storage/signing-keys.ts';
import { userStore } from '../../../src/storage/user-store.ts';
import { databaseKinds } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { givenClient, openPorts, type Ports } from './ports.ts';

describe.each(databaseKinds)('the row of the server on %s', (kind) => {
  let ports: Ports;
  let clientId: string;
  beforeAll(async () => {
    ports = await openPorts(kind);
    clientId = await givenClient(ports);
  });
  afterAll(() => ports.close());

  const asks: Record<string, () => Promise<unknown>> = {
    'raising its epoch': () => raiseServerEpoch(ports.db),
    'loading a client': () => ports.grants.loadClient(clientId),
    'loading a client to change it': () => clientStore(ports.db, ports.clock, testMacs).load(clientId),
    'loading an end-user to change them': () => userStore(ports.db, ports.clock, testMacs).load(randomUUID(), null),
    'loading a grant': () => ports.grants.load({ clientId, grantId: randomUUID() }),
    'loading two grants concurrently': () =>
      Promise.all([1, 2].map(() => ports.grants.load({ clientId, grantId: randomUUID() }))),
    'loading an authorization request': () => ports.interactions.loadRequest({ clientId, sessionIdHash: null }),
    'loading the life of a grant': () => loadLife(ports.db, ports.clock, randomUUID()),
    'loading a denial': () => deniedAccessTokenStore(ports.db, ports.clock).load({ clientId, jti: 'jti' }),
    'loading signing keys': () => signingKeyStore(ports.db, ports.clock, testMacs).load(),
    'keeping partitions of the ledger': () => keepLedgerPartitions(ports.db, ports.clock),
  };

  test('exists: its epoch is read, and raised by one', async () => {
    const before = (await ping(ports.db)) as { epoch: bigint }[];
    expect(before).toHaveLength(1);
    expect(await raiseServerEpoch(ports.db)).toBe((before[0]?.epoch ?? 0n) + 1n);
    for (const ask of Object.values(asks)) await ask();
  });

  describe('when it is missing', () => {
    beforeAll(async () => {
      await ports.db.execute(sql`alter table server disable trigger all`);
      await ports.db.execute(sql`delete from server`);
    });

    test.each(Object.entries(asks))('%s fails, and reports the remedy', async (_, ask) => {
      await expect(ask()).rejects.toThrow('The table "server" has lost its row: apply the migrations.');
    });
  });
});
