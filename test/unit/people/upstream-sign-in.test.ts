/** Signing in at another server, which is a Statehouse too: the whole way, with browsers that keep their cookies. */
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { methodsOf } from '../../../src/people/upstream/admission.ts';
import { externalSignIns, linkedIdentities, sessions, transitions, users } from '../../../src/storage/schema.ts';
import { authorizeUrl, exchange, goThrough, makePkce, makeUser, PASSWORD } from '../../support/actors.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { dumpOf } from '../../support/dump.ts';
import { enrol } from '../../support/factors.ts';
import { keptMails } from '../../support/mails.ts';
import { openTwoServers, pathOf, pressButton, signInPage, type TwoServers } from '../../support/upstream.ts';

let two: TwoServers;
const db = () => two.scene.database.drizzle;
const open = async (
  change: Readonly<Record<string, unknown>> = {},
  ...rest: [Parameters<typeof openTwoServers>[1]?]
) => {
  two = await openTwoServers(change, ...rest);
};
afterEach(() => two.close());

/** From the sign-in page to the callback, which has not been called yet. */
async function comeBack(browser: Browser, there = new Browser(two.upstream.app), user = two.ada): Promise<string> {
  const away = await pressButton(browser, await signInPage(browser, two.scene.client));
  return two.signInThere(away.url, there, user);
}
const title = ({ body }: Answer) => /<h1>(.*)<\/h1>/.exec(body)?.[1];
const stored = async () => ({
  users: (await db().select().from(users)).length,
  identities: await db().select().from(linkedIdentities),
  sessions: (await db().select().from(sessions)).length,
  states: (await db().select().from(externalSignIns)).map(({ state }) => state).sort(),
});

