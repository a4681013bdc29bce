/** The sign-in on two pages, the identifier first: the knowledge of a stranger and of a trusted device after the second page. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SignInPolicy, signInSchema } from '../../../policies/schema.ts';
import { userFacts } from '../../../src/lifecycles/user/table.ts';
import { NO_PASSWORD } from '../../../src/model/user.ts';
import { linkedIdentities, users } from '../../../src/storage/schema.ts';
import { authorizeUrl, makeClient, makePkce, makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { deleteUser, disableUser } from '../../support/administration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { keptMails } from '../../support/mails.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { upstreamOf } from '../../support/upstream.ts';

const COMPANY = upstreamOf({ issuer: 'https://company.test', client_id: 'x' });
const OTHER = upstreamOf({ name: 'other', label: 'Other', issuer: 'https://other.test', client_id: 'x' });
const SESSION_COOKIE = '__Host-statehouse-session';

let scene: Scene;
let policy: SignInPolicy;
/** The reads about the identifier, and about the account. */
let reads: string[];

beforeEach(async () => {
  policy = { ...shippedConfiguration.signIn, identifiers: 'both', signUp: 'open', signInPage: 'identifierFirst' };
  reads = [];
  const noted = <Work extends (...given: never[]) => unknown>(name: string, work: Work): Work =>
    ((...given) => {
      reads.push(name);
      return work(...given);
    }) as Work;
  scene = await openScene(anyDatabase, {
    mail: keptMails(),
    reloaded: () => ({ signIn: policy, upstreams: [COMPANY, OTHER] }),
    change: (deps) => ({
      ...deps,
      users: {
        ...deps.users,
        accountKeyOf: noted('accountKeyOf', deps.users.accountKeyOf),
        findForSignIn: noted('findForSignIn', deps.users.findForSignIn),
      },
      secondFactors: {
        ...deps.secondFactors,
        listPasskeys: noted('listPasskeys', deps.secondFactors.listPasskeys),
      },
      identities: { ...deps.identities, list: noted('listIdentities', deps.identities.list) },
    }),
  });
});
afterEach(() => scene.close());

const db = () => scene.database.drizzle;
const stranger = () => new Browser(scene.app);
const verified = (email: string) => ({ email, email_verified: true });

/** The parts of a page that a user sees. */
function shown({ body }: Answer) {
  const passkey = body.indexOf('<div data-passkey=');
  return {
    asksIdentifier: body.includes('<label for="username">'),
    as: /Signing in as <strong>([^<]*)</.exec(body)?.[1] ?? null,
    password: body.includes('<label for="password">'),
    // With the form of the identifier, or of the password, before it.
    passkey: passkey === -1 ? 'none' : body.slice(0, passkey).includes('<form') ? 'beside' : 'first',
    providers: [...body.matchAll(/name="provider" value="upstream:([^"]*)"/g)].map(([, name]) => name),
    forgot: body.includes('/forgot-password"'),
    signUp: body.includes('/sign-up'),
    problem: /id="problem">([^<]*)</.exec(body)?.[1] ?? null,
  };
}
const FIRST_PAGE = {
  asksIdentifier: true,
  as: null,
  password: false,
  passkey: 'beside',
  providers: ['company', 'other'],
  forgot: true,
  signUp: true,
  problem: null,
};
const EVERY_METHOD = { ...FIRST_PAGE, asksIdentifier: false, password: true, signUp: false };

const typed = async (username: string, by = stranger(), path = '/sign-in'): Promise<Answer> =>
  by.submit(await by.get(path), { username });
const at = async (change: Readonly<Record<string, string>> = {}, by = stranger()): Promise<Answer> => {
  const client = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
  return by.get(authorizeUrl(client, makePkce(), change));
};
const isSignedIn = ({ cookies }: Browser): boolean => cookies.has(SESSION_COOKIE);

/** A browser in which the user has signed in, and is signed in no more. */
async function trustedDevice(username: string): Promise<Browser> {
  const by = stranger();
  await by.submit(await by.get('/sign-in'), { username, password: PASSWORD });
  expect(isSignedIn(by)).toBe(true);
  by.cookies.delete(SESSION_COOKIE);
  reads = [];
  return by;
}

