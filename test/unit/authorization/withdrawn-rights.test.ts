/**
 * A withdrawn right is gone at the next request, and no other right goes with it. Each line of the tables withdraws one right in one way;
 * before and after it every other request is sent too. The tables say which requests fail; every other request must still succeed.
 */
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperatorsFile } from '../../../policies/operators-schema.ts';
import { registerConsole } from '../../../src/boot/console.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { CONSOLE_CLIENT_ID } from '../../../src/config/own-clients.ts';
import { consoleSessions, grants, secondFactors, sessions, users } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  refresh,
  type TestClient,
  type TestUser,
  token,
} from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { consoleBrowser, formTo, openPage } from '../../support/console.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Enrolled, enrol } from '../../support/factors.ts';
import { API, BOT, callerWith, makeBot, tokenOf } from '../../support/management.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { introspect, revoke } from '../../support/sent-token.ts';

const [RESOURCE] = shippedConfiguration.resources;
if (!RESOURCE) throw new Error('no resource is shipped');
/** Another user has a role, so that the console stays open. */
const NOTHING_ELSE = {
  operators: ['another-operator'],
  auditors: [],
  clients: [{ client_id: BOT, scope: [...MANAGEMENT_SCOPE_NAMES] }],
};

let scene: Scene;
let operators: OperatorsFile;
let resources: Configuration['resources'];
/** Its API asks about tokens. */
let api: TestClient;
const asShipped = () => {
  operators = NOTHING_ELSE;
  resources = [{ ...RESOURCE, introspectedBy: ['api'] }];
};
beforeAll(async () => {
  asShipped();
  scene = await openScene(anyDatabase, { operators: () => operators, reloaded: () => ({ resources }) });
  await makeBot(scene);
  api = await makeClient(scene, { clientId: 'api' });
  const { deps, keys, issuer, clock } = scene;
  await registerConsole({ issuer, keys, db: db(), clock, configuration: deps.configuration() });
});
afterAll(() => scene.close());

