/** RFC 9700 §4.11.2: a client that introduced itself has no browser sent to it before the end-user has acted. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/model/actor.ts';
import { planClient } from '../../../src/registration/register-client.ts';
import { authorizeUrl, goThrough, makeClient, makePkce, PASSWORD, type TestClient } from '../../support/actors.ts';
import { saveClient } from '../../support/administration.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { acceptingRegistrations } from '../../support/client-registrations.ts';
import { anyDatabase } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { findClient } from '../../support/stored-clients.ts';

const AFTER_LOGOUT = 'https://client.test/signed-out';

describe('an error before the end-user has acted', () => {
  let scene: Scene;
  let vetted: TestClient;
  let itself: TestClient;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: acceptingRegistrations() });
    [vetted, itself] = [await makeClient(scene, METADATA), await makeClient(scene, METADATA)];
    await registeredBySelf(itself);
  });
  afterAll(() => scene.close());

  const METADATA = { postLogoutRedirectUris: [AFTER_LOGOUT], scope: ['openid', 'read'] };
  const registeredBySelf = ({ secret: _, ...registration }: TestClient) =>
    saveClient(scene.database.drizzle, registration, false, 'self');
  const errorOf = ({ url }: Answer) => (URL.canParse(url) ? new URL(url).searchParams.get('error') : null);
  const ask = (client: TestClient, change: Readonly<Record<string, string>>, browser = new Browser(scene.app)) =>
    browser.get(authorizeUrl(client, makePkce(), change));
  const expectPage = (answer: Answer, words: string) => {
    expect(answer.status).toBe(400);
    expect(answer.headers).not.toHaveProperty('location');
    expect(answer.body).toContain('you stay here');
    expect(answer.body).toContain(words);
    expect(answer.body).not.toContain('https://client.test');
  };

  const WRONG: Readonly<Record<string, readonly [Readonly<Record<string, string>>, error: string, words: string]>> = {
    'a wrong scope': [{ scope: 'everything' }, 'invalid_scope', 'scope'],
    'another response type': [{ response_type: 'token' }, 'unsupported_response_type', 'response_type'],
    'no PKCE': [{ code_challenge: '' }, 'invalid_request', 'code_challenge'],
    'a request object': [{ request: 'x' }, 'request_not_supported', 'request'],
    'an unknown resource': [{ resource: 'https://elsewhere.test' }, 'invalid_target', 'resource'],
    'a repeated parameter': [{ nonce: 'a&nonce=b' }, 'invalid_request', 'nonce'],
    'an answer by form': [{ response_mode: 'form_post', scope: 'everything' }, 'invalid_scope', 'scope'],
    'nothing to be shown': [{ prompt: 'none' }, 'login_required', 'sign in'],
  };

  it.each(Object.keys(WRONG))('%s: a page for a self-registered client, a redirect for others', async (name) => {
    const [change, error, words] = WRONG[name] ?? [{}, '', ''];
    const url = (client: TestClient) =>
      authorizeUrl(client, makePkce(), change).replace('a%26nonce%3Db', 'a&nonce=b').replace('code_challenge=&', '');
    const browser = () => new Browser(scene.app);
    expectPage(await browser().get(url(itself)), words);
    expectPage(
      await browser()
        .send('POST', '/oauth/authorize', url(itself).split('?')[1] ?? '')
        .then(followed),
      words,
    );
    const answer = await browser().get(url(vetted));
    if (change['response_mode'] !== 'form_post') expect(errorOf(answer)).toBe(error);
    else expect(answer.body).toContain('action="https://client.test/callback"');
    expect(scene.logs()).toContain(`"clientId":"${itself.clientId}"`);
  });
  /** A valid POST is repeated by GET. */
  const followed = (answer: Answer): Promise<Answer> | Answer =>
    answer.status === 303 ? new Browser(scene.app).get(String(answer.headers['location'])) : answer;

  it('without a page and consent: an error page, even with a session', async () => {
    const browser = new Browser(scene.app);
    await goThrough(browser, authorizeUrl(scene.client, makePkce()), scene.user);
    expectPage(await ask(itself, { prompt: 'none' }, browser), 'consent');
    expect(errorOf(await ask(vetted, { prompt: 'none' }, browser))).toBe('consent_required');
  });

  it('after the end-user has acted the browser is redirected, for any client', async () => {
    for (const client of [vetted, itself]) {
      const browser = new Browser(scene.app);
      const consent = await browser.submit(await ask(client, {}, browser), {
        username: scene.user.username,
        password: PASSWORD,
      });
      expect(errorOf(await browser.submit(consent, { decision: 'deny' }))).toBe('access_denied');
      const { url } = await goThrough(browser, authorizeUrl(client, makePkce()), scene.user);
      expect(new URL(url).searchParams.has('code')).toBe(true);
      const silent = await ask(client, { prompt: 'none' }, browser);
      // The server remembers no consent to a client that registered itself (docs/decisions/0124).
      if (client === itself) expectPage(silent, 'consent');
      else expect(new URL(silent.url).searchParams.has('code')).toBe(true);
    }
  });

  it('a sign-out without a session has no redirect for a self-registered client', async () => {
    const url = ({ clientId }: TestClient) =>
      `/oauth/logout?client_id=${clientId}&post_logout_redirect_uri=${encodeURIComponent(AFTER_LOGOUT)}`;
    const stays = await new Browser(scene.app).get(url(itself));
    expect(stays.status).toBe(200);
    expect(stays.headers).not.toHaveProperty('location');
    expect((await new Browser(scene.app).get(url(vetted))).url).toBe(AFTER_LOGOUT);
    // With a session the end-user confirms first.
    const browser = new Browser(scene.app);
    await goThrough(browser, authorizeUrl(itself, makePkce()), scene.user);
    const asked = await browser.get(url(itself));
    expect((await browser.submit(asked, { decision: 'approve' })).url).toBe(AFTER_LOGOUT);
    // The form again, without a session.
    expect((await browser.submit(asked, { decision: 'approve' })).status).toBe(200);
  });

  it('a client that an operator registers is vetted, also where the client had registered itself', async () => {
    const { drizzle: db } = scene.database;
    const client = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
    expect((await findClient(db, client.clientId))?.registeredBy).toBe('operator');
    await registeredBySelf(client);
    expect((await findClient(db, client.clientId))?.registeredBy).toBe('self');
    const { secretMacs: _, secret: __, ...metadata } = client;
    const plan = await planClient(
      { db, macs: testMacs, actor: commandLine, keys: scene.keys, random: scene.deps.random },
      { ...metadata, secret: null },
    );
    expect(plan).toMatchObject({ outcome: 'updated', changed: ['registered_by'] });
    await saveClient(db, plan.registration);
    expect((await findClient(db, client.clientId))?.registeredBy).toBe('operator');
  });
});
