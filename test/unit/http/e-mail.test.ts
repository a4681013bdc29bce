/** Links in mails, through the pages: a forgotten password, a new account. The knowledge of strangers, and the effect of programs that open links. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setAddressesIdentify } from '../../../src/storage/sign-in-addresses.ts';
import { authorizeUrl, makePkce, makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { appWith, enrol, recoveryCodesOn, secretOn } from '../../support/factors.ts';
import { keptMails, linkIn, type Mails } from '../../support/mails.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const configuration = (signUp: 'off' | 'open' | 'invitation', secondFactor: 'nobody' | 'everyone' = 'nobody') => ({
  ...shippedConfiguration,
  signIn: { ...shippedConfiguration.signIn, signUp, secondFactor },
});

const NEW_PASSWORD = 'another long passphrase';
const ALICE = 'alice@example.com';

let scene: Scene;
let mails: Mails;
let alice: TestUser;
let browser: Browser;
let addresses = 0;

async function open(...policy: Partial<Parameters<typeof configuration>>) {
  mails = keptMails();
  scene = await openScene(anyDatabase, { mail: mails, configuration: configuration(policy[0] ?? 'open', policy[1]) });
  mails.of(scene);
  alice = await makeUser(scene, 'alice', { email: ALICE, email_verified: true });
  browser = new Browser(scene.app, `198.51.100.${++addresses % 250}`);
}

beforeEach(() => open());
afterEach(() => scene.close());

const ask = async (path: string, email: string, by = browser): Promise<Answer> =>
  by.submit(await by.get(path), { email });
const forgot = (email: string, by = browser) => ask('/forgot-password', email, by);

const signsIn = async (username: string, password: string): Promise<boolean> => {
  const one = new Browser(scene.app, `203.0.113.${++addresses % 250}`);
  const page = await one.submit(await one.get('/sign-in'), { username, password });
  return !page.body.includes('name="password"');
};

const rowOf = async (id: string) => {
  const user = await scene.deps.users.findForSignIn('alice');
  if (user?.id !== id) throw new Error('not alice');
  return user;
};

describe('a forgotten password', () => {
  it('is replaced by the link of a mail; that ends sessions, and signs no user in', async () => {
    await browser.submit(await browser.get('/sign-in'), { username: 'alice', password: PASSWORD });
    const other = new Browser(scene.app);
    expect((await other.get('/sign-in')).body).toContain('href="/forgot-password"');
    expect((await forgot(ALICE, other)).body).toContain('If an account has this e-mail address');
    const page = await other.get(await mails.link(ALICE));
    expect(page).toMatchObject({ status: 200 });
    expect(page.body).toContain('alice');
    expect(page.body).toContain('At least 15 characters');
    const done = await other.submit(page, { password: NEW_PASSWORD });
    expect(done).toMatchObject({ status: 200, url: '/email/done?reset_password' });
    expect(done.body).toContain('<h1>Done</h1>');
    expect([await signsIn('alice', PASSWORD), await signsIn('alice', NEW_PASSWORD)]).toEqual([false, true]);
    for (const one of [browser, other]) expect((await one.get('/account')).url).toBe('/sign-in');
    expect((await mails.to(ALICE)).map(({ subject }) => subject)).toEqual([
      'A new password',
      'Your password was changed',
    ]);
    expect(scene.logs()).not.toContain(NEW_PASSWORD);
    expect(scene.logs()).not.toContain(ALICE);
  });

  it('is not changed by opening the link, however often, and by any client', async () => {
    await forgot(ALICE);
    const link = await mails.link(ALICE);
    const before = await rowOf(alice.id);
    const scanner = new Browser(scene.app, '192.0.2.1');
    for (let times = 0; times < 3; times++) expect((await scanner.get(link)).status).toBe(200);
    for (const method of ['HEAD', 'OPTIONS'] as const) await scene.app.inject({ method, url: link });
    expect(await rowOf(alice.id)).toEqual(before);
    expect((await browser.submit(await browser.get(link), { password: NEW_PASSWORD })).url).toBe(
      '/email/done?reset_password',
    );
  });

  it('is replaced once per link', async () => {
    await forgot(ALICE);
    const link = await mails.link(ALICE);
    const [one, two] = [await browser.get(link), await browser.get(link)];
    await browser.submit(one, { password: NEW_PASSWORD });
    const again = await browser.submit(two, { password: 'a third long passphrase' });
    expect(again.status).toBe(410);
    expect(again.body).toContain('works only once');
    expect((await browser.get(link)).status).toBe(410);
    expect(await signsIn('alice', NEW_PASSWORD)).toBe(true);
  });

  it('is replaced once by two concurrent presses', async () => {
    await forgot(ALICE);
    const link = await mails.link(ALICE);
    const form = formOf((await browser.get(link)).body);
    const press = (password: string) => browser.post(form.action, { ...form.fields, password });
    const answers = await Promise.all([press('the first passphrase here'), press('the second passphrase here')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
  });

  it('is replaced by an older link after a stranger has requested another, and its use ends the others', async () => {
    await forgot(ALICE);
    const older = await mails.link(ALICE);
    await forgot(ALICE, new Browser(scene.app, '203.0.113.77'));
    const newer = await mails.link(ALICE);
    expect(newer).not.toBe(older);
    const page = await browser.get(newer);
    expect((await browser.submit(await browser.get(older), { password: NEW_PASSWORD })).status).toBe(200);
    expect(await signsIn('alice', NEW_PASSWORD)).toBe(true);
    const refused = await browser.submit(page, { password: 'a third long passphrase' });
    expect(refused).toMatchObject({ status: 410 });
    expect(refused.body).toContain('Another link was used');
    expect(await signsIn('alice', NEW_PASSWORD)).toBe(true);
  });

  it('has a link that expires after half an hour', async () => {
    await forgot(ALICE);
    const page = await browser.get(await mails.link(ALICE));
    scene.clock.advanceSeconds(30 * 60);
    const late = await browser.submit(page, { password: NEW_PASSWORD });
    expect(late.status).toBe(410);
    expect(late.body).toContain('The link has expired');
    expect(await signsIn('alice', PASSWORD)).toBe(true);
  });

  it('rejects a form of another browser', async () => {
    await forgot(ALICE);
    const link = await mails.link(ALICE);
    const form = formOf((await browser.get(link)).body);
    const thief = new Browser(scene.app);
    const refused = await thief.post(form.action, { ...form.fields, password: NEW_PASSWORD });
    expect(refused.status).toBe(403);
    expect(await signsIn('alice', PASSWORD)).toBe(true);
  });

  it.each([
    ['fourteen chars', 'at least 15 characters'],
    ['passwordpassword', 'Many people use this password'],
    ['password123password', 'easy to guess'],
    ['alice@example.com', 'consists of your name'],
  ])('rejects the password %j, and keeps the link valid', async (password, words) => {
    await forgot(ALICE);
    const page = await browser.get(await mails.link(ALICE));
    const weak = await browser.submit(page, { password });
    expect(weak.status).toBe(400);
    expect(/role="alert"[^>]*>([^<]*)/.exec(weak.body)?.[1]).toContain(words);
    expect((await browser.submit(weak, { password: NEW_PASSWORD })).url).toBe('/email/done?reset_password');
  });

  it.each(['', 'x', 'A'.repeat(43), `${'A'.repeat(43)}&t=${'B'.repeat(43)}`, '%00', '..%2f..'])(
    'rejects a guessed link: %j',
    async (guess) => {
      const answer = await browser.get(`/email/link?t=${guess}`);
      expect(answer.status).toBe(404);
      expect(answer.body).not.toContain('<form');
    },
  );

  it('sends one mail per account with the address, naming the username', async () => {
    await setAddressesIdentify(scene.database.drizzle, false);
    await makeUser(scene, 'alice-at-work', { email: 'Alice@Example.com', email_verified: true });
    await forgot('ALICE@example.com');
    const sent = [...(await mails.to(ALICE)), ...(await mails.to('Alice@Example.com'))];
    expect(sent.map(({ text }) => /the account (\S+)\./.exec(text)?.[1])).toEqual(['alice', 'alice-at-work']);
    const page = await browser.get(linkIn(sent[1]));
    await browser.submit(page, { password: NEW_PASSWORD });
    expect([await signsIn('alice', PASSWORD), await signsIn('alice-at-work', NEW_PASSWORD)]).toEqual([true, true]);
  });

  it.each([['in a known browser'], ['in another']])(
    'allows a sign-in immediately, after any earlier failures %s',
    async (which) => {
      const signIn = async (password: string) => {
        browser.cookies.delete('__Host-statehouse-session');
        return browser.submit(await browser.get('/sign-in'), { username: 'alice', password });
      };
      if (which === 'in a known browser') expect((await signIn(PASSWORD)).url).toBe('/account');
      for (let times = 0; times < 12; times++) await signIn('I do not remember');
      expect((await signIn(PASSWORD)).status).toBe(429);
      await forgot(ALICE);
      await browser.submit(await browser.get(await mails.link(ALICE)), { password: NEW_PASSWORD });
      expect(await signIn(NEW_PASSWORD)).toMatchObject({ status: 200, url: '/account' });
    },
  );

  it('signs no user in without the second factor of the account, and keeps that factor', async () => {
    const { app } = await enrol(scene, browser, alice);
    const other = new Browser(scene.app, '198.51.100.254');
    await forgot(ALICE, other);
    // Beside a second factor, eight characters are enough.
    const done = await other.submit(await other.get(await mails.link(ALICE)), { password: 'tr0ubador' });
    expect(done.url).toBe('/email/done?reset_password');
    const page = await other.submit(await other.get('/sign-in?then=devices'), {
      username: 'alice',
      password: 'tr0ubador',
    });
    expect(page.url).toBe('/sign-in/factor?then=devices');
    expect((await other.get('/account')).url).not.toBe('/account');
    expect((await other.submit(page, { code: app.codeAt(scene.clock.now()) })).url).toBe('/account/devices');
  });

  it('has a mail, and the page of its link, in the language of the user', async () => {
    await makeUser(scene, 'dora', { email: 'dora@example.com', email_verified: true, locale: 'de-AT' });
    await forgot('dora@example.com');
    const [mail] = await mails.to('dora@example.com');
    expect(mail).toMatchObject({ language: 'de', subject: 'Ein neues Passwort' });
    expect(mail?.text).toContain('30 Minuten lang');
    const inEnglish = new Browser(scene.app, undefined, { 'accept-language': 'en' });
    const page = await inEnglish.get(await mails.link('dora@example.com'));
    expect(page.body).toContain('<html lang="de"');
    expect((await inEnglish.submit(page, { password: 'short' })).body).toContain('<html lang="de"');
  });
});

describe('the owner of an address', () => {
  const UNVERIFIED = 'unverified@example.com';
  const DISABLED = 'disabled@example.com';
  beforeEach(async () => {
    await makeUser(scene, 'unverified', { email: UNVERIFIED });
    const { id } = await makeUser(scene, 'disabled', { email: DISABLED, email_verified: true });
    await scene.database.drizzle.execute(`update users set disabled_at = now(), epoch = epoch + 1 where id = '${id}'`);
  });

  it.each(['/forgot-password', '/sign-up'])(
    'is not revealed: %s gives the same answer, after the same statements',
    async (path) => {
      const answers: unknown[] = [];
      for (const email of [ALICE, 'unknown@example.com', UNVERIFIED, DISABLED]) {
        const stranger = new Browser(scene.app, `192.0.2.${answers.length + 10}`);
        const form = formOf((await stranger.get(path)).body);
        const body = new URLSearchParams({ ...form.fields, email }).toString();
        const { status, headers, body: answer } = await stranger.send('POST', path, body);
        const { date: _, ...rest } = headers;
        answers.push({ status, headers: rest, answer, next: (await stranger.get(`${path}?sent`)).body });
      }
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      await mails.to('');
      const expected = path === '/sign-up' ? [ALICE, 'unknown@example.com', UNVERIFIED, DISABLED] : [ALICE];
      // Each mail is sent by itself.
      expect(mails.sent.map(({ to }) => to).toSorted()).toEqual(expected.toSorted());
    },
  );

  it('is not blocked by an unverified account, at sign-up and at verification', async () => {
    await ask('/sign-up', UNVERIFIED);
    const page = await browser.get(await mails.link(UNVERIFIED));
    expect((await browser.submit(page, { username: 'owner', password: NEW_PASSWORD })).url).toBe('/account');
    expect((await scene.deps.users.findForSignIn('owner'))?.claims).toEqual({
      email: UNVERIFIED,
      email_verified: true,
    });
    // From now on the address has an account, which alone is named.
    await ask('/sign-up', UNVERIFIED);
    const [, mail] = await mails.to(UNVERIFIED);
    expect(mail).toMatchObject({ subject: 'You already have an account' });
    expect(mail?.text.match(/^.*(owner|unverified)\b(?!@).*$/gm)).toEqual([expect.stringContaining('owner')]);
  });

  it('is not crowded out by unverified accounts', async () => {
    const email = 'crowd@example.com';
    for (const name of ['a', 'b', 'c', 'd', 'e']) await makeUser(scene, name, { email, email_verified: false });
    await makeUser(scene, 'last', { email, email_verified: true });
    await forgot(email);
    expect((await mails.to(email)).map(({ text }) => text.includes('last'))).toEqual([true]);
  });

  it('keeps five mails an hour for a trusted browser after a stranger has used up the limit', async () => {
    const owner = new Browser(scene.app, '203.0.113.77');
    await owner.submit(await owner.get('/sign-in'), { username: 'alice', password: PASSWORD });
    const known = new Browser(scene.app, '203.0.113.78');
    for (const [name, value] of owner.cookies) if (name.endsWith('device')) known.cookies.set(name, value);
    const count = async () => (await mails.to(ALICE)).length;
    const before = await count();
    for (let request = 0; request < 7; request++) await forgot(ALICE);
    expect(await count()).toBe(before + 5);
    for (let request = 0; request < 7; request++) await forgot(ALICE, known);
    expect(await count()).toBe(before + 10);
    // That of another account counts as a stranger's.
    await makeUser(scene, 'mallory');
    const mallory = new Browser(scene.app, '203.0.113.79');
    await mallory.submit(await mallory.get('/sign-in'), { username: 'mallory', password: PASSWORD });
    await forgot(ALICE, mallory);
    expect(await count()).toBe(before + 10);
  });

  it('gets five mails an hour, and the sixth requester sees the same page', async () => {
    const bodies = [];
    for (let times = 0; times < 7; times++) bodies.push((await forgot(ALICE)).body);
    expect(new Set(bodies).size).toBe(1);
    expect(await mails.to(ALICE)).toHaveLength(5);
  });

  it('is protected by a limit per network, across addresses', async () => {
    const page = await browser.get('/forgot-password');
    for (let times = 0; times < 50; times++) await browser.submit(page, { email: `unknown-${times}@example.com` });
    const answer = await browser.submit(page, { email: ALICE });
    expect(answer.status).toBe(429);
    expect(answer.headers['retry-after']).toBe('3600');
    expect(await mails.to(ALICE)).toHaveLength(0);
  });

  it.each([
    '',
    'a@b@c',
    'a b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'a@example.com,b@example.com',
    '<a@example.com>',
    'a@example..com',
    'a@.',
    'a@-',
    'a@example.com.',
    'a@-example.com',
    `${'a'.repeat(250)}@b.example`,
  ])('rejects an invalid address: %j', async (email) => {
    expect((await forgot(email)).status).toBe(400);
    await mails.to('');
    expect(mails.sent).toEqual([]);
  });
});

describe('sign-up', () => {
  it('creates the account only after the use of the link, and the interaction continues in the same browser', async () => {
    const page = await browser.get(authorizeUrl(scene.client, makePkce()));
    const link = /href="(\/sign-up\?for[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&#61;', '=');
    if (link === undefined) throw new Error('There is no link to the sign-up.');
    await ask(link, 'new@example.com');
    expect(await scene.deps.users.findForSignIn('new-user')).toBeNull();
    const form = await browser.get(await mails.link('new@example.com'));
    const consent = await browser.submit(form, { username: 'new-user', password: NEW_PASSWORD });
    expect(consent.url).toMatch(/^\/interactions\//);
    expect(consent.body).toContain('name="decision"');
    expect(await scene.deps.users.findForSignIn('new-user')).toMatchObject({
      claims: { email: 'new@example.com', email_verified: true },
    });
  });

  const promptValues = async (by = scene): Promise<unknown> =>
    (await by.app.inject('/.well-known/openid-configuration')).json().prompt_values_supported;

  describe('requested by a client (prompt=create)', () => {
    const asked = (prompt = 'create') => `${authorizeUrl(scene.client, makePkce())}&prompt=${prompt}`;

    it('is shown first, and the interaction continues as after a sign-in', async () => {
      expect(await promptValues()).toContain('create');
      const page = await browser.get(asked());
      expect(page).toMatchObject({ status: 200 });
      expect(page.url).toMatch(/^\/sign-up\?for=/);
      await browser.submit(page, { email: 'new@example.com' });
      const form = await browser.get(await mails.link('new@example.com'));
      const consent = await browser.submit(form, { username: 'new-user', password: NEW_PASSWORD });
      expect(consent.body).toContain('name="decision"');
      const { searchParams } = new URL((await browser.submit(consent, { decision: 'approve' })).url);
      expect(searchParams.get('code')).not.toBeNull();
    });

    it.each(['create', 'create%20login', 'create%20consent'])('links back to the sign-in (%s)', async (prompt) => {
      const page = await browser.get(asked(prompt));
      expect(page.url).toMatch(/^\/sign-up\?for=/);
      const back = /href="(\/interactions\/[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&#61;', '=') ?? '';
      const consent = await browser.submit(await browser.get(back), { username: 'alice', password: PASSWORD });
      expect(consent.body).toContain('name="decision"');
    });

    it('is shown to a signed-in user too, who may continue instead', async () => {
      await browser.submit(await browser.get('/sign-in'), { username: 'alice', password: PASSWORD });
      const page = await browser.get(asked());
      expect(page.url).toMatch(/^\/sign-up\?for=/);
      const back = /href="(\/interactions\/[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&#61;', '=') ?? '';
      const choice = await browser.get(back);
      expect(choice.body).toContain('Continue as alice');
      expect((await browser.submit(choice, {})).body).toContain('name="decision"');
    });

    it('rejects the combination with none', async () => {
      const answer = await scene.app.inject(asked('none%20create'));
      expect(new URL(String(answer.headers.location)).searchParams.get('error')).toBe('invalid_request');
    });

    it.each(['off', 'invitation'] as const)(
      'is rejected where sign-up is not open to everyone (%s)',
      async (signUp) => {
        await scene.close();
        await open(signUp);
        expect(await promptValues()).not.toContain('create');
        const answer = await scene.app.inject(asked());
        const { searchParams } = new URL(String(answer.headers.location));
        expect(Object.fromEntries(searchParams)).toMatchObject({
          error: 'invalid_request',
          error_description: 'prompt=create is not supported: this server has no open sign-up',
        });
      },
    );

    it('is rejected where no mails are sent', async () => {
      const without = await openScene(anyDatabase, { configuration: configuration('open') });
      expect(await promptValues(without)).not.toContain('create');
      const answer = await without.app.inject(`${authorizeUrl(without.client, makePkce())}&prompt=create`);
      expect(new URL(String(answer.headers.location)).searchParams.get('error')).toBe('invalid_request');
      await without.close();
    });
  });

  it('leads in another browser to the account, which trusts that browser', async () => {
    await ask('/sign-up', 'new@example.com');
    const other = new Browser(scene.app);
    const page = await other.get(await mails.link('new@example.com'));
    expect(await other.submit(page, { username: 'new-user', password: NEW_PASSWORD })).toMatchObject({
      status: 200,
      url: '/account',
    });
    // The account trusts it from then on.
    expect(other.cookies.has('__Host-statehouse-device')).toBe(true);
  });

  it('reports a username in use, and keeps the link valid', async () => {
    await ask('/sign-up', 'new@example.com');
    const page = await browser.get(await mails.link('new@example.com'));
    const taken = await browser.submit(page, { username: 'ALICE', password: NEW_PASSWORD });
    expect(taken.status).toBe(400);
    expect(taken.body).toContain('This username is taken');
    expect((await browser.submit(taken, { username: 'new-user', password: NEW_PASSWORD })).url).toBe('/account');
  });

  it.each([
    ['a joiner that is drawn as nothing', 'alice\u034f'],
    ['a variation selector', 'alice\ufe0f'],
    ['a filler that is drawn as a gap', 'alice\u3164'],
    ['an empty pattern of Braille', 'alice\u2800'],
    ['a zero-width space', 'ali\u200bce'],
    ['text that is turned around', '\u202eecila'],
    ['nothing that is a letter or a digit', '...'],
  ])('rejects a username that looks like another, and keeps the link valid: %s', async (_, username) => {
    await ask('/sign-up', 'new@example.com');
    const page = await browser.get(await mails.link('new@example.com'));
    const refused = await browser.submit(page, { username, password: NEW_PASSWORD });
    expect(refused).toMatchObject({ status: 400, url: '/email/link' });
    expect((await browser.submit(refused, { username: 'álice-2 名', password: NEW_PASSWORD })).url).toBe('/account');
  });

  it('rejects a username with letters of several scripts, and keeps the link valid', async () => {
    await ask('/sign-up', 'new@example.com');
    const page = await browser.get(await mails.link('new@example.com'));
    const refused = await browser.submit(page, { username: 'аlice', password: NEW_PASSWORD });
    expect(refused).toMatchObject({ status: 400, url: '/email/link' });
    expect(refused.body).toContain('letters of several alphabets');
    expect(await scene.deps.users.findForSignIn('аlice')).toBeNull();
    expect((await browser.submit(refused, { username: 'алиса', password: NEW_PASSWORD })).url).toBe('/account');
  });

  it('rejects the username of an operator without an account', async () => {
    const { signIn, operators } = configuration('open');
    await scene.close();
    mails = keptMails();
    scene = await openScene(anyDatabase, {
      mail: mails,
      configuration: { ...shippedConfiguration, signIn, operators: { ...operators, operators: ['Ada'] } },
    });
    mails.of(scene);
    browser = new Browser(scene.app);
    await ask('/sign-up', 'thief@example.com');
    const page = await browser.get(await mails.link('thief@example.com'));
    expect((await browser.submit(page, { username: 'ADA', password: NEW_PASSWORD })).status).toBe(400);
    expect(await scene.deps.users.findForSignIn('ada')).toBeNull();
  });

  describe('where the policy requires a second factor', () => {
    beforeEach(async () => {
      await scene.close();
      await open('open', 'everyone');
    });

    it('leads to its set-up, and signs the browser in only afterwards', async () => {
      await ask('/sign-up', 'new@example.com');
      const page = await browser.get(await mails.link('new@example.com'));
      // With a second factor to come, eight characters are enough.
      const factor = await browser.submit(page, { username: 'new-user', password: 'tr0ubador' });
      expect(factor.url).toBe('/sign-in/factor');
      expect((await browser.get('/account')).url).not.toBe('/account');
      const setUp = await browser.submit(factor, {});
      const codes = await browser.submit(setUp, { code: appWith(secretOn(setUp)).codeAt(scene.clock.now()) });
      expect(recoveryCodesOn(codes)).toHaveLength(10);
      expect((await browser.get('/account')).url).toBe('/account');
    });

    it('requires it in the interaction, and continues afterwards', async () => {
      const page = await browser.get(authorizeUrl(scene.client, makePkce()));
      const link = /href="(\/sign-up\?for[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&#61;', '=') ?? '';
      await ask(link, 'new@example.com');
      const form = await browser.get(await mails.link('new@example.com'));
      const factor = await browser.submit(form, { username: 'new-user', password: NEW_PASSWORD });
      expect(factor.url).toMatch(/^\/interactions\//);
      expect(factor.body).not.toContain('name="decision"');
      const setUp = await browser.submit(factor, {});
      const codes = await browser.submit(setUp, { code: appWith(secretOn(setUp)).codeAt(scene.clock.now()) });
      expect((await browser.submit(codes, {})).body).toContain('name="decision"');
    });
  });

  it('notifies an existing user by mail', async () => {
    await ask('/sign-up', ALICE);
    const [mail] = await mails.to(ALICE);
    expect(mail).toMatchObject({ subject: 'You already have an account' });
    expect(mail?.text).toContain('alice');
    expect(mail?.text).toContain('https://as.test/forgot-password');
  });

  it('is off by default, and invalidates an earlier link then', async () => {
    await scene.close();
    await open('off');
    expect((await browser.get('/sign-in')).body).not.toContain('/sign-up');
    expect((await browser.get('/sign-up')).status).toBe(404);
  });
});

it('without mails the server offers no action that needs them', async () => {
  const without = await openScene(anyDatabase, { configuration: configuration('open') });
  const page = await new Browser(without.app).get('/sign-in');
  expect(page.body).not.toContain('/forgot-password');
  expect(page.body).not.toContain('/sign-up');
  for (const path of ['/forgot-password', '/sign-up', '/email/link', '/mail']) {
    expect((await without.app.inject(path)).statusCode).toBe(404);
  }
  await without.close();
});
