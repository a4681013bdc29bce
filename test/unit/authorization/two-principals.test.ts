/** Every key of a request, used by a second principal: administrator, end-user in the same browser, other browser, tenant of the same host. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerConsole } from '../../../src/boot/console.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { RESOURCES } from '../../../src/management/resources/all.ts';
import { sessions, users } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestClient,
  type TestUser,
} from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { consoleBrowser, formTo, openPage } from '../../support/console.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { API, BOT, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { webhooksFile } from '../../support/webhooks.ts';

const OTHER_BOT = 'other-bot';

let scene: Scene;
let mails: Mails;
/** Of operators, each with a verified address. */
let olgasToken: string;
let oscarsToken: string;
beforeAll(async () => {
  const given = withBot();
  mails = keptMails();
  scene = await openScene(anyDatabase, {
    configuration: {
      ...given,
      operators: {
        operators: ['olga', 'oscar'],
        auditors: [],
        clients: [BOT, OTHER_BOT].map((id) => ({ client_id: id, scope: [...MANAGEMENT_SCOPE_NAMES] })),
      },
      signIn: { ...given.signIn, signUp: 'invitation' },
      webhooks: webhooksFile([{ name: 'crm', url: 'https://crm.example.com/hooks' }]),
    },
    mail: mails,
  });
  mails.of(scene);
  await makeBot(scene);
  await makeClient(scene, { clientId: OTHER_BOT, grantTypes: ['client_credentials'], redirectUris: [] });
  const { deps, keys, issuer, clock } = scene;
  await registerConsole({ issuer, keys, db: scene.database.drizzle, clock, configuration: deps.configuration() });
  const client = await makeClient(scene, { scope: MANAGEMENT_SCOPE_NAMES });
  const tokenOfOperator = async (username: string): Promise<string> => {
    const user = await makeUser(scene, username, { email: `${username}@example.com`, email_verified: true });
    const pkce = makePkce();
    const asked = authorizeUrl(client, pkce, { scope: MANAGEMENT_SCOPE_NAMES.join(' '), resource: API });
    const { url } = await goThrough(new Browser(scene.app), asked, user);
    const code = new URL(url).searchParams.get('code') ?? '';
    return (await exchange(scene, client, { code, verifier: pkce.verifier })).json.access_token ?? '';
  };
  olgasToken = await tokenOfOperator('olga');
  oscarsToken = await tokenOfOperator('oscar');
});
afterAll(() => scene.close());

const asBot = () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES);
const asOtherBot = () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES, { sub: OTHER_BOT, client_id: OTHER_BOT });