describe('a just-in-time user', () => {
  it('gets no password, and is linked by issuer and sub, with the time and methods of the provider', async () => {
    await open();
    const browser = new Browser(two.scene.app);
    const pkce = makePkce();
    const page = await browser.get(authorizeUrl(two.scene.client, pkce, { scope: 'openid' }));
    const away = await pressButton(browser, page);
    const there = new URL(away.url).searchParams;
    expect([there.get('code_challenge_method'), there.get('redirect_uri'), there.get('scope')]).toEqual([
      'S256',
      'https://as.test/sign-in/upstream/company/callback',
      'openid profile email',
    ]);
    const signedInAt = Math.floor(two.scene.clock.now().getTime() / 1000);
    const callback = await two.signInThere(away.url);
    two.scene.clock.advanceSeconds(30);
    const back = await browser.submit(await browser.get(callback), { decision: 'approve' });
    const code = new URL(back.url).searchParams.get('code') ?? '';
    const { json } = await exchange(two.scene, two.scene.client, { code, verifier: pkce.verifier });
    expect(decodeJwt(String(json['id_token']))).toMatchObject({ amr: ['pwd'], auth_time: signedInAt });

    const [ada] = await db().select().from(users).where(eq(users.username, 'ada'));
    expect(ada).toMatchObject({
      passwordHash: '',
      claims: { name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true },
    });
    const { identities } = await stored();
    expect(identities).toMatchObject([
      { userId: ada?.id, issuer: two.upstream.issuer, subject: two.ada.id, state: 'active', provider: 'company' },
    ]);
    const lines = await db()
      .select()
      .from(transitions)
      .where(eq(transitions.userId, ada?.id ?? ''));
    expect(lines.map(({ machine, event, toState, actor }) => [machine, event, toState, actor])).toEqual(
      expect.arrayContaining([
        ['user', 'registrationRequested', 'enabled', 'upstream company'],
        ['linkedIdentity', 'linkRequested', 'active', null],
        ['externalSignIn', 'browserReturned', 'used', null],
      ]),
    );
    expect(two.scene.logs()).not.toContain(new URLSearchParams(callback.split('?')[1]).get('code'));
  });

  it('is named to the identity provider by the login_hint, which no row has', async () => {
    await open();
    const hint = 'marlene.marker@example.test';
    const browser = new Browser(two.scene.app);
    const away = await pressButton(browser, await signInPage(browser, two.scene.client, { login_hint: hint }));
    expect(new URL(away.url).searchParams.get('login_hint')).toBe(hint);
    expect((await stored()).states).toEqual(['awaiting']);
    expect(await dumpOf(db())).not.toContain(hint);
    expect((await browser.get(await two.signInThere(away.url))).body).toContain('decision');
    expect(await dumpOf(db())).not.toContain(hint);
  });

  it('is the same end-user the next time, in another browser', async () => {
    await open();
    const first = new Browser(two.scene.app);
    await first.get(await comeBack(first));
    const second = new Browser(two.scene.app);
    expect((await second.get(await comeBack(second))).body).toContain('decision');
    const { users: count, identities } = await stored();
    expect([count, identities.length]).toEqual([2, 1]);
  });

  it('never gets the account of a user with the same name and the same e-mail address', async () => {
    await open();
    const victim = await makeUser(two.scene, 'ada', { email: 'ada@example.com', email_verified: true });
    const browser = new Browser(two.scene.app);
    await browser.get(await comeBack(browser));
    const { identities } = await stored();
    expect(identities[0]?.userId).not.toBe(victim.id);
    const [made] = await db()
      .select()
      .from(users)
      .where(eq(users.id, identities[0]?.userId ?? ''));
    expect(made).toMatchObject({
      username: 'ada-2',
      claims: { email: 'ada@example.com', email_verified: false },
      signInAddress: null,
    });
  });

  it('never gets a username to which operators.yaml gives a role', async () => {
    await open({}, { operators: () => ({ operators: ['Ada'], auditors: ['ada-2'], clients: [] }) });
    const browser = new Browser(two.scene.app);
    await browser.get(await comeBack(browser));
    const { identities } = await stored();
    const [made] = await db()
      .select()
      .from(users)
      .where(eq(users.id, identities[0]?.userId ?? ''));
    expect(made?.username).toBe('ada-3');
  });

  it('never gets a username that mixes scripts: the server takes the next released one', async () => {
    await open();
    const there = await makeUser(two.upstream, '\u0430da', { email: 'user@example.com', email_verified: true });
    const browser = new Browser(two.scene.app);
    await browser.get(await comeBack(browser, new Browser(two.upstream.app), there));
    const made = await db().select().from(users);
    expect(made.map(({ username }) => username)).toContain('user@example.com');
    expect(made.map(({ username }) => username)).not.toContain('\u0430da');
  });

  it('is one end-user when two of their callbacks arrive concurrently', async () => {
    await open();
    const browsers = [new Browser(two.scene.app), new Browser(two.scene.app)];
    const callbacks: string[] = [];
    for (const browser of browsers) callbacks.push(await comeBack(browser));
    const answers = await Promise.all(browsers.map((browser, at) => browser.get(callbacks[at] ?? '')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { users: count, identities, states } = await stored();
    expect([count, identities.length, states]).toEqual([2, 1, ['used', 'used']]);
  });

  it('is rejected where the policy registers no user', async () => {
    await open({ createUsers: false });
    const browser = new Browser(two.scene.app);
    const answer = await browser.get(await comeBack(browser));
    expect([answer.status, title(answer)]).toEqual([403, 'This account is not linked to any account here']);
    expect(answer.body).toContain('Back to the sign-in');
    expect(await stored()).toMatchObject({ users: 1, identities: [], sessions: 0, states: ['answered'] });
  });

  it.each([
    [{ emailDomains: ['example.com'] }, 200],
    [{ emailDomains: ['example.org'] }, 403],
    [{ claim: { name: 'email', values: ['ada@example.com'] } }, 200],
    [{ claim: { name: 'groups', values: ['staff'] } }, 403],
    [{ emailDomains: ['example.com'], claim: { name: 'groups', values: ['staff'] } }, 403],
  ])('is admitted only as the policy says: %j', async (admit, status) => {
    await open({ admit });
    const browser = new Browser(two.scene.app);
    expect((await browser.get(await comeBack(browser))).status).toBe(status);
    expect((await stored()).identities.length).toBe(status === 200 ? 1 : 0);
  });

  it('is not admitted by an unverified address', async () => {
    await open({ admit: { emailDomains: ['example.com'] } });
    const mallory = await makeUser(two.upstream, 'mallory', { email: 'ceo@example.com', email_verified: false });
    const browser = new Browser(two.scene.app);
    const answer = await browser.get(await comeBack(browser, new Browser(two.upstream.app), mallory));
    expect([answer.status, title(answer)]).toEqual([403, 'This account is not accepted here']);
  });
});

describe('a user who may no longer sign in', () => {
  it.each([
    ['disabled', { disabledAt: new Date(), epoch: 1n }],
    [
      'deleted',
      { disabledAt: new Date(), deletedAt: new Date(), epoch: 1n, username: '', passwordHash: '', claims: {} },
    ],
  ])('is rejected when %s', async (_, change) => {
    await open();
    const first = new Browser(two.scene.app);
    await first.get(await comeBack(first));
    const before = await stored();
    await db()
      .update(users)
      .set(change)
      .where(eq(users.id, before.identities[0]?.userId ?? ''));
    const browser = new Browser(two.scene.app);
    const answer = await browser.get(await comeBack(browser));
    expect([answer.status, title(answer)]).toEqual([403, 'You cannot sign in here']);
    expect(await stored()).toMatchObject({
      users: before.users,
      sessions: before.sessions,
      states: ['answered', 'used'],
    });
  });
});

describe('an attacker', () => {
  beforeEach(() => open());

  it('cannot continue in another browser, and the original browser still can', async () => {
    const browser = new Browser(two.scene.app);
    const callback = await comeBack(browser);
    const thief = new Browser(two.scene.app);
    const stolen = await thief.get(callback);
    expect([stolen.status, title(stolen)]).toEqual([403, 'This sign-in began in another browser']);
    expect(stolen.body).not.toContain('/interactions/');
    expect(await stored()).toMatchObject({ users: 1, sessions: 0, states: ['awaiting'] });
    expect((await browser.get(callback)).body).toContain('decision');
  });

  it('cannot sign a victim in as another user with a planted callback', async () => {
    const thief = new Browser(two.scene.app);
    const callback = await comeBack(thief);
    const victim = new Browser(two.scene.app);
    // The victim has a sign-in of their own under way.
    await pressButton(victim, await signInPage(victim, two.scene.client));
    expect((await victim.get(callback)).status).toBe(403);
    expect(await stored()).toMatchObject({ sessions: 0, identities: [] });
  });

  it('gets no session from a used callback, not even in the same browser', async () => {
    const browser = new Browser(two.scene.app);
    const callback = await comeBack(browser);
    await browser.get(callback);
    const before = await stored();
    const again = await browser.get(callback);
    expect([again.status, title(again)]).toEqual([400, 'Already answered']);
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['no state', (query: URLSearchParams) => query.delete('state'), 404],
    ['another state', (query: URLSearchParams) => query.set('state', 'x'.repeat(43)), 404],
    ['two states', (query: URLSearchParams) => query.append('state', 'x'), 404],
    ['two codes', (query: URLSearchParams) => query.append('code', 'x'), 502],
    ['no code', (query: URLSearchParams) => query.delete('code'), 502],
    ['another issuer', (query: URLSearchParams) => query.set('iss', 'https://evil.example'), 502],
    ['no issuer, where it was announced', (query: URLSearchParams) => query.delete('iss'), 502],
  ])('changes nothing with %s', async (_, change, status) => {
    const browser = new Browser(two.scene.app);
    const [path, text] = (await comeBack(browser)).split('?');
    const query = new URLSearchParams(text);
    change(query);
    expect((await browser.get(`${path}?${query}`)).status).toBe(status);
    expect(await stored()).toMatchObject({ sessions: 0, states: ['awaiting'] });
    // The true response still counts.
    expect((await browser.get(`${path}?${text}`)).body).toContain('decision');
  });

  it('cannot exchange a code of another sign-in', async () => {
    const [one, other] = [new Browser(two.scene.app), new Browser(two.scene.app)];
    const stolen = new URLSearchParams((await comeBack(one)).split('?')[1]);
    const [path, text] = (await comeBack(other)).split('?');
    const query = new URLSearchParams(text);
    query.set('code', stolen.get('code') ?? '');
    const answer = await other.get(`${path}?${query}`);
    expect([answer.status, title(answer)]).toEqual([502, 'The answer of the other page is not valid']);
    expect(await stored()).toMatchObject({ sessions: 0, identities: [] });
  });

  it('cannot begin a sign-in for a victim without a form of this server', async () => {
    const victim = new Browser(two.scene.app);
    await victim.get('/sign-in');
    expect((await victim.post('/sign-in/external', { provider: 'upstream:company' })).status).toBe(403);
    expect((await stored()).states).toEqual([]);
  });
});

describe('the federated sign-in', () => {
  beforeEach(() => open());

  it('expires', async () => {
    const browser = new Browser(two.scene.app);
    const callback = await comeBack(browser);
    two.scene.clock.advanceSeconds(1801);
    const answer = await browser.get(callback);
    expect([answer.status, title(answer)]).toEqual([400, 'This took too long']);
  });

  it('ends with a page when the end-user refuses at the provider', async () => {
    const browser = new Browser(two.scene.app);
    const away = await pressButton(browser, await signInPage(browser, two.scene.client));
    const { url } = await goThrough(new Browser(two.upstream.app), pathOf(away.url), two.ada, 'deny');
    const answer = await browser.get(pathOf(url));
    expect([answer.status, title(answer)]).toEqual([403, 'You did not sign in']);
    const form = /<p><a href="([^"]+)"/.exec(answer.body)?.[1]?.replaceAll('&#61;', '=') ?? '';
    expect((await browser.get(form)).body).toContain('name="password"');
    expect(await stored()).toMatchObject({ sessions: 0, states: ['denied'] });
  });

  it('requests another sign-in at the provider where the client requires it, and rejects an older one', async () => {
    const there = new Browser(two.upstream.app);
    await comeBack(new Browser(two.scene.app), there);
    two.scene.clock.advanceSeconds(300);
    const browser = new Browser(two.scene.app);
    const away = await pressButton(
      browser,
      await signInPage(browser, two.scene.client, { prompt: 'login', max_age: '60' }),
    );
    const asked = new URL(away.url);
    expect([asked.searchParams.get('prompt'), asked.searchParams.get('max_age')]).toEqual(['login', '60']);
    // The test drops the parameters of the request from the provider's state.
    asked.searchParams.delete('prompt');
    asked.searchParams.delete('max_age');
    const answer = await browser.get(await two.signInThere(asked.href, there));
    expect([answer.status, (await stored()).sessions]).toEqual([502, 0]);
  });

  it('leads to the account without a client', async () => {
    const browser = new Browser(two.scene.app);
    const away = await pressButton(browser, await browser.get('/sign-in?then=devices'));
    const answer = await browser.get(await two.signInThere(away.url));
    expect([answer.status, answer.url]).toEqual([200, '/account/devices']);
  });

  it('does not let an earlier sign-in replace a later one of the same browser', async () => {
    const browser = new Browser(two.scene.app);
    const page = await signInPage(browser, two.scene.client);
    const first = await two.signInThere((await pressButton(browser, page)).url);
    two.scene.clock.advanceSeconds(1);
    const other = await makeUser(two.upstream, 'grace');
    const second = await two.signInThere((await pressButton(browser, page)).url, new Browser(two.upstream.app), other);
    await browser.get(second);
    const answer = await browser.get(first);
    expect([answer.status, title(answer)]).toEqual([400, 'You have signed in since']);
    expect((await stored()).identities.map(({ subject }) => subject)).toEqual([other.id]);
  });
});

