/** The token endpoints and the pages between as docs/authorization-matrix.md has them: owner of the grant or token × client × credentials. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delegatedSignInSchema } from '../../../policies/upstreams-schema.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
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
import { deleteClient } from '../../support/administration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails } from '../../support/mails.ts';
import { API, tokenOf } from '../../support/management.ts';
import { formOfRequest, linkOf, push } from '../../support/pushing.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { upstreamOf } from '../../support/upstream.ts';
import { askedBy, NONE, type Row, rowsWith } from './matrix.ts';

const SECTION = 'Token endpoints';
const OTHER_RESOURCE = 'https://other.example.com';

let scene: Scene;
let publicClient: TestClient;
/** Confidential; the API of the shipped resource, and another API. */
let api: TestClient;
let otherApi: TestClient;
beforeAll(async () => {
  const [resource] = shippedConfiguration.resources;
  if (!resource) throw new Error('no resource is shipped');
  const configuration: Configuration = {
    ...shippedConfiguration,
    signIn: { ...shippedConfiguration.signIn, signUp: 'open', codeByMail: true },
    upstreams: [upstreamOf({ issuer: 'https://login.example', client_id: 'here' })],
    delegatedSignIn: delegatedSignInSchema.parse({ url: 'https://login.example.com/' }),
    resources: [
      { ...resource, introspectedBy: ['api'] },
      { ...resource, identifier: OTHER_RESOURCE, default: false, introspectedBy: ['other-api'] },
    ],
  };
  scene = await openScene(anyDatabase, { configuration, mail: keptMails() });
  publicClient = await makeClient(scene, {
    tokenEndpointAuthMethod: 'none',
    grantTypes: ['authorization_code', 'refresh_token'],
  });
  api = await makeClient(scene, { clientId: 'api' });
  otherApi = await makeClient(scene, { clientId: 'other-api' });
});
afterAll(() => scene.close());

type Reply = { readonly status: number; readonly json: Readonly<Record<string, unknown>> };
type Fields = Readonly<Record<string, string>>;

/** @param secret undefined: of the client; null: none is sent. */
async function post(url: string, client: TestClient, fields: Fields, secret = client.secret): Promise<Reply> {
  const credentials = Buffer.from(`${encodeURIComponent(client.clientId)}:${encodeURIComponent(secret ?? '')}`);
  const reply = await scene.app.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(secret !== null && { authorization: `Basic ${credentials.toString('base64')}` }),
    },
    payload: new URLSearchParams({ ...fields, ...(secret === null && { client_id: client.clientId }) }).toString(),
  });
  return { status: reply.statusCode, json: reply.body === '' ? {} : reply.json() };
}
/** As the page writes it. */
const said = ({ status, json }: Reply): string =>
  [String(status), json['error'], json['active'] === undefined ? '' : json['active'] ? 'active' : 'inactive']
    .filter(Boolean)
    .join(' ');
const cases = (column: string) =>
  rowsWith(SECTION, column).map((row): [string, Row] => [Object.values(row).slice(0, 2).join(' · '), row]);

const chainOf = async (client: TestClient, change: Fields = {}) => {
  const { json } = await exchange(scene, client, await scene.code({ client, change }));
  return { access: json.access_token ?? '', refresh: json.refresh_token ?? '', id: json.id_token ?? '' };
};
const withoutUser = async (client: TestClient): Promise<string> =>
  String((await post('/oauth/token', client, { grant_type: 'client_credentials' })).json['access_token']);

/** The fields that name a fresh grant or token of this client; and whether it is still what it was. */
type Credential = { readonly fields: Fields; readonly isAlive: () => Promise<boolean> };

async function codeOf(client: TestClient): Promise<Credential> {
  const { code, verifier } = await scene.code({ client });
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
  return { fields, isAlive: async () => (await post('/oauth/token', client, fields)).status === 200 };
}
async function refreshTokenOf(client: TestClient): Promise<Credential> {
  const { refresh } = await chainOf(client);
  const fields = { grant_type: 'refresh_token', refresh_token: refresh };
  return { fields, isAlive: async () => (await post('/oauth/token', client, fields)).status === 200 };
}
const sent =
  (tokenOfClient: (client: TestClient) => Promise<string>) =>
  async (client: TestClient): Promise<Credential> => {
    const token = await tokenOfClient(client);
    // A public client cannot introspect, so an API asks for all.
    const isAlive = async () => {
      if (token.includes('.')) return (await post('/oauth/introspect', api, { token })).json['active'] === true;
      return (await post('/oauth/token', client, { grant_type: 'refresh_token', refresh_token: token })).status === 200;
    };
    return { fields: { token }, isAlive };
  };

