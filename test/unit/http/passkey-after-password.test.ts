/** A passkey protects its account: the access by password, or mailbox, to an account with a passkey and no authenticator app. */

import { afterEach, expect, it } from 'vitest';
import type { SignInPolicy } from '../../../policies/schema.ts';
import { authorizeUrl, exchange, makePkce, makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { type RegisteredPasskey, registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const NEW_PASSWORD = 'another long passphrase';
const ALICE = 'alice@example.com';
const FACTOR = '/sign-in/factor';

let scene: Scene;
let mails: Mails;
let alice: TestUser;
let passkey: RegisteredPasskey;

async function open(policy: Partial<SignInPolicy> = {}): Promise<void> {
  mails = keptMails();
  const configuration = { ...shippedConfiguration, signIn: { ...shippedConfiguration.signIn, ...policy } };
  scene = await openScene(anyDatabase, { mail: mails, configuration });
  mails.of(scene);
  alice = await makeUser(scene, 'alice', { email: ALICE, email_verified: true });
  passkey = await registeredPasskey(scene, alice);
}
afterEach(() => scene.close());

const byPassword = async (password = PASSWORD, username = 'alice'): Promise<{ browser: Browser; page: Answer }> => {
  const browser = new Browser(scene.app);
  return { browser, page: await browser.submit(await browser.get('/sign-in'), { username, password }) };
};
const prove = (browser: Browser, page: Answer, credential: string): Promise<Answer> =>
  browser.post(`${FACTOR}/passkey`, { ...formOf(page.body).fields, credential });
const setByMail = async (): Promise<void> => {
  const browser = new Browser(scene.app);
  await browser.submit(await browser.get('/forgot-password'), { email: ALICE });
  await browser.submit(await browser.get(await mails.link(ALICE)), { password: NEW_PASSWORD });
};

it('the passkey is required after the password, and completes the sign-in of that browser', async () => {
  await open();
  const { browser, page } = await byPassword();
  expect(page.url).toBe(FACTOR);
  expect((await browser.get('/account')).url).not.toBe('/account');
  expect(page.body).not.toContain('name="code"');
  const cookie = browser.cookies.get('__Host-statehouse-session');
  expect((await prove(browser, page, passkey.sign(page))).url).toBe('/account');
  expect(browser.cookies.get('__Host-statehouse-session')).not.toBe(cookie);
});

it('the passkey gives both tokens the methods and the class of password and passkey', async () => {
  await open();
  const browser = new Browser(scene.app);
  const pkce = makePkce();
  let at = await browser.get(authorizeUrl(scene.client, pkce, { scope: 'openid read' }));
  at = await browser.submit(at, { username: 'alice', password: PASSWORD });
  const { action, fields } = formOf(at.body);
  expect(action).toMatch(/^\/interactions\/[^/]+\/factor\/passkey$/);
  at = await browser.post(action, { ...fields, credential: passkey.sign(at) });
  at = await browser.submit(at, { decision: 'approve' });
  const code = new URL(at.url).searchParams.get('code') ?? '';
  const { json } = await exchange(scene, scene.client, { code, verifier: pkce.verifier });
  const claims = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  const acr = 'urn:statehouse:acr:phishing-resistant';
  expect(claims(json.id_token)).toMatchObject({ sub: alice.id, acr, amr: ['pwd', 'hwk', 'user', 'mfa'] });
  expect(claims(json.access_token)).toMatchObject({ acr, auth_time: claims(json.id_token).auth_time });
});

it('the server rejects the passkey of another account, a challenge of another page, and a repeated answer', async () => {
  await open();
  const mallory = await makeUser(scene, 'mallory');
  const another = await registeredPasskey(scene, mallory);
  const { browser, page } = await byPassword();
  expect((await prove(browser, page, another.sign(page))).status).toBe(400);
  const signIn = await browser.get('/sign-in?another=yes');
  expect((await prove(browser, page, passkey.sign(signIn))).status).toBe(400);
  const elsewhere = await byPassword();
  expect((await prove(browser, page, passkey.sign(elsewhere.page))).status).toBe(400);
  const credential = passkey.sign(page);
  // The first answer is used in another session of the same browser: none.
  expect((await prove(browser, page, credential)).url).toBe('/account');
  expect((await prove(elsewhere.browser, elsewhere.page, credential)).status).toBe(400);
});

it('the server accepts a recovery code for a lost passkey, and a link with the password to remove it', async () => {
  await open();
  const { browser, page } = await byPassword();
  await prove(browser, page, passkey.sign(page));
  const codes = await browser.post('/account/sign-in-methods/recovery-codes', {
    csrf: formOf((await browser.get('/account/sign-in-methods')).body).fields['csrf'] ?? '',
  });
  const [code = ''] = [...codes.body.matchAll(/<li><code>([^<]*)<\/code>/g)].map(([, found]) => found);
  const lost = await byPassword();
  expect(lost.page.body).toMatch(/id="recovery-code" name="code" inputmode="text"/);
  const { csrf = '' } = formOf(lost.page.body).fields;
  expect((await lost.browser.post(FACTOR, { csrf, code })).url).toBe('/account');

  const nothing = await byPassword();
  expect(nothing.page.body).toContain('href="/email/lost-factors"');
  await nothing.browser.submit(await nothing.browser.get('/email/lost-factors'), {});
  await nothing.browser.submit(await nothing.browser.get(await mails.link(ALICE)), {});
  expect((await byPassword()).page.url).toBe('/account');
});

it('the passkey is not required after the password where the policy says so, and always after a password by mail', async () => {
  await open({ passkeyAfterPassword: 'optional' });
  expect((await byPassword()).page.url).toBe('/account');
  await setByMail();
  const { browser, page } = await byPassword(NEW_PASSWORD);
  expect(page.url).toBe(FACTOR);
  expect((await prove(browser, page, passkey.sign(page))).url).toBe('/account');
  await makeUser(scene, 'bob');
  expect((await byPassword(PASSWORD, 'bob')).page.url).toBe('/account');
});