describe('linking', () => {
  beforeEach(() => open({ createUsers: false }));

  async function signedIn(username = 'local') {
    const user = await makeUser(two.scene, username);
    const browser = new Browser(two.scene.app);
    await browser.submit(await browser.get('/sign-in'), { username, password: PASSWORD });
    return { user, browser };
  }
  const link = async (browser: Browser) => {
    const page = await browser.get('/account/linked-identities');
    return browser.submit(page, { provider: 'upstream:company' });
  };

  it('takes a recent sign-in here and a sign-in at the provider, and signs in from then on', async () => {
    const { user, browser } = await signedIn();
    const away = await link(browser);
    const page = await browser.get(await two.signInThere(away.url));
    expect(page.body).toContain('The account is linked.');
    expect((await stored()).identities).toMatchObject([{ userId: user.id, subject: two.ada.id }]);
    const other = new Browser(two.scene.app);
    expect((await other.get(await comeBack(other))).body).toContain('decision');
  });

  it('requires another sign-in first when the last one is too old', async () => {
    const { browser } = await signedIn();
    const page = await browser.get('/account/linked-identities');
    two.scene.clock.advanceSeconds(601);
    const answer = await browser.submit(page, { provider: 'upstream:company' });
    expect(answer.body).toContain('name="password"');
    expect((await stored()).states).toEqual([]);
  });

  it('stops when the end-user signed out, or another user signed in', async () => {
    const { browser } = await signedIn();
    const callback = await two.signInThere((await link(browser)).url);
    await makeUser(two.scene, 'another');
    for (const name of [...browser.cookies.keys()]) if (name.endsWith('session')) browser.cookies.delete(name);
    expect((await browser.get(callback)).status).toBe(403);
    expect((await stored()).identities).toEqual([]);
  });

  it('never takes an account away from the end-user who has it', async () => {
    const first = await signedIn('first');
    await first.browser.get(await two.signInThere((await link(first.browser)).url));
    const second = await signedIn('second');
    const answer = await second.browser.get(await two.signInThere((await link(second.browser)).url));
    expect([answer.status, title(answer)]).toEqual([403, 'This account is linked to another user']);
    expect((await stored()).identities).toMatchObject([{ userId: first.user.id }]);
  });

  it('is undone by the end-user, and then signs no user in', async () => {
    const { browser } = await signedIn();
    await browser.get(await two.signInThere((await link(browser)).url));
    const [identity] = (await stored()).identities;
    const page = await browser.get('/account/linked-identities');
    const removed = await browser.submit(page, { identity: identity?.id ?? '' });
    expect(removed.body).toContain('The account was removed.');
    const other = new Browser(two.scene.app);
    expect((await other.get(await comeBack(other))).status).toBe(403);
  });
});