const db = () => scene.database.drizzle;
const manage = async (...[method, path, body]: [string, string, object?]): Promise<void> => {
  const call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
  const answer = await call(method as 'GET', path, { headers: { 'if-match': '*' }, ...(body && { body }) });
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.body}`);
};
const submit = async (browser: Browser, page: string, path: string, fields: Readonly<Record<string, string>> = {}) => {
  const { csrf = '' } = formOf((await browser.get(page)).body).fields;
  const answer = await browser.send('POST', path, new URLSearchParams({ csrf, ...fields }).toString());
  if (answer.status !== 303) throw new Error(`${path}: ${answer.status}`);
};
const isOpen = async (browser: Browser) => (await browser.send('GET', '/account', null)).status === 200;
const signedIn = async (user: TestUser, password = PASSWORD): Promise<Browser> => {
  const browser = new Browser(scene.app);
  await browser.submit(await browser.get('/sign-in'), { username: user.username, password });
  return browser;
};

/** Each right, by a request that needs it. */
type Rights<Name extends string> = Readonly<Record<Name, boolean>>;
const all = <Name extends string>(names: readonly Name[], gone: readonly Name[]): Rights<Name> =>
  Object.fromEntries(names.map((name) => [name, !gone.includes(name)])) as Rights<Name>;

describe('the rights of a client and its end-user', () => {
  const NAMES = [
    'refreshes',
    'refreshes with the scope write',
    'exchanges a code',
    'introspects its access token',
    'reads UserInfo',
    'gets a code without a question',
    'uses client credentials',
    'has an access token of its own that the API finds active',
    'has an access token of the end-user that the API finds active',
    'opens the account',
    'opens the account in another browser',
    'signs in with the password',
  ] as const;
  type Name = (typeof NAMES)[number];
  const OF_TOKENS = [
    'refreshes',
    'refreshes with the scope write',
    'introspects its access token',
    'reads UserInfo',
    'has an access token of the end-user that the API finds active',
  ] as const;
  const OF_ACCESS = [...OF_TOKENS, 'exchanges a code', 'gets a code without a question'] as const;
  const OF_BROWSERS = ['opens the account', 'opens the account in another browser'] as const;
  const OF_SECRET = [
    'refreshes',
    'refreshes with the scope write',
    'exchanges a code',
    'introspects its access token',
    'uses client credentials',
  ] as const;

  type Held = {
    readonly user: TestUser;
    readonly client: TestClient;
    readonly browser: Browser;
    readonly elsewhere: Browser;
    readonly grantId: string;
    readonly sid: string;
    readonly accessToken: string;
    readonly ofClient: string;
    readonly codes: { code: string; verifier: string }[];
    head: string;
  };
  const SCOPE = 'openid read write';

  async function hold(): Promise<Held> {
    const [user, client] = [await makeUser(scene), await makeClient(scene, { scope: SCOPE.split(' ') })];
    const browser = new Browser(scene.app);
    const code = async () => {
      const pkce = makePkce();
      const { url } = await goThrough(browser, authorizeUrl(client, pkce, { scope: SCOPE }), user);
      return { code: new URL(url).searchParams.get('code') ?? '', verifier: pkce.verifier };
    };
    const { json } = await exchange(scene, client, await code());
    const [grant] = await db().select().from(grants).where(eq(grants.clientId, client.clientId));
    const [session] = await db().select().from(sessions).where(eq(sessions.userId, user.id));
    const own = await token(scene, client, { grant_type: 'client_credentials' });
    return {
      user,
      client,
      browser,
      elsewhere: await signedIn(user),
      grantId: grant?.id ?? '',
      sid: session?.sid ?? '',
      accessToken: json.access_token ?? '',
      ofClient: own.json.access_token ?? '',
      codes: [await code(), await code()],
      head: json.refresh_token ?? '',
    };
  }

  async function rightsOf(held: Held): Promise<Rights<Name>> {
    const { client, accessToken, user } = held;
    const waiting = held.codes.shift();
    if (waiting === undefined) throw new Error('no code is left');
    const silent = authorizeUrl(client, makePkce(), { scope: SCOPE, prompt: 'none' });
    const headers = { authorization: `Bearer ${accessToken}` };
    const finds = async (by: TestClient, sent: string) => (await introspect(scene, by, sent)).json['active'] === true;
    const [refreshed, exchanged, own, userInfo, code, ...rest] = await Promise.all([
      refresh(scene, client, held.head),
      exchange(scene, client, waiting),
      token(scene, client, { grant_type: 'client_credentials' }),
      scene.app.inject({ url: '/oauth/userinfo', headers }),
      held.browser.send('GET', silent, null),
      finds(client, accessToken),
      finds(api, held.ofClient),
      finds(api, accessToken),
      isOpen(held.elsewhere),
      signedIn(user).then(isOpen),
    ]);
    held.head = refreshed.json.refresh_token ?? held.head;
    const [findsItsToken, apiFindsItsOwn, apiFindsTheEndUsers, opensElsewhere, signsIn] = rest;
    return {
      refreshes: refreshed.status === 200,
      'refreshes with the scope write': (refreshed.json.scope ?? '').split(' ').includes('write'),
      'exchanges a code': exchanged.status === 200,
      'introspects its access token': findsItsToken,
      'reads UserInfo': userInfo.statusCode === 200,
      'gets a code without a question': /[?&]code=/.test(String(code.headers['location'])),
      'uses client credentials': own.status === 200,
      'has an access token of its own that the API finds active': apiFindsItsOwn,
      'has an access token of the end-user that the API finds active': apiFindsTheEndUsers,
      'opens the account': await isOpen(held.browser),
      'opens the account in another browser': opensElsewhere,
      'signs in with the password': signsIn,
    };
  }

  const client = (change: object) => (held: Held) => manage('PATCH', `/clients/${held.client.clientId}`, change);
  const user = (change: object) => (held: Held) => manage('PATCH', `/users/${held.user.id}`, change);
  const reload = (change: () => Configuration['resources']) => async () => {
    resources = change();
  };

  const withoutScope = reload(() =>
    resources.map((one) => ({ ...one, scopes: one.scopes.filter(({ name }) => name !== 'write') })),
  );

  const TAKEN: Readonly<Record<string, readonly [take: (held: Held) => Promise<unknown>, gone: readonly Name[]]>> = {
    'nothing is taken': [async () => {}, []],
    'the scope ceiling is narrowed': [
      client({ scope: 'openid read' }),
      // It requests the scope write.
      ['refreshes with the scope write', 'gets a code without a question'],
    ],
    'the redirect URI is replaced': [
      client({ redirect_uris: ['https://elsewhere.test/callback'] }),
      ['gets a code without a question'],
    ],
    'the grant type refresh_token is removed': [
      client({ grant_types: ['authorization_code', 'client_credentials'] }),
      ['refreshes', 'refreshes with the scope write'],
    ],
    'the grant type authorization_code is removed': [
      client({ grant_types: ['refresh_token', 'client_credentials'] }),
      ['exchanges a code', 'gets a code without a question'],
    ],
    'the grant type client_credentials is removed': [
      client({ grant_types: ['authorization_code', 'refresh_token'] }),
      ['uses client credentials'],
    ],
    'the client becomes public': [
      client({ token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] }),
      OF_SECRET,
    ],
    'the secret is replaced': [
      async ({ client: { clientId } }) => {
        await manage('POST', `/clients/${clientId}/secrets`, {});
        await manage('DELETE', `/clients/${clientId}/secrets/first`);
      },
      OF_SECRET,
    ],
    'the client is deleted': [
      ({ client: { clientId } }) => manage('DELETE', `/clients/${clientId}`),
      [...OF_ACCESS, 'uses client credentials', 'has an access token of its own that the API finds active'],
    ],
    'the resource loses a scope, for a client without a ceiling': [
      async (held) => {
        await client({ scope: null })(held);
        await withoutScope();
      },
      ['refreshes with the scope write'],
    ],
    // docs/decisions/0027: its registration names the scope, and `check` warns that nothing describes it.
    'the resource loses a scope that the ceiling of the client names': [() => withoutScope(), []],
    'the resource is removed': [
      reload(() => []),
      [
        'refreshes with the scope write',
        'gets a code without a question',
        'uses client credentials',
        'has an access token of its own that the API finds active',
        'has an access token of the end-user that the API finds active',
      ],
    ],
    'the API is removed from introspectedBy': [
      reload(() => resources.map((one) => ({ ...one, introspectedBy: [] }))),
      [
        'has an access token of its own that the API finds active',
        'has an access token of the end-user that the API finds active',
      ],
    ],
    'the client revokes its refresh token': [(held) => revoke(scene, held.client, held.head), OF_TOKENS],
    'the client revokes its access token': [(held) => revoke(scene, held.client, held.accessToken), OF_TOKENS],
    'the client revokes its own access token': [
      (held) => revoke(scene, held.client, held.ofClient),
      ['has an access token of its own that the API finds active'],
    ],
    'an administrator revokes the grant': [({ grantId }) => manage('DELETE', `/grants/${grantId}`), OF_TOKENS],
    'the end-user withdraws the consent, at /permissions': [
      ({ browser, client: { clientId } }) =>
        submit(browser, '/permissions', '/permissions/end', { client_id: clientId }),
      OF_ACCESS,
    ],
    'the end-user withdraws the consent, in the account': [
      ({ browser, client: { clientId } }) =>
        submit(browser, '/account/apps', '/account/apps/end', { client_id: clientId }),
      OF_ACCESS,
    ],
    'the end-user signs out': [
      async ({ browser }) => browser.submit(await browser.get('/oauth/logout'), { decision: 'approve' }),
      ['opens the account', 'gets a code without a question'],
    ],
    'the end-user ends the session from another browser': [
      ({ elsewhere, sid }) => submit(elsewhere, '/account/devices', '/account/devices/end', { session: sid }),
      ['opens the account', 'gets a code without a question'],
    ],
    'the end-user ends all other sessions': [
      ({ browser }) => submit(browser, '/account/devices', '/account/devices/end-others'),
      ['opens the account in another browser'],
    ],
    'an administrator ends the session': [
      ({ sid }) => manage('DELETE', `/sessions/${sid}`),
      ['opens the account', 'gets a code without a question'],
    ],
    'the end-user changes the password': [
      ({ browser }) =>
        submit(browser, '/account/password', '/account/password', {
          current: PASSWORD,
          chosen: 'another long passphrase',
          repeated: 'another long passphrase',
        }),
      [...OF_ACCESS, 'opens the account in another browser', 'signs in with the password'],
    ],
    'an administrator sets the password': [
      user({ password: 'another long passphrase' }),
      [...OF_ACCESS, ...OF_BROWSERS, 'signs in with the password'],
    ],
    'an administrator disables the end-user': [
      user({ disabled: true }),
      [...OF_ACCESS, ...OF_BROWSERS, 'signs in with the password'],
    ],
    'an administrator disables the end-user and enables them again': [
      async (held) => {
        await user({ disabled: true })(held);
        await user({ disabled: false })(held);
      },
      [...OF_ACCESS, ...OF_BROWSERS],
    ],
    'an administrator erases the end-user': [
      (held) => manage('DELETE', `/users/${held.user.id}`),
      [...OF_ACCESS, ...OF_BROWSERS, 'signs in with the password'],
    ],
    'the end-user erases the account': [
      ({ browser, user: { username } }) => submit(browser, '/account/delete', '/account/delete', { username }),
      [...OF_ACCESS, ...OF_BROWSERS, 'signs in with the password'],
    ],
  };

  it.each(Object.entries(TAKEN))('%s', async (_, [take, gone]) => {
    asShipped();
    const held = await hold();
    expect(await rightsOf(held)).toEqual(all(NAMES, []));
    await take(held);
    const after = await rightsOf(held);
    asShipped();
    expect(after).toEqual(all(NAMES, gone));
  });
});

describe('the rights of an operator', () => {
  const NAMES = [
    'reads through the API with a token that is out',
    'changes through the API with a token that is out',
    'refreshes with the scope clients:write',
    'opens the console',
    'sends a form of the console',
    'has a session of the console',
    'has a grant of the console',
  ] as const;
  type Name = (typeof NAMES)[number];
  const OF_API = NAMES.slice(0, 3);
  const OF_CONSOLE = NAMES.slice(3);
  /** No row ended: every request checks the role, and is rejected while the role is missing. */
  const OF_ROLE = NAMES.slice(0, 5);
  const CHANGES: readonly Name[] = [
    'changes through the API with a token that is out',
    'refreshes with the scope clients:write',
    'sends a form of the console',
  ];

  type Held = {
    readonly user: TestUser;
    readonly client: TestClient;
    readonly browser: Browser;
    readonly form: Readonly<Record<string, string>>;
    readonly accessToken: string;
    head: string;
  };

  async function hold(): Promise<Held> {
    const user = await makeUser(scene);
    operators = { ...NOTHING_ELSE, operators: [user.username] };
    const scope = ['clients:read', 'clients:write'];
    const client = await makeClient(scene, { scope });
    const browser = consoleBrowser(scene);
    const form = formTo(await openPage(browser, user), '/console/sign-out');
    const pkce = makePkce();
    // In a browser of its own: the two tokens are unrelated.
    const asked = authorizeUrl(client, pkce, { scope: scope.join(' '), resource: API });
    const { url } = await goThrough(new Browser(scene.app), asked, user);
    const code = new URL(url).searchParams.get('code') ?? '';
    const { json } = await exchange(scene, client, { code, verifier: pkce.verifier });
    return { user, client, browser, form, accessToken: json.access_token ?? '', head: json.refresh_token ?? '' };
  }

  async function rightsOf(held: Held): Promise<Rights<Name>> {
    const call = callerWith(scene, () => held.accessToken);
    // An allowed request gets as far as the client, which is not found.
    const { statusCode: changed } = await call('DELETE', '/clients/no-such-client', { headers: { 'if-match': '*' } });
    const { statusCode: read } = await call('GET', '/clients/no-such-client');
    const refreshed = await refresh(scene, held.client, held.head);
    held.head = refreshed.json.refresh_token ?? held.head;
    // The form first: a page would lead to another sign-in, which clears what the form needs.
    const fields = new URLSearchParams({ ...held.form, id: '00000000-0000-4000-8000-000000000000' }).toString();
    const sent = await held.browser.send('POST', '/console/grant/end', fields);
    return {
      'reads through the API with a token that is out': read === 404,
      'changes through the API with a token that is out': changed === 404,
      'refreshes with the scope clients:write': (refreshed.json.scope ?? '').split(' ').includes('clients:write'),
      'opens the console': (await held.browser.send('GET', '/console', null)).status === 200,
      'sends a form of the console': sent.status === 404,
      // Ended, not only ignored: no row remains with which the right could come back.
      'has a session of the console':
        (await db().$count(consoleSessions, eq(consoleSessions.userId, held.user.id))) > 0,
      'has a grant of the console': (await grantOf(held, CONSOLE_CLIENT_ID)) !== null,
    };
  }

  /** Null: none that is active. */
  const grantOf = async (held: Held, clientId: string): Promise<string | null> => {
    const ofBoth = and(eq(grants.clientId, clientId), eq(grants.userId, held.user.id), eq(grants.state, 'active'));
    const ofUser = and(eq(users.id, grants.userId), eq(users.epoch, grants.userEpoch));
    return (await db().select({ id: grants.id }).from(grants).innerJoin(users, ofUser).where(ofBoth))[0]?.id ?? null;
  };
  const user = (change: object) => (held: Held) => manage('PATCH', `/users/${held.user.id}`, change);

  const TAKEN: Readonly<Record<string, readonly [take: (held: Held) => Promise<unknown>, gone: readonly Name[]]>> = {
    'nothing is taken': [async () => {}, []],
    'the operator leaves operators.yaml': [
      async () => {
        operators = NOTHING_ELSE;
      },
      OF_ROLE,
    ],
    'the operator becomes an auditor': [
      async (held) => {
        operators = { ...NOTHING_ELSE, auditors: [held.user.username] };
      },
      CHANGES,
    ],
    'the operator gets another username': [
      async (held) => user({ username: `renamed-${held.user.username}` })(held),
      OF_ROLE,
    ],
    'the operator is disabled': [user({ disabled: true }), NAMES],
    'the operator is disabled and enabled again': [
      async (held) => {
        await user({ disabled: true })(held);
        await user({ disabled: false })(held);
      },
      NAMES,
    ],
    'the operator is erased': [(held) => manage('DELETE', `/users/${held.user.id}`), NAMES],
    'the password of the operator is set': [user({ password: 'another long passphrase' }), NAMES],
    'the grant of the console is revoked': [
      async (held) => manage('DELETE', `/grants/${await grantOf(held, CONSOLE_CLIENT_ID)}`),
      OF_CONSOLE,
    ],
    'the grant of the client is revoked': [
      async (held) => manage('DELETE', `/grants/${await grantOf(held, held.client.clientId)}`),
      OF_API,
    ],
    'the client is deleted': [(held) => manage('DELETE', `/clients/${held.client.clientId}`), OF_API],
    'the scope ceiling of the client is narrowed': [
      (held) => manage('PATCH', `/clients/${held.client.clientId}`, { scope: 'clients:read' }),
      ['refreshes with the scope clients:write'],
    ],
    'the operator signs out of this server in the browser of the console': [
      async ({ browser }) => browser.submit(await browser.get('/oauth/logout'), { decision: 'approve' }),
      // Without the cookie of the session the token in the row cannot be opened; both end with the token.
      ['opens the console', 'sends a form of the console'],
    ],
    'the operator ends all other sessions in another browser': [
      async ({ user: { username } }) => {
        const elsewhere = new Browser(scene.app);
        await elsewhere.submit(await elsewhere.get('/sign-in'), { username, password: PASSWORD });
        await submit(elsewhere, '/account/devices', '/account/devices/end-others');
      },
      OF_CONSOLE,
    ],
    'an administrator ends the session': [
      async ({ user: { id } }) => {
        const begun = await db().select().from(sessions).where(eq(sessions.userId, id));
        for (const { sid } of begun) await manage('DELETE', `/sessions/${sid}`);
      },
      OF_CONSOLE,
    ],
    'the operator signs out of the console': [
      ({ browser, form }) => browser.post('/console/sign-out', form),
      OF_CONSOLE,
    ],
  };

  it.each(Object.entries(TAKEN))('%s', async (_, [take, gone]) => {
    const held = await hold();
    expect(await rightsOf(held)).toEqual(all(NAMES, []));
    await take(held);
    expect(await rightsOf(held)).toEqual(all(NAMES, gone));
  });
});

describe('the rights of a client that administers', () => {
  const NAMES = ['reads with a token that is out', 'changes with a token that is out', 'gets another token'] as const;
  type Name = (typeof NAMES)[number];
  type Held = { readonly client: TestClient; readonly accessToken: string };
  const SCOPE = ['clients:read', 'clients:write'];
  const entry = (clientId: string, scope = SCOPE): OperatorsFile => ({
    ...NOTHING_ELSE,
    clients: [...NOTHING_ELSE.clients, { client_id: clientId, scope }],
  });
  const ask = (client: TestClient) =>
    token(scene, client, { grant_type: 'client_credentials', scope: SCOPE.join(' '), resource: API });

  async function rightsOf({ client, accessToken }: Held): Promise<Rights<Name>> {
    const call = callerWith(scene, () => accessToken);
    const { statusCode: changed } = await call('DELETE', '/clients/no-such-client', { headers: { 'if-match': '*' } });
    const { statusCode: read } = await call('GET', '/clients/no-such-client');
    return {
      'reads with a token that is out': read === 404,
      'changes with a token that is out': changed === 404,
      'gets another token': (await ask(client)).status === 200,
    };
  }

  const TAKEN: Readonly<Record<string, readonly [take: (held: Held) => Promise<unknown>, gone: readonly Name[]]>> = {
    'nothing is taken': [async () => {}, []],
    'the entry in operators.yaml is removed': [
      async () => {
        operators = NOTHING_ELSE;
      },
      NAMES,
    ],
    'the entry in operators.yaml is narrowed': [
      async ({ client }) => {
        operators = entry(client.clientId, ['clients:read']);
      },
      ['changes with a token that is out', 'gets another token'],
    ],
    'the client is deleted': [({ client }) => manage('DELETE', `/clients/${client.clientId}`), NAMES],
    'the client is deleted, and another one has its id': [
      async ({ client }) => {
        await manage('DELETE', `/clients/${client.clientId}`);
        await makeClient(scene, { clientId: client.clientId });
      },
      NAMES,
    ],
    'the token is revoked': [
      ({ client, accessToken }) => revoke(scene, client, accessToken),
      ['reads with a token that is out', 'changes with a token that is out'],
    ],
    'the secret is replaced': [
      async ({ client: { clientId } }) => {
        await manage('POST', `/clients/${clientId}/secrets`, {});
        await manage('DELETE', `/clients/${clientId}/secrets/first`);
      },
      ['gets another token'],
    ],
    'the grant type client_credentials is removed': [
      ({ client }) => manage('PATCH', `/clients/${client.clientId}`, { grant_types: ['authorization_code'] }),
      ['gets another token'],
    ],
  };

  it.each(Object.entries(TAKEN))('%s', async (_, [take, gone]) => {
    const client = await makeClient(scene);
    operators = entry(client.clientId);
    const held = { client, accessToken: (await ask(client)).json.access_token ?? '' };
    expect(await rightsOf(held)).toEqual(all(NAMES, []));
    await take(held);
    expect(await rightsOf(held)).toEqual(all(NAMES, gone));
  });
});

describe('the rights of a passkey', () => {
  type Held = { readonly user: TestUser; readonly id: string; readonly signsIn: () => Promise<Browser> };
  async function hold(): Promise<Held> {
    const user = await makeUser(scene);
    const passkey = await registeredPasskey(scene, user);
    return {
      user,
      id: passkey.id,
      signsIn: async () => {
        const browser = new Browser(scene.app);
        const page = await browser.get('/sign-in');
        const fields = { csrf: formOf(page.body).fields['csrf'] ?? '', credential: passkey.sign(page) };
        await browser.post('/sign-in/passkey', fields);
        return browser;
      },
    };
  }

  const TAKEN: Readonly<Record<string, (held: Held) => Promise<unknown>>> = {
    'the end-user removes it': async ({ id, signsIn }) =>
      submit(await signsIn(), '/account/sign-in-methods', '/account/sign-in-methods/passkeys/remove', { id }),
    'an administrator removes it': ({ user, id }) => manage('DELETE', `/users/${user.id}/passkeys/${id}`),
    'the end-user is disabled': ({ user }) => manage('PATCH', `/users/${user.id}`, { disabled: true }),
    'the end-user is erased': ({ user }) => manage('DELETE', `/users/${user.id}`),
  };

  it.each(Object.entries(TAKEN))('it no longer signs in: %s', async (_, take) => {
    operators = NOTHING_ELSE;
    const held = await hold();
    expect(await isOpen(await held.signsIn())).toBe(true);
    await take(held);
    expect(await isOpen(await held.signsIn())).toBe(false);
  });
});

describe('the rights of a second factor', () => {
  const NAMES = ['finishes a sign-in with the app', 'finishes a sign-in with a recovery code'] as const;
  type Name = (typeof NAMES)[number];
  /** The password was correct, and the page requires the factor. */
  type Waiting = { readonly browser: Browser; readonly page: Answer };
  type Held = Enrolled & { readonly user: TestUser; readonly browser: Browser; readonly waiting: Waiting[] };

  async function hold(): Promise<Held> {
    const user = await makeUser(scene);
    const browser = new Browser(scene.app);
    const enrolled = await enrol(scene, browser, user);
    const waiting: Waiting[] = [];
    for (let count = 0; count < 4; count++) {
      const other = new Browser(scene.app);
      const fields = { username: user.username, password: PASSWORD };
      waiting.push({ browser: other, page: await other.submit(await other.get('/sign-in'), fields) });
    }
    return { ...enrolled, user, browser, waiting };
  }

  async function rightsOf({ app, recoveryCodes, waiting }: Held): Promise<Rights<Name>> {
    const finishes = async (code: string) => {
      const next = waiting.shift();
      if (next === undefined) throw new Error('no sign-in is left');
      await next.browser.submit(next.page, { code });
      return isOpen(next.browser);
    };
    // Each code counts once: the next one is that of the next step, and another of the list.
    scene.clock.advanceSeconds(30);
    return {
      'finishes a sign-in with the app': await finishes(app.codeAt(scene.clock.now())),
      'finishes a sign-in with a recovery code': await finishes(recoveryCodes[waiting.length] ?? ''),
    };
  }

  const TAKEN: Readonly<Record<string, readonly [take: (held: Held) => Promise<unknown>, gone: readonly Name[]]>> = {
    'nothing is taken': [async () => {}, []],
    'an administrator removes it': [({ user }) => manage('DELETE', `/users/${user.id}/second-factor`), NAMES],
    'the end-user removes the app': [
      async ({ user, browser }) => {
        const [app] = await db().select().from(secondFactors).where(eq(secondFactors.userId, user.id));
        const path = '/account/sign-in-methods/apps/remove';
        await submit(browser, '/account/sign-in-methods', path, { id: app?.id ?? '' });
      },
      NAMES,
    ],
    'the end-user makes new recovery codes': [
      async ({ browser }) => {
        const { csrf = '' } = formOf((await browser.get('/account/sign-in-methods')).body).fields;
        await browser.post('/account/sign-in-methods/recovery-codes', { csrf });
      },
      ['finishes a sign-in with a recovery code'],
    ],
    'the password is set': [
      ({ user }) => manage('PATCH', `/users/${user.id}`, { password: 'another long passphrase' }),
      NAMES,
    ],
    'the end-user is disabled': [({ user }) => manage('PATCH', `/users/${user.id}`, { disabled: true }), NAMES],
  };

  it.each(Object.entries(TAKEN))('%s', async (_, [take, gone]) => {
    operators = NOTHING_ELSE;
    const held = await hold();
    expect(await rightsOf(held)).toEqual(all(NAMES, []));
    await take(held);
    expect(await rightsOf(held)).toEqual(all(NAMES, gone));
  });
});
