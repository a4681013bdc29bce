/** Sign-in to the console through this server itself, and the stored session. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { registerConsole } from '../../../src/boot/console.ts';
import { CONSOLE_CLIENT_ID } from '../../../src/config/own-clients.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { openText } from '../../../src/crypto/sealed-text.ts';
import { housekeeper } from '../../../src/storage/housekeeping.ts';
import { consoleSessions, grants, transitions } from '../../../src/storage/schema.ts';
import { makeUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, type Browser, formOf } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { findClient } from '../../support/stored-clients.ts';

const COOKIE = '__Host-statehouse-console';

let opened: TestDatabase;
let test: ConsoleApp;
beforeAll(async () => {
  opened = await openTestDatabase(anyDatabase);
  test = await openConsoleApp(opened.database);
});
afterAll(async () => {
  await test?.app.close();
  await opened?.close();
});
beforeEach(async () => {
  await test.database.drizzle.delete(consoleSessions);
});

const rows = () => test.database.drizzle.select().from(consoleSessions);
const consoleGrants = async () =>
  (await test.database.drizzle.select().from(grants)).filter(({ clientId }) => clientId === CONSOLE_CLIENT_ID);
const activeGrants = async () => (await consoleGrants()).filter(({ state }) => state === 'active').length;
const locationOf = ({ headers }: Answer) => new URL(String(headers['location']), test.issuer);

/** Up to the console's callback, which is not opened. */
async function upToCallback(browser: Browser, url = '/console'): Promise<URL> {
  let at = await browser.send('GET', url, null);
  for (let hops = 0; hops < 10; hops++) {
    const to = at.status === 303 ? locationOf(at) : null;
    if (to?.pathname === '/console/callback') return to;
    at = await browser.send('GET', `${to?.pathname}${to?.search}`, null);
  }
  throw new Error(`no callback: ${at.status}`);
}
const open = (browser: Browser, { pathname, search }: URL) => browser.send('GET', `${pathname}${search}`, null);

