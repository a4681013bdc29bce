/** Bring your own login: the team's application answers for a browser that was sent to it, and the browser comes back. */
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DelegatedSignIn, delegatedSignInSchema } from '../../../policies/upstreams-schema.ts';
import { externalSignIns, sessions, transitions, users } from '../../../src/storage/schema.ts';
import { authorizeUrl, exchange, makePkce, makeUser, type TestUser } from '../../support/actors.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { testClock } from '../../support/clock.ts';
import { anyDatabase } from '../../support/database.ts';
import { dumpOf } from '../../support/dump.ts';
import { API, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { pressButton, signInPage } from '../../support/upstream.ts';

const LOGIN = 'https://login.team.example/sign-in?from=statehouse';
let scene: Scene;
let call: Caller;
let ada: TestUser;
let policy: DelegatedSignIn;
const clock = testClock(new Date('2030-01-01T00:00:00Z'));

beforeAll(async () => {
  policy = delegatedSignInSchema.parse({ url: LOGIN });
  scene = await openScene(anyDatabase, {
    clock,
    configuration: withBot(),
    reloaded: () => ({ delegatedSignIn: policy }),
  });
  await makeBot(scene);
  ada = await makeUser(scene, 'ada');
  call = callerWith(scene, () => tokenOf(scene, ['sign-ins:answer']));
});
afterAll(() => scene.close());
beforeEach(() => {
  policy = delegatedSignInSchema.parse({ url: LOGIN });
});

const now = () => Math.floor(clock.now().getTime() / 1000);
const title = ({ body }: Answer) => /<h1>(.*)<\/h1>/.exec(body)?.[1];
const rowOf = async (reference: string) => {
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update(reference).digest();
  const rows = await scene.database.drizzle.select().from(externalSignIns);
  return rows.find(({ referenceHash }) => Buffer.from(referenceHash).equals(hash));
};

async function leave(browser = new Browser(scene.app), change: Readonly<Record<string, string>> = {}) {
  const away = await pressButton(browser, await signInPage(browser, scene.client, change), 'delegated');
  const url = new URL(away.url);
  expect(`${url.origin}${url.pathname}?from=${url.searchParams.get('from')}`).toBe(LOGIN);
  return { browser, reference: url.searchParams.get('reference') ?? '' };
}
const answer = (reference: string, body: object) => call('PUT', `/sign-ins/${reference}/answer`, { body });
const good = (more: object = {}) => ({ username: 'ada', amr: ['pwd'], auth_time: now(), ...more });
const back = (reference: string) => `/sign-in/delegated/${reference}`;

describe('the application of the team', () => {
  it('receives the parameters of the sign-in', async () => {
    const { reference } = await leave(undefined, { login_hint: 'ada', max_age: '600' });
    const { statusCode, json } = await call('GET', `/sign-ins/${reference}`);
    expect([statusCode, json()]).toMatchObject([
      200,
      {
        state: 'awaiting',
        client: { client_id: scene.client.clientId, client_name: 'Test client' },
        scope: 'read openid',
        login_hint: 'ada',
        max_age: 600,
        prompt: [],
        acr_values: [],
        ui_locales: [],
        _links: { answer: { href: `${API}/sign-ins/${reference}/answer` } },
      },
    ]);
  });

  it('receives a login_hint that no row has, so that an erasure leaves no trace of it', async () => {
    const email = 'marlene.marker@example.test';
    const user = await makeUser(scene, 'marlene', { email });
    // Two are begun in the name of the user, and one of them is never answered.
    await leave(undefined, { login_hint: email });
    const { browser, reference } = await leave(undefined, { login_hint: email });
    expect((await call('GET', `/sign-ins/${reference}`)).json().login_hint).toBe(email);
    expect((await answer(reference, { sub: user.id, amr: ['pwd'], auth_time: now() })).statusCode).toBe(200);
    expect((await browser.get(back(reference))).body).toContain('decision');
    const rows = async () => (await dumpOf(scene.database.drizzle)).split('\n').filter((row) => row.includes(email));
    expect((await rows()).map((row) => row.split(' ')[0])).toEqual(['users']);
    const gone = await browser.submit(await browser.get('/account/delete'), { username: 'marlene' });
    expect(gone.url).toBe('/account/delete/done');
    expect(await rows()).toEqual([]);
  });

  it('signs an end-user in, with its own time and methods, and the browser continues to the app', async () => {
    const browser = new Browser(scene.app);
    const pkce = makePkce();
    const page = await browser.get(authorizeUrl(scene.client, pkce, { scope: 'openid' }));
    const away = await pressButton(browser, page, 'delegated');
    const reference = new URL(away.url).searchParams.get('reference') ?? '';
    const authTime = now() - 30;
    const answered = await answer(reference, { sub: ada.id, amr: ['otp', 'pwd', 'mfa'], auth_time: authTime });
    expect([answered.statusCode, answered.json()]).toMatchObject([
      200,
      { state: 'answered', return_to: `https://as.test/sign-in/delegated/${reference}` },
    ]);
    const consent = await browser.get(back(reference));
    const done = await browser.submit(consent, { decision: 'approve' });
    const code = new URL(done.url).searchParams.get('code') ?? '';
    const { json } = await exchange(scene, scene.client, { code, verifier: pkce.verifier });
    expect(decodeJwt(String(json['id_token']))).toMatchObject({
      sub: ada.id,
      amr: ['otp', 'pwd', 'mfa'],
      acr: 'urn:statehouse:acr:multi-factor',
      auth_time: authTime,
    });
    expect(scene.logs()).not.toContain(reference);
  });

  it('may refuse, and the browser gets a page with a way back', async () => {
    const { browser, reference } = await leave();
    const answered = await answer(reference, { denied: 'login_failed' });
    expect([answered.statusCode, answered.json().state]).toEqual([200, 'denied']);
    const page = await browser.get(back(reference));
    expect([page.status, title(page)]).toEqual([403, 'You did not sign in']);
    expect((await answer(reference, good())).statusCode).toBe(409);
    expect((await rowOf(reference))?.refusal).toBe('login_failed');
  });

  it('registers a just-in-time user only where the policy allows it, with an entry that names the application', async () => {
    const first = await leave();
    const refused = await answer(first.reference, good({ username: 'new-user' }));
    expect([refused.statusCode, refused.json().type]).toEqual([409, `${API}/problems/end_user_unknown`]);
    policy = { ...policy, createUsers: true };
    const claims = { name: 'New', email: 'new@example.com' };
    const answered = await answer(first.reference, good({ username: 'new-user', claims }));
    expect(answered.statusCode, answered.body).toBe(200);
    expect((await first.browser.get(back(first.reference))).body).toContain('decision');
    const [user] = await scene.database.drizzle.select().from(users).where(eq(users.username, 'new-user'));
    expect(user).toMatchObject({ passwordHash: '', claims });
    const lines = await scene.database.drizzle
      .select()
      .from(transitions)
      .where(eq(transitions.userId, user?.id ?? ''));
    expect(lines.find(({ machine }) => machine === 'user')?.actor).toBe('client bot');
    // Known from now on, and their claims are theirs.
    const second = await leave();
    expect((await answer(second.reference, good({ username: 'NEW-USER', claims: { name: 'Other' } }))).statusCode).toBe(
      200,
    );
    const [same] = await scene.database.drizzle.select().from(users).where(eq(users.username, 'new-user'));
    expect(same?.claims).toEqual(claims);
  });
});

describe('a rejected answer changes nothing', () => {
  const cases: readonly [string, () => object, number, string][] = [
    ['about an unknown user', () => good({ username: 'unknown-user' }), 409, 'end_user_unknown'],
    [
      'about no sub of ours',
      () => ({ sub: '00000000-0000-4000-8000-000000000000', amr: ['pwd'], auth_time: now() }),
      409,
      'end_user_unknown',
    ],
    ['with both', () => good({ sub: ada.id }), 422, 'invalid_fields'],
    ['with neither', () => ({ amr: ['pwd'], auth_time: now() }), 422, 'invalid_fields'],
    ['without a method', () => good({ amr: [] }), 422, 'invalid_fields'],
    ['of the future', () => good({ auth_time: now() + 3600 }), 422, 'invalid_fields'],
    ['without an instant', () => good({ auth_time: undefined }), 422, 'invalid_fields'],
    [
      'with an acr that amr does not show',
      () => good({ acr: 'urn:statehouse:acr:multi-factor' }),
      422,
      'invalid_fields',
    ],
    [
      'with a phishing-resistant lie',
      () => good({ amr: ['mfa', 'pwd'], acr: 'urn:statehouse:acr:phishing-resistant' }),
      422,
      'invalid_fields',
    ],
    ['with an unknown member', () => good({ admin: true }), 422, 'invalid_fields'],
    ['with an operator as a just-in-time user', () => good({ username: 'olga' }), 422, 'invalid_fields'],
    ['with a claim that cannot be', () => good({ claims: { email: 'no address' } }), 422, 'invalid_fields'],
  ];
  it.each(cases)('%s', async (_, body, status, reason) => {
    policy = { ...policy, createUsers: reason !== 'end_user_unknown' };
    const { browser, reference } = await leave();
    const before = (await scene.database.drizzle.select().from(users)).length;
    const answered = await answer(reference, body());
    expect([answered.statusCode, answered.json().type]).toEqual([status, `${API}/problems/${reason}`]);
    expect((await scene.database.drizzle.select().from(users)).length).toBe(before);
    expect((await rowOf(reference))?.state).toBe('awaiting');
    expect(title(await browser.get(back(reference)))).toBe('You have not signed in yet');
  });

  it('an older sign-in where the client requires a new one', async () => {
    const { reference } = await leave(undefined, { max_age: '60' });
    const late = await answer(reference, good({ auth_time: now() - 600 }));
    expect([late.statusCode, late.json().errors[0].field]).toEqual([422, 'auth_time']);
    expect((await answer(reference, good())).statusCode).toBe(200);
    const again = await leave(undefined, { prompt: 'login' });
    expect((await answer(again.reference, good({ auth_time: now() - 600 }))).statusCode).toBe(422);
  });

  it('twice, and late', async () => {
    const { reference } = await leave();
    expect((await answer(reference, good())).statusCode).toBe(200);
    const twice = await answer(reference, good({ username: scene.user.username }));
    expect([twice.statusCode, twice.json().type]).toEqual([409, `${API}/problems/sign_in_ended`]);
    expect((await rowOf(reference))?.userId).toBe(ada.id);
    const late = await leave();
    clock.advanceSeconds(601);
    expect((await answer(late.reference, good())).statusCode).toBe(409);
  });

  it('two concurrent ones: one counts', async () => {
    const { reference } = await leave();
    const answers = await Promise.all([
      answer(reference, good()),
      answer(reference, good({ username: scene.user.username })),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
  });

  it.each([
    ['another reference', 'x'.repeat(43)],
    ['no reference', 'short'],
    ['a hostile one', '%00'],
  ])('for %s', async (_, reference) => {
    expect((await answer(reference, good())).statusCode).toBeGreaterThanOrEqual(400);
    expect((await call('GET', `/sign-ins/${reference}`)).statusCode).toBeGreaterThanOrEqual(400);
  });

  it('from a client without the scope', async () => {
    const { reference } = await leave();
    const other = callerWith(scene, () => tokenOf(scene, ['users:write']));
    expect((await other('PUT', `/sign-ins/${reference}/answer`, { body: good() })).statusCode).toBe(403);
    expect((await other('GET', `/sign-ins/${reference}`)).statusCode).toBe(403);
    expect((await rowOf(reference))?.state).toBe('awaiting');
  });

  it('about a disabled end-user, before the answer and after it', async () => {
    const bob = await makeUser(scene, 'bob');
    const early = await leave();
    await answer(early.reference, { sub: bob.id, amr: ['pwd'], auth_time: now() });
    await scene.database.drizzle.update(users).set({ disabledAt: new Date(), epoch: 1n }).where(eq(users.id, bob.id));
    expect(title(await early.browser.get(back(early.reference)))).toBe('You cannot sign in here');
    const { reference } = await leave();
    const refused = await answer(reference, { sub: bob.id, amr: ['pwd'], auth_time: now() });
    expect([refused.statusCode, refused.json().type]).toEqual([409, `${API}/problems/end_user_ended`]);
  });
});

describe('an attacker', () => {
  it('with the reference, or with the return address, does not sign in; the browser that began does, once', async () => {
    const { browser, reference } = await leave();
    const thief = new Browser(scene.app);
    expect((await thief.get(back(reference))).status).toBe(403);
    await answer(reference, good());
    const stolen = await thief.get(back(reference));
    expect([stolen.status, title(stolen), stolen.body.includes('/interactions/')]).toEqual([
      403,
      'This sign-in began in another browser',
      false,
    ]);
    const before = (await scene.database.drizzle.select().from(sessions)).length;
    expect((await browser.get(back(reference))).body).toContain('decision');
    expect(title(await browser.get(back(reference)))).toBe('Already answered');
    expect((await scene.database.drizzle.select().from(sessions)).length).toBe(before + 1);
  });
});

describe('show: instead', () => {
  it('redirects immediately, and to the form on request', async () => {
    policy = { ...policy, show: 'instead' };
    const browser = new Browser(scene.app);
    const away = await signInPage(browser, scene.client);
    expect(away.url.startsWith('https://login.team.example/')).toBe(true);
    const reference = new URL(away.url).searchParams.get('reference') ?? '';
    await answer(reference, { denied: 'access_denied' });
    const refused = await browser.get(back(reference));
    const form = /<p><a href="([^"]+)"/.exec(refused.body)?.[1]?.replaceAll('&#61;', '=') ?? '';
    expect((await browser.get(form)).body).toContain('name="password"');
  });
});
