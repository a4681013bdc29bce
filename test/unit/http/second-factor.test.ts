/** The second factor at a sign-in: the access by a password alone, the use of a code, and the gain of an attacker with either. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestUser,
} from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { appWith, type Enrolled, enrol, recoveryCodesOn, secretOn } from '../../support/factors.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const asksForCode = ({ body }: Answer) => body.includes('autocomplete="one-time-code"') && body.includes('name="code"');
const asksForConsent = ({ body }: Answer) => body.includes('name="decision"');

describe('the second factor', () => {
  let scene: Scene;
  let user: TestUser;
  let enrolled: Enrolled;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    user = await makeUser(scene);
    enrolled = await enrol(scene, new Browser(scene.app), user);
  });

  const withPassword = async (browser: Browser, change: Record<string, string> = {}): Promise<Answer> =>
    browser.submit(await browser.get(authorizeUrl(scene.client, makePkce(), change)), {
      username: user.username,
      password: PASSWORD,
    });

  it('is set up with a QR code and the key as text; ten recovery codes are shown', async () => {
    const browser = new Browser(scene.app);
    const another = await makeUser(scene);
    await browser.submit(await browser.get('/sign-in'), { username: another.username, password: PASSWORD });
    const page = await browser.get('/sign-in/factor');
    const setUp = await browser.submit(page, {});
    expect(setUp.body).toMatch(/<svg [^>]*viewBox/);
    expect(secretOn(setUp)).toMatch(/^(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    const wrong = await browser.submit(setUp, { code: '000000' });
    expect(wrong.status).toBe(400);
    expect(secretOn(wrong)).toBe(secretOn(setUp));
    const done = await browser.submit(wrong, { code: appWith(secretOn(setUp)).codeAt(scene.clock.now()) });
    expect(recoveryCodesOn(done)).toHaveLength(10);
    expect(scene.logs()).not.toContain(secretOn(setUp).replaceAll(' ', ''));
  });

  it('is required after the password, and only then the sign-in continues', async () => {
    const browser = new Browser(scene.app);
    const page = await withPassword(browser);
    expect(asksForCode(page)).toBe(true);
    expect((await browser.get('/account')).body).not.toContain('/account/devices');
    const cookie = browser.cookies.get('__Host-statehouse-session');
    const consent = await browser.submit(page, { code: enrolled.app.codeAt(scene.clock.now()) });
    expect(asksForConsent(consent)).toBe(true);
    expect(browser.cookies.get('__Host-statehouse-session')).not.toBe(cookie);
  });

  it('sets acr and amr in both tokens', async () => {
    const browser = new Browser(scene.app);
    const pkce = makePkce();
    let at = await browser.get(authorizeUrl(scene.client, pkce, { scope: 'openid read' }));
    at = await browser.submit(at, { username: user.username, password: PASSWORD });
    at = await browser.submit(at, { code: enrolled.app.codeAt(scene.clock.now()) });
    at = await browser.submit(at, { decision: 'approve' });
    const code = new URL(at.url).searchParams.get('code') ?? '';
    const { json } = await exchange(scene, scene.client, { code, verifier: pkce.verifier });
    const claims = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    expect(claims(json.id_token)).toMatchObject({
      acr: 'urn:statehouse:acr:multi-factor',
      amr: ['pwd', 'otp', 'mfa'],
    });
    expect(claims(json.access_token)).toMatchObject({
      acr: 'urn:statehouse:acr:multi-factor',
      auth_time: claims(json.id_token).auth_time,
    });
  });

  it('accepts a code once, in whatever browser it is repeated', async () => {
    const code = enrolled.app.codeAt(scene.clock.now());
    const owner = new Browser(scene.app);
    const thief = new Browser(scene.app);
    const theirs = await withPassword(thief);
    expect(asksForConsent(await owner.submit(await withPassword(owner), { code }))).toBe(true);
    const again = await thief.submit(theirs, { code });
    expect(again.status).toBe(400);
    expect(again.body).toContain('already used');
  });

  it('accepts codes of the adjacent time steps, and none further away', async () => {
    for (const [seconds, isRight] of [
      [-90, false],
      [90, false],
      [-30, true],
      [30, true],
    ] as const) {
      scene.clock.advanceSeconds(600);
      const browser = new Browser(scene.app);
      const code = enrolled.app.codeAt(new Date(scene.clock.now().getTime() + seconds * 1000));
      expect(asksForConsent(await browser.submit(await withPassword(browser), { code }))).toBe(isRight);
    }
  });

  it('accepts a recovery code instead of the app, once, in any notation', async () => {
    const [code = ''] = enrolled.recoveryCodes;
    const browser = new Browser(scene.app);
    const typed = ` ${code.toLowerCase().replaceAll('-', ' ')} `;
    expect(asksForConsent(await browser.submit(await withPassword(browser), { code: typed }))).toBe(true);
    const thief = new Browser(scene.app);
    const again = await thief.submit(await withPassword(thief), { code });
    expect(again.status).toBe(400);
    expect(again.body).toContain('This recovery code was already used.');
    expect(again.body).not.toContain('Wait for the next one');
    const wrong = await thief.submit(again, { code: 'aaaaa-aaaaa' });
    expect(wrong.body).toContain('This recovery code is wrong.');
    expect(scene.logs()).not.toContain(code);
  });

  it('gives a trusted browser its own guesses, which an attacker with the password cannot block', async () => {
    const owner = new Browser(scene.app);
    await owner.submit(await withPassword(owner), { code: enrolled.app.codeAt(scene.clock.now()) });
    const known = new Browser(scene.app);
    for (const [name, value] of owner.cookies) if (name.endsWith('device')) known.cookies.set(name, value);
    const thief = new Browser(scene.app);
    let guessed = await withPassword(thief);
    for (let guess = 0; guess < 6; guess++) guessed = await thief.submit(guessed, { code: `00000${guess}` });
    expect(guessed.status).toBe(429);
    scene.clock.advanceSeconds(30);
    let page = await withPassword(known);
    for (let guess = 0; guess < 4; guess++) page = await known.submit(page, { code: `00000${guess}` });
    expect(page.status).toBe(400);
    page = await known.submit(page, { code: enrolled.app.codeAt(scene.clock.now()) });
    expect(asksForConsent(page)).toBe(true);
    scene.clock.advanceSeconds(30);
    const late = new Browser(scene.app);
    for (const [name, value] of owner.cookies) if (name.endsWith('device')) late.cookies.set(name, value);
    page = await withPassword(late);
    for (let guess = 0; guess < 2; guess++) page = await late.submit(page, { code: `10000${guess}` });
    expect(page.status).toBe(429);
  });

  it('bounds guesses for each account; another account is not blocked', async () => {
    const thief = new Browser(scene.app);
    let page = await withPassword(thief);
    for (let guess = 0; guess < 5; guess++) page = await thief.submit(page, { code: `00000${guess}` });
    const right = await thief.submit(page, { code: enrolled.app.codeAt(scene.clock.now()) });
    expect(right.status).toBe(429);
    scene.clock.advanceSeconds(shippedConfiguration.signIn.failureWindowSeconds);
    const browser = new Browser(scene.app);
    const later = await browser.submit(await withPassword(browser), { code: enrolled.app.codeAt(scene.clock.now()) });
    expect(asksForConsent(later)).toBe(true);
  });

  it('ends a session that awaits it after ten minutes', async () => {
    const browser = new Browser(scene.app);
    const page = await withPassword(browser);
    scene.clock.advanceSeconds(601);
    const late = await browser.submit(page, { code: enrolled.app.codeAt(scene.clock.now()) });
    expect(late.body).toContain('name="password"');
  });

  it('cannot be added by a password alone where a factor exists', async () => {
    const thief = new Browser(scene.app);
    const page = await withPassword(thief);
    const refused = await thief.post(`${page.url.replace(/\?.*/, '')}/factor/set-up`, {
      csrf: /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? '',
    });
    expect(secretOn(refused)).toBe('');
  });

  it('is set up before the sign-in completes where the policy requires it', async () => {
    const { configuration } = scene.deps;
    const strict = await openScene(anyDatabase, {
      configuration: { ...configuration(), signIn: { ...configuration().signIn, secondFactor: 'everyone' } },
    });
    const browser = new Browser(strict.app);
    const page = await browser.submit(await browser.get(authorizeUrl(strict.client, makePkce())), {
      username: strict.user.username,
      password: PASSWORD,
    });
    expect(page.body).toContain('/factor/set-up');
    const setUp = await browser.submit(page, {});
    const codes = await browser.submit(setUp, { code: appWith(secretOn(setUp)).codeAt(strict.clock.now()) });
    expect(recoveryCodesOn(codes)).toHaveLength(10);
    expect(asksForConsent(await browser.submit(codes, {}))).toBe(true);
    await strict.close();
  });

  describe('acr_values', () => {
    it('requires the missing factor and no more', async () => {
      const plain = await makeUser(scene);
      const browser = new Browser(scene.app);
      const asked = { acr_values: 'urn:statehouse:acr:multi-factor' };
      const client = await makeClient(scene);
      let at = await browser.submit(await browser.get(authorizeUrl(client, makePkce())), {
        username: plain.username,
        password: PASSWORD,
      });
      expect(asksForConsent(at)).toBe(true);
      // Signed in with a password: an app is set up now, and no password is requested again.
      at = await browser.get(authorizeUrl(client, makePkce(), asked));
      expect(at.body).toContain('/factor/set-up');
      expect(at.body).not.toContain('name="password"');
      const setUp = await browser.submit(at, {});
      const codes = await browser.submit(setUp, { code: appWith(secretOn(setUp)).codeAt(scene.clock.now()) });
      expect(asksForConsent(await browser.submit(codes, {}))).toBe(true);
      // Now it is strong enough.
      expect(asksForConsent(await browser.get(authorizeUrl(client, makePkce(), asked)))).toBe(true);
    });
    it('with prompt=none the client receives login_required; an impossible one gets unmet_authentication_requirements', async () => {
      const plain = await makeUser(scene);
      const browser = new Browser(scene.app);
      await browser.submit(await browser.get('/sign-in'), { username: plain.username, password: PASSWORD });
      const asked = { acr_values: 'unknown urn:statehouse:acr:phishing-resistant urn:statehouse:acr:multi-factor' };
      const silent = await browser.get(authorizeUrl(scene.client, makePkce(), { ...asked, prompt: 'none' }));
      expect(new URL(silent.url).searchParams.get('error')).toBe('login_required');
      const page = await browser.get(authorizeUrl(scene.client, makePkce(), asked));
      const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? '';
      const action = /action="([^"]*\/decline)"/.exec(page.body)?.[1] ?? '';
      const declined = await browser.post(action, { csrf });
      expect(new URL(declined.url).searchParams.get('error')).toBe('unmet_authentication_requirements');
    });
    it('ignores unknown values', async () => {
      const plain = await makeUser(scene);
      const browser = new Browser(scene.app);
      const at = await browser.submit(
        await browser.get(authorizeUrl(scene.client, makePkce(), { acr_values: '1 2' })),
        {
          username: plain.username,
          password: PASSWORD,
        },
      );
      expect(asksForConsent(at)).toBe(true);
    });
  });
});