it('without the key, and as shipped, identifier and password stand on one page', async () => {
  const { signInPage: _, ...without } = policy;
  policy = signInSchema.parse(without);
  expect([policy.signInPage, shippedConfiguration.signIn.signInPage]).toEqual(['together', 'together']);
  expect(shown(await stranger().get('/sign-in'))).toEqual({ ...FIRST_PAGE, password: true });
  const page = await typed('ada');
  expect(page.status).toBe(400);
  expect(shown(page)).toMatchObject({ asksIdentifier: true, password: true, problem: expect.stringContaining('Type') });
});

describe.each(['/sign-in', '/sign-in?then=devices'])('%s', (path) => {
  it('asks for the identifier, with passkeys by autofill, and for the methods after it', async () => {
    await makeUser(scene, 'ada');
    const by = stranger();
    const first = await by.get(path);
    expect(shown(first)).toEqual(FIRST_PAGE);
    expect(first.body).toMatch(/id="username"[^>]* autocomplete="username webauthn"[^>]* required [^>]*autofocus/);
    expect(first.body).toContain('data-autofill="yes"');
    const second = await by.submit(first, { username: 'ada' });
    expect(second.status).toBe(200);
    expect(shown(second)).toEqual({ ...EVERY_METHOD, as: 'ada' });
    expect(second.body).toMatch(/name="username" value="ada" autocomplete="username" readonly/);
    expect(second.body).toMatch(/name="password" autocomplete="current-password" required maxlength="1024" autofocus/);
    expect(second.body).not.toContain('data-autofill');
    const change = /href="([^"]*another[^"]*)">Change account</.exec(second.body)?.[1] ?? '';
    expect(shown(await by.get(change.replaceAll('&#61;', '=').replaceAll('&#38;', '&')))).toEqual(FIRST_PAGE);
    const done = await by.submit(second, { username: 'ada', password: PASSWORD });
    expect(done.url).toBe(path === '/sign-in' ? '/account' : '/account/devices');
  });
});

it('an interaction asks for the same, and continues after the second page', async () => {
  await makeUser(scene, 'ada');
  const by = stranger();
  const first = await at({}, by);
  expect(shown(first)).toEqual(FIRST_PAGE);
  const second = await by.submit(first, { username: 'ada' });
  expect(shown(second)).toEqual({ ...EVERY_METHOD, as: 'ada' });
  const consent = await by.submit(second, { username: 'ada', password: PASSWORD });
  expect(consent.body).toContain('name="decision"');
});

it.each(['together', 'identifierFirst'] as const)(
  'identifier and password in one request sign in: %s',
  async (signInPage) => {
    policy = { ...policy, signInPage };
    await makeUser(scene, 'ada');
    const [directly, asked] = [stranger(), stranger()];
    const pages = [await directly.get('/sign-in'), await at({}, asked)] as const;
    for (const { body } of pages) expect(body).toMatch(/name="password"[^>]* autocomplete="current-password"/);
    expect((await directly.submit(pages[0], { username: 'ada', password: PASSWORD })).url).toBe('/account');
    expect((await asked.submit(pages[1], { username: 'ada', password: PASSWORD })).body).toContain('name="decision"');
  },
);

it('the password of the first page is for password managers alone', async () => {
  const { body } = await stranger().get('/sign-in');
  const [field = ''] = /<input type="password"[^>]*>/.exec(body) ?? [];
  for (const said of ['tabindex="-1"', 'aria-hidden="true"', 'class="unseen"']) expect(field).toContain(said);
  expect(field).not.toContain('required');
});

it.each([
  ['', 'nothing'],
  ['   ', 'spaces'],
])('no identifier leads to no second page: %j', async (username) => {
  const page = await typed(username);
  expect(page.status).toBe(400);
  expect(shown(page)).toMatchObject({ asksIdentifier: true, problem: expect.stringContaining('Type your') });
});