describe('a claim of the provider', () => {
  it('about its password is no proof of the password here: with the mailbox it removes no second factor', async () => {
    const mails = keptMails();
    await open({ createUsers: false }, { mail: mails });
    mails.of(two.scene);
    const user = await makeUser(two.scene, 'local', { email: 'local@example.com', email_verified: true });
    const owner = new Browser(two.scene.app);
    await owner.submit(await owner.get('/sign-in'), { username: 'local', password: PASSWORD });
    const away = await owner.submit(await owner.get('/account/linked-identities'), { provider: 'upstream:company' });
    expect((await owner.get(await two.signInThere(away.url))).url).toBe('/account/linked-identities?linked');
    await enrol(two.scene, new Browser(two.scene.app), user);

    const thief = new Browser(two.scene.app);
    // The page offers no way that would be refused, and the way is refused without its link too.
    expect((await thief.get(await comeBack(thief))).body).not.toContain('href="/email/lost-factors"');
    const refused = await thief.submit(await thief.get('/email/lost-factors'), {});
    expect([refused.status, refused.body.includes('another service')]).toEqual([400, true]);
    expect(await mails.to('local@example.com')).not.toContainEqual(
      expect.objectContaining({ subject: 'A lost second factor' }),
    );
    expect(await two.scene.deps.secondFactors.listApps(user.id)).toHaveLength(1);
  });

  it.each([
    [{ acr: [], amr: [] }, ['pwd']],
    [{ acr: [], amr: ['mfa'] }, ['pwd', 'hwk', 'swk', 'mfa']],
  ])('about keys counts only where the policy trusts it for several factors: %j', (multiFactor, said) => {
    expect(methodsOf({ multiFactor }, { acr: null, amr: ['pwd', 'hwk', 'swk', 'mfa'] })).toEqual(said);
  });
});

it('an end-user cannot remove the last way to sign in', async () => {
  await open();
  const browser = new Browser(two.scene.app);
  const away = await pressButton(browser, await browser.get('/sign-in'));
  await browser.get(await two.signInThere(away.url));
  const [identity] = (await stored()).identities;
  const page = await browser.get('/account/linked-identities');
  const answer = await browser.submit(page, { identity: identity?.id ?? '' });
  expect([answer.status, answer.body.includes('You cannot remove your only sign-in method')]).toEqual([409, true]);
  expect((await stored()).identities).toMatchObject([{ state: 'active' }]);
});
