import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LiveConfiguration, liveConfiguration } from '../../../src/boot/live-configuration.ts';
import type { Runtime } from '../../../src/boot/runtime.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import { findClient } from '../../../src/storage/clients.ts';
import { makeLogger } from '../../../src/system/logger.ts';
import { makeUser, obtainTokens, refresh, type TestClient } from '../../support/actors.ts';
import { openTestApp, type TestApp, testKeys } from '../../support/app.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;
const SECRET = 'a declared secret, long enough to need no warning';
const CLIENT: TestClient = {
  ...DEFAULT_METADATA,
  clientId: 'photo-book',
  clientName: 'Photo book',
  tokenEndpointAuthMethod: 'client_secret_basic',
  secretMacs: [],
  redirectUris: ['https://photos.test/callback'],
  grantTypes: ['authorization_code', 'refresh_token'],
  secret: SECRET,
};
const DECLARATION = `clients:
  - client_id: photo-book
    client_name: Photo book
    redirect_uris: [https://photos.test/callback]
    grant_types: [authorization_code, refresh_token]
    client_secret_environment: [PHOTO_BOOK_SECRET]
`;

describe('the live configuration', () => {
  let folder: string;
  let opened: TestDatabase;
  let test: TestApp;
  let live: LiveConfiguration;
  let lines: string[];
  let env: Record<string, string>;

  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const logs = () => lines.join('');

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-policies-'));
    cpSync(SHIPPED, folder, { recursive: true });
    write('clients.yaml', DECLARATION);
    env = { PHOTO_BOOK_SECRET: SECRET };
    lines = [];
    opened = await openTestDatabase(anyDatabase);
    const logger = makeLogger({
      level: 'info',
      readable: false,
      destination: { write: (line) => void lines.push(line) },
    });
    const runtime = {
      environment: { configFolder: folder, issuer: 'https://as.test' },
      configuration: loadConfiguration(folder, 'https://as.test'),
      keys: testKeys,
      random: systemRandom,
      database: opened.database,
    } as Runtime;
    live = await liveConfiguration(runtime, logger, env);
    test = await openTestApp(opened.database, { change: (deps) => ({ ...deps, configuration: live.current }) });
  });
  afterEach(async () => {
    await test.app.close();
    await opened.close();
    rmSync(folder, { recursive: true });
  });

  it('brings declared clients into force at start, with the secret of the environment', async () => {
    const { refreshToken } = await obtainTokens(test, CLIENT, await makeUser(test));
    expect((await refresh(test, CLIENT, refreshToken)).status).toBe(200);
    expect(logs()).not.toContain(SECRET);
  });

  it('lets a shorter lifetime act on the next answer, and says what changed', async () => {
    write(
      'default.policy.yaml',
      'accessTokenLifetimeSeconds: 600\nauthorizationCodeLifetimeSeconds: 60\nrefreshIdleLifetimeSeconds: 3600\nrefreshAbsoluteLifetimeSeconds: 7200\n',
    );
    const { refreshToken } = await obtainTokens(test, CLIENT, await makeUser(test));
    expect(await live.reload()).toBe(true);
    expect((await refresh(test, CLIENT, refreshToken)).json.expires_in).toBe(600);
    expect(logs()).toContain('"key":"policies.default.accessTokenLifetimeSeconds","from":900,"to":600');
  });

  it('tells of each reload that came into force, and of no other', async () => {
    let told = 0;
    live.onReload(() => {
      told++;
    });
    expect(await live.reload()).toBe(true);
    expect(told).toBe(1);
    write('default.policy.yaml', 'nonsense: 1\n');
    expect(await live.reload()).toBe(false);
    expect(told).toBe(1);
  });

  it('refuses a bad file with its line, and goes on with what ran', async () => {
    write('default.policy.yaml', 'accessTokenLifetimeSecond: 600\n');
    expect(await live.reload()).toBe(false);
    expect(logs()).toContain('default.policy.yaml:1');
    expect(logs()).toContain('Did you mean');
    expect(live.current().policies.get('default')?.accessTokenLifetimeSeconds).toBe(900);
  });

  it.each([
    ['an unset variable', DECLARATION.replace('PHOTO_BOOK_SECRET', 'NOT_SET'), 'NOT_SET, which is not set', 6],
    ['an unknown policy', `${DECLARATION}    policy: defualt\n`, 'defualt', 7],
    ['a wildcard redirect URI', DECLARATION.replace('photos.test/callback', 'photos.test/*'), 'wildcard', 4],
    [
      'a wildcard post-logout redirect URI',
      `${DECLARATION}    post_logout_redirect_uris: ['https://*.test/']\n`,
      'wildcard',
      7,
    ],
    ['an algorithm that nobody knows', `${DECLARATION}    id_token_signed_response_alg: HS256\n`, 'HS256', 7],
    ['an algorithm that no key has', `${DECLARATION}    id_token_signed_response_alg: EdDSA\n`, 'EdDSA', 7],
    ['no secret', DECLARATION.replace(/ +client_secret.*\n/, ''), 'no secret', 2],
  ])('refuses a declaration with %s, with its line', async (_name, text, words, line) => {
    write('clients.yaml', text);
    expect(await live.reload()).toBe(false);
    expect(logs()).toContain(words);
    expect(logs()).toContain(`clients.yaml:${line}`);
  });

  it('brings where a sign-out may lead, and how ID Tokens are signed', async () => {
    const more = '    post_logout_redirect_uris: [https://photos.test/out]\n    id_token_signed_response_alg: ES256\n';
    write('clients.yaml', DECLARATION + more);
    expect(await live.reload()).toBe(true);
    expect(await findClient(opened.database.drizzle, 'photo-book')).toMatchObject({
      postLogoutRedirectUris: ['https://photos.test/out'],
      idTokenSignedResponseAlg: 'ES256',
    });
    expect(logs()).toContain('"fields":["post_logout_redirect_uris","id_token_signed_response_alg"]');
    write('clients.yaml', DECLARATION);
    expect(await live.reload()).toBe(true);
    expect(await findClient(opened.database.drizzle, 'photo-book')).toMatchObject({
      postLogoutRedirectUris: [],
      idTokenSignedResponseAlg: 'RS256',
    });
  });

  it('ends the grants of a client that is removed, also when it comes back', async () => {
    const { refreshToken } = await obtainTokens(test, CLIENT, await makeUser(test));
    write('clients.yaml', 'clients: []\n');
    expect(await live.reload()).toBe(true);
    expect((await refresh(test, CLIENT, refreshToken)).json.error).toBe('invalid_client');
    write('clients.yaml', DECLARATION);
    expect(await live.reload()).toBe(true);
    expect((await refresh(test, CLIENT, refreshToken)).json.error).toBe('invalid_grant');
    expect(logs()).toContain('"change":"removed"');
  });

  it('does not take a missing file for the end of everyone whom it declared', async () => {
    const { refreshToken } = await obtainTokens(test, CLIENT, await makeUser(test));
    rmSync(join(folder, 'clients.yaml'));
    expect(await live.reload()).toBe(false);
    expect(logs()).toContain('clients.yaml');
    expect((await refresh(test, CLIENT, refreshToken)).status).toBe(200);
  });

  it('keeps the grants of a client whose declaration did not change', async () => {
    const { refreshToken } = await obtainTokens(test, CLIENT, await makeUser(test));
    expect(await live.reload()).toBe(true);
    expect((await refresh(test, CLIENT, refreshToken)).status).toBe(200);
    expect(logs()).not.toContain('"change":"changed"');
  });

  it('refuses to lose a policy that a registered client names', async () => {
    write('default.policy.yaml', 'accessTokenLifetimeSeconds: 600\n');
    rmSync(join(folder, 'default.policy.yaml'));
    expect(await live.reload()).toBe(false);
  });

  it('reloads when a file changes', async () => {
    const unwatch = live.watch();
    write(
      'sign-in.yaml',
      'sessionLifetimeSeconds: 3600\ninteractionLifetimeSeconds: 600\nfailureWindowSeconds: 900\nfailuresPerAccountAndAddress: 10\nfailuresPerAddress: 100\n',
    );
    await until(() => live.current().signIn.sessionLifetimeSeconds === 3600);
    unwatch();
  });
});
