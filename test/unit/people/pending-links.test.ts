/** The verified address of an account here, at a first sign-in at an identity provider: one sign-in here links it. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { upstreamsSchema } from '../../../policies/upstreams-schema.ts';
import { linkedIdentities, transitions, users } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { disableUser } from '../../support/administration.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { enrol } from '../../support/factors.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openTwoServers, pressButton, signInPage, type TwoServers, upstreamOf } from '../../support/upstream.ts';

const ADDRESS = 'ada@example.com';
const LINK_COOKIE = '__Host-statehouse-link';

let two: TwoServers;
let mails: Mails;
let owner: TestUser;
afterEach(() => two.close());

const db = () => two.scene.database.drizzle;
async function open(change: Readonly<Record<string, unknown>> = {}, claims: object = verified): Promise<void> {
  mails = keptMails();
  two = await openTwoServers({ linkByAddress: true, ...change }, { mail: mails }, { codeByMail: true });
  mails.of(two.scene);
  owner = await makeUser(two.scene, 'ada', { ...claims });
}
const verified = { email: 'Ada@example.com', email_verified: true };

/** Signs in at the provider. @returns the page after the callback. */
async function comeBack(browser: Browser, user = two.ada): Promise<Answer> {
  const away = await pressButton(browser, await signInPage(browser, two.scene.client));
  return browser.get(await two.signInThere(away.url, new Browser(two.upstream.app), user));
}
const links = async () =>
  (await db().select().from(linkedIdentities)).map(({ userId, subject, provider, state }) => ({
    userId,
    subject,
    provider,
    state,
  }));
const usernames = async () => (await db().select().from(users)).map(({ username }) => username);
const title = ({ body }: Answer) => /<h1>(.*)<\/h1>/.exec(body)?.[1];
const KNOWN = 'An account with this address exists';
const linkOn = ({ body }: Answer) =>
  (/<a href="([^"]*)">Sign in to link it</.exec(body)?.[1] ?? '').replaceAll('&#61;', '=');
const signIn = async (browser: Browser, page: Answer, username = 'ada') =>
  browser.submit(await browser.get(linkOn(page)), { username, password: PASSWORD });

describe('with the verified address of an account', () => {
  it('a sign-in registers no user, and one sign-in here links the identity and continues to the client', async () => {
    await open();
    const before = await usernames();
    const browser = new Browser(two.scene.app);
    const page = await comeBack(browser);
    expect([page.status, title(page)]).toEqual([403, KNOWN]);
    expect([await usernames(), await links()]).toEqual([before, []]);
    expect(page.body).not.toContain('>ada<');

    expect((await signIn(browser, page)).body).toContain('name="decision"');
    expect(await links()).toEqual([{ userId: owner.id, subject: two.ada.id, provider: 'company', state: 'active' }]);
    const lines = await db().select().from(transitions).where(eq(transitions.machine, 'linkedIdentity'));
    expect(lines).toMatchObject([{ event: 'linkRequested', userId: owner.id, actor: `end_user ${owner.id}` }]);
    expect((await mails.to(verified.email)).map(({ subject }) => subject)).toContain('An account was linked');
    expect(browser.cookies.get(LINK_COOKIE)).toBe('');

    // From then on, the provider signs its user in.
    expect((await comeBack(new Browser(two.scene.app))).body).toContain('Signed in as <strong>ada</strong>');
  });

  it('a sign-in with a passkey links it too, without a client', async () => {
    await open();
    const browser = new Browser(two.scene.app);
    const away = await pressButton(browser, await browser.get('/sign-in'));
    const page = await browser.get(await two.signInThere(away.url));
    expect([title(page), linkOn(page)]).toEqual([KNOWN, '/sign-in']);
    const { sign } = await registeredPasskey(two.scene, owner);
    const form = await browser.get('/sign-in');
    const { csrf = '' } = formOf(form.body).fields;
    expect((await browser.post('/sign-in/passkey', { csrf, credential: sign(form) })).url).toBe('/account');
    expect(await links()).toMatchObject([{ userId: owner.id, state: 'active' }]);
  });

  it('a sign-in with a code by mail links it too', async () => {
    await open();
    const browser = new Browser(two.scene.app);
    const page = await browser.get(linkOn(await comeBack(browser)));
    const ask = /href="([^"]*\/code)"/.exec(page.body)?.[1] ?? '';
    const typed = await browser.submit(await browser.get(ask), { username: 'ada' });
    const [mail] = await mails.to(verified.email);
    const code = /\b\d{4} \d{4}\b/.exec(mail?.text ?? '')?.[0] ?? '';
    expect((await browser.submit(typed, { code })).body).toContain('name="decision"');
    expect(await links()).toMatchObject([{ userId: owner.id, state: 'active' }]);
  });

  it('a password does not link it before the second factor', async () => {
    await open();
    const { app } = await enrol(two.scene, new Browser(two.scene.app), owner);
    const browser = new Browser(two.scene.app);
    const factor = await signIn(browser, await comeBack(browser));
    expect(await links()).toEqual([]);
    await browser.submit(factor, { code: app.codeAt(two.scene.clock.now()) });
    expect(await links()).toMatchObject([{ userId: owner.id, state: 'active' }]);
  });

  it('links it where the policy registers no user', async () => {
    await open({ createUsers: false });
    const browser = new Browser(two.scene.app);
    await signIn(browser, await comeBack(browser));
    expect(await links()).toMatchObject([{ userId: owner.id, state: 'active' }]);
  });

  it('the form sent twice links it once, and signs in twice', async () => {
    await open();
    const browser = new Browser(two.scene.app);
    const page = await comeBack(browser);
    const pending = browser.cookies.get(LINK_COOKIE) ?? '';
    await signIn(browser, page);
    browser.cookies.set(LINK_COOKIE, pending);
    two.scene.clock.advanceSeconds(601);
    const done = await browser.submit(await browser.get('/sign-in?then=data'), { username: 'ada', password: PASSWORD });
    expect(done.url).toBe('/account/data');
    expect(await links()).toHaveLength(1);
  });
});

