/** The sign-in with a code by mail, through the pages: its owner, guessers, other browsers, and the knowledge of strangers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignInPolicy } from '../../../policies/schema.ts';
import { signInCodes, transitions } from '../../../src/storage/schema.ts';
import { authorizeUrl, makePkce, makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { disableUser, updateUser } from '../../support/administration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { enrol } from '../../support/factors.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const ALICE = 'alice@example.com';

let scene: Scene;
let mails: Mails;
let policy: SignInPolicy;
let alice: TestUser;
let browser: Browser;
let addresses = 0;

const stranger = () => new Browser(scene.app, `203.0.113.${++addresses % 250}`);

beforeEach(async () => {
  mails = keptMails();
  policy = { ...shippedConfiguration.signIn, codeByMail: true, identifiers: 'username', secondFactor: 'nobody' };
  scene = await openScene(anyDatabase, { mail: mails, reloaded: () => ({ signIn: policy }) });
  mails.of(scene);
  alice = await makeUser(scene, 'alice', { email: ALICE, email_verified: true });
  browser = stranger();
});
afterEach(() => scene.close());

const ask = async (username = 'alice', by = browser, path = '/sign-in/code'): Promise<Answer> =>
  by.submit(await by.get(path), { username });

async function codeSent(to = ALICE): Promise<string> {
  const mail = (await mails.to(to)).filter(({ subject }) => subject === 'Your code for signing in').at(-1);
  const code = /^(\d{4}) (\d{4})$/m.exec(mail?.text ?? '');
  if (code === null) throw new Error('There is no code.');
  return `${code[1]}${code[2]}`;
}
const another = (code: string, by = 1): string => String((Number(code) + by) % 100_000_000).padStart(8, '0');
const type = (page: Answer, code: string, by = browser): Promise<Answer> => by.submit(page, { code });
const isSignedIn = async (by = browser): Promise<boolean> => (await by.get('/account')).url === '/account';
const remembers = ({ cookies }: Browser) => [...cookies.keys()].some((name) => name.endsWith('statehouse-device'));
const db = () => scene.database.drizzle;
const rows = () => db().select().from(signInCodes);
const entries = async () => (await db().select().from(transitions)).filter(({ machine }) => machine === 'signInCode');

describe('a code by mail', () => {
  it('signs in the browser that asked, once, and remembers it', async () => {
    expect((await browser.get('/sign-in')).body).toContain('href="/sign-in/code"');
    const page = await ask();
    expect(page.body).toContain('If an account has this username, a code is on its way.');
    const code = await codeSent();
    const done = await type(page, `${code.slice(0, 4)} ${code.slice(4)}`);
    expect(done).toMatchObject({ status: 200, url: '/account' });
    expect(remembers(browser)).toBe(true);
    const again = await type(page, code, browser);
    expect(again.body).toContain('This code has been used.');
    expect(scene.logs()).not.toContain(code);
    expect(scene.logs()).not.toContain(ALICE);
    const [session] = await scene.deps.sessions.list(alice.id).then(({ sessions }) => sessions);
    expect(session?.amr).toEqual(['otp']);
    expect((await entries()).map(({ event, toState, userId }) => [event, toState, userId])).toEqual([
      ['requested', 'requested', null],
      ['identified', 'active', alice.id],
      ['presented', 'used', alice.id],
    ]);
  });

  it('is in a mail that names the account, the time and the browser, and has no link', async () => {
    const named = new Browser(scene.app, '203.0.113.1', {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    });
    await ask('alice', named);
    const [mail] = await mails.to(ALICE);
    expect(mail?.text).toContain('as alice was requested on');
    expect(mail?.text).toContain('with Firefox on Linux');
    expect(mail?.text).toContain('The code works once, in the browser that asked for it, within 10 minutes.');
    expect(mail?.text).toContain('Do not give the code to another person');
    expect(`${mail?.text}${mail?.html}`).not.toMatch(/https?:|href/);
  });

  it('continues the sign-in of a client, and not that of another', async () => {
    const [one, two] = [
      await browser.get(authorizeUrl(scene.client, makePkce())),
      await browser.get(authorizeUrl(scene.other, makePkce())),
    ];
    const pathOf = ({ body }: Answer) => /href="(\/interactions\/[^"]+\/code)"/.exec(body)?.[1] ?? '';
    const page = await ask('alice', browser, pathOf(one));
    const code = await codeSent();
    const form = formOf(page.body);
    const otherForm = formOf((await browser.get(`${pathOf(two)}?sent=${form.fields['reference']}`)).body);
    const elsewhere = await browser.post(otherForm.action, { ...otherForm.fields, code });
    expect(elsewhere.body).toContain('A code works only on the page that asked for it.');
    const direct = formOf((await browser.get(`/sign-in/code?sent=${form.fields['reference']}`)).body);
    expect((await browser.post(direct.action, { ...direct.fields, code })).body).toContain('works only on the page');
    const done = await type(page, code);
    expect(done.body).toContain('name="decision"');
  });

  it('does not sign in another browser', async () => {
    const page = await ask();
    const code = await codeSent();
    const thief = stranger();
    const form = formOf((await thief.get(`/sign-in/code?sent=${formOf(page.body).fields['reference']}`)).body);
    const answer = await thief.post(form.action, { ...form.fields, code });
    expect(answer.body).toContain('A code works only on the page that asked for it.');
    expect(await isSignedIn(thief)).toBe(false);
    expect((await type(page, code)).url).toBe('/account');
  });

  it.each([
    ['a millisecond before its end', 600_000 - 1, true],
    ['at its end', 600_000, false],
    ['a millisecond after its end', 600_000 + 1, false],
  ])('signs in %s: %s ms: %s', async (_, milliseconds, signsIn) => {
    const page = await ask();
    const code = await codeSent();
    const [row] = await rows();
    scene.clock.set(new Date((row?.createdAt.getTime() ?? 0) + milliseconds));
    const answer = await type(page, code);
    expect(answer.url === '/account').toBe(signsIn);
    if (!signsIn) expect(answer.body).toContain('This code is too old.');
  });

  it('ends earlier where the policy has shortened its lifetime since then', async () => {
    const page = await ask();
    const code = await codeSent();
    policy = { ...policy, codeByMailLifetimeSeconds: 60 };
    scene.clock.advanceSeconds(61);
    expect((await type(page, code)).body).toContain('This code is too old.');
  });

  it('is invalid after the fifth wrong code', async () => {
    policy = { ...policy, failuresPerAccountAndAddress: 100, failuresPerAddress: 1000 };
    const page = await ask();
    const code = await codeSent();
    for (let wrong = 1; wrong <= 5; wrong++) {
      scene.clock.advanceSeconds(64);
      expect((await type(page, another(code, wrong))).body).toContain('The code is wrong.');
    }
    scene.clock.advanceSeconds(64);
    expect((await type(page, code)).body).toContain('Too many wrong codes were typed');
    expect(await isSignedIn()).toBe(false);
    expect(await rows()).toMatchObject([{ state: 'spent', wrongCodes: 5 }]);
  });

  it('counts concurrent wrong codes exactly', async () => {
    const page = await ask();
    const code = await codeSent();
    await Promise.all(Array.from({ length: 12 }, (_, at) => type(page, another(code, at + 1))));
    const [row] = await rows();
    // Those that waited for the throttle were not checked.
    expect(row?.wrongCodes).toBeLessThanOrEqual(5);
    expect(row?.wrongCodes).toBeGreaterThanOrEqual(1);
    expect(row?.state).toBe(row?.wrongCodes === 5 ? 'spent' : 'active');
  });

  it('counts a wrong code as a wrong password: the throttle of the account applies to both', async () => {
    const page = await ask();
    const code = await codeSent();
    for (let wrong = 1; wrong <= 3; wrong++) await type(page, another(code, wrong));
    const waits = await type(page, code);
    expect(waits).toMatchObject({ status: 429 });
    expect(waits.body).toContain('Too many failed attempts');
    const byPassword = await browser.submit(await browser.get('/sign-in'), { username: 'alice', password: PASSWORD });
    expect(byPassword.status).toBe(429);
    expect(await rows()).toMatchObject([{ state: 'active', wrongCodes: 3 }]);
  });

  it('is superseded by a newer code of the same browser, and not by that of a stranger', async () => {
    const page = await ask();
    const code = await codeSent();
    await ask('alice', stranger());
    expect(await codeSent()).not.toBe(code);
    const newer = await ask();
    const newest = await codeSent();
    expect((await type(page, code)).body).toContain('You have asked for another code since then.');
    expect((await type(newer, newest)).url).toBe('/account');
  });

  it('does not sign in after the policy was turned off, and no page asks for one', async () => {
    const page = await ask();
    const code = await codeSent();
    policy = { ...policy, codeByMail: false };
    expect((await type(page, code)).status).toBe(404);
    expect((await browser.get('/sign-in/code')).status).toBe(404);
    expect((await browser.get('/sign-in')).body).not.toContain('/sign-in/code');
    expect(await isSignedIn()).toBe(false);
  });

  it.each([
    ['was disabled', () => disableUser(db(), 'alice')],
    [
      'has another address',
      () =>
        updateUser(db(), alice.id, { claims: { email: 'new@example.com', email_verified: true }, passwordHash: null }),
    ],
    [
      'has an address that is not verified any more',
      () => updateUser(db(), alice.id, { claims: { email: ALICE, email_verified: false }, passwordHash: null }),
    ],
  ])('does not sign in an end-user who %s; the answer is that to a wrong code', async (_, change) => {
    const page = await ask();
    const code = await codeSent();
    await change();
    const right = await type(page, code);
    expect(right.body).toContain('The code is wrong.');
    expect(await isSignedIn()).toBe(false);
  });

  it('is not sent to an address that is not verified, and not to a disabled end-user', async () => {
    await makeUser(scene, 'bob', { email: 'bob@example.com' });
    await makeUser(scene, 'carol', { email: 'carol@example.com', email_verified: true });
    await disableUser(db(), 'carol');
    for (const name of ['bob', 'carol', 'unknown']) await ask(name, stranger());
    for (const name of ['bob', 'carol']) expect(await mails.to(`${name}@example.com`)).toEqual([]);
    expect((await rows()).map(({ state, userId }) => [state, userId])).toEqual(
      Array.from({ length: 3 }, () => ['requested', null]),
    );
  });

  it('is one factor: the second factor of the account follows', async () => {
    const own = stranger();
    await enrol(scene, own, alice);
    const page = await ask();
    const asked = await type(page, await codeSent());
    expect(asked.url).toBe('/sign-in/factor');
    expect(await isSignedIn()).toBe(false);
    expect(remembers(browser)).toBe(false);
  });

  it('opens no page about lost factors, which needs the password', async () => {
    const own = stranger();
    await enrol(scene, own, alice);
    await type(await ask(), await codeSent());
    expect((await browser.get('/email/lost-factors')).url).toContain('/sign-in');
  });
});

describe('a stranger', () => {
  /** Without the values that each page has for itself. */
  const comparable = ({ status, body, url }: Answer) => ({
    status,
    body: body.replaceAll(/value="[^"]*"/g, 'value=""'),
    url: url.replace(/sent=.*/, 'sent='),
  });

  it('gets the same pages for an account and for no account: asked, wrong, wrong too often, and superseded', async () => {
    policy = { ...policy, failuresPerAccountAndAddress: 100, codeByMailAttempts: 2 };
    const seen = async (username: string) => {
      const by = stranger();
      const page = await ask(username, by);
      await mails.to(ALICE);
      const answers = [
        page,
        await type(page, '00000000', by),
        await type(page, '00000001', by),
        await type(page, '00000002', by),
      ];
      const older = await ask(username, by);
      await ask(username, by);
      return [...answers, await type(older, '00000003', by)].map(comparable);
    };
    const [known, unknown] = [await seen('alice'), await seen('unknown')];
    expect(known).toEqual(unknown);
    expect(known.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400]);
    expect(known[3]?.body).toContain('Too many wrong codes were typed');
  });

  it('cannot use up the mails of a trusted device', async () => {
    await type(await ask(), await codeSent());
    for (let times = 0; times < 6; times++) await ask('alice', stranger());
    const before = (await mails.to(ALICE)).length;
    await ask('alice', stranger());
    expect((await mails.to(ALICE)).length).toBe(before);
    await browser.post('/logout', {});
    await ask('alice', browser);
    expect((await mails.to(ALICE)).length).toBe(before + 1);
  });

  it('gets no mail for a text that is neither an address nor a username', async () => {
    const answer = await ask(' ', browser);
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.body).toContain('This is not a username.');
  });
});

it('is identified by a verified address where addresses identify', async () => {
  policy = { ...policy, identifiers: 'both' };
  const page = await ask('alice');
  expect(page.body).toContain('If an account has this e-mail address or username');
  expect((await type(page, await codeSent())).url).toBe('/account');
});