const CREDENTIALS: Readonly<Record<string, (client: TestClient) => Promise<Credential>>> = {
  authorization_code: codeOf,
  refresh_token: refreshTokenOf,
  client_credentials: async () => ({ fields: { grant_type: 'client_credentials' }, isAlive: async () => true }),
  'authorization request': async (client) => ({
    fields: Object.fromEntries(new URLSearchParams(formOfRequest(client, makePkce(), { client_id: undefined }))),
    isAlive: async () => true,
  }),
  'refresh token': sent(async (client) => (await chainOf(client)).refresh),
  'access token': sent(async (client) => (await chainOf(client)).access),
  'access token without an end-user': sent(withoutUser),
};
const requestIn = (row: Row) => {
  const [, , path = '', what = ''] = /^(POST) (\S+) (.*)$/.exec(row['request'] ?? '') ?? [];
  const credentialOf = CREDENTIALS[what];
  if (credentialOf === undefined) throw new Error(`no request for ${row['request']}`);
  return { path, credentialOf };
};

describe('a request to a token endpoint', () => {
  it.each(cases('no credentials'))('%s answers each client as the matrix says', async (_, row) => {
    const { path, credentialOf } = requestIn(row);
    const { client, other } = scene;
    const credential = await credentialOf(client);
    /** @returns the kind of page, and what happened to the credential. */
    const answer = async (reply: Reply, { isAlive }: Credential, cell: string): Promise<string> => {
      if (!/ended|unchanged/.test(cell)) return said(reply);
      return `${said(reply)} ${(await isAlive()) ? 'unchanged' : 'ended'}`;
    };
    const wrong = await post(path, client, credential.fields, 'not the secret of this client');
    expect(said(wrong)).toBe(row['wrong secret']);
    expect(said(await post(path, client, credential.fields, null))).toBe(row['no credentials']);
    const cells = { own: row['own'] ?? '', another: row["another's"] ?? '', public: row['public'] ?? '' };
    if (cells.another !== NONE) {
      const theirs = await credentialOf(client);
      const reply = await post(path, other, theirs.fields);
      expect(await answer(reply, theirs, cells.another)).toBe(cells.another);
      // After any attempt of another client, it works for its own.
      if (!cells.another.includes('unchanged')) expect(await theirs.isAlive()).toBe(true);
    }
    expect(await answer(await post(path, client, credential.fields), credential, cells.own)).toBe(cells.own);
    if (cells.public !== NONE) {
      const own = await credentialOf(publicClient);
      expect(await answer(await post(path, publicClient, own.fields), own, cells.public)).toBe(cells.public);
    }
  });

  it.each(cases('in introspectedBy of the audience'))('%s returns to an API what the matrix says', async (_, row) => {
    const { path, credentialOf } = requestIn(row);
    const { fields } = await credentialOf(scene.client);
    expect(said(await post(path, api, fields))).toBe(row['in introspectedBy of the audience']);
    expect(said(await post(path, otherApi, fields))).toBe(row['in introspectedBy of another resource']);
  });
});

const USERINFO: Readonly<Record<string, () => Promise<string | null>>> = {
  'access token with openid': async () => (await chainOf(scene.client, { scope: 'openid' })).access,
  'access token without openid': async () => (await chainOf(scene.client, { scope: 'read' })).access,
  'access token for the management API': async () =>
    tokenOf(scene, ['openid', 'clients:read'], { sub: scene.client.clientId, client_id: scene.client.clientId }),
  'access token without an end-user': () => withoutUser(scene.client),
  'refresh token': async () => (await chainOf(scene.client, { scope: 'openid' })).refresh,
  'ID Token': async () => (await chainOf(scene.client, { scope: 'openid' })).id,
  'revoked access token': async () => {
    const { access } = await chainOf(scene.client, { scope: 'openid' });
    await post('/oauth/revoke', scene.client, { token: access });
    return access;
  },
  none: async () => null,
};
/** Where the fields go. */
const inMethod = (method: string, path: string, fields: string): [string, string | null] =>
  method === 'GET' ? [`${path}?${fields}`, null] : [path, fields];