describe('links nothing', () => {
  const pages = async (browser: Browser) => {
    const page = await comeBack(browser);
    expect(title(page)).toBe(KNOWN);
    return page;
  };

  it('to another account that signs in in the same browser', async () => {
    await open();
    await makeUser(two.scene, 'eve');
    const browser = new Browser(two.scene.app);
    await signIn(browser, await pages(browser), 'eve');
    expect(await links()).toEqual([]);
  });

  it('after a wrong password, or without a sign-in', async () => {
    await open();
    const browser = new Browser(two.scene.app);
    const page = await pages(browser);
    await browser.submit(await browser.get(linkOn(page)), { username: 'ada', password: 'wrong' });
    await browser.get('/account');
    expect(await links()).toEqual([]);
  });

  it('in another browser, with the cookie of the first', async () => {
    await open();
    const browser = new Browser(two.scene.app);
    const page = await pages(browser);
    const thief = new Browser(two.scene.app);
    thief.cookies.set(LINK_COOKIE, browser.cookies.get(LINK_COOKIE) ?? '');
    await thief.submit(await thief.get('/sign-in'), { username: 'ada', password: PASSWORD });
    expect(await links()).toEqual([]);
    expect(page.body).not.toContain(browser.cookies.get(LINK_COOKIE));
  });

  it('after the lifetime of the federated sign-in', async () => {
    await open();
    const browser = new Browser(two.scene.app);
    await pages(browser);
    two.scene.clock.advanceSeconds(1801);
    await browser.submit(await browser.get('/sign-in'), { username: 'ada', password: PASSWORD });
    expect(await links()).toEqual([]);
  });
});

describe('a first sign-in registers a user, as before,', () => {
  const isRegistered = async (user = two.ada) => {
    const browser = new Browser(two.scene.app);
    const page = await comeBack(browser, user);
    expect(browser.cookies.has(LINK_COOKIE)).toBe(false);
    expect(page.body).toContain('name="decision"');
    const [link] = await links();
    expect(link?.userId).not.toBe(owner.id);
  };

  it.each([
    ['where the policy does not trust the addresses of the provider', { linkByAddress: false }, verified],
    ['where the address here is not verified', {}, { ...verified, email_verified: false }],
    ['where the account has another address', {}, { ...verified, email: 'ada@example.com.test' }],
  ])('%s', async (_, change, claims) => {
    await open(change, claims);
    await isRegistered();
  });

  it('where the address at the provider is not verified', async () => {
    await open();
    const mallory = await makeUser(two.upstream, `mallory-${randomUUID()}`, { email: ADDRESS, email_verified: false });
    await isRegistered(mallory);
  });

  it('where the account is disabled', async () => {
    await open();
    await disableUser(db(), 'ada');
    await isRegistered();
  });
});

it('a link from the account page tells its user by mail too', async () => {
  await open({ linkByAddress: false });
  const browser = new Browser(two.scene.app);
  const path = '/account/linked-identities';
  await browser.submit(await browser.get(path), { username: 'ada', password: PASSWORD });
  const { fields } = formOf((await browser.get(path)).body);
  const away = await browser.post(`${path}/link`, { ...fields, provider: 'upstream:company' });
  expect((await browser.get(await two.signInThere(away.url))).url).toBe(`${path}?linked`);
  expect(await links()).toMatchObject([{ userId: owner.id, state: 'active' }]);
  expect((await mails.to(verified.email)).map(({ subject }) => subject)).toContain('An account was linked');
});

describe('createUsersFrom', () => {
  it.each([
    [['example.com'], true],
    [['sub.example.com', 'ample.com'], false],
  ])('%j: registers a user of example.com: %s', async (createUsersFrom, registers) => {
    await open({ createUsersFrom, linkByAddress: false }, {});
    const page = await comeBack(new Browser(two.scene.app));
    if (registers) return expect(page.body).toContain('name="decision"');
    expect([page.status, title(page)]).toEqual([403, 'This account is not linked to any account here']);
    expect(await links()).toEqual([]);
  });

  it('has no effect on an unverified address', async () => {
    await open({ createUsersFrom: ['example.com'] }, {});
    const mallory = await makeUser(two.upstream, 'mallory', { email: 'm@example.com', email_verified: false });
    expect((await comeBack(new Browser(two.scene.app), mallory)).status).toBe(403);
  });

  it('needs createUsers', async () => {
    await open({}, {});
    const entry = { name: 'x', label: 'X', issuer: 'https://x.test', client_id: 'x', client_secret_environment: 'X' };
    const upstreams = [{ ...entry, createUsersFrom: ['example.com'] }];
    expect(JSON.stringify(upstreamsSchema.safeParse({ upstreams }).error?.issues)).toContain('createUsers: true');
    expect(upstreamOf({ issuer: 'https://x.test', client_id: 'x', createUsersFrom: ['example.com'] })).toMatchObject({
      createUsersFrom: ['example.com'],
      linkByAddress: false,
    });
  });
});