it('shows the second page for no form of another site', async () => {
  const by = stranger();
  await by.get('/sign-in');
  const page = await by.post('/sign-in', { csrf: 'x', username: 'ada' });
  expect(page.status).toBe(403);
  expect(page.body).not.toContain('Signing in as');
});

describe('a rejection shows the second page again', () => {
  it('with the reason, for accounts and for other identifiers alike', async () => {
    await makeUser(scene, 'ada');
    for (const username of ['ada', 'unknown']) {
      const by = stranger();
      const page = await by.submit(await typed(username, by), { username, password: 'wrong' });
      expect(page.status).toBe(400);
      expect(shown(page)).toEqual({
        ...EVERY_METHOD,
        as: username,
        problem: expect.stringContaining('or the password is wrong'),
      });
    }
  });

  it('while the account is throttled', async () => {
    await makeUser(scene, 'ada');
    const by = stranger();
    for (let times = 0; times < 3; times++)
      await by.submit(await typed('ada', by), { username: 'ada', password: 'wrong' });
    const page = await by.submit(await typed('ada', by), { username: 'ada', password: PASSWORD });
    expect(page.status).toBe(429);
    expect(shown(page)).toMatchObject({ as: 'ada', password: true, problem: expect.stringContaining('Wait') });
  });
});

describe('the second page reveals', () => {
  beforeEach(async () => {
    const ada = await makeUser(scene, 'ada', verified('ada@example.org'));
    await registeredPasskey(scene, ada);
    const provided = await makeUser(scene, 'provider-only');
    await link(provided.id, 'https://company.test');
    await dropPassword(provided.id);
    const keyed = await makeUser(scene, 'passkey-only');
    await registeredPasskey(scene, keyed);
    await dropPassword(keyed.id);
    await makeUser(scene, 'closed-account');
    await disableUser(db(), 'closed-account');
  });

  const TYPED = [
    'ada',
    'ADA@example.org',
    'provider-only',
    'passkey-only',
    'closed-account',
    'no-such-account',
    'unknown@example.org',
  ];
  const bytes = ({ body, headers, status }: Answer, username: string) => ({
    status,
    headers: { ...headers, date: '', 'content-length': '', 'set-cookie': '' },
    body: body
      .replaceAll(username, 'TYPED')
      .replace(/data-passkey="[^"]*"/, 'CHALLENGE')
      .replaceAll(/interactions\/[\w.-]*/g, 'INTERACTION')
      .replaceAll(/value="[\w-]{43}"/g, 'CSRF'),
  });

  it('nothing, byte by byte, and the server reads nothing about the identifier', async () => {
    const pages = [];
    for (const username of TYPED) {
      pages.push(bytes(await typed(username), username));
      const by = stranger();
      pages.push(bytes(await by.submit(await at({}, by), { username }), username));
    }
    const [direct, asked] = pages;
    for (const [index, page] of pages.entries()) expect(page).toEqual(index % 2 === 0 ? direct : asked);
    expect(reads).toEqual([]);
  });

  it('nothing to the trusted device of a deleted account, of whose username another end-user has an account', async () => {
    await makeUser(scene, 'eve');
    const by = await trustedDevice('eve');
    expect(await deleteUser(db(), 'eve')).toBe(true);
    const later = await makeUser(scene, 'eve');
    await link(later.id, 'https://company.test');
    expect(shown(await typed('eve', by))).toMatchObject({ as: 'eve', providers: ['company', 'other'] });
    expect(reads).not.toContain('listIdentities');
    // A sign-in makes a browser one of the new account.
    expect(shown(await typed('eve', await trustedDevice('eve')))).toMatchObject({ as: 'eve', providers: ['company'] });
  });

  it('nothing to the trusted device of another account, with the same read for each identifier', async () => {
    await makeUser(scene, 'eve');
    const by = await trustedDevice('eve');
    const pages = [];
    for (const username of TYPED) {
      reads = [];
      pages.push(bytes(await typed(username, by), username));
      expect(reads, username).toEqual(['accountKeyOf']);
    }
    for (const page of pages) expect(page).toEqual(pages[0]);
  });

  it('nothing to a browser with a cookie that this server did not make for it', async () => {
    await makeUser(scene, 'eve');
    const by = await trustedDevice('eve');
    const cookie = '__Host-statehouse-device';
    const own = by.cookies.get(cookie) ?? '';
    expect(own).toMatch(/^[\w-]{51}$/);
    by.cookies.set(cookie, `${own.slice(0, 20)}${own[20] === 'A' ? 'B' : 'A'}${own.slice(21)}`);
    for (const username of ['eve', 'ada'])
      expect(shown(await typed(username, by))).toEqual({ ...EVERY_METHOD, as: username });
  });
});