const both = (row: Row) => (row['request'] ?? '').split(', ').map(askedBy);

it.each(cases('credential'))('UserInfo: %s', async (_, row) => {
  const token = (await USERINFO[row['credential'] ?? '']?.()) ?? null;
  expect(Object.keys(USERINFO)).toContain(row['credential']);
  for (const { method, path } of both(row)) {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const reply = await scene.app.inject({ method, url: path, headers });
    expect([method, reply.statusCode]).toEqual([method, Number(row['answer'])]);
  }
});

const AUTHORIZATION: Readonly<Record<string, () => Promise<string>>> = {
  'as registered, and allowed before': async () => authorizeUrl(scene.client, makePkce()),
  'redirect URI of another client': async () => {
    const other = await makeClient(scene, { redirectUris: ['https://other-client.test/callback'] });
    return authorizeUrl(scene.client, makePkce(), { redirect_uri: other.redirectUris[0] });
  },
  'unknown client': async () => authorizeUrl({ ...scene.client, clientId: 'unknown client' }, makePkce()),
  'deleted client': async () => {
    const client = await makeClient(scene);
    await deleteClient(scene.database.drizzle, client.clientId);
    return authorizeUrl(client, makePkce());
  },
  'pushed request of another client': async () => {
    const { json } = await push(scene, await makeClient(scene));
    return linkOf(scene.client.clientId, json.request_uri ?? '');
  },
  'client without the grant type authorization_code': async () =>
    authorizeUrl(await makeClient(scene, { grantTypes: ['client_credentials'] }), makePkce()),
  "more scope than the client's ceiling": async () =>
    authorizeUrl(await makeClient(scene, { scope: ['read'] }), makePkce(), { scope: 'read write' }),
  'scope of the management API, for an end-user without a role': async () =>
    authorizeUrl(await makeClient(scene, { scope: MANAGEMENT_SCOPE_NAMES }), makePkce(), {
      scope: 'clients:read',
      resource: API,
    }),
};

it.each(cases('asks'))('authorization: %s', async (_, row) => {
  const asked = row['asks'] ?? '';
  const url = await (AUTHORIZATION[asked] ?? (() => Promise.reject(new Error(asked))))();
  // Signed in: an end-user without a role gets no consent page.
  await scene.code();
  for (const { method, path } of both(row)) {
    const query = url.slice(url.indexOf('?') + 1);
    const { browser } = scene;
    // By POST a browser sends no cookies from another site, so the request comes again by GET.
    const sent = await browser.send(method as 'GET' | 'POST', ...inMethod(method, path, query));
    const again = String(sent.headers['location'] ?? '');
    const reply = again.startsWith(`${path}?`) ? await browser.send('GET', again, null) : sent;
    const location = String(reply.headers['location'] ?? '');
    const response = URL.canParse(location) ? new URL(location).searchParams : new URLSearchParams();
    const words = [String(reply.status), response.get('error'), response.has('code') ? 'code' : ''];
    expect([method, words.filter(Boolean).join(' ')]).toEqual([method, row['answer']]);
    if (row['answer'] === '400') expect(location).toBe('');
  }
});

type SignedIn = { readonly user: TestUser; readonly browser: Browser; readonly idToken: string };
async function signedIn(user: TestUser): Promise<SignedIn> {
  const browser = new Browser(scene.app);
  const pkce = makePkce();
  const { url } = await goThrough(browser, authorizeUrl(scene.client, pkce, { scope: 'openid' }), user);
  const code = new URL(url).searchParams.get('code') ?? '';
  const { json } = await exchange(scene, scene.client, { code, verifier: pkce.verifier });
  return { user, browser, idToken: json.id_token ?? '' };
}
const hint = ({ idToken }: SignedIn, more: Fields = {}): Fields => ({ id_token_hint: idToken, ...more });
const decisionOf = async ({ browser }: SignedIn): Promise<Fields> => ({
  ...formOf((await browser.get('/oauth/logout')).body).fields,
  decision: 'approve',
});