describe('an Idempotency-Key', () => {
  let serial = 0;
  /** Resources of which two may exist, with the property that identifies one. */
  const CREATES: Readonly<
    Record<
      string,
      {
        readonly path: () => Promise<string>;
        readonly body: () => object;
        readonly names: readonly string[];
        /** Absent: two clients and an operator. */
        readonly senders?: readonly [first: () => string, ...others: (() => string)[]];
      }
    >
  > = {
    '/clients': {
      path: async () => '/clients',
      body: () => ({ client_name: 'Shop', redirect_uris: ['https://shop.example/cb'] }),
      names: ['client_id', 'client_secret'],
    },
    '/clients/{client_id}/secrets': {
      path: async () => `/clients/${(await makeClient(scene)).clientId}/secrets`,
      // A client has two secrets at most.
      body: () => ({ replaces: true }),
      names: ['secret_id', 'client_secret'],
    },
    '/users': {
      path: async () => '/users',
      body: () => ({ username: `twice-${++serial}`, password: 'a password for the user' }),
      names: [],
    },
    '/invitations': {
      path: async () => '/invitations',
      body: () => ({ email: `guest-${++serial}@example.com`, send_mail: false }),
      names: ['invitation_id', 'link'],
    },
    '/signing-keys/{alg}/rotations': {
      path: async () => '/signing-keys/RS256/rotations',
      body: () => ({ at_once: true }),
      names: ['changes'],
    },
    '/webhook-receivers/{receiver}/tests': {
      path: async () => '/webhook-receivers/crm/tests',
      body: () => ({}),
      names: ['delivery_id'],
    },
    '/webhook-deliveries/{delivery_id}/repetitions': {
      path: async () => {
        const made = await callerWith(scene, asBot)('POST', '/webhook-receivers/crm/tests', { body: {} });
        return `/webhook-deliveries/${made.json().delivery_id}/repetitions`;
      },
      body: () => ({}),
      names: [],
    },
    '/webhook-receivers/{receiver}/redeliveries': {
      path: async () => '/webhook-receivers/crm/redeliveries',
      body: () => ({}),
      names: [],
    },
    '/users/{sub}/mailed-links': {
      path: async () => {
        const claims = { email: `linked-${++serial}@example.com`, email_verified: true };
        return `/users/${(await makeUser(scene, undefined, claims)).id}/mailed-links`;
      },
      body: () => ({}),
      names: [],
    },
    '/mails/{kind}/tests': {
      path: async () => '/mails/sign_up/tests',
      body: () => ({}),
      names: ['to'],
      // A client has no address.
      senders: [() => olgasToken, () => oscarsToken],
    },
  };

  it('is tested at every operation that creates', () => {
    const creating = RESOURCES.filter(({ methods }) => methods.POST?.creates === true).map(({ path }) => path);
    expect(Object.keys(CREATES).toSorted()).toEqual(creating.toSorted());
  });

  it.each(Object.entries(CREATES))(
    'at %s belongs to one administrator',
    async (path, { path: made, body, names, senders = [asBot, asOtherBot, () => olgasToken] }) => {
      const [sender, ...others] = senders;
      const [address, sent] = [await made(), body()];
      const send = (token: () => string) =>
        callerWith(scene, token)('POST', address, {
          body: sent,
          headers: { 'idempotency-key': `one-key-for-${path.replaceAll(/[{}]/g, '')}` },
        });
      const first = await send(sender);
      expect(first.statusCode, first.body).toBe(201);
      const again = await send(sender);
      // A retry by the first sender gets the same answer.
      for (const name of names.filter((one) => one !== 'changes'))
        expect([name, again.json()[name]]).toEqual([name, first.json()[name]]);
      for (const other of others) {
        const theirs = await send(other);
        if (path === '/users') expect([theirs.statusCode, theirs.body.includes('sub')]).toEqual([409, false]);
        for (const name of names) {
          expect(theirs.json()[name], name).toBeDefined();
          expect(theirs.json()[name], name).not.toEqual(first.json()[name]);
          // A request that counts as a retry has no effect.
          if (name === 'changes') expect(theirs.json()[name]).toHaveLength(first.json()[name].length);
        }
      }
      // And is no key for another request of the same administrator.
      const elsewhere = await callerWith(scene, sender)('POST', '/clients', {
        body: { client_name: 'Another shop', redirect_uris: ['https://shop.example/cb'] },
        headers: { 'idempotency-key': `one-key-for-${path.replaceAll(/[{}]/g, '')}` },
      });
      expect(elsewhere.statusCode).toBe(422);
      if (path !== '/mails/{kind}/tests') return;
      for (const name of ['olga', 'oscar'])
        expect((await mails.to(`${name}@example.com`)).filter(({ text }) => text.includes('t=sample'))).toHaveLength(1);
    },
  );
});

describe('an entity tag', () => {
  it.each(['', '/clients/bot', '/users'])(
    'of %s yields 304 for the representation of this caller alone',
    async (path) => {
      const callers = [asBot, asOtherBot, () => olgasToken];
      const answers = await Promise.all(callers.map((token) => callerWith(scene, token)('GET', path)));
      for (const [at, token] of callers.entries()) {
        for (const { headers, body } of answers) {
          const kept = { 'if-none-match': String(headers.etag) };
          const { statusCode } = await callerWith(scene, token)('GET', path, { headers: kept });
          expect(statusCode).toBe(body === answers[at]?.body ? 304 : 200);
        }
      }
      // No other copy is used between.
      for (const { headers } of answers) {
        expect(headers['cache-control']).toBe('private, no-cache');
        expect(headers.vary).toContain('Authorization');
      }
    },
  );
});

