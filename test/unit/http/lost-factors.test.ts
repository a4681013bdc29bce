/** A user who has lost every factor: password and mailbox together restore the account, and neither does alone. */

import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SignInPolicy } from '../../../policies/schema.ts';
import { linkedIdentities } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { type App, enrol } from '../../support/factors.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const NEW_PASSWORD = 'another long passphrase';
const ALICE = 'alice@example.com';

let scene: Scene;
let mails: Mails;
let alice: TestUser;
let app: App;
let recoveryCodes: readonly string[];
let addresses = 0;

async function open(policy: Partial<SignInPolicy> = {}): Promise<void> {
  mails = keptMails();
  const configuration = { ...shippedConfiguration, signIn: { ...shippedConfiguration.signIn, ...policy } };
  scene = await openScene(anyDatabase, { mail: mails, configuration });
  mails.of(scene);
  alice = await makeUser(scene, 'alice', { email: ALICE, email_verified: true });
  ({ app, recoveryCodes } = await enrol(scene, newBrowser(), alice));
}
beforeEach(() => open());
afterEach(() => scene.close());

const newBrowser = () => new Browser(scene.app, `198.51.100.${++addresses % 250}`);
/** @returns a browser in which the password was right, at the page that asks for the factor. */
async function byPassword(password = PASSWORD): Promise<{ readonly browser: Browser; readonly page: Answer }> {
  const browser = newBrowser();
  const page = await browser.submit(await browser.get('/sign-in'), { username: 'alice', password });
  expect(page.url).toBe('/sign-in/factor');
  return { browser, page };
}
const ask = async (browser: Browser): Promise<Answer> => browser.submit(await browser.get('/email/lost-factors'), {});
const appsOf = async () => (await scene.deps.secondFactors.listApps(alice.id)).length;
const resets = async (): Promise<void> => {
  const browser = newBrowser();
  await browser.submit(await browser.get('/forgot-password'), { email: ALICE });
  await browser.submit(await browser.get(await mails.link(ALICE)), { password: NEW_PASSWORD });
};

it('password and mailbox together remove the factors, end every session, and notify the owner', async () => {
  const { browser, page } = await byPassword();
  const old = await byPassword();
  await old.browser.submit(old.page, { code: app.codeAt(scene.clock.now()) });
  expect((await old.browser.get('/account')).url).toBe('/account');
  expect(page.body).toContain('href="/email/lost-factors"');
  expect((await ask(browser)).url).toBe('/email/lost-factors?sent');
  const link = await browser.get(await mails.link(ALICE));
  expect(await appsOf()).toBe(1);
  expect((await browser.submit(link, {})).url).toBe('/email/done?lost_factors');
  expect(await appsOf()).toBe(0);
  expect(await scene.deps.recoveryCodes.active(alice.id)).toEqual([]);
  expect((await old.browser.get('/account')).url).not.toBe('/account');
  expect((await mails.to(ALICE)).at(-1)?.subject).toBe('Your second factor was removed');
  const again = newBrowser();
  const account = await again.submit(await again.get('/sign-in'), { username: 'alice', password: PASSWORD });
  expect(account.url).toBe('/account');
  // Once.
  expect((await browser.get(await mailedLink(-2))).status).toBe(410);
});

/** Counted from the newest mail. */
const mailedLink = async (place: number): Promise<string> => {
  const mail = (await mails.to(ALICE)).at(place);
  return /\/email\/link\?t=[\w-]+/.exec(mail?.text ?? '')?.[0] ?? '';
};

it('an attacker with the mailbox removes no factor: not with the link of the owner, and not with a password that a mail has set', async () => {
  const { browser } = await byPassword();
  await ask(browser);
  const thief = newBrowser();
  const refused = await thief.submit(await thief.get(await mails.link(ALICE)), {});
  expect(refused.status).toBe(403);
  expect(refused.body).toContain('First sign in with your password in this browser');
  // Their own sign-in as another user is no proof of this password.
  await makeUser(scene, 'mallory');
  await thief.submit(await thief.get('/sign-in'), { username: 'mallory', password: PASSWORD });
  expect((await thief.submit(await thief.get(await mails.link(ALICE)), {})).status).toBe(403);
  await resets();
  const { browser: withPassword } = await byPassword(NEW_PASSWORD);
  const asked = await ask(withPassword);
  expect(asked.status).toBe(400);
  expect(asked.body).toContain('You set your password with a link in an e-mail');
  expect(await appsOf()).toBe(1);
});