describe('an operator', () => {
  it('signs in, where every client has to push its requests', async () => {
    const signIn = { ...shippedConfiguration.signIn, requirePushedAuthorizationRequests: true };
    const own = await openTestDatabase(anyDatabase);
    onTestFinished(own.close);
    const strict = await openConsoleApp(own.database, { configuration: { ...shippedConfiguration, signIn } });
    onTestFinished(() => strict.app.close());
    const page = await openPage(consoleBrowser(strict), strict.auditor, '/console');
    expect([page.status, page.body.includes('Overview')]).toEqual([200, true]);
  });

  it('signs in with a code, PKCE, state and the scopes by name, and sees the first page', async () => {
    const browser = consoleBrowser(test);
    const asked = await browser.send('GET', '/console', null);
    const request = locationOf(asked);
    expect(asked.status).toBe(303);
    expect(request.pathname).toBe('/oauth/authorize');
    expect(Object.fromEntries(request.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CONSOLE_CLIENT_ID,
      redirect_uri: 'https://as.test/console/callback',
      resource: 'https://as.test/management/v1',
      code_challenge_method: 'S256',
    });
    expect(request.searchParams.get('scope')).toContain('clients:write');
    const page = await openPage(browser, test.operator);
    expect(page.status).toBe(200);
    expect(page.body).toContain('Overview');
    expect(page.body).toContain('olga');
  });

  it('returns to the requested page', async () => {
    const page = await openPage(consoleBrowser(test), test.operator, '/console/clients?q=statehouse-console');
    expect(page.body).toContain('<h1><bdi>Clients</bdi></h1>');
    expect(page.body).toContain('Statehouse console');
  });

  it('holds an opaque cookie; the token is stored sealed, for this cookie alone', async () => {
    const browser = consoleBrowser(test);
    await openPage(browser, test.operator);
    expect(browser.cookies.get(COOKIE)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const [row] = await rows();
    expect(row?.userId).toBe(test.operator.id);
    const signedIn = createHash('sha256')
      .update(browser.cookies.get('__Host-statehouse-session') ?? '')
      .digest('hex');
    const name = `token ${row?.idHash.toString('hex')} ${signedIn}`;
    const token = openText(test.keys, 'console', name, row?.sealedToken ?? '');
    expect(token).toMatch(/^eyJ/);
    for (const part of token?.split('.') ?? []) expect(row?.sealedToken).not.toContain(part);
    expect(openText(test.keys, 'console', `token ${'0'.repeat(64)} ${signedIn}`, row?.sealedToken ?? '')).toBeNull();
    expect(test.logs()).not.toContain('eyJ');
  });

  it('is prompted once: when the token is about to end, a page renews it silently, and the old grant ends', async () => {
    const browser = consoleBrowser(test);
    await openPage(browser, test.operator);
    const [before] = await rows();
    const active = await activeGrants();
    test.clock.advanceSeconds(601);
    const page = await browser.get((await upToCallback(browser, '/console/keys')).href.slice(test.issuer.length));
    expect(page.body).toContain('Signing keys');
    const [after, ...others] = await rows();
    expect(others).toEqual([]);
    expect(after?.idHash).not.toEqual(before?.idHash);
    // Forms of pages that are still open stay good.
    expect(after?.formId).toBe(before?.formId);
    expect(await activeGrants()).toBe(active);
  });

  it('signs out of the console: row, cookie and grant are gone', async () => {
    const browser = consoleBrowser(test);
    const page = await openPage(browser, test.operator);
    const active = await activeGrants();
    const out = await browser.post('/console/sign-out', formTo(page, '/console/sign-out'));
    expect(out.body).toContain('Signed out of the console');
    expect(await rows()).toEqual([]);
    expect(browser.cookies.get(COOKIE)).toBe('');
    expect(await activeGrants()).toBe(active - 1);
  });

  it('signs out of the console of this browser immediately with a sign-out of this server', async () => {
    const browser = consoleBrowser(test);
    const page = await openPage(browser, test.operator);
    await browser.submit(await browser.get('/oauth/logout'), { decision: 'approve' });
    expect((await browser.get('/console')).body).toContain('name="password"');
    expect((await browser.post('/console/sign-out', formOf(page.body).fields)).status).toBe(403);
  });

  it('can sign in as another user', async () => {
    const browser = consoleBrowser(test);
    await openPage(browser, test.operator);
    const page = await browser.get('/console/sign-in?as=another');
    expect(page.body).toContain('name="password"');
    const other = await openPage(browser, test.auditor, '/console/sign-in?as=another');
    expect(other.body).toContain('auditor: changes nothing');
  });

  it('leaves no row: rows are deleted an hour after the end of their token', async () => {
    await openPage(consoleBrowser(test), test.operator);
    const { cleanUp } = housekeeper(test.database.drizzle, test.clock);
    test.clock.advanceSeconds(900 + 3590);
    await cleanUp();
    expect(await rows()).toHaveLength(1);
    test.clock.advanceSeconds(20);
    await cleanUp();
    expect(await rows()).toEqual([]);
  });

  it('is signed in to twenty browsers at most: the oldest session is dropped', async () => {
    for (let count = 0; count < 22; count++) {
      test.clock.advanceSeconds(1);
      await openPage(consoleBrowser(test), test.operator);
    }
    expect(await rows()).toHaveLength(20);
  });
});

describe('a user without access', () => {
  it('gets a page without a role, and no token is stored', async () => {
    const withoutRole = await makeUser(test);
    const page = await openPage(consoleBrowser(test), withoutRole);
    expect(page.status).toBe(403);
    expect(page.body).toMatch(/not an operator or auditor/);
    expect(await rows()).toEqual([]);
  });

  it('gets a closed console where operators.yaml names no operator', async () => {
    test.setOperators({ operators: [], auditors: [] });
    const page = await consoleBrowser(test).get('/console');
    test.setOperators({});
    expect(page.status).toBe(404);
    expect(page.body).toContain('policies/operators.yaml');
  });
});

describe('the callback', () => {
  it('rejects a response to a request of another browser', async () => {
    const thief = consoleBrowser(test);
    await openPage(thief, test.operator);
    test.clock.advanceSeconds(601);
    const callback = await upToCallback(thief);
    const victim = consoleBrowser(test);
    await victim.get('/sign-in');
    const page = await open(victim, callback);
    expect(page.status).toBe(400);
    expect(page.body).toContain('did not begin in this browser');
    expect(victim.cookies.has(COOKIE)).toBe(false);
  });

  it.each([
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['another state', (url: URL) => url.searchParams.set('state', 'AAAA')],
    [
      'a changed state',
      (url: URL) => url.searchParams.set('state', `${url.searchParams.get('state')?.slice(0, -4)}AAAA`),
    ],
    ['two states', (url: URL) => url.searchParams.append('state', url.searchParams.get('state') ?? '')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.test')],
    ['no issuer', (url: URL) => url.searchParams.delete('iss')],
  ])('rejects %s', async (_, change) => {
    const browser = consoleBrowser(test);
    await openPage(browser, test.operator);
    test.clock.advanceSeconds(601);
    const callback = await upToCallback(browser);
    change(callback);
    const before = browser.cookies.get(COOKIE);
    expect((await open(browser, callback)).status).toBe(400);
    expect(browser.cookies.get(COOKIE)).toBe(before);
  });

  it('shows the error after a denial', async () => {
    const browser = consoleBrowser(test);
    const auditor = await makeUser(test, 'denier');
    test.setOperators({ auditors: ['denier'] });
    let at = await browser.get('/console');
    at = await browser.submit(at, { username: auditor.username, password: 'correct horse battery staple' });
    at = await browser.submit(at, { decision: 'deny' });
    const url = new URL(at.url);
    const page = await open(browser, url);
    test.setOperators({});
    expect(page.status).toBe(403);
    expect(page.body).toContain('Access denied');
  });

  it.each(['https://evil.test/', '//evil.test/', '/\\evil.test', '/console/../../evil', '/permissions'])(
    'redirects to the requested page alone, whatever is added: %s',
    async (evil) => {
      const browser = consoleBrowser(test);
      await openPage(browser, test.operator);
      test.clock.advanceSeconds(601);
      const callback = await upToCallback(browser, `/console/clients?to=${encodeURIComponent(evil)}`);
      for (const name of ['to', 'return_to', 'redirect_uri']) callback.searchParams.set(name, evil);
      const answer = await open(browser, callback);
      expect(answer.status).toBe(303);
      expect(String(answer.headers['location'])).toMatch(/^\/console\/clients\?to=/);
    },
  );

  it('of a request in absolute form keeps the path alone', async () => {
    const reply = await test.app.inject({ url: 'https://evil.test/console/clients?q=x' });
    const state = new URL(String(reply.headers.location), test.issuer).searchParams.get('state') ?? '';
    const browser = reply.cookies.find(({ name }) => name.endsWith('browser'))?.value ?? '';
    const name = `state ${createHash('sha256').update(browser).digest('hex')}`;
    expect(JSON.parse(openText(test.keys, 'console', name, state) ?? '{}')).toMatchObject({
      to: '/console/clients?q=x',
    });
  });

  it('sets a new cookie: one that another party had set before is never signed in', async () => {
    const browser = consoleBrowser(test);
    const planted = 'A'.repeat(43);
    browser.cookies.set(COOKIE, planted);
    await openPage(browser, test.operator);
    expect(browser.cookies.get(COOKIE)).not.toBe(planted);
    const thief = consoleBrowser(test);
    thief.cookies.set(COOKIE, planted);
    expect((await thief.send('GET', '/console', null)).status).toBe(303);
  });

  it('invalidates the old cookie of a renewed session', async () => {
    const browser = consoleBrowser(test);
    await openPage(browser, test.operator);
    const old = browser.cookies.get(COOKIE) ?? '';
    test.clock.advanceSeconds(601);
    await open(browser, await upToCallback(browser));
    const thief = consoleBrowser(test);
    thief.cookies.set(COOKIE, old);
    expect((await thief.send('GET', '/console', null)).status).toBe(303);
  });
});

describe('the client of the console', () => {
  const register = (keys = test.keys) =>
    registerConsole({
      issuer: test.issuer,
      keys,
      db: test.database.drizzle,
      clock: test.clock,
      configuration: test.deps.configuration(),
    });
  const lines = async () =>
    (await test.database.drizzle.select().from(transitions)).filter(
      ({ machine, clientId }) => machine === 'client' && clientId === CONSOLE_CLIENT_ID,
    );

  it('is confidential, may use codes alone, and requests only the management API', async () => {
    expect(await findClient(test.database.drizzle, CONSOLE_CLIENT_ID)).toMatchObject({
      tokenEndpointAuthMethod: 'client_secret_basic',
      grantTypes: ['authorization_code'],
      redirectUris: ['https://as.test/console/callback'],
      declared: false,
    });
  });

  it('is registered once: a second start writes no row', async () => {
    const before = await lines();
    await register();
    expect(await lines()).toEqual(before);
    expect(before.map(({ actor }) => actor)).toEqual(['server']);
  });

  it('is the same on nodes that list the root secrets in another order', async () => {
    const [old, fresh] = [
      'a root secret for tests, of more than 32 bytes',
      'another root secret, of more than 32 bytes',
    ];
    await register(rootKeys([old, fresh]));
    const after = await lines();
    await register(rootKeys([fresh, old]));
    expect(await lines()).toEqual(after);
    await register();
  });
});

describe('an issuer with a path', () => {
  it('has its console below it', async () => {
    const database = await openTestDatabase(anyDatabase);
    const below = await openConsoleApp(database.database, { issuer: 'https://as.test/tenant' });
    const browser = consoleBrowser(below);
    const page = await openPage(browser, below.operator, '/tenant/console/clients');
    expect(page.status).toBe(200);
    expect(page.body).toContain('href="/tenant/console/keys"');
    const shown = await browser.get('/tenant/console/client?id=statehouse-console');
    expect(shown.body).toContain('https://as.test/tenant/console/callback');
    const out = await browser.post('/tenant/console/sign-out', formTo(page, '/tenant/console/sign-out'));
    expect(out.url).toBe('/tenant/console/sign-out');
    expect(out.body).toContain('Signed out of the console');
    await below.app.close();
    await database.close();
  });
});