const SIGN_OUT: Readonly<Record<string, (own: SignedIn, theirs: SignedIn) => Promise<Fields>>> = {
  'ID Token of this session': async (own) => hint(own),
  'ID Token of another session of the end-user': async ({ user }) => hint(await signedIn(user)),
  'ID Token of another end-user': async (_, theirs) => hint(theirs),
  'no ID Token': async () => ({}),
  'own ID Token, with a redirect URI of another client': async (own) => {
    const after = 'https://other-client.test/signed-out';
    await makeClient(scene, { postLogoutRedirectUris: [after] });
    return hint(own, { post_logout_redirect_uri: after });
  },
  'own form': decisionOf,
  'form of another end-user': (_, theirs) => decisionOf(theirs),
};

it.each(cases('in a browser that is signed in'))('sign-out: %s', async (_, row) => {
  const { method, path } = askedBy(row['request'] ?? '');
  const [own, theirs] = [await signedIn(await makeUser(scene)), await signedIn(await makeUser(scene))];
  const asked = row['in a browser that is signed in'] ?? '';
  const fields = new URLSearchParams(
    await (SIGN_OUT[asked] ?? (() => Promise.reject(new Error(asked))))(own, theirs),
  ).toString();
  const reply = await own.browser.send(method as 'GET' | 'POST', ...inMethod(method, path, fields));
  const isSignedIn = async ({ browser }: SignedIn) => (await browser.send('GET', '/account', null)).status === 200;
  expect(`${reply.status} ${(await isSignedIn(own)) ? 'unchanged' : 'ended'}`).toBe(row['answer']);
  expect(await isSignedIn(theirs)).toBe(true);
});

describe('an address between two pages', () => {
  const PARAMETERS: Readonly<Record<string, string>> = { hash: 'a'.repeat(43), reference: 'r'.repeat(43) };
  const addressOf = (row: Row, values: Readonly<Record<string, string>> = PARAMETERS) => {
    const { method, path } = askedBy(row['address'] ?? '');
    return {
      method: method as 'GET' | 'POST',
      url: path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? 'company'),
    };
  };
  const send = (
    browser: Browser,
    { method, url }: ReturnType<typeof addressOf>,
    fields: Fields = {},
  ): Promise<Answer> => browser.send(method, url, method === 'GET' ? null : new URLSearchParams(fields).toString());
  const rows = (section: string, column: string) =>
    rowsWith(section, column).map((row): [string, Row] => [row['address'] ?? '', row]);

  it.each(rows('Pages between', 'another browser'))('%s belongs to one browser', async (_, row) => {
    const browser = new Browser(scene.app);
    const page = await browser.get(authorizeUrl(scene.client, makePkce()));
    const [, name = ''] = /^\/interactions\/([^/?]+)/.exec(page.url) ?? [];
    const { fields } = formOf(page.body);
    const stranger = new Browser(scene.app);
    await stranger.get(authorizeUrl(scene.client, makePkce()));
    const filled = {
      ...fields,
      provider: 'upstream:company',
      username: scene.user.username,
      password: PASSWORD,
      decision: 'approve',
      code: '123456',
    };
    const refused = await send(stranger, addressOf(row, { name }), filled);
    expect([refused.status, refused.headers['location']]).toEqual([Number(row['another browser']), undefined]);
    expect(stranger.cookies.has('__Host-statehouse-session')).toBe(false);
    // And is as good as before in its own.
    await browser.submit(page, { username: scene.user.username, password: PASSWORD });
    expect(browser.cookies.has('__Host-statehouse-session')).toBe(true);
  });

  it.each(rows('Pages between', 'without the form, the link or the session that it needs'))(
    '%s opens no session in a browser without form, link and session',
    async (_, row) => {
      const browser = new Browser(scene.app);
      const answer = await send(browser, addressOf(row), { username: scene.user.username, password: PASSWORD });
      expect(answer.status).toBe(Number(row['without the form, the link or the session that it needs']));
      expect(browser.cookies.has('__Host-statehouse-session')).toBe(false);
    },
  );

  it.each(rows('Open to everyone', 'anyone'))('%s is open', async (_, row) => {
    const { url } = addressOf(row);
    expect((await scene.app.inject({ url })).statusCode).toBe(Number(row['anyone']));
  });
});