const signIn = async (browser: Browser, { username }: Pick<TestUser, 'username'>): Promise<void> => {
  await browser.submit(await browser.get('/sign-in'), { username, password: PASSWORD });
  expect((await browser.get('/account')).body).toContain(username);
};
const signOut = async (browser: Browser): Promise<Answer> =>
  browser.submit(await browser.get('/oauth/logout'), { decision: 'approve' });

describe('a form that one end-user was shown', () => {
  /** Page, form, and fields that would have an effect for the next end-user of the browser. */
  const FORMS: readonly (readonly [page: string, path: string, fields: Readonly<Record<string, string>>])[] = [
    ['/account/devices', '/account/devices/end-others', {}],
    ['/account/devices', '/account/devices/end-all-trust', {}],
    ['/account/apps', '/account/apps/end', { client_id: 'any' }],
    [
      '/account/password',
      '/account/password',
      { current: PASSWORD, chosen: 'another long passphrase', repeated: 'another long passphrase' },
    ],
    ['/account/sign-in-methods', '/account/sign-in-methods/apps/set-up', {}],
    ['/account/sign-in-methods', '/account/sign-in-methods/recovery-codes', {}],
    ['/account/email', '/account/email/change', { email: 'thief@example.com' }],
    ['/account/data', '/account/data', {}],
    ['/account/delete', '/account/delete', {}],
    ['/permissions', '/permissions/end', { client_id: 'any' }],
    ['/oauth/logout', '/oauth/logout/decision', { decision: 'approve' }],
  ];

  it.each(FORMS)('at %s is rejected for the next one in the same browser: %s', async (page, path, fields) => {
    const [ada, bob] = [await makeUser(scene), await makeUser(scene)];
    const browser = new Browser(scene.app);
    // The allowed requests have a form on the pages too.
    await goThrough(browser, authorizeUrl(scene.client, makePkce()), ada);
    const shown = formOf((await browser.get(page)).body).fields;
    expect(shown['csrf']).toMatch(/^[\w-]{43}$/);
    const own = { ...shown, ...fields, username: bob.username };
    await signOut(browser);
    await signIn(browser, bob);
    const stored = async () => {
      const db = scene.database.drizzle;
      const account = await db.select().from(users).where(eq(users.id, bob.id));
      const open = await db
        .select({ sid: sessions.sid, state: sessions.state })
        .from(sessions)
        .where(eq(sessions.userId, bob.id));
      return { account, open };
    };
    const before = await stored();
    const refused = await browser.post(path, own);
    expect(refused.status).toBe(403);
    expect(await stored()).toEqual(before);
  });

  it('in the console is rejected for the next one, who gets a console session of their own', async () => {
    const browser = consoleBrowser(scene);
    const [olga, oscar] = [
      { id: '', username: 'olga' },
      { id: '', username: 'oscar' },
    ];
    const olgas = formTo(await openPage(browser, olga), '/console/sign-out');
    await signOut(browser);
    await browser.get('/sign-in');
    const oscars = await openPage(browser, oscar);
    expect(oscars.body).toContain('oscar');
    expect(oscars.body).not.toContain('olga');
    const fields = { ...olgas, username: 'made-by-olga', password: 'another long passphrase' };
    expect((await browser.post('/console/end-user/new', fields)).status).toBe(403);
  });

  it('of one interaction decides no other interaction of the same browser', async () => {
    const [one, another] = [await makeClient(scene), await makeClient(scene)];
    const browser = new Browser(scene.app);
    await signIn(browser, scene.user);
    const pages = await Promise.all([one, another].map((client) => browser.get(authorizeUrl(client, makePkce()))));
    const [first, second] = pages.map(({ body }) => formOf(body));
    const refused = await browser.post(second?.action ?? '', { ...first?.fields, decision: 'approve' });
    expect(refused.status).toBe(403);
    const done = await browser.post(second?.action ?? '', { ...second?.fields, decision: 'approve' });
    expect(done.url).toContain('code=');
  });
});

