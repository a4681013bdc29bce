/** `check` works out when a chain ends, and remembers what it cannot see. */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import type { ClientRegistration } from '../../../src/model/client.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import { makeUser } from '../../support/actors.ts';
import { saveClient } from '../../support/administration.ts';
import { testCertificate } from '../../support/client-certificates.ts';
import { testClock } from '../../support/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

const SECRET = 'a-root-secret-of-more-than-32-bytes';
const keys = rootKeys([SECRET]);
const DAY = 86_400_000;

describe('check', () => {
  let line: CommandLine;
  let postgres: TestDatabase<string>;
  beforeAll(async () => {
    line = await openCommandLine();
    postgres = await openTestDatabase('postgres');
  });
  afterAll(async () => {
    await postgres.close();
    await line.close();
  });

  const save = (clientId: string, change: Partial<ClientRegistration>) =>
    saveClient(
      postgres.database.drizzle,
      {
        ...DEFAULT_METADATA,
        clientId,
        clientName: clientId,
        tokenEndpointAuthMethod: 'client_secret_basic',
        secretMacs: [storedSecretMac(keys, rawSecret('a long random secret, of 32 characters or more'))],
        redirectUris: ['https://app.test/callback'],
        grantTypes: ['authorization_code', 'refresh_token'],
        ...change,
      },
      false,
      'operator',
      rowMacs(keys),
    );
  const check = (...more: string[]) =>
    line.run(['check', ...more], { env: { DATABASE_URL: postgres.url, STATEHOUSE_SECRET: SECRET } });

  it('computes the end of a chain that starts now, idle and in use', async () => {
    await save('app', {});
    const { out } = await check('--json');
    const [{ chain_signed_in_now: chain }] = JSON.parse(out).clients;
    const days = (instant: string) => Math.round((Date.parse(instant) - Date.now()) / DAY);
    expect({ idle: days(chain.idle), used: days(chain.used) }).toEqual({ idle: 30, used: 180 });
    expect((await check()).out).toMatch(
      /signed in today +an idle chain ends \d{4}-.* UTC, a used one at the latest \d{4}-/,
    );
  });

  it('promises no chain to a client without refresh tokens', async () => {
    await save('app', { grantTypes: ['authorization_code'] });
    expect(JSON.parse((await check('--json')).out).clients[0].chain_signed_in_now).toBeNull();
  });

  it('lists the administrators, and warns of unknown names and of scopes that are never granted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-check-'));
    cpSync(new URL('../../../policies', import.meta.url).pathname, folder, { recursive: true });
    const file = `operators: [alice, Carol]
auditors: [bob]
clients:
  - { client_id: app, scope: keys:read }
  - { client_id: narrow, scope: keys:read ledger:read }
  - { client_id: gone, scope: clients:read }
`;
    writeFileSync(join(folder, 'operators.yaml'), file);
    await save('app', { grantTypes: ['authorization_code'] });
    await save('narrow', { grantTypes: ['client_credentials'], redirectUris: [], scope: ['keys:read', 'read'] });
    const carol = await makeUser(postgres, 'carol');
    const env = { DATABASE_URL: postgres.url, STATEHOUSE_SECRET: SECRET, STATEHOUSE_CONFIG: folder };
    const { status, out } = await line.run(['check'], { env });
    expect(status).toBe(0);
    expect(out).toMatch(/^administration\n +operators +alice\n +Carol\n +auditors +bob\n +clients +app: keys:read$/m);
    const warnings = JSON.parse((await line.run(['check', '--json'], { env })).out).warnings.filter((words: string) =>
      words.startsWith('operators.yaml'),
    );
    expect(warnings).toEqual([
      'operators.yaml: no end-user has the username "alice"; an end-user who is created with it gets this role',
      'operators.yaml: no end-user has the username "bob"; an end-user who is created with it gets this role',
      'operators.yaml: the operator "Carol" has no second factor, so the password alone administers this server; the operator adds a passkey or an authenticator app at /account/sign-in-methods',
      'operators.yaml: the client "app" has no grant type "client_credentials", so these scopes are never granted',
      'operators.yaml: "ledger:read" is not in the scope of the client "narrow", so it is never granted',
      'operators.yaml: no client has the id "gone"; a client that is registered with it gets these scopes',
    ]);
    await registeredPasskey({ database: postgres.database, clock: testClock() }, carol);
    const protectedNow = JSON.parse((await line.run(['check', '--json'], { env })).out).warnings.join();
    expect(protectedNow).not.toContain('second factor');
    // Where the database cannot be read, its names are unknown.
    const blind = await line.run(['check', '--json'], { env: { ...env, DATABASE_URL: 'postgres://127.0.0.1:1/none' } });
    expect(blind.out).not.toContain('no end-user has');
    rmSync(folder, { recursive: true });
  });

  it('warns of a client with certificates that no proxy passes, or that no authority can have signed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-check-'));
    const byKey = { secretMacs: [], jwksUri: 'https://app.test/keys', scope: ['read'] } as const;
    const [issued, own] = ['tls_client_auth', 'self_signed_tls_client_auth'] as const;
    await save('issued', {
      ...{ secretMacs: [], tokenEndpointAuthMethod: issued, scope: ['read'] },
      tlsClientAuthSanDns: 'app.test',
    });
    await save('own', {
      ...{ ...byKey, tokenEndpointAuthMethod: own },
      tlsClientCertificateBoundAccessTokens: true,
    });
    await save('signs', { ...byKey, tokenEndpointAuthMethod: 'private_key_jwt' });
    const file = join(folder, 'authorities.pem');
    writeFileSync(file, (await testCertificate({ subject: [{ CN: ['Authority'] }], isAuthority: true })).pem);
    const proxied = {
      STATEHOUSE_TRUSTED_PROXIES: '10.0.0.0/8',
      STATEHOUSE_CLIENT_CERTIFICATE_HEADER: 'pem:X-Client-Cert',
    };
    const warningsUnder = async (variables: Readonly<Record<string, string>>) => {
      const env = { DATABASE_URL: postgres.url, STATEHOUSE_SECRET: SECRET, ...variables };
      const { status, out } = await line.run(['check', '--json'], { env });
      expect(status).toBe(0);
      const { clients } = JSON.parse(out) as { clients: { client_id: string; warnings: string[] }[] };
      const ofTls = (one: string) => one.includes('tls_client_');
      return Object.fromEntries(
        ['issued', 'own', 'signs', 'app'].map((id) => [
          id,
          clients.find((client) => client.client_id === id)?.warnings.filter(ofTls),
        ]),
      );
    };
    const noProxy = 'no trusted proxy passes certificates (STATEHOUSE_CLIENT_CERTIFICATE_HEADER)';
    const noAuthorities = 'no certificate authorities are configured (STATEHOUSE_CLIENT_CERTIFICATE_AUTHORITIES)';
    const method = (name: string, missing: string) =>
      `token_endpoint_auth_method ${name}: ${missing}, so the client cannot authenticate`;
    const none = { issued: [], own: [], signs: [], app: [] };
    expect(await warningsUnder({})).toEqual({
      ...none,
      issued: [method(issued, `${noProxy}, and ${noAuthorities}`)],
      own: [
        method(own, noProxy),
        `tls_client_certificate_bound_access_tokens: ${noProxy}, so the client gets no token`,
      ],
    });
    expect(await warningsUnder(proxied)).toEqual({ ...none, issued: [method(issued, noAuthorities)] });
    expect(await warningsUnder({ ...proxied, STATEHOUSE_CLIENT_CERTIFICATE_AUTHORITIES: file })).toEqual(none);
    rmSync(folder, { recursive: true });
  });

  it('warns of introspectors that do not exist or have no secret, and of scopes without a description', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-check-'));
    cpSync(new URL('../../../policies', import.meta.url).pathname, folder, { recursive: true });
    const file = join(folder, 'resources.yaml');
    const names = '    introspectedBy: [app, open, nowhere]\n';
    writeFileSync(file, readFileSync(file, 'utf8').replace('    scopes:\n', `${names}    scopes:\n`));
    await save('app', { scope: ['read', 'orders'] });
    await save('open', { tokenEndpointAuthMethod: 'none', secretMacs: [], scope: ['read'] });
    const env = { DATABASE_URL: postgres.url, STATEHOUSE_SECRET: SECRET, STATEHOUSE_CONFIG: folder };
    const { status, out } = await line.run(['check', '--json'], { env });
    expect(status).toBe(0);
    const { warnings, clients } = JSON.parse(out) as { warnings: string[]; clients: { warnings: string[] }[] };
    const named = 'resource https://api.example.com: introspectedBy names the client';
    expect(warnings.filter((one) => one.includes('introspectedBy'))).toEqual([
      `${named} "open", which is a public client: only a client with a secret may introspect`,
      `${named} "nowhere", which does not exist: register it with this id, with a secret`,
    ]);
    expect(clients.flatMap((one) => one.warnings)).toContainEqual(
      expect.stringMatching(/^scope: no resource describes "orders"/),
    );
    rmSync(folder, { recursive: true });
  });

  it('warns of an imported short secret, and reports an error for a stored http redirect URI', async () => {
    await save('app', {
      secretMacs: [storedSecretMac(keys, rawSecret('hunter2'))],
      redirectUris: ['http://app.test/callback'],
    });
    const { status, out } = await check();
    expect(status).toBe(1);
    expect(out).toMatch(/warning: client_secret: was imported with fewer than 32 characters/);
    expect(out).toMatch(/error: redirect_uris\.0: .*RFC 9700 §2\.6/);
    expect(out).not.toContain('hunter2');
  });
});
