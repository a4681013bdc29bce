/**
 * examples/proxies and examples/systemd. The proxies run as they are, but for ports and places: with TLS, in front of the server, and with
 * authorization codes in their URLs. Where nginx, Caddy or systemd is not installed, its tests are skipped.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  authorizeUrl,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  type TestClient,
  type TestUser,
} from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { testClock } from '../support/clock.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { installedTool } from '../support/installed-tool.ts';
import { freePort, openTestAppAt } from '../support/listening.ts';
import { nginxPath, startProxy, writeNginxConf } from '../support/proxies.ts';
import { until } from '../support/until.ts';
import { selfSigned } from './own-postgres.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const guide = read('docs/deploying.md');

const caddy = installedTool('CADDY_PATH', ['/usr/bin/caddy']);
const systemdAnalyze = installedTool('SYSTEMD_ANALYZE_PATH', ['/usr/bin/systemd-analyze']);

it.each([
  ['caddyfile', 'examples/proxies/Caddyfile'],
  ['nginx', 'examples/proxies/nginx.conf'],
])('docs/deploying.md shows the tested %s', (language, path) => {
  expect(
    [...guide.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text),
  ).toEqual([read(path)]);
});

/** Every text is there, and another takes its place. */
const adapted = (text: string, instead: readonly (readonly [found: string, by: string])[]) =>
  instead.reduce((current, [found, by]) => {
    expect(current).toContain(found);
    return current.replaceAll(found, by);
  }, text);

/** As the sample says of it; Debian's is one. */
function isOldCaddy(): boolean {
  const [, major, minor, patch] =
    /(\d+)\.(\d+)\.(\d+)/.exec(execFileSync(caddy ?? '', ['version'], { encoding: 'utf8' })) ?? [];
  return [major, minor, patch].map(Number).reduce((sum, part) => sum * 1000 + part) < 2_006_003;
}

type Place = {
  readonly folder: string;
  readonly port: number;
  readonly server: number;
  /** The port of the second node. Null: there is one node. */
  readonly second: number | null;
  readonly log: string;
};
type Proxy = {
  readonly path: string | null;
  readonly start: (place: Place) => { args: string[]; env: Record<string, string> };
};

const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: {
    path: nginxPath,
    start: ({ folder, port, server, second, log }) => {
      const sample = adapted(read('examples/proxies/nginx.conf'), [
        ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
        ['127.0.0.1:3000', `127.0.0.1:${server}`],
        ['127.0.0.1:3001', `127.0.0.1:${second ?? server}`],
        ['/etc/ssl/login.example.com.pem', join(folder, 'tls.crt')],
        ['/etc/ssl/login.example.com.key', join(folder, 'tls.key')],
        ['/var/log/nginx/statehouse.log', log],
        ['/var/log/nginx/statehouse.error.log', join(folder, 'error.log')],
      ]);
      return { args: writeNginxConf(folder, sample), env: {} };
    },
  },
  caddy: {
    path: caddy,
    start: ({ folder, port, server, second, log }) => {
      const sample = adapted(read('examples/proxies/Caddyfile'), [
        [
          'login.example.com {',
          `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${join(folder, 'tls.crt')} ${join(folder, 'tls.key')}`,
        ],
        ['127.0.0.1:3000', `127.0.0.1:${server}`],
        ['127.0.0.1:3001', second === null ? '' : `127.0.0.1:${second}`],
        ['/var/log/caddy/statehouse.log', log],
        ...(isOldCaddy() ? ([['request_buffers 64KiB', 'buffer_requests\n\t\tmax_buffer_size 64KiB']] as const) : []),
      ]);
      const file = join(folder, 'Caddyfile');
      writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${sample}`);
      return {
        args: ['run', '--adapter', 'caddyfile', '--config', file],
        env: { HOME: folder, XDG_DATA_HOME: folder },
      };
    },
  },
};

/** From another address of the loopback, so that the proxy's own differs from the caller's. */
const CALLER = '127.0.0.2';

/** A browser that comes through the proxy. */
class ProxiedBrowser extends Browser {
  readonly #port: number;
  constructor(test: TestApp, port: number) {
    super(test.app);
    this.#port = port;
  }
  override send(method: 'GET' | 'POST', url: string, body: string | null): Promise<Answer> {
    const headers: Record<string, string> = {
      host: `localhost:${this.#port}`,
      accept: 'text/html',
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      // A caller may claim any address.
      'x-forwarded-for': '203.0.113.9',
    };
    if (body !== null) headers['content-type'] = 'application/x-www-form-urlencoded';
    const to = { host: '127.0.0.1', port: this.#port, path: url, method, headers, localAddress: CALLER };
    return new Promise((resolve, reject) => {
      const sent = request({ ...to, rejectUnauthorized: false, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          for (const set of response.headers['set-cookie'] ?? []) {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
            this.cookies.set(name, value);
          }
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Answer['headers'],
            body: text,
            url,
          });
        });
      });
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  }
}