describe('a mail link that another end-user opens', () => {
  const withAddress = () =>
    makeUser(scene, undefined, { email: `${crypto.randomUUID()}@example.com`, email_verified: true });
  const claimsOf = async ({ id }: TestUser) =>
    (await scene.database.drizzle.select().from(users).where(eq(users.id, id)))[0];
  const addressOf = async (user: TestUser) => String((await claimsOf(user))?.claims['email']);

  it.each([
    [
      'for a new password',
      async (_: Browser, address: string) => {
        const asking = new Browser(scene.app);
        await asking.submit(await asking.get('/forgot-password'), { email: address });
        return address;
      },
    ],
    [
      'for another address',
      async (browser: Browser) => {
        const email = `${crypto.randomUUID()}@example.com`;
        const { csrf = '' } = formOf((await browser.get('/account/email')).body).fields;
        await browser.post('/account/email/change', { csrf, email });
        return email;
      },
    ],
  ] as const)('%s changes the account of the recipient, and not theirs', async (_, ask) => {
    const [ada, bob] = [await withAddress(), await withAddress()];
    const [adas, bobs] = [new Browser(scene.app), new Browser(scene.app)];
    await signIn(adas, ada);
    await signIn(bobs, bob);
    const to = await ask(adas, await addressOf(ada));
    const link = await mails.link(to);
    const [adaBefore, bobBefore] = [await claimsOf(ada), await claimsOf(bob)];
    const page = await bobs.get(link);
    expect(page.body).not.toContain(bob.username);
    const { action, fields } = formOf(page.body);
    // Another browser cannot send the form that this one was shown.
    const stranger = new Browser(scene.app);
    await stranger.get('/sign-in');
    const chosen = {
      password: 'another long passphrase',
      chosen: 'another long passphrase',
      repeated: 'another long passphrase',
    };
    expect((await stranger.post(action, { ...fields, ...chosen })).status).toBe(403);
    expect(await claimsOf(ada)).toEqual(adaBefore);
    await bobs.post(action, { ...fields, ...chosen });
    expect(await claimsOf(ada)).not.toEqual(adaBefore);
    expect(await claimsOf(bob)).toEqual(bobBefore);
    // The user of the link is signed in as before: not as the owner of the account.
    expect((await bobs.get('/account')).body).toContain(bob.username);
  });
});

