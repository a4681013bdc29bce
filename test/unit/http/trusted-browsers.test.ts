/** Trusted browsers: the box, the sign-ins that it shortens, and the gain of a thief with the password, a copied cookie or a planted one. */
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignInPolicy } from '../../../policies/schema.ts';
import { transitions, trustedBrowsers } from '../../../src/storage/schema.ts';
import { authorizeUrl, exchange, makePkce, makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Enrolled, enrol } from '../../support/factors.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const DAY = 86_400;
const COOKIE = '__Host-statehouse-trusted';
const FACTOR = '/sign-in/factor';
const DEVICES = '/account/devices';

let scene: Scene;
let mails: Mails;
let policy: Partial<SignInPolicy>;
let operators: readonly string[];
let user: TestUser;
let enrolled: Enrolled;

const signIn = (): SignInPolicy => ({ ...shippedConfiguration.signIn, sessionLifetimeSeconds: 300, ...policy });

beforeEach(async () => {
  policy = { trustedBrowserLifetimeSeconds: 30 * DAY };
  operators = [];
  mails = keptMails();
  scene = await openScene(anyDatabase, {
    mail: mails,
    reloaded: () => ({ signIn: signIn() }),
    operators: () => ({ ...shippedConfiguration.operators, operators: [...operators] }),
  });
  mails.of(scene);
  user = await makeUser(scene, 'alice', { email: 'alice@example.com', email_verified: true });
  enrolled = await enrol(scene, new Browser(scene.app), user);
});
afterEach(() => scene.close());

const byPassword = async (browser: Browser, who = user, password = PASSWORD): Promise<Answer> =>
  browser.submit(await browser.get('/sign-in?another=yes'), { username: who.username, password });
const asksForFactor = ({ url }: Answer): boolean => url.startsWith(FACTOR);
const prove = (browser: Browser, page: Answer, fields: Record<string, string> = { trust: 'yes' }): Promise<Answer> => {
  scene.clock.advanceSeconds(30);
  return browser.submit(page, { code: enrolled.app.codeAt(scene.clock.now()), ...fields });
};
/** Forgets the session, and keeps the other cookies. */
const later = (browser: Browser): Browser => {
  browser.cookies.delete('__Host-statehouse-session');
  return browser;
};
const trusted = async (): Promise<Browser> => {
  const browser = new Browser(scene.app);
  expect((await prove(browser, await byPassword(browser))).url).toBe('/account');
  expect(browser.cookies.get(COOKIE)).toMatch(/^[\w-]{43}$/);
  return later(browser);
};
const copyOf = (browser: Browser): Browser => {
  const copy = new Browser(scene.app);
  copy.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? '');
  return copy;
};
const skipsFactor = async (browser: Browser): Promise<boolean> => {
  const page = await byPassword(later(browser));
  expect(asksForFactor(page) || page.url === '/account').toBe(true);
  return page.url === '/account';
};
const rows = () => scene.database.drizzle.select().from(trustedBrowsers).where(eq(trustedBrowsers.userId, user.id));
const entries = async () =>
  (
    await scene.database.drizzle
      .select()
      .from(transitions)
      .where(eq(transitions.machine, 'trustedBrowser'))
      .orderBy(transitions.at)
  ).map(({ event, fromState, toState, reason }) => [event, fromState, toState, reason]);