describe.each(Object.entries(PROXIES))('%s in front of the server', (_name, { path, start }) => {
  let opened: TestDatabase;
  let test: TestApp;
  let client: TestClient;
  let user: TestUser;
  let folder: string;
  let port: number;
  let server: number;
  const logFile = () => join(folder, 'access.log');
  const accessLog = () => (existsSync(logFile()) ? readFileSync(logFile(), 'utf8') : '');

  beforeAll(async () => {
    if (path === null) return;
    folder = mkdtempSync(join(tmpdir(), 'statehouse-proxy-'));
    chmodSync(folder, 0o755);
    selfSigned(folder);
    opened = await openTestDatabase('postgres');
    port = await freePort();
    server = await freePort();
    test = await openTestAppAt(server, opened.database, {
      clock: testClock(new Date()),
      issuer: `https://localhost:${port}`,
      trustedProxies: ['127.0.0.1', '::1'],
    });
    user = await makeUser(test);
    // The app lies behind the same proxy, so that codes pass it.
    client = await makeClient(test, { redirectUris: [`https://localhost:${port}/app/callback`] });
  });
  // It ends with each test.
  beforeEach(async () => {
    if (path === null) return;
    const { args, env } = start({ folder, port, server, second: null, log: logFile() });
    await startProxy(path, args, { folder, port, env });
  });
  afterAll(async () => {
    if (path === null) return;
    await test.app.close();
    await opened.close();
    rmSync(folder, { recursive: true });
  });

  it.runIf(path !== null)('forwards the client address, and logs neither codes nor queries', async () => {
    const pkce = makePkce();
    const browser = new ProxiedBrowser(test, port);
    const state = 'a-state-that-is-not-logged';
    const { url } = await goThrough(browser, authorizeUrl(client, pkce, { state }), user);
    const back = new URL(url);
    const code = back.searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    // The app's own callback, through the proxy; this server has no such page.
    expect((await browser.send('GET', `${back.pathname}${back.search}`, null)).status).toBe(404);
    // A federated sign-in returns to this server with a code of the identity provider.
    await browser.send('GET', '/sign-in/upstream/another/callback?code=a-code-of-another&state=x', null);
    await until(() => accessLog().includes('/sign-in/upstream/another/callback'));

    for (const path of ['/oauth/authorize', '/app/callback', '/sign-in/upstream/another/callback']) {
      expect(accessLog()).toContain(path);
    }
    for (const secret of [code, state, pkce.challenge, 'a-code-of-another', ...browser.cookies.values()]) {
      expect(accessLog()).not.toContain(secret);
    }
    expect(accessLog()).not.toContain('?');
    expect(accessLog()).toContain(CALLER);
  });

  it.runIf(path !== null)('passes the server the real client address, whatever the client claims', async () => {
    const browser = new ProxiedBrowser(test, port);
    const page = await browser.get(authorizeUrl(client, makePkce()));
    await browser.submit(page, { username: user.username, password: 'a password that is wrong' });
    const refused = test
      .logs()
      .split('\n')
      .filter((line) => line.includes('credentials_mismatch'))
      .map((line) => JSON.parse(line).address);
    expect(refused).toEqual([CALLER]);
  });

  it.runIf(path !== null)('forwards a request once its body is complete', async () => {
    const heads: string[] = [];
    const listen = ({ url = '' }: { readonly url?: string }) => void heads.push(url);
    test.app.server.on('request', listen);
    onTestFinished(() => void test.app.server.off('request', listen));
    const body = 'grant_type=client_credentials';
    const slow = tlsConnect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    onTestFinished(() => void slow.destroy());
    let answer = '';
    slow.on('data', (chunk) => {
      answer += String(chunk);
    });
    await once(slow, 'secureConnect');
    slow.write(
      `POST /oauth/token HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    // Other requests pass meanwhile, again and again: the proxy has read the half.
    const browser = new ProxiedBrowser(test, port);
    for (let asked = 0; asked < 20; asked++) expect((await browser.send('GET', '/health/live', null)).status).toBe(200);
    expect(heads.filter((url) => url === '/oauth/token')).toEqual([]);
    slow.write(body.slice(5));
    await until(() => answer.includes('invalid_client'));
    expect(heads.filter((url) => url === '/oauth/token')).toHaveLength(1);
  });

  it.runIf(path !== null)('forwards a request of the maximum length of the server', async () => {
    const browser = new ProxiedBrowser(test, port);
    const long = { state: randomBytes(3072).toString('base64url'), nonce: randomBytes(768).toString('base64url') };
    const page = await browser.get(authorizeUrl(client, makePkce(), long));
    expect(page.status).toBe(200);
    expect(page.body).toContain('name="password"');
  });
});

describe.each(Object.entries(PROXIES))('%s in front of two nodes', (_name, { path, start }) => {
  it.runIf(path !== null)('loses no request while one node after the other is replaced', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-proxy-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    chmodSync(folder, 0o755);
    selfSigned(folder);
    const [port, server, second] = [await freePort(), await freePort(), await freePort()];
    const first = await nodeAt(server);
    const { args, env } = start({ folder, port, server, second, log: join(folder, 'access.log') });
    await startProxy(path ?? '', args, { folder, port, env });
    expect(await statusesAt(port)).toEqual([200, 200, 200, 200, 200, 200]);
    await nodeAt(second);
    first.close();
    first.closeAllConnections();
    expect(await statusesAt(port)).toEqual([200, 200, 200, 200, 200, 200]);
  });
});

/** It ends with the running test. */
async function nodeAt(port: number): Promise<Server> {
  const node = createServer((_request, response) => response.end('a node'));
  onTestFinished(() => void node.close());
  node.listen(port, '127.0.0.1');
  await once(node, 'listening');
  return node;
}

const statusesAt = (port: number): Promise<(number | undefined)[]> =>
  Promise.all(
    Array.from({ length: 6 }, async () => {
      const headers = { host: `localhost:${port}` };
      const sent = request({ host: '127.0.0.1', port, headers, rejectUnauthorized: false, agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    }),
  );

describe('the units of systemd', () => {
  const UNITS = ['statehouse', 'statehouse-migrate'];
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-units-'));
    for (const unit of UNITS) {
      const text = adapted(read(`examples/systemd/${unit}.service`), [
        ['/usr/bin/node', process.execPath],
        ['/opt/statehouse', ROOT.replace(/\/$/, '')],
      ]);
      writeFileSync(join(folder, `${unit}.service`), text);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.runIf(systemdAnalyze !== null).each(UNITS)('contain only known directives: %s', (unit) => {
    const args = ['verify', '--recursive-errors=no', join(folder, `${unit}.service`)];
    const { status, stdout, stderr } = spawnSync(systemdAnalyze ?? '', args, { encoding: 'utf8' });
    expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' });
  });

  it.runIf(systemdAnalyze !== null).each(UNITS)('restrict the privileges of %s', (unit) => {
    // Of 100, which is everything; 20 is a good service that talks to the network.
    const args = ['security', '--offline=yes', '--no-pager', '--threshold=20', join(folder, `${unit}.service`)];
    expect(execFileSync(systemdAnalyze ?? '', args, { encoding: 'utf8' })).toContain('Overall exposure level');
  });

  it('receive their secrets as credentials, and the server never the owner’s', () => {
    const server = read('examples/systemd/statehouse.service');
    expect(server).toContain('Environment=STATEHOUSE_SECRET_FILE=%d/root-secret DATABASE_URL_FILE=%d/database-url');
    expect(server).not.toMatch(/owner|MIGRATIONS/);
  });

  it('leave a server down after a device has rejected the PIN', () => {
    expect(read('examples/systemd/statehouse.service')).toContain('\nRestartPreventExitStatus=78\n');
  });
});
