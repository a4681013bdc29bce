/** The origins whose scripts may read responses, each looked up by the index of the clients. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientsOfOrigin, isBrowserOrigin } from '../../../src/storage/browser-origins.ts';
import { deleteClient, saveClient } from '../../support/administration.ts';
import { databaseKinds } from '../../support/database.ts';
import { testClients } from '../../support/macs.ts';
import { openPorts, type Ports, registration } from './ports.ts';

describe.each(databaseKinds)('origins of browser-based apps on %s', (kind) => {
  let ports: Ports;
  const app = (clientId: string, redirectUris: string[], change = {}) =>
    saveClient(ports.db, {
      ...registration(clientId),
      tokenEndpointAuthMethod: 'none',
      secretMacs: [],
      redirectUris,
      ...change,
    });
  const isKnown = (origin: string) => isBrowserOrigin(ports.db, testClients, origin);

  beforeAll(async () => {
    ports = await openPorts(kind);
    await app('app', ['https://App.example:443/a', 'https://app.example/b', 'HTTP://localhost:3000/c']);
    await app('ports', [
      'https://ports.example:8443?x',
      'http://[::1]:80/',
      'https://bare.example',
      'http://a.example:443/',
    ]);
    await app('punycode', ['https://xn--bcher-kva.example/']);
    await app('phone', [
      'com.example.app:/callback',
      'com.example.app:/?at=https://phone.example',
      'https://not a uri',
    ]);
    await app('native', ['https://native.example/'], { applicationType: 'native' });
    await saveClient(ports.db, { ...registration('server-side'), redirectUris: ['https://confidential.example/'] });
    await app('gone', ['https://gone.example/']);
    await deleteClient(ports.db, 'gone');
    await app('forged', ['https://honest.example/']);
    await ports.db.execute(
      sql`update clients set redirect_uris = '{https://forged.example/}' where client_id = 'forged'`,
    );
  });
  afterAll(() => ports.close());

  test.each([
    'https://app.example',
    'http://localhost:3000',
    'https://ports.example:8443',
    'http://[::1]',
    'https://bare.example',
    'http://a.example:443',
    'https://xn--bcher-kva.example',
  ])('a public web client has %s', async (origin) => {
    expect(await isKnown(origin)).toBe(true);
  });

  test.each([
    'https://ports.example',
    'http://app.example',
    'http://localhost',
    'https://a.example',
    'https://phone.example',
    'https://not a uri',
    'https://native.example',
    'https://confidential.example',
    'https://gone.example',
    // Of a row that the server did not write, neither counts.
    'https://honest.example',
    'https://forged.example',
    "https://x'}",
  ])('no public web client has %s', async (origin) => {
    expect(await isKnown(origin)).toBe(false);
  });

  if (kind === 'postgres')
    test('are found by an index, however many clients there are', async () => {
      await ports.db.execute(sql`
        insert into clients (client_id, client_name, application_type, token_endpoint_auth_method, secret_macs,
          redirect_uris, grant_types, policy)
        select 'many-' || n, 'Many', 'web', 'none', '[]', array['https://' || n || '.example/'], '{}', 'default'
        from generate_series(1, 20000) n`);
      await ports.db.execute(sql`analyze clients`);
      const explained = await ports.db.execute(
        sql`explain (analyze, buffers, format json) ${clientsOfOrigin(ports.db, 'https://app.example')}`,
      );
      const plan = JSON.stringify(explained);
      expect(plan).toContain('clients_web_origins');
      expect(plan).toContain('"Actual Rows":1');
      const [, blocks = '1000'] = /"Shared Hit Blocks": ?(\d+)/.exec(plan) ?? [];
      expect(Number(blocks)).toBeLessThan(100);
    });
});