describe('the box', () => {
  it('is on the page of the factor, with the time of the policy', async () => {
    const page = await byPassword(new Browser(scene.app));
    expect(page.body).toContain('name="trust"');
    expect(page.body).toContain('Trust this browser for 30 days');
  });

  it.each([
    ['the policy offers no trust', 0, []],
    ['the end-user is an operator', 30 * DAY, ['alice']],
  ])('is missing, and has no effect, where %s', async (_, trustedBrowserLifetimeSeconds, administrators) => {
    policy = { trustedBrowserLifetimeSeconds };
    operators = administrators;
    const browser = new Browser(scene.app);
    const page = await byPassword(browser);
    expect(page.body).not.toContain('name="trust"');
    await prove(browser, page);
    expect(browser.cookies.has(COOKIE)).toBe(false);
    expect(await rows()).toEqual([]);
  });

  it('has to be checked', async () => {
    const browser = new Browser(scene.app);
    await prove(browser, await byPassword(browser), {});
    expect(browser.cookies.has(COOKIE)).toBe(false);
    expect(await skipsFactor(browser)).toBe(false);
  });

  it('gives no trust with a recovery code, which stands in for a lost factor', async () => {
    const browser = new Browser(scene.app);
    const [code = ''] = enrolled.recoveryCodes;
    const page = await byPassword(browser);
    expect((await browser.submit(page, { code, trust: 'yes' })).url).toBe('/account');
    expect(browser.cookies.has(COOKIE)).toBe(false);
  });

  it('gives no trust with a wrong code', async () => {
    const browser = new Browser(scene.app);
    await browser.submit(await byPassword(browser), { code: '000000', trust: 'yes' });
    expect(browser.cookies.has(COOKIE)).toBe(false);
  });

  it('is beside the passkey too', async () => {
    const owner = await makeUser(scene, 'bob');
    const passkey = await registeredPasskey(scene, owner);
    const browser = new Browser(scene.app);
    const page = await byPassword(browser, owner);
    expect(page.body).toContain('name="trust"');
    const fields = { ...formOf(page.body).fields, credential: passkey.sign(page), trust: 'yes' };
    expect((await browser.post(`${FACTOR}/passkey`, fields)).url).toBe('/account');
    expect((await byPassword(later(browser), owner)).url).toBe('/account');
  });
});

