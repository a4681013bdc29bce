/** Between the authorization request and the redirect: one browser, one person at a time, one answer. */

import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { grants } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestClient,
  type TestUser,
} from '../../support/actors.ts';
import { deleteClient, disableUser } from '../../support/administration.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const code = ({ url }: Answer) => (URL.canParse(url) ? new URL(url).searchParams.get('code') : null);
const isSignIn = ({ body }: Answer) => body.includes('name="password"');
const isConsent = ({ body }: Answer) => body.includes('name="decision"');

describe('an interaction', () => {
  let scene: Scene;
  let client: TestClient;
  let user: TestUser;
  let browser: Browser;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    [client, user] = [await makeClient(scene), await makeUser(scene)];
    browser = new Browser(scene.app);
  });

  const begin = (by: Browser = browser, change: Readonly<Record<string, string>> = {}) =>
    by.get(authorizeUrl(client, makePkce(), change));
  const credentials = (one: TestUser = user) => ({ username: one.username, password: PASSWORD });
  const grantCount = async () =>
    (await scene.database.drizzle.select().from(grants).where(eq(grants.clientId, client.clientId))).length;

  it('shows sign-in, then consent, and redirects back', async () => {
    const signIn = await begin();
    expect(isSignIn(signIn)).toBe(true);
    expect(signIn.body).toContain(client.clientName);
    const consent = await browser.submit(signIn, credentials());
    expect(isConsent(consent)).toBe(true);
    for (const words of [client.clientName, 'client.test', 'see your data', 'change your data', user.username]) {
      expect(consent.body).toContain(words);
    }
    expect(await grantCount()).toBe(0);
    const back = await browser.submit(consent, { decision: 'approve' });
    expect(back.status).toBe(303);
    expect(code(back)).toMatch(/^sh_ac_/);
    expect(await grantCount()).toBe(1);
  });

  it('redirects a denial to the client, makes no grant, and stays denied', async () => {
    const consent = await browser.submit(await begin(), credentials());
    const denied = await browser.submit(consent, { decision: 'deny' });
    const answer = new URL(denied.url).searchParams;
    expect(Object.fromEntries(answer)).toMatchObject({ error: 'access_denied', state: 'a-state', iss: scene.issuer });
    expect((await browser.submit(consent, { decision: 'deny' })).url).toBe(denied.url);
    const changed = await browser.submit(consent, { decision: 'approve' });
    expect(changed.status).toBe(400);
    expect(changed.body).toContain('Already answered');
    expect(await grantCount()).toBe(0);
    // Nor is a denial remembered as a consent: the next request shows the page again.
    expect(isConsent(await begin())).toBe(true);
  });

  describe('consent', () => {
    it('is remembered for a confidential client, and required again when the scope grows', async () => {
      await goThrough(browser, authorizeUrl(client, makePkce(), { scope: 'read' }), user);
      expect(code(await begin(browser, { scope: 'read' }))).toMatch(/^sh_ac_/);
      const more = await begin(browser, { scope: 'read write' });
      expect(isConsent(more)).toBe(true);
      await browser.submit(more, { decision: 'approve' });
      expect(code(await begin(browser, { scope: 'read write' }))).toMatch(/^sh_ac_/);
      expect(code(await begin(browser, { scope: 'write' }))).toMatch(/^sh_ac_/);
    });
    it.each([
      ['a public client with https', 'https://client.test/callback', true],
      ['a public client on the loopback', 'http://127.0.0.1/callback', false],
      ['a public client with a scheme of its own', 'com.example.app:/callback', false],
    ])('%s', async (_, redirectUri, isRemembered) => {
      client = await makeClient(scene, {
        tokenEndpointAuthMethod: 'none',
        applicationType: 'native',
        redirectUris: [redirectUri],
      });
      const first = await goThrough(browser, authorizeUrl(client, makePkce()), user);
      expect(code(first)).toMatch(/^sh_ac_/);
      expect(isConsent(await begin())).toBe(!isRemembered);
    });
    it('belongs to one user: another one in the same browser gets the page', async () => {
      await goThrough(browser, authorizeUrl(client, makePkce()), user);
      const other = new Browser(scene.app);
      const consent = await other.submit(await begin(other), credentials(await makeUser(scene)));
      expect(isConsent(consent)).toBe(true);
    });
    it('belongs to one client', async () => {
      await goThrough(browser, authorizeUrl(client, makePkce()), user);
      client = await makeClient(scene);
      expect(isConsent(await begin())).toBe(true);
    });
  });

  describe('forms', () => {
    const refused = async (answer: Promise<Answer>) => {
      const { status, headers, body } = await answer;
      expect(status).toBe(403);
      expect(headers).not.toHaveProperty('location');
      expect(body).toContain('cannot be accepted');
    };

    it('are rejected without the token of their page, or with another', async () => {
      const signIn = await begin();
      const { action, fields } = formOf(signIn.body);
      const csrf = fields['csrf'] ?? '';
      const wrong = ['', 'x', csrf.slice(0, -1), `${csrf}A`, csrf.toLowerCase(), csrf.toUpperCase()];
      for (const one of wrong) await refused(browser.post(action, { ...credentials(), csrf: one }));
      await refused(browser.post(action, credentials()));
      expect(browser.cookies.has('__Host-statehouse-session')).toBe(false);

      const consent = await browser.submit(signIn, credentials());
      const consentAction = formOf(consent.body).action;
      for (const one of wrong) await refused(browser.post(consentAction, { decision: 'approve', csrf: one }));
      await refused(browser.post(consentAction, { decision: 'approve' }));
      expect(await grantCount()).toBe(0);
      expect(code(await browser.submit(consent, { decision: 'approve' }))).toMatch(/^sh_ac_/);
    });

    it('are rejected with the token of another interaction, or of another browser', async () => {
      const [mine, another] = [await begin(), await begin()];
      await refused(browser.post(formOf(mine.body).action, { ...credentials(), ...formOf(another.body).fields }));
      const attacker = new Browser(scene.app);
      const theirs = await begin(attacker);
      await refused(browser.post(formOf(mine.body).action, { ...credentials(), ...formOf(theirs.body).fields }));
    });

    it('are rejected in a browser that did not begin', async () => {
      const signIn = await begin();
      const consent = await browser.submit(signIn, credentials());
      const another = new Browser(scene.app);
      await begin(another);
      // Even one that holds the person's session, as after a sign-in that was fixed upon them.
      const withSession = new Browser(scene.app);
      await begin(withSession);
      withSession.cookies.set('__Host-statehouse-session', browser.cookies.get('__Host-statehouse-session') ?? '');
      for (const stranger of [new Browser(scene.app), another, withSession]) {
        for (const page of [signIn, consent]) {
          const answer = await stranger.submit(page, { ...credentials(), decision: 'approve' });
          expect(answer.status).toBe(403);
          expect(answer.body).toContain('belongs to another browser');
        }
        expect((await stranger.get(consent.url)).status).toBe(403);
      }
      expect(await grantCount()).toBe(0);
    });

    it('are rejected with another decision, two, or none', async () => {
      const consent = await browser.submit(await begin(), credentials());
      const { action, fields } = formOf(consent.body);
      for (const decision of ['', 'Approve', 'yes', 'constructor', '__proto__', 'toString'])
        await refused(browser.post(action, { ...fields, decision }));
      await refused(browser.post(action, fields));
      const both = `csrf=${fields['csrf']}&decision=approve&decision=deny`;
      expect((await browser.send('POST', action, both)).status).toBe(403);
      expect(await grantCount()).toBe(0);
    });

    it.each(['x', randomUUID(), '00000000-0000-0000-0000-000000000000', '%00', 'a'.repeat(100), `${randomUUID()}'`])(
      'are rejected for %s',
      async (id) => {
        for (const answer of [
          await browser.get(`/interactions/${id}`),
          await browser.post(`/interactions/${id}/sign-in`, credentials()),
          await browser.post(`/interactions/${id}/consent`, { decision: 'approve' }),
        ]) {
          expect(answer.status).toBe(404);
        }
      },
    );
  });

  describe('users', () => {
    it('without a session decide nothing', async () => {
      const consent = await browser.submit(await begin(), credentials());
      browser.cookies.delete('__Host-statehouse-session');
      const answer = await browser.submit(consent, { decision: 'approve' });
      expect(isSignIn(answer)).toBe(true);
      expect(await grantCount()).toBe(0);
    });

    it('other than that of the page decide nothing, and get the sign-in page', async () => {
      const consent = await browser.submit(await begin(), credentials());
      const other = await makeUser(scene);
      const stranger = new Browser(scene.app);
      await goThrough(stranger, authorizeUrl(await makeClient(scene), makePkce()), other);
      browser.cookies.set('__Host-statehouse-session', stranger.cookies.get('__Host-statehouse-session') ?? '');
      const answer = await browser.submit(consent, { decision: 'approve' });
      expect(isSignIn(answer)).toBe(true);
      expect(await grantCount()).toBe(0);
    });

    it('may change: the grant belongs to the one who decided', async () => {
      const consent = await browser.submit(await begin(), credentials());
      const switching = await browser.get(`${consent.url}?account=another`);
      expect(isSignIn(switching)).toBe(true);
      const other = await makeUser(scene);
      const theirs = await browser.submit(switching, credentials(other));
      expect(theirs.body).toContain(other.username);
      expect(theirs.body).not.toContain(`<strong>${user.username}</strong>`);
      await browser.submit(theirs, { decision: 'approve' });
      const [grant] = await scene.database.drizzle.select().from(grants).where(eq(grants.clientId, client.clientId));
      expect(grant?.userId).toBe(other.id);
    });

    it('get a new session at every sign-in, which ends the old one', async () => {
      await browser.submit(await begin(), credentials());
      const planted = browser.cookies.get('__Host-statehouse-session') ?? '';
      const consent = await begin();
      await browser.submit(await browser.get(`${consent.url}?account=another`), credentials());
      expect(browser.cookies.get('__Host-statehouse-session')).not.toBe(planted);
      const thief = new Browser(scene.app);
      thief.cookies.set('__Host-statehouse-session', planted);
      expect(isSignIn(await begin(thief))).toBe(true);
    });

    it('that are disabled in between decide nothing', async () => {
      const consent = await browser.submit(await begin(), credentials());
      await disableUser(scene.database.drizzle, user.username);
      const answer = await browser.submit(consent, { decision: 'approve' });
      expect(isSignIn(answer)).toBe(true);
      expect(await grantCount()).toBe(0);
    });
  });

  it('expires on every page and form', async () => {
    const signIn = await begin();
    const consent = await browser.submit(await begin(), credentials());
    scene.clock.advanceSeconds(1800);
    for (const answer of [
      await browser.get(signIn.url),
      await browser.submit(signIn, credentials()),
      await browser.get(consent.url),
      await browser.submit(consent, { decision: 'approve' }),
      await browser.submit(consent, { decision: 'deny' }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('took too long');
    }
    expect(await grantCount()).toBe(0);
  });

  it('ends when its client is deleted', async () => {
    const consent = await browser.submit(await begin(), credentials());
    await deleteClient(scene.database.drizzle, client.clientId);
    const answer = await browser.submit(consent, { decision: 'approve' });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('no longer registered');
    expect(await grantCount()).toBe(0);
  });

  describe('sent twice', () => {
    it('is answered with the same code while it is unused, and not after its use or end', async () => {
      const pkce = makePkce();
      const consent = await browser.submit(await browser.get(authorizeUrl(client, pkce)), credentials());
      const first = await browser.submit(consent, { decision: 'approve' });
      const second = await browser.submit(consent, { decision: 'approve' });
      expect(second.url).toBe(first.url);
      expect(await grantCount()).toBe(1);
      expect((await exchange(scene, client, { code: code(first) ?? '', verifier: pkce.verifier })).status).toBe(200);
      const third = await browser.submit(consent, { decision: 'approve' });
      expect(third.status).toBe(400);
      expect(third.body).toContain('Already answered');
      expect((await browser.submit(consent, { decision: 'deny' })).status).toBe(400);
    });

    it('is rejected after the code has ended', async () => {
      const consent = await browser.submit(await begin(), credentials());
      await browser.submit(consent, { decision: 'approve' });
      scene.clock.advanceSeconds(60);
      expect((await browser.submit(consent, { decision: 'approve' })).status).toBe(400);
    });

    it('at the sign-in form gives one code by a remembered consent', async () => {
      await goThrough(browser, authorizeUrl(client, makePkce()), user);
      const fresh = new Browser(scene.app);
      const signIn = await begin(fresh);
      const first = await fresh.submit(signIn, credentials());
      const second = await fresh.submit(signIn, credentials());
      expect(code(first)).toMatch(/^sh_ac_/);
      expect(second.url).toBe(first.url);
      expect(await grantCount()).toBe(2);
    });
  });

  it('shows after the back button the earlier page, or that it was answered', async () => {
    const signIn = await begin();
    const consent = await browser.submit(signIn, credentials());
    // Back to the sign-in page, which was sent with no-store and so is requested again: the user is known now.
    expect(isConsent(await browser.get(signIn.url))).toBe(true);
    expect(isConsent(await browser.submit(signIn, credentials()))).toBe(true);
    await browser.submit(consent, { decision: 'approve' });
    for (const url of [signIn.url, consent.url]) {
      const back = await browser.get(url);
      expect(back.status).toBe(400);
      expect(back.body).toContain('Already answered');
    }
  });

  it('works in two tabs independently', async () => {
    const [one, other] = [await begin(), await begin()];
    const consentOne = await browser.submit(one, credentials());
    const consentOther = await browser.submit(other, credentials());
    expect(code(await browser.submit(consentOne, { decision: 'approve' }))).toMatch(/^sh_ac_/);
    expect(code(await browser.submit(consentOther, { decision: 'approve' }))).toMatch(/^sh_ac_/);
    expect(await grantCount()).toBe(2);
  });
});