it('a session of a sign-in that is not recent, and the mailbox, remove no factor', async () => {
  const { browser: left, page } = await byPassword();
  await left.submit(page, { code: app.codeAt(scene.clock.now()) });
  expect((await left.get('/email/lost-factors')).url).toBe('/email/lost-factors');
  scene.clock.advanceSeconds(shippedConfiguration.signIn.recentSignInSeconds + 1);
  expect((await left.get('/account')).url).toBe('/account');
  expect((await left.get('/email/lost-factors')).url).toContain('/sign-in?');
  await ask((await byPassword()).browser);
  const refused = await left.submit(await left.get(await mails.link(ALICE)), {});
  expect([refused.status, await appsOf()]).toEqual([403, 1]);
  // The password again is enough.
  const form = await left.get('/email/lost-factors');
  await left.submit(form, { username: 'alice', password: PASSWORD });
  expect((await left.submit(await left.get(await mails.link(ALICE)), {})).url).toBe('/email/done?lost_factors');
});

it('an attacker with the password gets no link without the mailbox, and the owner is notified', async () => {
  const { browser } = await byPassword();
  await ask(browser);
  expect((await mails.to(ALICE)).at(-1)?.text).toContain('another person knows your password');
  expect((await browser.get('/account')).url).not.toBe('/account');
  // Repeated requests do not fill a mailbox.
  for (let times = 0; times < 4; times++) await ask(browser);
  expect((await ask(browser)).status).toBe(429);
});

it('a forgotten password and a recovery code restore the account, and the owner sets a password of their own', async () => {
  await resets();
  const { browser, page } = await byPassword(NEW_PASSWORD);
  expect((await browser.submit(page, { code: recoveryCodes[0] ?? '' })).url).toBe('/account');
  const form = await browser.get('/account/password');
  const chosen = 'a passphrase of my own';
  await browser.submit(form, { current: NEW_PASSWORD, chosen, repeated: chosen });
  expect((await ask((await byPassword(chosen)).browser)).url).toBe('/email/lost-factors?sent');
});

it('a link from before a password change is rejected', async () => {
  const { browser } = await byPassword();
  await ask(browser);
  const link = await mails.link(ALICE);
  await resets();
  const again = await byPassword(NEW_PASSWORD);
  expect((await again.browser.submit(await again.browser.get(link), {})).body).toContain('The password has changed');
  expect(await appsOf()).toBe(1);
});

it('under a policy that requires a factor, another is set up before the user is signed in', async () => {
  await scene.close();
  await open({ secondFactor: 'everyone' });
  const { browser } = await byPassword();
  await ask(browser);
  await browser.submit(await browser.get(await mails.link(ALICE)), {});
  const { browser: again, page } = await byPassword();
  expect(page.body).toContain('Set up an authenticator app');
  expect((await again.get('/account')).url).not.toBe('/account');
});

it('the policy may leave the reset to administrators, and it needs a sign-in otherwise', async () => {
  expect((await newBrowser().get('/email/lost-factors')).url).toMatch(/^\/sign-in/);
  await scene.close();
  await open({ lostFactors: 'administrator' });
  const { browser, page } = await byPassword();
  expect(page.body).not.toContain('/email/lost-factors');
  expect((await browser.get('/email/lost-factors')).status).toBe(404);
});

it('the reset is not offered to an account with a linked identity, or without a verified address', async () => {
  const link = 'href="/email/lost-factors"';
  expect((await byPassword()).page.body).toContain(link);
  await scene.database.drizzle.insert(linkedIdentities).values({
    id: randomUUID(),
    userId: alice.id,
    state: 'active',
    issuer: 'https://company.test',
    subject: 'alice',
    provider: 'company',
    linkedAt: scene.clock.now(),
  });
  expect((await byPassword()).page.body).not.toContain(link);
  const carol = await makeUser(scene, 'carol');
  await registeredPasskey(scene, carol);
  const browser = newBrowser();
  const page = await browser.submit(await browser.get('/sign-in'), { username: 'carol', password: PASSWORD });
  expect(page.url).toBe('/sign-in/factor');
  expect(page.body).not.toContain(link);
});
