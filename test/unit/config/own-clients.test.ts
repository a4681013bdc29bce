/** The console's client_id is not for clients.yaml. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;

const load = (clientId: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-own-clients-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(SHIPPED, folder, { recursive: true });
  const client = `client_id: ${clientId}\n    redirect_uris: [https://app.test/cb]\n    token_endpoint_auth_method: none`;
  writeFileSync(join(folder, 'clients.yaml'), `clients:\n  - ${client}\n`);
  return loadConfiguration(folder, 'https://as.test');
};

it('an app cannot be declared as the console', () => {
  expect(() => load('statehouse-console')).toThrow(
    'clients.yaml:2: clients.0.client_id: Expected the client_id of an app (the server registers its console by itself), found the client of the console of this server.',
  );
});

it('any other client_id is an app', () => {
  expect(load('statehouse-consoles').declaredClients).toHaveLength(1);
});