const link = (userId: string, issuer: string) =>
  db().insert(linkedIdentities).values({
    id: randomUUID(),
    userId,
    issuer,
    subject: userId,
    provider: 'company',
    linkedAt: scene.clock.now(),
    state: 'active',
  });
async function dropPassword(id: string): Promise<void> {
  const [before] = await db().select().from(users).where(eq(users.id, id));
  if (!before) throw new Error('no such end-user');
  const after = { ...before, passwordHash: NO_PASSWORD, macVersion: before.macVersion + 1n };
  const { passwordHash, macVersion } = after;
  const mac = testMacs.macOf(...userFacts(after));
  await db().update(users).set({ passwordHash, macVersion, mac }).where(eq(users.id, id));
}

describe('a trusted device', () => {
  let ada: TestUser;
  let by: Browser;
  beforeEach(async () => {
    ada = await makeUser(scene, 'ada', verified('ada@example.org'));
    by = await trustedDevice('ada');
  });
  const toCompany = () => link(ada.id, 'https://company.test');
  const passkey = () => registeredPasskey(scene, ada);

  it.each([
    ['a password alone', { passkey: 'none', providers: [] }, async (): Promise<void> => {}],
    [
      'a password and a passkey',
      { passkey: 'first', providers: [] },
      async (): Promise<void> => void (await passkey()),
    ],
    [
      'a password and an identity provider',
      { passkey: 'none', providers: ['company'] },
      async (): Promise<void> => void (await toCompany()),
    ],
    [
      'a password, and an identity provider that left the configuration',
      { passkey: 'none', providers: [] },
      async (): Promise<void> => void (await link(ada.id, 'https://gone.test')),
    ],
    [
      'an identity provider alone',
      { password: false, forgot: false, passkey: 'none', providers: ['company'] },
      async (): Promise<void> => {
        await toCompany();
        await dropPassword(ada.id);
      },
    ],
    [
      'a passkey alone',
      { password: false, forgot: false, passkey: 'first', providers: [] },
      async (): Promise<void> => {
        await passkey();
        await dropPassword(ada.id);
      },
    ],
    [
      'no method that is left, as a stranger does',
      {},
      async (): Promise<void> => {
        await link(ada.id, 'https://gone.test');
        await dropPassword(ada.id);
      },
    ],
    [
      'nothing while it is disabled, as a stranger does',
      {},
      async (): Promise<void> => void (await disableUser(db(), 'ada')),
    ],
    [
      'nothing after its lifetime, as a stranger does',
      {},
      async (): Promise<void> => scene.clock.advanceSeconds(policy.knownDeviceLifetimeSeconds),
    ],
  ] as const)('of an account with %s', async (_, offered, change) => {
    await change();
    for (const username of ['ada', 'ADA@Example.org'])
      expect(shown(await typed(username, by))).toEqual({ ...EVERY_METHOD, as: username, ...offered });
    // Another identifier in the same browser, and the same one in another browser.
    expect(shown(await typed('unknown', by))).toEqual({ ...EVERY_METHOD, as: 'unknown' });
    expect(shown(await typed('ada'))).toEqual({ ...EVERY_METHOD, as: 'ada' });
  });

  it('reads the account of its user only', async () => {
    await typed('ada', by);
    expect(reads).toEqual(['accountKeyOf', 'findForSignIn', 'listPasskeys', 'listIdentities']);
  });

  it('shows no heading for alternatives where there is one method, and says that a passkey needs scripts', async () => {
    await toCompany();
    await dropPassword(ada.id);
    expect((await typed('ada', by)).body).not.toContain('<h2>Or</h2>');
    await passkey();
    const { body } = await typed('ada', by);
    expect(body).toContain('<h2>Or</h2>');
    expect(body).toMatch(/<noscript>.*your browser has to allow scripts/);
  });

  it('signs in with the passkey of the second page', async () => {
    const { sign } = await passkey();
    const page = await typed('ada', by);
    const { csrf = '' } = formOf(page.body).fields;
    expect((await by.post('/sign-in/passkey', { csrf, credential: sign(page) })).url).toBe('/account');
  });

  it('has the password where it was sent and refused', async () => {
    await toCompany();
    await dropPassword(ada.id);
    const page = await by.submit(await by.get('/sign-in'), { username: 'ada', password: PASSWORD });
    expect(shown(page)).toMatchObject({ password: true, problem: expect.stringContaining('wrong') });
  });
});

