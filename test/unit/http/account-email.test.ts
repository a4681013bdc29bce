/** /account/email: an address is confirmed, and changed; and what a thief with a session can do with that. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { disableUser, updateUser } from '../../support/administration.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { enrol } from '../../support/factors.ts';
import { ENGLISH } from '../../support/look.ts';
import { keptMails, linkIn, type Mails } from '../../support/mails.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const [OLD, NEW, THIEFS] = ['alice@example.com', 'alice@new.example', 'thief@example.com'];
const NEW_PASSWORD = 'another long passphrase';

let scene: Scene;
let mails: Mails;
let alice: TestUser;
let browser: Browser;
let addresses = 0;

beforeEach(async () => {
  mails = keptMails();
  scene = await openScene(anyDatabase, { mail: mails });
  mails.of(scene);
  alice = await makeUser(scene, 'alice', { email: OLD, email_verified: true, name: 'Alice' });
  browser = await signedIn('alice');
});
afterEach(() => scene.close());

async function signedIn(username: string, password = PASSWORD): Promise<Browser> {
  const one = new Browser(scene.app, `198.51.100.${++addresses % 250}`);
  const page = await one.submit(await one.get('/account/email'), { username, password });
  if (page.url !== '/account/email') throw new Error(`${username} is not signed in.`);
  return one;
}

/** A form of the section, by the end of its path. */
async function submit(
  by: Browser,
  form: 'verify' | 'change',
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const page = await by.get('/account/email');
  return by.post(`/account/email/${form}`, { csrf: formOf(page.body).fields['csrf'] ?? '', ...fields });
}

/** Opens the link of the newest mail to this address, and presses the button. */
async function press(
  address: string,
  by = new Browser(scene.app),
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return by.submit(await by.get(await mails.link(address)), fields);
}

const claims = async () => (await scene.deps.users.findForSignIn('alice'))?.claims;
const isSignedIn = async (by: Browser) => (await by.get('/account')).url === '/account';

describe('an unconfirmed address', () => {
  let bob: TestUser;
  beforeEach(async () => {
    bob = await makeUser(scene, 'bob', { email: 'bob@example.com', name: 'Bob' });
    browser = await signedIn('bob');
  });
  const claimsOfBob = async () => (await scene.deps.users.findForSignIn('bob'))?.claims;

  it('is confirmed by the link, and nothing else changes', async () => {
    expect((await browser.get('/account/email')).body).toContain('it is not confirmed');
    expect((await submit(browser, 'verify')).url).toBe('/account/email?sent');
    expect(await claimsOfBob()).not.toHaveProperty('email_verified');
    expect((await press('bob@example.com')).url).toBe('/email/done?verify_address');
    expect(await claimsOfBob()).toEqual({ email: 'bob@example.com', email_verified: true, name: 'Bob' });
    expect(await isSignedIn(browser)).toBe(true);
    const again = await submit(browser, 'verify');
    expect(again.status).toBe(400);
    expect(again.body).toContain('already confirmed');
  });

  it('is not confirmed by a link for the previous address', async () => {
    await submit(browser, 'verify');
    const link = await mails.link('bob@example.com');
    const claims = { ...(await claimsOfBob()), email: 'else@example.com' };
    await updateUser(scene.database.drizzle, bob.id, { claims, passwordHash: null });
    const stranger = new Browser(scene.app);
    expect((await stranger.submit(await stranger.get(link), {})).status).toBe(410);
    expect(await claimsOfBob()).not.toHaveProperty('email_verified');
  });

  it("gets no undo link when another replaces it: it may be an attacker's", async () => {
    await submit(browser, 'change', { email: 'bob@new.example' });
    await press('bob@new.example');
    expect(await claimsOfBob()).toMatchObject({ email: 'bob@new.example', email_verified: true });
    expect(await mails.to('bob@example.com')).toEqual([]);
  });
});

