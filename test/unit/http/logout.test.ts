/** OpenID Connect RP-Initiated Logout 1.0: the session that ends, the confirmation, and the redirects that are never sent. */

import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signJwt } from '../../../src/crypto/jws.ts';
import { makeSigningKey, openSigningKey } from '../../../src/crypto/signing-keys.ts';
import type { SigningAlgorithm } from '../../../src/oauth/signing-algorithms.ts';
import { sessions } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  obtainTokens,
  PASSWORD,
  refresh,
  type TestClient,
  type TestUser,
} from '../../support/actors.ts';
import { deleteClient } from '../../support/administration.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { enrol } from '../../support/factors.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { everything } from '../../support/stored.ts';

const AFTER = 'https://client.test/signed-out';
const COOKIE = '__Host-statehouse-session';

describe('/oauth/logout', () => {
  let scene: Scene;
  let client: TestClient;
  let user: TestUser;
  let browser: Browser;
  let sid: string;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    client = await makeClient(scene, { clientName: 'Photo <Book>', postLogoutRedirectUris: [AFTER] });
    user = await makeUser(scene);
    browser = new Browser(scene.app);
    sid = await signIn(browser, user);
  });

  /** @returns the session's sid. */
  async function signIn(by: Browser, who: TestUser): Promise<string> {
    await goThrough(by, authorizeUrl(scene.client, makePkce()), who);
    const [session] = await scene.database.drizzle.select().from(sessions).where(eq(sessions.userId, who.id));
    if (!session) throw new Error('without a session');
    return session.sid;
  }
  const hint = (change: object = {}, alg: SigningAlgorithm = 'RS256', typ: 'JWT' | 'at+jwt' = 'JWT') =>
    signJwt(scene.deps.keyRing.signerOf(alg), typ, {
      iss: scene.issuer,
      sub: user.id,
      aud: client.clientId,
      sid,
      iat: 1,
      exp: 2,
      ...change,
    });
  const url = (parameters: Readonly<Record<string, string>> | [string, string][] = {}) => {
    const query = new URLSearchParams(parameters).toString();
    return `/oauth/logout${query === '' ? '' : `?${query}`}`;
  };
  const sessionCount = async (who: TestUser = user) =>
    (
      await scene.database.drizzle
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, who.id), eq(sessions.state, 'active')))
    ).length;
  const stillSignedIn = async (by: Browser = browser) => {
    expect(await sessionCount()).toBe(1);
    const answer = await by.get(authorizeUrl(scene.client, makePkce()));
    expect(answer.url).toContain('code=');
  };
  const signedOut = async (answer: Answer, by: Browser = browser) => {
    expect(await sessionCount()).toBe(0);
    const dropped = [answer.headers['set-cookie']].flat().map(String);
    expect(dropped.some((one) => one.startsWith(`${COOKIE}=;`) && one.includes('Expires=Thu, 01 Jan 1970'))).toBe(true);
    expect((await by.get(authorizeUrl(scene.client, makePkce()))).body).toContain('name="password"');
  };
  const isQuestion = ({ status, body }: Answer) => status === 200 && body.includes('<h1>Sign out?</h1>');
  /** An error page without a redirect and without a sign-out. */
  const refused = async (answer: Answer, words: string) => {
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(words);
    expect(answer.body).toContain('you stay on this page');
    expect(answer.headers['location']).toBeUndefined();
    expect(answer.headers['set-cookie']).toBeUndefined();
    await stillSignedIn();
  };

  it('ends a sign-in that awaits its second factor, and asks nothing', async () => {
    const { username, id } = await makeUser(scene);
    await enrol(scene, new Browser(scene.app), { username, id });
    const half = new Browser(scene.app);
    await half.submit(await half.get('/sign-in'), { username, password: PASSWORD });
    const page = await half.get('/sign-in');
    expect(page.url).toContain('/sign-in/factor');
    const answer = await half.get(url());
    expect([answer.status, isQuestion(answer)]).toEqual([200, false]);
    expect((await half.get('/sign-in')).body).toContain('name="password"');
    expect((await half.get('/sign-in/factor')).body).toContain('name="password"');
    await stillSignedIn();
  });

  describe('with an ID Token of this very session', () => {
    it('signs out immediately, and redirects with the state', async () => {
      const answer = await browser.send(
        'GET',
        url({ id_token_hint: hint(), post_logout_redirect_uri: AFTER, state: 'a state &=' }),
        null,
      );
      expect(answer.status).toBe(303);
      expect(answer.headers['location']).toBe(`${AFTER}?state=a+state+%26%3D`);
      expect(answer.headers['cache-control']).toBe('no-store');
      await signedOut(answer);
    });
    it('redirects to the address byte for byte when no state was sent', async () => {
      const exact = 'https://client.test/out?from=as&x=%2F';
      client = await makeClient(scene, { postLogoutRedirectUris: [AFTER, exact] });
      const asked = { id_token_hint: hint(), post_logout_redirect_uri: exact };
      expect((await browser.get(url(asked))).url).toBe(exact);
      expect((await browser.get(url({ ...asked, state: 's' }))).url).toBe(`${exact}&state=s`);
    });
    it('confirms the sign-out when no redirect was requested', async () => {
      const answer = await browser.get(url({ id_token_hint: hint({}, 'ES256') }));
      expect(answer.status).toBe(200);
      expect(answer.body).toContain('You are signed out');
      await signedOut(answer);
    });
    it('accepts logout_hint and ui_locales, even repeated, and ignores them', async () => {
      const answer = await browser.get(
        url([
          ['id_token_hint', hint()],
          ['client_id', client.clientId],
          ['logout_hint', 'another user'],
          ['ui_locales', 'de'],
          ['ui_locales', 'fr'],
        ]),
      );
      expect(answer.body).toContain('You are signed out');
      await signedOut(answer);
    });
    it('signs out although the client is deleted, without a redirect to it', async () => {
      await deleteClient(scene.database.drizzle, client.clientId);
      const asked = { id_token_hint: hint(), post_logout_redirect_uri: AFTER };
      await refused(await browser.get(url(asked)), 'No app is registered');
      await signedOut(await browser.get(url({ id_token_hint: hint() })));
    });
    it('signs out by POST from the client’s site, without this site’s cookies', async () => {
      const elsewhere = new Browser(scene.app);
      const fields = new URLSearchParams({
        id_token_hint: hint(),
        client_id: client.clientId,
        post_logout_redirect_uri: AFTER,
        state: 's',
        logout_hint: 'x',
      });
      const again = await elsewhere.send('POST', '/oauth/logout', fields.toString());
      expect(again.status).toBe(303);
      const location = String(again.headers['location']);
      fields.delete('logout_hint');
      expect(location).toBe(`/oauth/logout?${fields}`);
      expect(await sessionCount()).toBe(1);
      const answer = await browser.send('GET', location, null);
      expect(answer.headers['location']).toBe(`${AFTER}?state=s`);
      await signedOut(answer);
    });
    it('ends no grant: a refresh still works', async () => {
      const held = await scene.chain();
      const theirs = await scene.database.drizzle.select().from(sessions).where(eq(sessions.userId, scene.user.id));
      const own = hint({ sub: scene.user.id, sid: theirs[0]?.sid });
      const before = await everything(scene.database.drizzle);
      expect((await scene.browser.get(url({ id_token_hint: own }))).body).toContain('You are signed out');
      expect(await sessionCount(scene.user)).toBe(0);
      const { grants } = await everything(scene.database.drizzle);
      expect(grants).toBe(before.grants);
      expect((await refresh(scene, scene.client, held)).status).toBe(200);
    });
  });

  describe('requires confirmation', () => {
    const HINTS: [string, () => Readonly<Record<string, string>>][] = [
      ['without any parameter', () => ({})],
      ['with a client_id and no ID Token', () => ({ client_id: client.clientId, post_logout_redirect_uri: AFTER })],
      ['with an ID Token of another session', () => ({ id_token_hint: hint({ sid: randomUUID() }) })],
      ['with an ID Token that names no session', () => ({ id_token_hint: hint({ sid: undefined }) })],
      ['with an ID Token of another person', () => ({ id_token_hint: hint({ sub: randomUUID(), sid: randomUUID() }) })],
      ['with an ID Token of another person under this sid', () => ({ id_token_hint: hint({ sub: randomUUID() }) })],
    ];
    it.each(HINTS)('%s, and signs out after it', async (_, parameters) => {
      const question = await browser.get(url(parameters()));
      expect(isQuestion(question)).toBe(true);
      expect(question.body).toContain(user.username);
      await stillSignedIn();
      const answer = await browser.submit(question, { decision: 'approve' });
      expect(answer.url.startsWith(AFTER) || answer.body.includes('You are signed out')).toBe(true);
      expect(await sessionCount()).toBe(0);
    });
    it('with the client and the target on the page, and redirects after it', async () => {
      const question = await browser.get(
        url({ client_id: client.clientId, post_logout_redirect_uri: AFTER, state: '"><b>' }),
      );
      expect(question.body).toContain('Photo &#60;Book&#62;');
      expect(question.body).toContain('client.test</strong>');
      expect(question.body).toContain('/permissions"');
      expect(question.body).not.toContain('"><b>');
      const answer = await browser.submit(question, { decision: 'approve' });
      expect(answer.status).toBe(303);
      expect(answer.url).toBe(`${AFTER}?${new URLSearchParams({ state: '"><b>' })}`);
      await signedOut(answer);
    });
    it('without the ID Token on the page, and with its client in the form', async () => {
      const token = hint({ sid: randomUUID() });
      const question = await browser.get(url({ id_token_hint: token, post_logout_redirect_uri: AFTER }));
      expect(question.body).not.toContain(token);
      expect(formOf(question.body).fields['client_id']).toBe(client.clientId);
      expect((await browser.submit(question, { decision: 'approve' })).url).toBe(AFTER);
    });
    it('and keeps the session after a refusal, with a way back', async () => {
      const question = await browser.get(url({ client_id: client.clientId, post_logout_redirect_uri: AFTER }));
      const answer = await browser.submit(question, { decision: 'deny' });
      expect(answer.status).toBe(200);
      expect(answer.body).toContain('You are still signed in');
      expect(answer.body).toContain(`href="${AFTER}"`);
      await stillSignedIn();
    });
    it('once: a double click gets the same answer twice', async () => {
      const question = await browser.get(url({ client_id: client.clientId, post_logout_redirect_uri: AFTER }));
      for (const _ of ['first', 'second']) {
        expect((await browser.submit(question, { decision: 'approve' })).url).toBe(AFTER);
      }
    });
  });

  describe('the confirmation form', () => {
    const post = (fields: Readonly<Record<string, string>>, by = browser) =>
      by.send('POST', '/oauth/logout/decision', new URLSearchParams(fields).toString());
    const fieldsOf = async (by = browser) => formOf((await by.get(url())).body).fields;
    const turnedDown = async (answer: Answer) => {
      expect(answer.status).toBe(403);
      expect(answer.body).toContain('This form cannot be accepted');
      await stillSignedIn();
    };

    it('is rejected without its token, or with another one', async () => {
      const { csrf = '' } = await fieldsOf();
      expect(csrf).not.toBe('');
      await turnedDown(await post({ decision: 'approve' }));
      await turnedDown(await post({ decision: 'approve', csrf: 'x' }));
      await turnedDown(
        await post({ decision: 'approve', csrf: `${csrf.slice(0, -1)}${csrf.endsWith('A') ? 'B' : 'A'}` }),
      );
    });
    it('is rejected with the token of another browser, of another user, or of another session', async () => {
      const foreign = new Browser(scene.app);
      await signIn(foreign, await makeUser(scene));
      await turnedDown(await post({ decision: 'approve', ...(await fieldsOf(foreign)) }));
      // The same browser, and another user now.
      const shared = new Browser(scene.app);
      await signIn(shared, await makeUser(scene));
      const before = await fieldsOf(shared);
      const page = await shared.get(authorizeUrl(await makeClient(scene), makePkce()));
      await shared.submit(await shared.get(`${page.url}?account=another`), {
        username: (await makeUser(scene)).username,
        password: PASSWORD,
      });
      const answer = await post({ decision: 'approve', ...before }, shared);
      expect(answer.status).toBe(403);
    });
    it('is rejected without its browser’s cookie', async () => {
      const fields = await fieldsOf();
      browser.cookies.delete('__Host-statehouse-browser');
      const answer = await post({ decision: 'approve', ...fields });
      expect(answer.status).toBe(403);
      expect(await sessionCount()).toBe(1);
    });
    it('is rejected without a decision, or with another one', async () => {
      const fields = await fieldsOf();
      await turnedDown(await post(fields));
      await turnedDown(await post({ ...fields, decision: 'yes' }));
    });
    it('redirects to no unregistered address, whatever it was changed to', async () => {
      const question = await browser.get(url({ client_id: client.clientId, post_logout_redirect_uri: AFTER }));
      for (const target of ['https://evil.test/', `${AFTER}/`, 'javascript:alert(1)', '//evil.test']) {
        const changed = { ...formOf(question.body).fields, post_logout_redirect_uri: target, decision: 'approve' };
        await refused(await post(changed), 'to an address that is not registered');
      }
      const { client_id: _, ...anonymous } = formOf(question.body).fields;
      await refused(await post({ ...anonymous, decision: 'approve' }), 'without identifying itself');
    });
    it('is rejected by GET', async () => {
      const query = new URLSearchParams({ decision: 'approve', ...(await fieldsOf()) });
      const answer = await browser.send('GET', `/oauth/logout/decision?${query}`, null);
      expect(answer.status).toBe(405);
      expect(answer.headers['allow']).toBe('POST');
      await stillSignedIn();
    });
  });

  describe('without a session', () => {
    it('reports that no session exists', async () => {
      for (const parameters of [{}, { client_id: client.clientId }, { id_token_hint: hint() }]) {
        const answer = await new Browser(scene.app).get(url(parameters));
        expect(answer.status).toBe(200);
        expect(answer.body).toContain('You are not signed in here');
      }
      await stillSignedIn();
    });
    it('redirects where the address is verified', async () => {
      for (const proof of [{ client_id: client.clientId }, { id_token_hint: hint() }] as Record<string, string>[]) {
        const asked = { ...proof, post_logout_redirect_uri: AFTER, state: 's' };
        expect((await new Browser(scene.app).get(url(asked))).url).toBe(`${AFTER}?state=s`);
      }
      await stillSignedIn();
    });
    it('holds for an expired session', async () => {
      const lifetime = scene.deps.configuration().signIn.sessionLifetimeSeconds;
      scene.clock.advanceSeconds(lifetime);
      expect((await browser.get(url({ id_token_hint: hint() }))).body).toContain('You are not signed in here');
    });
  });

  describe('rejects, without a change, a request', () => {
    const asked = (change: Readonly<Record<string, string>> = {}) => ({
      id_token_hint: hint(),
      post_logout_redirect_uri: AFTER,
      ...change,
    });
    const BAD = 'did not issue, or can no longer check';

    it('with a foreign ID Token', async () => {
      const key = await openSigningKey(scene.keys, await makeSigningKey(scene.keys, 'RS256'));
      const claims = { iss: scene.issuer, sub: user.id, aud: client.clientId, sid };
      const ours = scene.deps.keyRing.signerOf('RS256');
      const [header, , signature] = hint().split('.');
      const payload = Buffer.from(JSON.stringify({ ...claims, iat: 9 })).toString('base64url');
      const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT', kid: ours.kid })).toString('base64url');
      for (const [what, token] of Object.entries({
        foreign: signJwt(key, 'JWT', claims),
        foreignUnderOurKid: signJwt({ ...key, kid: ours.kid }, 'JWT', claims),
        otherIssuer: hint({ iss: 'https://other.test' }),
        accessToken: hint({}, 'ES256', 'at+jwt'),
        tampered: `${header}.${payload}.${signature}`,
        unsigned: `${none}.${payload}.`,
        garbage: 'not-a-token',
      })) {
        await refused(await browser.get(url(asked({ id_token_hint: token }))), BAD);
        await refused(await browser.get(url({ id_token_hint: token, client_id: client.clientId })), BAD);
        expect(scene.logs(), what).not.toContain(token);
      }
    });
    it('with a real access token as ID Token', async () => {
      const { accessToken } = await obtainTokens(scene, scene.client, user);
      const answer = await browser.get(url({ id_token_hint: accessToken }));
      expect(answer.status).toBe(400);
      expect(answer.body).toContain(BAD);
    });
    it('with the client_id of another client than the ID Token’s', async () => {
      const { clientId } = await makeClient(scene, { postLogoutRedirectUris: [AFTER] });
      await refused(await browser.get(url(asked({ client_id: clientId }))), 'differs from that of its ID Token');
      await refused(
        await browser.get(url({ id_token_hint: hint(), client_id: 'unknown' })),
        'differs from that of its ID Token',
      );
    });
    it('with an unknown client_id', async () => {
      await refused(await browser.get(url({ client_id: 'unknown' })), 'No app is registered');
      await refused(
        await browser.get(url({ client_id: 'unknown', post_logout_redirect_uri: AFTER })),
        'No app is registered',
      );
    });
    it('with an address and no client', async () => {
      await refused(await browser.get(url({ post_logout_redirect_uri: AFTER })), 'without identifying itself');
    });
    it.each([
      'https://evil.test/signed-out',
      `${AFTER}/`,
      `${AFTER}?x=1`,
      `${AFTER}#x`,
      'https://client.test/SIGNED-OUT',
      'https://CLIENT.test/signed-out',
      'https://client.test:443/signed-out',
      'http://client.test/signed-out',
      'https://client.test/callback',
      'https://client.test@evil.test/signed-out',
      '//client.test/signed-out',
      '/permissions',
      'javascript:alert(1)',
      'data:text/html,x',
    ])('with an address that was not registered exactly so: %s', async (target) => {
      await refused(await browser.get(url(asked({ post_logout_redirect_uri: target }))), 'is not registered for it');
      const named = { client_id: client.clientId, post_logout_redirect_uri: target };
      await refused(await browser.get(url(named)), 'is not registered for it');
      await refused(await browser.post('/oauth/logout', named), 'is not registered for it');
      expect((await new Browser(scene.app).get(url(named))).status).toBe(400);
    });
    it('with an address of another client', async () => {
      const other = await makeClient(scene, { postLogoutRedirectUris: ['https://other.test/out'] });
      await refused(
        await browser.get(url(asked({ post_logout_redirect_uri: 'https://other.test/out' }))),
        'is not registered for it',
      );
      expect(other.postLogoutRedirectUris).toHaveLength(1);
    });
    it.each(['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'])('with %s repeated', async (name) => {
      const good: Record<string, string> = { ...asked({ client_id: client.clientId, state: 's' }) };
      const pairs: [string, string][] = [...Object.entries(good), [name, good[name] ?? '']];
      await refused(await browser.get(url(pairs)), 'repeated or malformed');
      const body = new URLSearchParams(pairs).toString();
      await refused(await browser.send('POST', '/oauth/logout', body), 'repeated or malformed');
    });
    it.each(['%00', '%zz', '%ff', 'x'.repeat(9000)])('with an unreadable parameter: %.10s', async (value) => {
      for (const name of ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']) {
        const answer = await browser.send('GET', `/oauth/logout?${name}=${value}`, null);
        await refused(answer, 'repeated or malformed');
      }
    });
  });

  it('is not framed, not stored, and has no script', async () => {
    const { headers, body } = await browser.get(url());
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-store');
    expect(body).not.toContain('<script');
  });
  it('accepts GET and POST only', async () => {
    for (const method of ['HEAD', 'PUT', 'DELETE', 'OPTIONS'] as const) {
      const reply = await scene.app.inject({ method, url: url({ id_token_hint: hint() }) });
      expect(reply.statusCode).toBe(405);
      expect(reply.headers.allow).toBe('GET, POST');
    }
    await stillSignedIn();
  });
  it('leaves no hint, state or cookie in the log', async () => {
    const token = hint({ sid: randomUUID() });
    const state = `state-${randomUUID()}`;
    const asked = { id_token_hint: token, post_logout_redirect_uri: AFTER, state };
    const cookie = browser.cookies.get(COOKIE) ?? 'none';
    await browser.submit(await browser.get(url(asked)), { decision: 'approve' });
    await browser.get(url({ ...asked, client_id: 'unknown' }));
    for (const secret of [token, state, cookie]) expect(scene.logs()).not.toContain(secret);
    expect(scene.logs()).toContain('signed out');
  });
});
