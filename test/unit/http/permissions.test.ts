/** The permissions of a user: visible to that user alone, accurate, and revoked for good. */

import { randomUUID } from 'node:crypto';
import { eq, inArray, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Policy } from '../../../policies/schema.ts';
import type { AppDeps } from '../../../src/boot/wiring.ts';
import { StoreUnavailable } from '../../../src/engine/errors.ts';
import { consents, grants, server } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  obtainCode,
  obtainTokens,
  PASSWORD,
  refresh,
  type TestClient,
  type TestUser,
} from '../../support/actors.ts';
import { deleteClient, disableUser, enableUser, saveClient } from '../../support/administration.ts';
import { openTestApp, shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { everything, grantIdOfCode, ledgerOf, placeOf, storedGrant } from '../../support/stored.ts';

const DAY = 86_400;
const SESSION_LIFETIME = 30 * DAY;
const configuration = {
  ...shippedConfiguration,
  signIn: {
    ...shippedConfiguration.signIn,
    sessionLifetimeSeconds: SESSION_LIFETIME,
    failuresPerAccountAndAddress: 3,
  },
};

describe('revocation of access while the database goes away', () => {
  it.each([
    [true, 'The result is unknown', undefined],
    [false, 'Not available right now', '1'],
  ])('maybe committed: %s: the page says "%s"', async (maybeCommitted, title, retryAfter) => {
    const change = (deps: AppDeps): AppDeps => ({
      ...deps,
      store: {
        ...deps.store,
        commit: (commit) =>
          commit.kind === 'revoke' ? Promise.reject(new StoreUnavailable(maybeCommitted)) : deps.store.commit(commit),
      },
    });
    const scene = await openScene(anyDatabase, { change });
    await scene.chain();
    const answer = await scene.browser.submit(await scene.browser.get('/permissions'), {});
    expect(answer.status).toBe(503);
    expect(answer.body).toContain(title);
    expect(answer.headers['retry-after']).toBe(retryAfter);
    await scene.close();
  });
});

describe('/permissions', () => {
  let scene: Scene;
  let client: TestClient;
  let user: TestUser;
  let browser: Browser;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    client = await makeClient(scene, { clientName: `Photo <Book> ${randomUUID()}` });
    user = await makeUser(scene);
    browser = new Browser(scene.app);
  });

  const credentials = (who: TestUser = user) => ({ username: who.username, password: PASSWORD });
  const isSignIn = ({ body }: Answer) => body.includes('name="password"');
  const isList = ({ status, body }: Answer) => status === 200 && body.includes('<h1>What you have allowed</h1>');
  const signIn = async (by: Browser = browser, who: TestUser = user) => {
    const list = await by.submit(await by.get('/permissions'), credentials(who));
    expect(isList(list)).toBe(true);
    return list;
  };
  const nameOf = ({ clientName }: TestClient) => clientName.replace('<', '&#60;').replace('>', '&#62;');
  /** Whether the page lists this client. */
  const shows = async (by: Browser = browser, which: TestClient = client) => {
    const list = await by.get('/permissions');
    expect(isList(list)).toBe(true);
    return list.body.includes(nameOf(which));
  };
  const endIn = (by: Browser, page: Answer, clientId: string) =>
    by.post('/permissions/end', { csrf: formOf(page.body).fields['csrf'] ?? '', client_id: clientId });
  const forgetConsents = () => scene.database.drizzle.delete(consents).where(eq(consents.clientId, client.clientId));

  describe('shows', () => {
    it('each client, its permissions in the words of consent, since when, and its last use', async () => {
      await obtainTokens(scene, client, user, { scope: 'read' });
      const { body } = await signIn();
      const since = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(scene.clock.now());
      expect(body).toContain(nameOf(client));
      expect(body).toContain('see your data');
      expect(body).not.toContain('change your data');
      expect(body).toContain(`>${since}</time>. Last used on`);
      expect(body).toContain('The app keeps this access while you are away');
      expect(body).toContain(`<strong>${user.username}</strong>`);
      expect(body).toContain('href="/oauth/logout"');
      expect(body).not.toContain('Photo <Book>');
    });
    it('the last use, which a refresh updates, beside the first day', async () => {
      const { refreshToken } = await obtainTokens(scene, client, user);
      const began = scene.clock.now().toISOString();
      scene.clock.advanceSeconds(3 * DAY);
      await refresh(scene, client, refreshToken);
      const { body } = await signIn();
      expect(body).toContain(`<time datetime="${began}">`);
      expect(body).toContain(`Last used on <time datetime="${scene.clock.now().toISOString()}">`);
    });
    it('each client once, with all its permissions, the earliest day, and the latest use', async () => {
      const began = scene.clock.now().toISOString();
      await obtainTokens(scene, client, user, { scope: 'read' });
      scene.clock.advanceSeconds(DAY);
      await obtainTokens(scene, client, user, { scope: 'write' });
      const { body } = await signIn();
      expect(body.split('<section').length - 1).toBe(1);
      expect(body).toContain('see your data');
      expect(body).toContain('change your data');
      expect(body).toContain(`since <time datetime="${began}">`);
      expect(body).toContain(`Last used on <time datetime="${scene.clock.now().toISOString()}">`);
    });
    it('the newest first', async () => {
      const older = client;
      await obtainTokens(scene, older, user);
      scene.clock.advanceSeconds(60);
      const newer = await makeClient(scene, { clientName: `Newer ${randomUUID()}` });
      await obtainTokens(scene, newer, user);
      const { body } = await signIn();
      expect(body.indexOf(nameOf(newer))).toBeGreaterThan(0);
      expect(body.indexOf(nameOf(newer))).toBeLessThan(body.indexOf(nameOf(older)));
    });
    it('an unused code, and not one that was never exchanged in time', async () => {
      client = await makeClient(scene, { tokenEndpointAuthMethod: 'none', redirectUris: ['http://127.0.0.1/cb'] });
      await obtainCode(scene, client, user);
      const { body } = await signIn();
      expect(body).toContain('Not used yet');
      scene.clock.advanceSeconds(60);
      expect((await browser.get('/permissions')).body).toContain('You have not allowed any app');
    });
    it('a text for an empty list', async () => {
      const { body } = await signIn();
      expect(body).toContain('You have not allowed any app access');
      expect(body).not.toContain('<section');
    });
    it('a client without refresh tokens for as long as its access token is valid', async () => {
      client = await makeClient(scene, { grantTypes: ['authorization_code'] });
      await exchange(scene, client, await obtainCode(scene, client, user));
      await forgetConsents();
      const { body } = await signIn();
      expect(body).toContain('The app does not keep this access while you are away');
      const lifetime = shippedConfiguration.policies.get('default')?.accessTokenLifetimeSeconds ?? 0;
      scene.clock.advanceSeconds(lifetime - 1);
      expect(await shows()).toBe(true);
      scene.clock.advanceSeconds(1);
      expect(await shows()).toBe(false);
    });
    it('that offline access depends on offline_access, where the policy says so', async () => {
      const strict = { ...shippedConfiguration.policies.get('default'), refreshTokensNeedOfflineAccess: true };
      const policies = new Map([...shippedConfiguration.policies, ['strict', strict as Policy]]);
      const other = await openTestApp(scene.database, { configuration: { ...configuration, policies } });
      client = await makeClient(scene, { policy: 'strict' });
      const page = async (scope: string) => {
        const someone = await makeUser(scene);
        await exchange(other, client, await obtainCode(other, client, someone, { scope }));
        const by = new Browser(other.app);
        return (await signIn(by, someone)).body;
      };
      expect(await page('read')).toContain('The app does not keep this access while you are away');
      expect(await page('read offline_access')).toContain('The app keeps this access while you are away');
      await other.app.close();
    });
    it('the identity of the user, when the client may read it', async () => {
      await obtainTokens(scene, client, user, { scope: 'openid email read' });
      const { body } = await signIn();
      for (const { name, description } of shippedConfiguration.identity.scopes) {
        expect(body.includes(description), name).toBe(['openid', 'email'].includes(name));
      }
      expect(body).toContain('see your data');
    });
    it('a client without tokens that would get them without consent', async () => {
      client = await makeClient(scene, { grantTypes: ['authorization_code'] });
      await exchange(scene, client, await obtainCode(scene, client, user, { scope: 'read' }));
      scene.clock.advanceSeconds(3600);
      const { body } = await signIn();
      expect(body).toContain(nameOf(client));
      expect(body).toContain('gets this access without asking');
      expect(body).toContain('see your data');
    });
    it('no more than a hundred clients, with a note; many sign-ins at one client are one', async () => {
      const { code } = await obtainCode(scene, client, user);
      const [row] = await scene.database.drizzle
        .select()
        .from(grants)
        .where(eq(grants.id, grantIdOfCode(code)));
      if (!row) throw new Error('no grant');
      const made = scene.clock.now();
      const copy = (clientId: string, second: number) => ({
        ...row,
        id: randomUUID(),
        interactionId: randomUUID(),
        clientId,
        createdAt: new Date(made.getTime() + second),
        clientEpoch: 0n,
      });
      const many = await Promise.all(Array.from({ length: 102 }, () => makeClient(scene)));
      await scene.database.drizzle
        .insert(grants)
        .values([
          ...many.map((one, n) => copy(one.clientId, -n)),
          ...Array.from({ length: 300 }, (_, n) => copy(client.clientId, 1000 + n)),
        ]);
      const { body } = await signIn();
      expect(body.split('<section').length - 1).toBe(100);
      expect(body).toContain('These are the newest');
      expect(body.indexOf(nameOf(client))).toBeGreaterThan(0);
    });
  });

  describe('does not show', () => {
    const tokens = async () => {
      const made = await obtainTokens(scene, client, user);
      await forgetConsents();
      await signIn();
      expect(await shows()).toBe(true);
      return made;
    };
    it('the permissions of another user', async () => {
      await tokens();
      const stranger = new Browser(scene.app);
      await signIn(stranger, await makeUser(scene));
      expect(await shows(stranger)).toBe(false);
    });
    it('a chain that reuse has ended', async () => {
      const { refreshToken } = await tokens();
      await refresh(scene, client, refreshToken);
      await refresh(scene, client, refreshToken);
      expect(await shows()).toBe(false);
    });
    it('an expired chain, under the current policy', async () => {
      await tokens();
      const idle = shippedConfiguration.policies.get('default')?.refreshIdleLifetimeSeconds ?? 0;
      scene.clock.advanceSeconds(idle - 1);
      browser = new Browser(scene.app);
      await signIn();
      expect(await shows()).toBe(true);
      scene.clock.advanceSeconds(1);
      expect(await shows()).toBe(false);
    });
    it('the grants of a deleted client, nor when it is registered again', async () => {
      await tokens();
      await deleteClient(scene.database.drizzle, client.clientId);
      expect(await shows()).toBe(false);
      const { secret: _, ...registration } = client;
      await saveClient(scene.database.drizzle, registration);
      expect(await shows()).toBe(false);
    });
    it('a consent that no longer counts because the client was deleted, or the user disabled', async () => {
      const other = await makeClient(scene, { clientName: `Other ${randomUUID()}` });
      for (const one of [client, other]) await obtainTokens(scene, one, user);
      await signIn();
      await deleteClient(scene.database.drizzle, client.clientId);
      const { secret: _, ...registration } = client;
      await saveClient(scene.database.drizzle, registration);
      expect([await shows(), await shows(browser, other)]).toEqual([false, true]);
      await disableUser(scene.database.drizzle, user.username);
      await enableUser(scene.database.drizzle, user.username);
      await signIn();
      expect(await shows(browser, other)).toBe(false);
    });
    it('permissions from before the user was disabled, or the server’s epoch raised', async () => {
      await tokens();
      await disableUser(scene.database.drizzle, user.username);
      await enableUser(scene.database.drizzle, user.username);
      expect(isSignIn(await browser.get('/permissions'))).toBe(true);
      await signIn();
      expect(await shows()).toBe(false);
      await obtainTokens(scene, client, user);
      await forgetConsents();
      expect(await shows()).toBe(true);
      await scene.database.drizzle.update(server).set({ epoch: sql`${server.epoch} + 1` });
      await signIn();
      expect(await shows()).toBe(false);
    });
  });

  describe('revocation', () => {
    it('ends every chain of that client, through the machine, and the client needs consent again', async () => {
      const first = await obtainTokens(scene, client, user);
      const second = await obtainTokens(scene, client, user);
      const waiting = await obtainCode(scene, client, user);
      const page = await signIn();
      const after = await endIn(browser, page, client.clientId);
      expect(isList(after)).toBe(true);
      expect(after.url).toBe('/permissions?ended');
      expect(after.body).toContain('role="status"');
      expect(after.body).not.toContain(nameOf(client));
      for (const { refreshToken } of [first, second]) {
        expect((await refresh(scene, client, refreshToken)).json.error).toBe('invalid_grant');
        const { grantId } = placeOf(scene.keys, refreshToken);
        expect((await storedGrant(scene.database.drizzle, grantId)).revokedReason).toBe('revocation_requested');
        expect(await ledgerOf(scene.database.drizzle, grantId)).toContain(
          'grant: active → revoked (revocation_requested)',
        );
      }
      expect((await exchange(scene, client, waiting)).json.error).toBe('invalid_grant');
      const asked = await browser.get(authorizeUrl(client, makePkce()));
      expect(asked.body).toContain('name="decision"');
    });
    it('answers with a redirect, so that a reload revokes nothing again', async () => {
      await obtainTokens(scene, client, user);
      const page = await signIn();
      const fields = new URLSearchParams({ csrf: formOf(page.body).fields['csrf'] ?? '', client_id: client.clientId });
      for (const _ of ['first', 'double click']) {
        const answer = await browser.send('POST', '/permissions/end', fields.toString());
        expect(answer.status).toBe(303);
        expect(answer.headers['location']).toBe('/permissions?ended');
      }
    });
    it('works from the page’s own form', async () => {
      const { refreshToken } = await obtainTokens(scene, client, user);
      await browser.submit(await signIn(), {});
      expect((await refresh(scene, client, refreshToken)).json.error).toBe('invalid_grant');
    });
    it('does not affect other clients and other users', async () => {
      const other = await makeClient(scene);
      const someone = await makeUser(scene);
      const kept = [
        [other, await obtainTokens(scene, other, user)],
        [client, await obtainTokens(scene, client, someone)],
      ] as const;
      await obtainTokens(scene, client, user);
      await endIn(browser, await signIn(), client.clientId);
      for (const [by, { refreshToken }] of kept) {
        expect((await refresh(scene, by, refreshToken)).status).toBe(200);
      }
      const standing = await scene.database.drizzle
        .select({ clientId: consents.clientId, userId: consents.userId })
        .from(consents)
        .where(inArray(consents.userId, [user.id, someone.id]));
      expect(standing).toHaveLength(2);
      expect(standing).toContainEqual({ clientId: other.clientId, userId: user.id });
      expect(standing).toContainEqual({ clientId: client.clientId, userId: someone.id });
    });
    it('is logged with user and client, and no token', async () => {
      const { refreshToken } = await obtainTokens(scene, client, user);
      const page = await signIn();
      await endIn(browser, page, client.clientId);
      const line = scene
        .logs()
        .split('\n')
        .find((one) => one.includes('permission ended') && one.includes(client.clientId));
      expect(line).toContain(user.id);
      expect(line).toContain('"grants":1');
      expect(scene.logs()).not.toContain(refreshToken);
      expect(scene.logs()).not.toContain(formOf(page.body).fields['csrf']);
    });
  });

  describe('rejects a foreign form without a change', () => {
    let page: Answer;
    let fields: Readonly<Record<string, string>>;
    beforeEach(async () => {
      await obtainTokens(scene, client, user);
      page = await signIn();
      fields = { csrf: formOf(page.body).fields['csrf'] ?? '', client_id: client.clientId };
    });
    const refused = async (encoded: string, by: Browser = browser) => {
      const before = await everything(scene.database.drizzle);
      const answer = await by.send('POST', '/permissions/end', encoded);
      expect(answer.status).toBe(403);
      expect(answer.body).toContain('This form cannot be accepted');
      expect(await everything(scene.database.drizzle)).toEqual(before);
      expect(await shows()).toBe(true);
    };
    const encoded = (one: Readonly<Record<string, string>>) => new URLSearchParams(one).toString();

    it('without its token, with another one, or without a client', async () => {
      await refused(encoded({ client_id: client.clientId }));
      await refused(encoded({ ...fields, csrf: 'x' }));
      await refused(encoded({ ...fields, csrf: fields['csrf']?.toLowerCase() ?? '' }));
      await refused(encoded({ csrf: fields['csrf'] ?? '' }));
    });
    it('with repeated or unreadable fields', async () => {
      await refused(`${encoded(fields)}&client_id=${scene.client.clientId}`);
      await refused(`${encoded(fields)}&csrf=${fields['csrf']}`);
      await refused(`csrf=${fields['csrf']}&client_id=%00`);
    });
    it('with the token of another user, of another session of the same browser, or of the sign-out form', async () => {
      const stranger = new Browser(scene.app);
      const someone = await makeUser(scene);
      await obtainTokens(scene, client, someone);
      const theirs = formOf((await signIn(stranger, someone)).body).fields['csrf'] ?? '';
      await refused(encoded({ ...fields, csrf: theirs }));
      const signOut = formOf((await browser.get('/oauth/logout')).body).fields['csrf'] ?? '';
      await refused(encoded({ ...fields, csrf: signOut }));
      await browser.submit(await browser.get('/oauth/logout'), { decision: 'approve' });
      await signIn();
      await refused(encoded(fields));
    });
    it('without the browser’s cookie', async () => {
      const cookie = browser.cookies.get('__Host-statehouse-browser') ?? '';
      browser.cookies.delete('__Host-statehouse-browser');
      const answer = await browser.send('POST', '/permissions/end', encoded(fields));
      expect(answer.status).toBe(403);
      browser.cookies.set('__Host-statehouse-browser', cookie);
      expect(await shows()).toBe(true);
    });
    it('and redirects one without a session to sign-in', async () => {
      const before = await everything(scene.database.drizzle);
      const answer = await new Browser(scene.app).send('POST', '/permissions/end', encoded(fields));
      expect(answer.headers['location']).toBe('/sign-in?then=permissions');
      expect(await everything(scene.database.drizzle)).toEqual(before);
    });
    it('and any GET', async () => {
      expect((await browser.get(`/permissions/end?${encoded(fields)}`)).status).toBe(404);
      expect(await shows()).toBe(true);
    });
  });

  describe('without a session', () => {
    it('leads to a sign-in of its own, and back to the page and nowhere else', async () => {
      const asked = await browser.send('GET', '/permissions', null);
      expect([asked.status, asked.headers['location']]).toEqual([303, '/sign-in?then=permissions']);
      for (const query of ['', '?return_to=https://evil.test', '?next=//evil.test', '?then=%2F%2Fevil.test']) {
        const fresh = new Browser(scene.app);
        const page = await fresh.get(`/sign-in${query}`);
        const form = formOf(page.body);
        expect(form.action).toBe('/sign-in');
        const body = new URLSearchParams({
          ...form.fields,
          ...credentials(),
          return_to: 'https://evil.test',
          next: '//evil.test',
        });
        const answer = await fresh.send('POST', '/sign-in', body.toString());
        expect([answer.status, answer.headers['location']]).toEqual([303, '/account']);
      }
    });
    it('skips the sign-in with a session', async () => {
      await signIn();
      expect(isList(await browser.get('/sign-in?then=permissions'))).toBe(true);
      expect((await browser.get('/sign-in')).url).toBe('/account');
    });
    it('counts failures as the other sign-in does, with the same texts', async () => {
      const page = await browser.get('/sign-in');
      for (let n = 0; n < 3; n++) {
        const answer = await browser.submit(page, { username: user.username, password: 'wrong' });
        expect(answer.status).toBe(400);
        expect(answer.body).toContain('The e-mail address, the username or the password is wrong');
        expect(answer.body).toContain(`value="${user.username}"`);
      }
      const throttled = await browser.submit(page, credentials());
      expect(throttled.status).toBe(429);
      expect(throttled.headers['retry-after']).toBeDefined();
      expect(isSignIn(await browser.submit(await browser.get(authorizeUrl(client, makePkce())), credentials()))).toBe(
        true,
      );
      expect(isList(await browser.get('/permissions'))).toBe(false);
    });
    it('requires both fields', async () => {
      const page = await browser.get('/sign-in');
      for (const fields of [{ username: '' }, { username: user.username }, { password: PASSWORD }]) {
        const answer = await browser.submit(page, fields);
        expect(answer.status).toBe(400);
        expect(answer.body).toContain('Type your e-mail address or username and your password');
      }
    });
    it('accepts no form but its own: login CSRF', async () => {
      const foreign = formOf((await new Browser(scene.app).get('/sign-in')).body).fields;
      await browser.get('/sign-in');
      for (const fields of [{}, { csrf: 'x' }, foreign]) {
        const answer = await browser.post('/sign-in', { ...fields, ...credentials() });
        expect(answer.status).toBe(403);
        expect(browser.cookies.get('__Host-statehouse-session')).toBeUndefined();
      }
      const cookieless = new Browser(scene.app);
      expect((await cookieless.post('/sign-in', { ...foreign, ...credentials() })).status).toBe(403);
    });
    it('creates a new session, and ends a planted one', async () => {
      await signIn();
      const planted = browser.cookies.get('__Host-statehouse-session') ?? '';
      const form = formOf((await new Browser(scene.app).get('/sign-in')).body);
      expect(form.action).toBe('/sign-in');
      const again = new Browser(scene.app);
      const page = await again.get('/sign-in');
      again.cookies.set('__Host-statehouse-session', planted);
      await again.submit(page, credentials());
      expect(again.cookies.get('__Host-statehouse-session')).not.toBe(planted);
      const thief = new Browser(scene.app);
      thief.cookies.set('__Host-statehouse-session', planted);
      expect(isSignIn(await thief.get('/permissions'))).toBe(true);
    });
    it('also after the session has expired', async () => {
      await signIn();
      scene.clock.advanceSeconds(SESSION_LIFETIME);
      expect(isSignIn(await browser.get('/permissions'))).toBe(true);
    });
    it('signs in for the apps too, and the other way round', async () => {
      await signIn();
      expect(isSignIn(await browser.get(authorizeUrl(client, makePkce())))).toBe(false);
      const other = new Browser(scene.app);
      await goThrough(other, authorizeUrl(client, makePkce()), user);
      expect(isList(await other.get('/permissions'))).toBe(true);
    });
  });

  it('is not framed, not stored, and has no script', async () => {
    await signIn();
    for (const path of ['/permissions', '/sign-in']) {
      const { headers, body } = await browser.get(path);
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['cache-control']).toBe('no-store');
      expect(body).not.toContain('<script');
    }
  });
});

describe('under an issuer with a path', () => {
  it('keeps every link below it', async () => {
    const scene = await openScene(anyDatabase, { issuer: 'https://as.test/tenant' });
    const browser = new Browser(scene.app);
    const signIn = await browser.get('/tenant/permissions');
    expect(formOf(signIn.body).action).toBe('/tenant/sign-in?then=permissions');
    const list = await browser.submit(signIn, { username: scene.user.username, password: PASSWORD });
    expect(list.body).toContain('href="/tenant/oauth/logout"');
    const question = await browser.get('/tenant/oauth/logout');
    expect(formOf(question.body).action).toBe('/tenant/oauth/logout/decision');
    expect(question.body).toContain('href="/tenant/permissions"');
    expect((await browser.submit(question, { decision: 'approve' })).body).toContain('You are signed out');
    await scene.close();
  });
});
