import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LiveConfiguration, liveConfiguration } from '../../../src/boot/live-configuration.ts';
import type { Runtime } from '../../../src/boot/runtime.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import { makeLogger } from '../../../src/system/logger.ts';
import { makeUser, obtainTokens, refresh, type TestClient } from '../../support/actors.ts';
import { openTestApp, type TestApp, testKeys } from '../../support/app.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { findClient } from '../../support/stored-clients.ts';
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

  it('activates declared clients at the start, with the secret of the environment', async () => {
    const { refreshToken } = await obtainTokens(test, CLIENT, await makeUser(test));
    expect((await refresh(test, CLIENT, refreshToken)).status).toBe(200);
    expect(logs()).not.toContain(SECRET);
  });

  it('applies a shorter lifetime to the next answer, and logs the change', async () => {
    write(
      'default.policy.yaml',
      'accessTokenLifetimeSeconds: 600\nauthorizationCodeLifetimeSeconds: 60\nrefreshIdleLifetimeSeconds: 3600\nrefreshAbsoluteLifetimeSeconds: 7200\n',
    );
    const { refreshToken } = await obtainTokens(test, CLIENT, await makeUser(test));
    expect(await live.reload()).toBe(true);
    expect((await refresh(test, CLIENT, refreshToken)).json.expires_in).toBe(600);
    expect(logs()).toContain('"key":"policies.default.accessTokenLifetimeSeconds","from":900,"to":600');
  });

  it('applies a role immediately, and logs the user who received it', async () => {
    write('operators.yaml', 'operators: [alice]\n');
    expect(await live.reload()).toBe(true);
    expect(live.current().operators.operators).toEqual(['alice']);
    expect(logs()).toContain('"key":"operators.users.alice","from":null,"to":"operator"');
  });

  it.each([true, false])(
    'reports whether the server runs in production (%s), after a reload too',
    async (production) => {
      const logger = makeLogger({ level: 'info', readable: false, destination: { write: () => {} } });
      const runtime = {
        environment: { configFolder: folder, issuer: 'https://as.test', production },
        configuration: loadConfiguration(folder, 'https://as.test'),
        keys: testKeys,
        random: systemRandom,
        database: opened.database,
      } as Runtime;
      const there = await liveConfiguration(runtime, logger, env);
      expect(there.current()).toMatchObject({ production, signIn: { secondFactor: 'operatorsInProduction' } });
      expect(await there.reload()).toBe(true);
      expect(there.current().production).toBe(production);
    },
  );

  it.each([
    ['makes the demo user an operator where there is demo data', 'embedded', '127.0.0.1', ['demo']],
    ['but not where others can reach the server', 'embedded', '0.0.0.0', []],
    ['nor on Postgres', 'postgres', '127.0.0.1', []],
  ] as const)('%s', async (_, kind, host, operators) => {
    const logger = makeLogger({ level: 'info', readable: false, destination: { write: () => {} } });
    const runtime = {
      environment: { configFolder: folder, issuer: 'https://as.test', host },
      configuration: loadConfiguration(folder, 'https://as.test'),
      keys: testKeys,
      random: systemRandom,
      database: { ...opened.database, kind },
    } as unknown as Runtime;
    const there = await liveConfiguration(runtime, logger, env);
    expect(there.current().operators.operators).toEqual(operators);
    write('operators.yaml', 'operators: [alice]\n');
    expect(await there.reload()).toBe(true);
    expect(there.current().operators.operators).toEqual(['alice', ...operators]);
    // The record of the demo user in the file.
    write('operators.yaml', 'auditors: [Demo]\n');
    expect(await there.reload()).toBe(true);
    expect(there.current().operators).toMatchObject({ operators: [], auditors: ['Demo'] });
  });

  it('notifies observers of each reload in force, and of no other', async () => {
    let notified = 0;
    live.onReload(() => {
      notified++;
    });
    expect(await live.reload()).toBe(true);
    expect(notified).toBe(1);
    write('default.policy.yaml', 'nonsense: 1\n');
    expect(await live.reload()).toBe(false);
    expect(notified).toBe(1);
  });

  it('rejects an invalid file with its line, and keeps the running configuration', async () => {
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
    ['an unknown algorithm', `${DECLARATION}    id_token_signed_response_alg: HS256\n`, 'HS256', 7],
    ['an algorithm that no key has', `${DECLARATION}    id_token_signed_response_alg: EdDSA\n`, 'EdDSA', 7],
    ['no secret', DECLARATION.replace(/ +client_secret.*\n/, ''), 'no secret', 2],
  ])('rejects a declaration with %s, with its line', async (_name, text, words, line) => {
    write('clients.yaml', text);
    expect(await live.reload()).toBe(false);
    expect(logs()).toContain(words);
    expect(logs()).toContain(`clients.yaml:${line}`);
  });

  it('rejects a client whose id is the sub of an end-user, with its line', async () => {
    const { id } = await makeUser(test);
    write('clients.yaml', DECLARATION.replace('client_id: photo-book', `client_id: ${id}`));
    expect(await live.reload()).toBe(false);
    expect(logs()).toContain('the sub of an end-user');
    expect(logs()).toContain('clients.yaml:2');
    expect(await findClient(opened.database.drizzle, 'photo-book')).not.toBeNull();
  });

  it('applies post-logout redirect URIs, and the algorithm of ID Tokens', async () => {
    const more = '    post_logout_redirect_uris: [https://photos.test/out]\n    id_token_signed_response_alg: ES256\n';
    write('clients.yaml', DECLARATION + more);
    expect(await live.reload()).toBe(true);
    expect(await findClient(opened.database.drizzle, 'photo-book')).toMatchObject({
      postLogoutRedirectUris: ['https://photos.test/out'],
      idTokenSignedResponseAlg: 'ES256',
    });
    expect(logs()).toContain('"fields":["id_token_signed_response_alg","post_logout_redirect_uris"]');
    write('clients.yaml', DECLARATION);
    expect(await live.reload()).toBe(true);
    expect(await findClient(opened.database.drizzle, 'photo-book')).toMatchObject({
      postLogoutRedirectUris: [],
      idTokenSignedResponseAlg: 'RS256',
    });
  });

  it('ends the grants of a removed client, even if it is declared again', async () => {
    const { refreshToken } = await obtainTokens(test, CLIENT, await makeUser(test));
    write('clients.yaml', 'clients: []\n');
    expect(await live.reload()).toBe(true);
    expect((await refresh(test, CLIENT, refreshToken)).json.error).toBe('invalid_client');
    write('clients.yaml', DECLARATION);
    expect(await live.reload()).toBe(true);
    expect((await refresh(test, CLIENT, refreshToken)).json.error).toBe('invalid_grant');
    expect(logs()).toContain('"change":"removed"');
  });

  it('does not treat a missing file as the removal of every declared client', async () => {
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

  it('rejects the removal of a policy that a registered client names', async () => {
    write('default.policy.yaml', 'accessTokenLifetimeSeconds: 600\n');
    rmSync(join(folder, 'default.policy.yaml'));
    expect(await live.reload()).toBe(false);
  });

  describe('reloads by itself', () => {
    const SIGN_IN = readFileSync(join(SHIPPED, 'sign-in.yaml'), 'utf8');
    const withSession = (seconds: number) =>
      SIGN_IN.replace(/^sessionLifetimeSeconds: .*$/m, `sessionLifetimeSeconds: ${seconds}`);
    const inForce = (seconds: number) => until(() => live.current().signIn.sessionLifetimeSeconds === seconds);
    let unwatch: () => void;
    const watch = () => {
      unwatch = live.watch(10);
    };
    afterEach(() => unwatch());

    /** A whole folder beside the other, as a tool that replaces folders prepares it. */
    function prepared(seconds: number): string {
      const fresh = mkdtempSync(join(tmpdir(), 'statehouse-policies-'));
      cpSync(folder, fresh, { recursive: true, dereference: true });
      writeFileSync(join(fresh, 'sign-in.yaml'), withSession(seconds));
      return fresh;
    }

    it('when a file is written in place, and when it is replaced', async () => {
      watch();
      write('sign-in.yaml', withSession(3600));
      await inForce(3600);
      write('sign-in.yaml.new', withSession(3700));
      renameSync(join(folder, 'sign-in.yaml.new'), join(folder, 'sign-in.yaml'));
      await inForce(3700);
    });

    it('when the folder is replaced, again and again, as rsync and git checkout do', async () => {
      watch();
      for (const seconds of [3600, 3700]) {
        const fresh = prepared(seconds);
        rmSync(folder, { recursive: true });
        renameSync(fresh, folder);
        await inForce(seconds);
      }
      write('sign-in.yaml', withSession(3800));
      await inForce(3800);
    });

    it('when the folder is removed and copied again, file by file', async () => {
      watch();
      for (const seconds of [3600, 3700]) {
        const fresh = prepared(seconds);
        rmSync(folder, { recursive: true });
        cpSync(fresh, folder, { recursive: true });
        rmSync(fresh, { recursive: true });
        await inForce(seconds);
      }
    });

    it('when the database was unreachable at first, which is logged once', async () => {
      const { drizzle } = opened.database;
      await drizzle.execute('alter table clients rename to clients_away');
      watch();
      write('sign-in.yaml', withSession(3600));
      const failures = () =>
        lines.filter((line) => line.includes('reload failed; the server retries every second')).length;
      await until(() => failures() > 0);
      expect(live.lastReload()).toMatchObject({ accepted: false });
      const notified = live.lastReload();
      // It was retried meanwhile.
      await until(() => live.lastReload() !== notified);
      await drizzle.execute('alter table clients_away rename to clients');
      await inForce(3600);
      expect(failures()).toBe(1);
      expect(live.lastReload()).toMatchObject({ accepted: true });
    });

    it('when the folder was missing for a while', async () => {
      watch();
      const fresh = prepared(3600);
      rmSync(folder, { recursive: true });
      await until(() => logs().includes('no such folder'));
      expect(live.current().policies.size).toBeGreaterThan(0);
      renameSync(fresh, folder);
      await inForce(3600);
    });

    it('when a symbolic link to the folder changes its target', async () => {
      const releases = [prepared(3600), prepared(3700)];
      rmSync(folder, { recursive: true });
      symlinkSync(releases[0] ?? '', folder);
      expect(await live.reload()).toBe(true);
      watch();
      const link = `${folder}-new`;
      symlinkSync(releases[1] ?? '', link);
      renameSync(link, folder);
      await inForce(3700);
      for (const release of releases) rmSync(release, { recursive: true });
    });

    it('when ..data changes its target, as Kubernetes does with a ConfigMap', async () => {
      const releases = [prepared(3600), prepared(3700)];
      for (const file of readdirSync(folder)) rmSync(join(folder, file), { recursive: true });
      symlinkSync(releases[0] ?? '', join(folder, '..data'));
      for (const file of readdirSync(releases[0] ?? '')) symlinkSync(join('..data', file), join(folder, file));
      expect(await live.reload()).toBe(true);
      watch();
      symlinkSync(releases[1] ?? '', join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
      await inForce(3700);
      for (const release of releases) rmSync(release, { recursive: true });
    });
  });

  it.each([
    ['in UTF-16', Buffer.from(`\ufeff${DECLARATION}`, 'utf16le'), 'clients.yaml: Expected UTF-8, found UTF-16'],
    ['in Latin-1', Buffer.from(DECLARATION.replace('Photo', 'Fot\u00f3'), 'latin1'), 'clients.yaml:3: Expected UTF-8'],
  ])('rejects a file %s by its name, and keeps the running configuration', async (_name, bytes, words) => {
    writeFileSync(join(folder, 'clients.yaml'), bytes);
    expect(await live.reload()).toBe(false);
    expect(logs()).toContain(words);
    expect(live.current().declaredClients).toHaveLength(1);
  });

  it('accepts a file with the byte order mark of UTF-8', async () => {
    write('clients.yaml', `\ufeff${DECLARATION.replace('Photo book', 'Fot\u00f3')}`);
    expect(await live.reload()).toBe(true);
    expect(await findClient(opened.database.drizzle, 'photo-book')).toMatchObject({ clientName: 'Fot\u00f3' });
  });
});