describe('a change of the address', () => {
  it('takes effect after the confirmation of the new mailbox; the old address is notified and can undo it', async () => {
    expect((await submit(browser, 'change', { email: NEW })).url).toBe('/account/email?sent');
    expect(await claims()).toMatchObject({ email: OLD });
    expect(await mails.to(OLD)).toEqual([]);
    expect((await press(NEW)).url).toBe('/email/done?change_address');
    expect(await claims()).toEqual({ email: NEW, email_verified: true, name: 'Alice' });
    expect(await isSignedIn(browser)).toBe(true);
    expect((await mails.to(OLD)).map(({ subject }) => subject)).toEqual(['Your e-mail address was changed']);

    expect((await press(OLD)).url).toBe('/email/done?undo_change');
    expect(await claims()).toEqual({ email: OLD, email_verified: true, name: 'Alice' });
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('sends no text of the requester to a third party: the username is on the page of the link', async () => {
    await submit(browser, 'change', { email: NEW });
    const link = await mails.link(NEW);
    for (const { subject, text, html } of await mails.to(NEW)) {
      for (const part of [subject, text, html]) expect(part.toLowerCase()).not.toContain('alice');
    }
    expect((await new Browser(scene.app).get(link)).body).toContain('alice');
  });

  it.each([
    ['no address', 'unknown'],
    ['the same', 'ALICE@example.com'],
  ])('is rejected for %s', async (_, email) => {
    expect((await submit(browser, 'change', { email })).status).toBe(400);
    await mails.to('');
    expect(mails.sent).toEqual([]);
  });

  it('ends the link of an earlier change', async () => {
    await submit(browser, 'change', { email: NEW });
    const older = await mails.link(NEW);
    await submit(browser, 'change', { email: 'alice@third.example' });
    const one = new Browser(scene.app);
    expect((await one.get(older)).status).toBe(410);
    await press('alice@third.example');
    expect(await claims()).toMatchObject({ email: 'alice@third.example' });
  });

  it('invalidates a password link from before', async () => {
    const other = new Browser(scene.app);
    await other.submit(await other.get('/forgot-password'), { email: OLD });
    const link = await mails.link(OLD);
    await submit(browser, 'change', { email: NEW });
    await press(NEW);
    expect((await other.submit(await other.get(link), { password: NEW_PASSWORD })).status).toBe(410);
  });

  it('requires a recent sign-in', async () => {
    scene.clock.advanceSeconds(601);
    expect((await browser.get('/account/email')).url).toBe('/sign-in?then=email');
  });

  it('is ended by a password change in between', async () => {
    await submit(browser, 'change', { email: THIEFS });
    const other = new Browser(scene.app);
    await other.submit(await other.get('/forgot-password'), { email: OLD });
    await press(OLD, other, { password: NEW_PASSWORD });
    const refused = await press(THIEFS);
    expect(refused.status).toBe(410);
    expect(refused.body).toContain('The password has changed');
    expect(await claims()).toMatchObject({ email: OLD });
  });
});

describe('an attacker with the session of the owner', () => {
  /** Changes the address to their own, the password too, and the address once more. */
  async function steal(): Promise<{ readonly undoOfOwner: string; readonly undoOfThief: string }> {
    await submit(browser, 'change', { email: THIEFS });
    await press(THIEFS);
    const undoOfOwner = await mails.link(OLD);
    scene.clock.advanceSeconds(60);
    const thief = new Browser(scene.app);
    await thief.submit(await thief.get('/forgot-password'), { email: THIEFS });
    await press(THIEFS, thief, { password: NEW_PASSWORD });
    const again = await signedIn('alice', NEW_PASSWORD);
    await submit(again, 'change', { email: 'thief@second.example' });
    await press('thief@second.example');
    return { undoOfOwner, undoOfThief: linkIn((await mails.to(THIEFS)).at(-1)) };
  }
  const use = async (link: string) => {
    const one = new Browser(scene.app);
    const page = await one.get(link);
    return page.status === 200 ? one.submit(page, {}) : page;
  };

  it('does not keep the account, however often they change address and password', async () => {
    const { undoOfOwner, undoOfThief } = await steal();
    expect((await use(undoOfOwner)).url).toBe('/email/done?undo_change');
    expect(await claims()).toMatchObject({ email: OLD, email_verified: true });
    // Every credential of the attacker is invalid now.
    expect((await use(undoOfThief)).status).toBe(410);
    const owner = new Browser(scene.app);
    await owner.submit(await owner.get('/forgot-password'), { email: OLD });
    expect((await press(OLD, owner, { password: 'the owner is back again' })).url).toBe('/email/done?reset_password');
    expect((await signedIn('alice', 'the owner is back again')).cookies.size).toBeGreaterThan(0);
  });

  it('does not lock the owner out by undoing first', async () => {
    const { undoOfOwner, undoOfThief } = await steal();
    expect((await use(undoOfThief)).status).toBe(200);
    expect(await claims()).toMatchObject({ email: THIEFS });
    expect((await use(undoOfOwner)).url).toBe('/email/done?undo_change');
    expect(await claims()).toMatchObject({ email: OLD });
    expect((await use(undoOfOwner)).status).toBe(410);
  });

  it('has a week; then the address stays', async () => {
    const { undoOfOwner } = await steal();
    scene.clock.advanceSeconds(7 * 86_400 - 60);
    expect((await use(undoOfOwner)).status).toBe(410);
  });
});

it('a link of a disabled or deleted account is rejected', async () => {
  await submit(browser, 'change', { email: NEW });
  const link = await mails.link(NEW);
  await disableUser(scene.database.drizzle, alice.username);
  const one = new Browser(scene.app);
  const refused = await one.submit(await one.get(link), {});
  expect(refused.status).toBe(410);
  expect(refused.body).toContain('The account no longer exists, or is disabled');
  expect(await claims()).toMatchObject({ email: OLD });
});

describe('the user is notified by mail of', () => {
  const subjects = async () => (await mails.to(OLD)).map(({ subject }) => subject);

  it('a new password', async () => {
    const page = await browser.get('/account/password');
    await browser.submit(page, { current: PASSWORD, chosen: NEW_PASSWORD, repeated: 'something else' });
    expect(await subjects()).toEqual([]);
    await browser.submit(page, { current: PASSWORD, chosen: NEW_PASSWORD, repeated: NEW_PASSWORD });
    expect(await subjects()).toEqual(['Your password was changed']);
  });

  it('an authenticator app, when it is added and when it is removed', async () => {
    const { contents } = ENGLISH.words.mail;
    browser = new Browser(scene.app, '198.51.100.253');
    await enrol(scene, browser, alice);
    expect(await subjects()).toEqual([contents.second_factor_added.subject]);
    const methods = await browser.get('/account/sign-in-methods');
    const id = /name="id" value="([^"]*)"/.exec(methods.body)?.[1] ?? '';
    const { csrf = '' } = formOf(methods.body).fields;
    await browser.post('/account/sign-in-methods/apps/remove', { csrf, id });
    expect(await subjects()).toEqual([contents.second_factor_added.subject, contents.second_factor_removed.subject]);
  });
});

