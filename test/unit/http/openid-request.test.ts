/** OpenID Connect Core §3.1.2.1: the parameters of the authorization request beyond OAuth, and their answers. */
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signIdToken } from '../../../src/crypto/id-token.ts';
import { interactions } from '../../../src/storage/schema.ts';
import { authorizeUrl, exchange, goThrough, makeClient, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

describe('an authentication request', () => {
  let scene: Scene;
  let browser: Browser;
  const pkce = makePkce();
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  beforeEach(() => {
    browser = new Browser(scene.app);
  });
  afterAll(() => scene.close());

  const url = (change: Readonly<Record<string, string>> = {}, client = scene.client) =>
    authorizeUrl(client, pkce, { scope: 'openid read', ...change });
  const ask = (change: Readonly<Record<string, string>> = {}, client = scene.client) =>
    browser.get(url(change, client));
  const signedIn = () => goThrough(browser, url(), scene.user);
  const parametersOf = (answer: Answer) => Object.fromEntries(new URL(answer.url).searchParams);
  const asksForPassword = ({ body }: Answer) => body.includes('name="password"');
  const asksForConsent = ({ body }: Answer) => body.includes('name="decision"');
  const isCode = (answer: Answer) => URL.canParse(answer.url) && new URL(answer.url).searchParams.has('code');

  describe('prompt=none', () => {
    it('without a session: login_required, with state and iss, and no page', async () => {
      const answer = await ask({ prompt: 'none' });
      expect(parametersOf(answer)).toMatchObject({ error: 'login_required', state: 'a-state', iss: ISSUER });
    });

    it('without consent: consent_required', async () => {
      const other = await makeClient(scene);
      await signedIn();
      expect(parametersOf(await ask({ prompt: 'none' }, other))).toMatchObject({ error: 'consent_required' });
    });

    it('with both: the code, silently', async () => {
      await signedIn();
      expect(isCode(await ask({ prompt: 'none' }))).toBe(true);
    });

    it("for a public client whose redirect could be anyone's: never a silent answer", async () => {
      const redirectUris = ['http://127.0.0.1/callback'];
      const native = { tokenEndpointAuthMethod: 'none', applicationType: 'native', redirectUris } as const;
      const client = await makeClient(scene, native);
      await goThrough(browser, url({}, client), scene.user);
      expect(parametersOf(await ask({ prompt: 'none' }, client))).toMatchObject({ error: 'consent_required' });
    });

    it('cannot be resumed in the same browser after its answer', async () => {
      const client = await makeClient(scene);
      await ask({ prompt: 'none' }, client);
      const stored = await scene.database.drizzle
        .select()
        .from(interactions)
        .where(eq(interactions.clientId, client.clientId));
      expect(stored).toEqual([]);
      const [, id] = /"interactionId":"([0-9a-f-]{36})"[^\n]*"login_required"[^\n]*\n$/.exec(scene.logs()) ?? [];
      expect(id).toBeDefined();
      expect((await browser.get(`/interactions/${id}`)).status).toBe(404);
    });
  });

  it('prompt=login requires another sign-in, and auth_time is the new one', async () => {
    await signedIn();
    scene.clock.advanceSeconds(60);
    const page = await ask({ prompt: 'login' });
    expect(asksForPassword(page)).toBe(true);
    const back = await browser.submit(page, { username: scene.user.username, password: PASSWORD });
    const { json } = await exchange(scene, scene.client, {
      code: new URL(back.url).searchParams.get('code') ?? '',
      verifier: pkce.verifier,
    });
    expect(decodeJwt(json.id_token ?? '')).toMatchObject({ auth_time: Math.floor(scene.clock.now().getTime() / 1000) });
  });

  it('prompt=login cannot be bypassed by a second request for the interaction, or by choosing the account', async () => {
    await signedIn();
    const page = await ask({ prompt: 'login' });
    const form = formOf(page.body);
    const id = form.action.split('/')[2] ?? '';
    expect(asksForPassword(await browser.get(`/interactions/${id}`))).toBe(true);
    const consent = await browser.post(`/interactions/${id}/consent`, { ...form.fields, decision: 'approve' });
    expect(isCode(consent)).toBe(false);
    const account = await browser.post(`/interactions/${id}/account`, form.fields);
    expect(asksForPassword(account)).toBe(true);
  });

  it('prompt=consent shows the page though consent is remembered; without it, no page is shown', async () => {
    await signedIn();
    expect(isCode(await ask())).toBe(true);
    expect(asksForConsent(await ask({ prompt: 'consent' }))).toBe(true);
  });

  it('offline_access requires consent each time (§11)', async () => {
    await signedIn();
    const change = { scope: 'openid read offline_access' };
    const page = await ask(change);
    expect(asksForConsent(page)).toBe(true);
    expect(page.body).toContain('while you are away');
    await browser.submit(page, { decision: 'approve' });
    expect(asksForConsent(await ask(change))).toBe(true);
  });

  describe('prompt=select_account', () => {
    it('shows the signed-in user, and continues as that user', async () => {
      await signedIn();
      const page = await ask({ prompt: 'select_account' });
      expect(page.body).toContain(`Continue as ${scene.user.username}`);
      expect(formOf(page.body).action).toMatch(/\/account$/);
      expect(isCode(await browser.submit(page, {}))).toBe(true);
    });

    it('or signs another user in', async () => {
      await signedIn();
      const another = await makeUser(scene);
      const page = await ask({ prompt: 'select_account' });
      const { action, fields } = formOf(page.body);
      const signIn = action.replace(/account$/, 'sign-in');
      const next = await browser.post(signIn, { ...fields, username: another.username, password: PASSWORD });
      expect(asksForConsent(next)).toBe(true);
      expect(next.body).toContain(another.username);
    });

    it('shows the sign-in form when the session ended meanwhile', async () => {
      await signedIn();
      const page = await ask({ prompt: 'select_account' });
      browser.cookies.delete('__Host-statehouse-session');
      const next = await browser.submit(page, {});
      expect(asksForPassword(next)).toBe(true);
      expect(next.body).not.toContain('Continue as');
    });

    it('needs the form of this browser', async () => {
      await signedIn();
      const { action } = formOf((await ask({ prompt: 'select_account' })).body);
      expect((await browser.post(action, { csrf: 'x' })).status).toBe(403);
      expect((await new Browser(scene.app).post(action, { csrf: 'x' })).status).toBe(403);
    });
  });

  it('max_age: an older sign-in is renewed, to the second', async () => {
    await signedIn();
    scene.clock.advanceSeconds(99);
    expect(isCode(await ask({ max_age: '100' }))).toBe(true);
    scene.clock.advanceSeconds(1);
    expect(asksForPassword(await ask({ max_age: '100' }))).toBe(true);
    expect(parametersOf(await ask({ max_age: '100', prompt: 'none' }))).toMatchObject({ error: 'login_required' });
    expect(isCode(await ask({ max_age: '101' }))).toBe(true);
  });

  it('max_age=0 always requires a sign-in', async () => {
    await signedIn();
    expect(asksForPassword(await ask({ max_age: '0' }))).toBe(true);
  });

  it('login_hint is in the form already, and escaped', async () => {
    const page = await ask({ login_hint: '"><b>ada' });
    expect(page.body).toContain('&#34;&#62;&#60;b&#62;ada');
  });

  describe('id_token_hint', () => {
    const hint = async () => {
      const back = await signedIn();
      const code = new URL(back.url).searchParams.get('code') ?? '';
      return (await exchange(scene, scene.client, { code, verifier: pkce.verifier })).json.id_token ?? '';
    };

    it('of the signed-in user: continues, silently too', async () => {
      const idToken = await hint();
      expect(isCode(await ask({ id_token_hint: idToken, prompt: 'none' }))).toBe(true);
    });

    it('of another user: requires a sign-in, or answers login_required', async () => {
      const idToken = await hint();
      const another = await makeUser(scene);
      browser = new Browser(scene.app);
      await goThrough(browser, url(), another);
      expect(parametersOf(await ask({ id_token_hint: idToken, prompt: 'none' }))).toMatchObject({
        error: 'login_required',
      });
      const page = await ask({ id_token_hint: idToken });
      expect(asksForPassword(page)).toBe(true);
      const wrong = await browser.submit(page, { username: another.username, password: PASSWORD });
      expect(parametersOf(wrong)).toMatchObject({ error: 'login_required' });
    });

    it('accepts an old one; rejects one of another client or server', async () => {
      const idToken = await hint();
      const other = await makeClient(scene);
      scene.clock.advanceSeconds(10_000);
      expect(isCode(await ask({ id_token_hint: idToken, prompt: 'none' }))).toBe(true);
      expect(parametersOf(await ask({ id_token_hint: idToken }, other))).toMatchObject({ error: 'invalid_request' });
      const claims = decodeJwt(idToken) as unknown as Parameters<typeof signIdToken>[1];
      const foreign = signIdToken(scene.deps.keyRing.signerOf('RS256'), { ...claims, iss: 'https://elsewhere.test' });
      for (const bad of [foreign, `${idToken}x`, 'x']) {
        expect(parametersOf(await ask({ id_token_hint: bad }))).toMatchObject({ error: 'invalid_request' });
      }
    });
  });

  it.each([
    ['none beside another', { prompt: 'none login' }, 'invalid_request'],
    ['a prompt that is none', { prompt: 'dance' }, 'invalid_request'],
    ['a max_age that is no number', { max_age: '-1' }, 'invalid_request'],
    ['a max_age beyond all bounds', { max_age: '1'.repeat(10) }, 'invalid_request'],
    ['a response_mode that leaks', { response_mode: 'fragment' }, 'invalid_request'],
    ['a request object', { request: 'x'.repeat(2000) }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'https://client.test/r' }, 'request_uri_not_supported'],
    ['a registration', { registration: '{}' }, 'registration_not_supported'],
  ])('%s is rejected', async (_, change, error) => {
    expect(parametersOf(await ask(change))).toMatchObject({ error, state: 'a-state', iss: ISSUER });
  });

  it.each(['nonce', 'prompt', 'max_age', 'login_hint', 'id_token_hint', 'response_mode'])(
    '%s twice is rejected',
    async (name) => {
      const answer = await browser.get(`${url()}&${name}=1&${name}=1`);
      expect(parametersOf(answer)).toMatchObject({ error: 'invalid_request' });
    },
  );

  it('voluntary parameters are accepted: acr_values, ui_locales, claims_locales, display, claims', async () => {
    await signedIn();
    const change = { acr_values: 'loa1', ui_locales: 'de', claims_locales: 'de', display: 'page', claims: '{}' };
    expect(isCode(await ask(change))).toBe(true);
  });

  describe('response_mode=form_post', () => {
    const formed = (page: Answer) => formOf(page.body);

    it('the browser posts the code, with state and iss, which stays out of URLs', async () => {
      await signedIn();
      const page = await ask({ response_mode: 'form_post' });
      expect(page.status).toBe(200);
      expect(page.headers).toMatchObject({ 'cache-control': 'no-store' });
      expect(String(page.headers['content-security-policy'])).toMatch(/script-src 'sha256-[^']+'$/);
      const { action, fields } = formed(page);
      expect(action).toBe(scene.client.redirectUris[0]);
      expect(fields).toEqual({ code: expect.stringMatching(/^sh_ac_/), state: 'a-state', iss: ISSUER });
      const answer = await exchange(scene, scene.client, { code: fields['code'] ?? '', verifier: pkce.verifier });
      expect(answer.status).toBe(200);
    });

    it('and errors', async () => {
      expect(formed(await ask({ response_mode: 'form_post', prompt: 'none' })).fields).toMatchObject({
        error: 'login_required',
        state: 'a-state',
        iss: ISSUER,
      });
      expect(formed(await ask({ response_mode: 'form_post', scope: 'fly' })).fields).toMatchObject({
        error: 'invalid_scope',
      });
    });

    it('the state cannot break out of the form', async () => {
      const page = await ask({ response_mode: 'form_post', prompt: 'none', state: '"><script>alert(1)</script>' });
      expect(page.body).not.toContain('<script>alert');
    });
  });
});
