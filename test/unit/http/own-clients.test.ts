/** A client of the team's own (`consent: skip`): no consent page, and everything else as for each client. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientRegistration } from '../../../src/model/client.ts';
import { authorizeUrl, exchange, makeClient, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { saveClient } from '../../support/administration.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const pkce = makePkce();
const NATIVE = {
  tokenEndpointAuthMethod: 'none',
  applicationType: 'native',
  redirectUris: ['http://127.0.0.1/callback'],
} as const;

describe('a client with consent: skip', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  const makeOwn = (change: Partial<ClientRegistration> = {}) => makeClient(scene, { consent: 'skip', ...change });
  const asksForConsent = ({ body }: Answer) => body.includes('name="decision"');
  const answerOf = ({ url }: Answer) => Object.fromEntries(new URL(url, 'https://as.test').searchParams);

  async function signedIn(): Promise<Browser> {
    const [user, browser] = [await makeUser(scene), new Browser(scene.app)];
    await browser.submit(await browser.get('/sign-in'), { username: user.username, password: PASSWORD });
    return browser;
  }

  it('gets its code right after the sign-in, and tokens for it', async () => {
    const [client, user, browser] = [await makeOwn(), await makeUser(scene), new Browser(scene.app)];
    const page = await browser.get(authorizeUrl(client, pkce, { scope: 'openid read' }));
    const answer = await browser.submit(page, { username: user.username, password: PASSWORD });
    const { code = '' } = answerOf(answer);
    const { status, json } = await exchange(scene, client, { code, verifier: pkce.verifier });
    expect(status).toBe(200);
    expect(json).toMatchObject({ scope: 'openid read', access_token: expect.any(String) });
  });

  it.each([
    ['of a signed-in end-user', {}],
    ['with prompt=none', { prompt: 'none' }],
    ['with offline access', { scope: 'openid read offline_access' }],
  ])('gets a code without any page for a request %s', async (_, change) => {
    const [client, browser] = [await makeOwn(), await signedIn()];
    expect(answerOf(await browser.get(authorizeUrl(client, pkce, change)))).toHaveProperty('code');
  });

  it('still makes the end-user sign in where none is signed in', async () => {
    const answer = await new Browser(scene.app).get(authorizeUrl(await makeOwn(), pkce, { prompt: 'none' }));
    expect(answerOf(answer)).toMatchObject({ error: 'login_required' });
  });

  it('gets the consent page that it asks for with prompt=consent', async () => {
    const [client, browser] = [await makeOwn(), await signedIn()];
    expect(asksForConsent(await browser.get(authorizeUrl(client, pkce, { prompt: 'consent' })))).toBe(true);
  });

  it('shows the consent page where other apps can pose as the client', async () => {
    const [client, browser] = [await makeOwn(NATIVE), await signedIn()];
    expect(asksForConsent(await browser.get(authorizeUrl(client, pkce)))).toBe(true);
    expect(answerOf(await browser.get(authorizeUrl(client, pkce, { prompt: 'none' })))).toMatchObject({
      error: 'consent_required',
    });
  });

  it('shows the consent page from the request after which an operator takes the right away', async () => {
    const [client, browser] = [await makeOwn(), await signedIn()];
    const url = authorizeUrl(client, pkce);
    expect(answerOf(await browser.get(url))).toHaveProperty('code');
    await saveClient(scene.database.drizzle, { ...client, consent: 'ask' });
    expect(asksForConsent(await browser.get(url))).toBe(true);
  });

  it('is listed on the account page of the end-user, who can end its access', async () => {
    const [client, browser] = [await makeOwn({ clientName: 'The shop of the team' }), await signedIn()];
    const { code = '' } = answerOf(await browser.get(authorizeUrl(client, pkce)));
    const tokens = await exchange(scene, client, { code, verifier: pkce.verifier });
    expect(tokens.status).toBe(200);
    const page = await browser.get('/permissions');
    expect(page.body).toContain('The shop of the team');
    await browser.submit(page, {});
    expect((await browser.get('/permissions')).body).not.toContain('The shop of the team');
  });
});