describe('the second page comes first', () => {
  const byChange = (page: Answer): string =>
    (/href="([^"]*)">Change account</.exec(page.body)?.[1] ?? '').replaceAll('&#61;', '=').replaceAll('&#38;', '&');
  const loggedIn = async (by: Browser) => by.submit(await by.get('/sign-in'), { username: 'ada', password: PASSWORD });

  it('for a login_hint, which the link leaves', async () => {
    const by = stranger();
    const page = await at({ login_hint: 'ada@example.org' }, by);
    expect(shown(page)).toEqual({ ...EVERY_METHOD, as: 'ada@example.org' });
    const first = await by.get(byChange(page));
    expect(shown(first)).toEqual(FIRST_PAGE);
    expect(first.body).toContain('name="username" value=""');
    // Spaces are no identifier.
    expect(shown(await at({ login_hint: '  ' }))).toEqual(FIRST_PAGE);
  });

  it('for the signed-in user who has to sign in again', async () => {
    await makeUser(scene, 'ada');
    const by = stranger();
    await loggedIn(by);
    scene.clock.advanceSeconds(policy.recentSignInSeconds + 1);
    const page = await by.get('/sign-in?then=data');
    expect(shown(page)).toMatchObject({ asksIdentifier: false, as: 'ada', password: true });
    expect(page.body).toContain('Sign in again to continue');
    expect(shown(await by.get(byChange(page)))).toEqual(FIRST_PAGE);
    for (const change of [{ max_age: '60' }, { prompt: 'login' }]) {
      const asked = await at(change, by);
      expect(shown(asked)).toMatchObject({ asksIdentifier: false, as: 'ada', password: true });
      expect(shown(await by.get(byChange(asked)))).toEqual(FIRST_PAGE);
      const done = await by.submit(asked, { username: 'ada', password: PASSWORD });
      expect(done.body).toContain('name="decision"');
      scene.clock.advanceSeconds(61);
    }
  });

  it('with the verified address, where only addresses identify', async () => {
    policy = { ...policy, identifiers: 'email' };
    await makeUser(scene, 'ada', verified('Ada@example.org'));
    const by = stranger();
    await by.submit(await by.get('/sign-in'), { username: 'ada@example.org', password: PASSWORD });
    const page = await at({ prompt: 'login' }, by);
    expect(shown(page)).toMatchObject({ as: 'Ada@example.org' });
    const done = await by.submit(page, { username: 'Ada@example.org', password: PASSWORD });
    expect(done.body).toContain('name="decision"');
  });

  it.each([
    ['select_account', { prompt: 'select_account' }],
    ['a request that names another user', { prompt: 'login', login_hint: 'grace' }],
  ])('not with the signed-in user for %s', async (_, change) => {
    await makeUser(scene, 'ada');
    const by = stranger();
    await loggedIn(by);
    const page = await at(change, by);
    if (change.prompt === 'login') return expect(shown(page)).toMatchObject({ as: 'grace' });
    expect(page.body).toContain('Continue as ada');
    expect(shown(page)).toMatchObject({ asksIdentifier: true, as: null, password: false });
    expect((await by.submit(page, {})).body).toContain('name="decision"');
  });
});