/** Two servers of one host, with the same root secret and the same signing keys, which should not be and may be: only their issuers differ. */
describe('a tenant of the same host', () => {
  const SHOP = { clientId: 'shop' };
  type Tenant = { readonly scene: Scene; readonly client: TestClient; readonly user: TestUser; readonly path: string };
  let one: Tenant;
  let another: Tenant;
  beforeAll(async () => {
    const open = async (path: string): Promise<Tenant> => {
      const tenant = await openScene(anyDatabase, { issuer: `${ISSUER}${path}`, configuration: withBot() });
      await makeBot(tenant);
      return { scene: tenant, client: await makeClient(tenant, SHOP), user: await makeUser(tenant, 'sam'), path };
    };
    [one, another] = [await open('/one'), await open('/another')];
  });
  afterAll(async () => {
    await one.scene.close();
    await another.scene.close();
  });

  /** As this tenant's client authenticates there: the answer is about the token, and not about the credentials. */
  const thereOf = ({ scene: tenant, path, client }: Tenant) => ({
    inject: (url: string, token: string) =>
      tenant.app.inject({ url: `${path}${url}`, headers: { authorization: `Bearer ${token}` } }),
    post: async (url: string, fields: Readonly<Record<string, string>>) => {
      const credentials = Buffer.from(`${client.clientId}:${client.secret}`).toString('base64');
      const reply = await tenant.app.inject({
        method: 'POST',
        url: `${path}${url}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${credentials}` },
        payload: new URLSearchParams(fields).toString(),
      });
      return { status: reply.statusCode, json: reply.body === '' ? {} : reply.json() };
    },
  });
  const authorizeAt = ({ path, client }: Tenant, pkce = makePkce()) =>
    `${path}${authorizeUrl(client, pkce, { scope: 'openid' })}`;
  async function holds(tenant: Tenant) {
    const browser = new Browser(tenant.scene.app);
    const code = async () => {
      const pkce = makePkce();
      const { url } = await goThrough(browser, authorizeAt(tenant, pkce), tenant.user);
      return { code: new URL(url).searchParams.get('code') ?? '', code_verifier: pkce.verifier };
    };
    const { post } = thereOf(tenant);
    const { json } = await post('/oauth/token', { grant_type: 'authorization_code', ...(await code()) });
    return { browser, code: await code(), json };
  }

  it('rejects codes, tokens and management tokens of the other tenant', async () => {
    const { json, code } = await holds(one);
    const bot = tokenOf(one.scene, MANAGEMENT_SCOPE_NAMES);
    const ask = async ({ inject, post }: ReturnType<typeof thereOf>) => ({
      userInfo: (await inject('/oauth/userinfo', json.access_token)).statusCode,
      management: (await inject('/management/v1/clients', bot)).statusCode,
      access: (await post('/oauth/introspect', { token: json.access_token })).json.active,
      refreshed: (await post('/oauth/introspect', { token: json.refresh_token })).json.active,
      code: (await post('/oauth/token', { grant_type: 'authorization_code', ...code })).status,
      refresh: (await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: json.refresh_token })).status,
    });
    const refused = { userInfo: 401, management: 401, access: false, refreshed: false, code: 400, refresh: 400 };
    expect(await ask(thereOf(another))).toEqual(refused);
    // The requests to the other tenant have changed no row here.
    const good = { userInfo: 200, management: 200, access: true, refreshed: true, code: 200, refresh: 200 };
    expect(await ask(thereOf(one))).toEqual(good);
  });

  it('revokes no token of the other tenant', async () => {
    const { json } = await holds(one);
    for (const token of [json.access_token, json.refresh_token])
      expect((await thereOf(another).post('/oauth/revoke', { token })).status).toBe(200);
    expect((await thereOf(one).inject('/oauth/userinfo', json.access_token)).statusCode).toBe(200);
  });

  it('has no session in a browser that is signed in at the other tenant, whatever cookies are sent', async () => {
    const { browser } = await holds(one);
    expect((await browser.get('/one/account')).status).toBe(200);
    const there = new Browser(another.scene.app);
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    const asked = await there.send('GET', '/another/account', null);
    expect([asked.status, asked.headers['location']]).toEqual([303, '/another/sign-in']);
    const silent = await there.send('GET', `${authorizeAt(another)}&prompt=none`, null);
    expect(String(silent.headers['location'])).toContain('error=login_required');
  });

  it('rejects the intermediate pages of the other tenant, in the same browser', async () => {
    const here = new Browser(one.scene.app);
    const page = await here.get(authorizeAt(one));
    const { action, fields } = formOf(page.body);
    // For each path a browser has other cookies.
    const there = new Browser(another.scene.app);
    await there.get(authorizeAt(another));
    const sent = { ...fields, username: 'sam', password: PASSWORD };
    const refused = await there.post(action.replace('/one/', '/another/'), sent);
    expect(refused.status).toBe(403);
    expect((await there.get('/another/account')).url).toBe('/another/sign-in');
  });

  it('keeps its session when a sign-out presents an ID Token of the other tenant', async () => {
    const { json } = await holds(one);
    const there = await holds(another);
    await there.browser.get(`/another/oauth/logout?id_token_hint=${json.id_token}`);
    expect((await there.browser.get('/another/account')).status).toBe(200);
  });
});