describe('a sign-in', () => {
  const signInWith = async (userAgent: string) => {
    const one = new Browser(scene.app, `203.0.113.${++addresses % 250}`, { 'user-agent': userAgent });
    await one.submit(await one.get('/sign-in'), { username: 'alice', password: PASSWORD });
  };
  const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';

  // The lookup of the first sign-in has ended before another sign-in starts.
  beforeEach(async () => expect(await mails.to(OLD)).toEqual([]));

  it('is reported by mail in an untrusted browser, and not in a trusted one', async () => {
    await signInWith(FIREFOX);
    const [mail, ...more] = await mails.to(OLD);
    expect(more).toEqual([]);
    expect(mail?.subject).toBe('A sign-in from a new device');
    expect(mail?.text).toContain('Firefox on Windows');
    expect(mail?.text).toContain('\nhttps://as.test/account/devices\n');
    await signInWith(FIREFOX);
    expect(await mails.to(OLD)).toHaveLength(1);
  });

  it('is reported after the second factor too, in the language of that browser, and only the first time', async () => {
    const { app } = await enrol(scene, new Browser(scene.app, '203.0.113.9', { 'user-agent': 'a laptop' }), alice);
    const other = new Browser(scene.app, '203.0.113.10', { 'user-agent': FIREFOX, 'accept-language': 'de' });
    const signIn = async (one: Browser) => {
      scene.clock.advanceSeconds(30);
      const page = await one.submit(await one.get('/sign-in'), { username: 'alice', password: PASSWORD });
      await one.submit(page, { code: app.codeAt(scene.clock.now()) });
      expect((await one.get('/account')).url).toBe('/account');
    };
    const about = async () =>
      (await mails.to(OLD)).map(({ subject }) => subject).filter((subject) => subject.includes('Gerät'));
    await signIn(other);
    expect(await about()).toEqual(['Eine Anmeldung mit einem neuen Gerät']);
    // A newer browser version has another User-Agent, and keeps the cookie of the trusted device.
    const updated = new Browser(scene.app, '203.0.113.10', {
      'user-agent': 'a newer version',
      'accept-language': 'de',
    });
    for (const [name, value] of other.cookies) if (!name.endsWith('session')) updated.cookies.set(name, value);
    await signIn(updated);
    expect(await about()).toHaveLength(1);
    updated.cookies.clear();
    await signIn(updated);
    // Without it, the User-Agent is known from the session before.
    expect(await about()).toHaveLength(1);
    const stranger = new Browser(scene.app, '203.0.113.11', {
      'user-agent': 'a third version',
      'accept-language': 'de',
    });
    await signIn(stranger);
    expect(await about()).toHaveLength(2);
  });

  it('is not reported to an unverified address', async () => {
    await makeUser(scene, 'carol', { email: 'carol@example.com' });
    await signedIn('carol');
    const one = new Browser(scene.app, '203.0.113.251', { 'user-agent': FIREFOX });
    await one.submit(await one.get('/sign-in'), { username: 'carol', password: PASSWORD });
    expect(await mails.to('carol@example.com')).toEqual([]);
  });
});