describe('the cookie', () => {
  it('is bound to the host, unreadable to scripts, and lives as long as the trust', async () => {
    const browser = new Browser(scene.app);
    const page = await byPassword(browser);
    const { fields } = formOf(page.body);
    scene.clock.advanceSeconds(30);
    const body = new URLSearchParams({ ...fields, code: enrolled.app.codeAt(scene.clock.now()), trust: 'yes' });
    const answer = await browser.send('POST', FACTOR, body.toString());
    const cookies = [answer.headers['set-cookie']].flat().map(String);
    const cookie = cookies.find((one) => one.startsWith(COOKIE)) ?? '';
    expect(cookie).toMatch(/Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  it('leaves only a hash in the database, and none in the log', async () => {
    const browser = await trusted();
    const value = browser.cookies.get(COOKIE) ?? '';
    const [row] = await rows();
    expect(row?.secretHash?.toString('base64url')).not.toBe(value);
    expect(
      Object.values(row ?? {})
        .map(String)
        .join(),
    ).not.toContain(value);
    expect(scene.logs()).not.toContain(value);
  });
});

describe('a trusted browser', () => {
  it('skips the factor, and the ledger and the mailbox of the owner know of it', async () => {
    const browser = await trusted();
    expect(await skipsFactor(browser)).toBe(true);
    expect(await entries()).toEqual([
      ['factorProven', 'requested', 'active', null],
      ['presented', 'active', 'active', null],
    ]);
    const [row] = await rows();
    expect(row?.lastUsedAt).toEqual(scene.clock.now());
    expect((await mails.to('alice@example.com')).map(({ subject }) => subject)).toContain('A browser is trusted now');
  });

  it('is no factor: amr and acr are those of the password, and the account asks before it changes a factor', async () => {
    const browser = await trusted();
    const pkce = makePkce();
    let at = await browser.get(authorizeUrl(scene.client, pkce, { scope: 'openid read' }));
    at = await browser.submit(at, { username: user.username, password: PASSWORD });
    at = await browser.submit(at, { decision: 'approve' });
    const code = new URL(at.url).searchParams.get('code') ?? '';
    const { json } = await exchange(scene, scene.client, { code, verifier: pkce.verifier });
    const claims = JSON.parse(Buffer.from(json.id_token?.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ amr: ['pwd'] });
    expect(claims.acr ?? '').not.toContain('multi-factor');
    expect((await browser.get('/account/sign-in-methods')).body).toContain('/sign-in/factor');
  });

  it('proves a factor to a client that demands one', async () => {
    const browser = await trusted();
    const url = authorizeUrl(scene.client, makePkce(), {
      scope: 'openid read',
      acr_values: 'urn:statehouse:acr:multi-factor',
    });
    const page = await browser.submit(await browser.get(url), { username: user.username, password: PASSWORD });
    expect(page.body).toContain('name="code"');
  });

  it('proves a factor once its end-user is an operator', async () => {
    const browser = await trusted();
    operators = ['alice'];
    expect(await skipsFactor(browser)).toBe(false);
    operators = [];
    expect(await skipsFactor(browser)).toBe(true);
  });

  it('skips the factor where everyone needs one, which it has', async () => {
    policy = { ...policy, secondFactor: 'everyone' };
    expect(await skipsFactor(await trusted())).toBe(true);
  });

  it.each([
    ['a millisecond before', -1, true],
    ['at', 0, false],
    ['a millisecond after', 1, false],
  ])('%s the end of its time', async (_, milliseconds, skips) => {
    const browser = await trusted();
    const [row] = await rows();
    const left = (row?.endsAt.getTime() ?? 0) - scene.clock.now().getTime();
    scene.clock.advanceSeconds((left + milliseconds) / 1000);
    expect(await skipsFactor(browser)).toBe(skips);
  });

  it('proves a factor again where the policy offers no trust any more, or a shorter one', async () => {
    const browser = await trusted();
    scene.clock.advanceSeconds(2 * DAY);
    policy = {};
    expect(await skipsFactor(browser)).toBe(false);
    policy = { trustedBrowserLifetimeSeconds: DAY };
    expect(await skipsFactor(browser)).toBe(false);
    policy = { trustedBrowserLifetimeSeconds: 3 * DAY };
    expect(await skipsFactor(browser)).toBe(true);
  });

  it('stays trusted only until the stored end, however long the policy becomes', async () => {
    const browser = await trusted();
    policy = { trustedBrowserLifetimeSeconds: 90 * DAY };
    scene.clock.advanceSeconds(31 * DAY);
    expect(await skipsFactor(browser)).toBe(false);
  });
});

describe('a thief', () => {
  it('with the password alone meets the factor', async () => {
    await trusted();
    expect(await skipsFactor(new Browser(scene.app))).toBe(false);
  });

  it('with the cookie, and without the password, learns nothing and signs in nowhere', async () => {
    const thief = copyOf(await trusted());
    const page = await byPassword(thief, user, 'quite another password');
    expect(page.status).toBe(400);
    expect((await entries()).map(([event]) => event)).toEqual(['factorProven']);
  });

  it('with another account gains nothing from the cookie of a browser', async () => {
    const browser = await trusted();
    const mallory = await makeUser(scene, 'mallory');
    await enrol(scene, new Browser(scene.app), mallory);
    expect(asksForFactor(await byPassword(copyOf(browser), mallory))).toBe(true);
    expect(asksForFactor(await byPassword(later(browser), mallory))).toBe(true);
  });

  it('with a planted secret gains nothing: each proof makes another', async () => {
    const browser = new Browser(scene.app);
    const planted = 'A'.repeat(43);
    browser.cookies.set(COOKIE, planted);
    await prove(browser, await byPassword(browser));
    const thief = new Browser(scene.app);
    thief.cookies.set(COOKIE, planted);
    expect(await skipsFactor(thief)).toBe(false);
  });

  it('with a secret from before the browser was trusted again meets the factor', async () => {
    const browser = await trusted();
    const thief = copyOf(browser);
    policy = { trustedBrowserLifetimeSeconds: DAY };
    scene.clock.advanceSeconds(2 * DAY);
    await prove(browser, await byPassword(browser));
    expect(await skipsFactor(thief)).toBe(false);
    expect(await skipsFactor(browser)).toBe(true);
    expect(await entries()).toContainEqual(['trustedAgain', 'active', 'ended', 'trusted_again']);
  });

  it('with rights in the database makes no row that counts', async () => {
    const browser = await trusted();
    const [row] = await rows();
    const copied = { ...(row as NonNullable<typeof row>), id: crypto.randomUUID(), secretHash: Buffer.alloc(32, 1) };
    await scene.database.drizzle.insert(trustedBrowsers).values(copied);
    expect(await scene.deps.trustedBrowsers.find(user.id, [copied.secretHash])).toBeNull();
    expect(await skipsFactor(browser)).toBe(true);
  });
});

describe('trust ends', () => {
  const signedInElsewhere = async (): Promise<Browser> => {
    const browser = new Browser(scene.app);
    await prove(browser, await byPassword(browser), {});
    return browser;
  };
  const inDevices = async (browser: Browser, form: string, fields: Record<string, string> = {}): Promise<Answer> => {
    const page = await browser.get(DEVICES);
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    return browser.post(`${DEVICES}/${form}`, { csrf, ...fields });
  };

  it('from the list, on another device', async () => {
    const browser = await trusted();
    const [row] = await rows();
    const desktop = await signedInElsewhere();
    expect((await desktop.get(DEVICES)).body).toContain(row?.id ?? '');
    const page = await inDevices(desktop, 'end-trust', { id: row?.id ?? '' });
    expect(page.body).not.toContain(row?.id ?? '');
    expect(await rows()).toMatchObject([{ state: 'ended', secretHash: null }]);
    expect(await skipsFactor(browser)).toBe(false);
    expect((await entries()).at(-1)).toEqual(['endRequested', 'active', 'ended', 'ended_by_user']);
  });

  it('all together', async () => {
    const browsers = [await trusted(), await trusted()];
    await inDevices(await signedInElsewhere(), 'end-all-trust');
    for (const browser of browsers) expect(await skipsFactor(browser)).toBe(false);
  });

  it('never at the wish of another end-user', async () => {
    const browser = await trusted();
    const [row] = await rows();
    const mallory = await makeUser(scene, 'mallory');
    const theirs = new Browser(scene.app);
    await byPassword(theirs, mallory);
    await inDevices(theirs, 'end-trust', { id: row?.id ?? '' });
    await inDevices(theirs, 'end-all-trust');
    expect(await skipsFactor(browser)).toBe(true);
  });

  it('with a new password', async () => {
    const browser = await trusted();
    const desktop = await signedInElsewhere();
    const chosen = 'quite another long passphrase';
    const page = await desktop.get('/account/password');
    await desktop.submit(page, { current: PASSWORD, password: chosen, repeated: chosen, chosen });
    const again = await byPassword(later(browser), user, chosen);
    expect(asksForFactor(again)).toBe(true);
  });

  it('with another factor, and with the removal of one', async () => {
    const browser = await trusted();
    const passkey = await registeredPasskey(scene, user);
    // The row of a passkey that no page added ends nothing by itself.
    expect(await skipsFactor(browser)).toBe(true);
    const desktop = await signedInElsewhere();
    const methods = await desktop.get('/account/sign-in-methods');
    const csrf = /name="csrf" value="([^"]+)"/.exec(methods.body)?.[1] ?? '';
    await desktop.post('/account/sign-in-methods/passkeys/remove', { csrf, id: passkey.id });
    expect(await skipsFactor(browser)).toBe(false);
    expect((await entries()).at(-1)).toEqual(['factorsChanged', 'active', 'ended', 'factors_changed']);
  });

  it('with its factor, also where the process died before it ended the trust', async () => {
    await registeredPasskey(scene, user);
    const browser = await trusted();
    const [row] = await rows();
    await scene.deps.secondFactors.commit({
      now: scene.clock.now(),
      requires: [],
      writes: [
        {
          kind: 'update',
          table: 'secondFactors',
          loaded: { id: row?.factorId },
          key: ['id'],
          expect: [],
          set: { state: 'removed', sealedSecret: null, removedAt: scene.clock.now() },
          unlike: [],
        },
      ],
      entries: [],
    });
    expect(await rows()).toMatchObject([{ state: 'active' }]);
    expect(await skipsFactor(browser)).toBe(false);
  });
});

it('two accounts in one browser trust it side by side', async () => {
  const browser = await trusted();
  const bob = await makeUser(scene, 'bob');
  const passkey = await registeredPasskey(scene, bob);
  const page = await byPassword(browser, bob);
  await browser.post(`${FACTOR}/passkey`, {
    ...formOf(page.body).fields,
    credential: passkey.sign(page),
    trust: 'yes',
  });
  expect((await byPassword(later(browser), bob)).url).toBe('/account');
  expect(await skipsFactor(browser)).toBe(true);
});
