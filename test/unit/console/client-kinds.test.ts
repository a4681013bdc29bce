/** Clients by kind: the registration, the sign-in that an operator tries, and the code with the values filled in. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Policy } from '../../../policies/schema.ts';
import { CLIENT_KINDS, type ClientKind } from '../../../src/console/client-kinds.ts';
import { snippetsFor } from '../../../src/console/snippets.ts';
import { makeClient, makeUser, type TestClient, token } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { push } from '../../support/pushing.ts';

const NEW = '/console/client/new';

let opened: TestDatabase;
let test: ConsoleApp;
let operator: Browser;
beforeAll(async () => {
  opened = await openTestDatabase(anyDatabase);
  test = await openConsoleApp(opened.database);
  operator = consoleBrowser(test);
  await openPage(operator, test.operator);
});
afterAll(async () => {
  await test?.app.close();
  await opened?.close();
});

const plain = (html: string): string =>
  html
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#38;', '&')
    .replaceAll('&#61;', '=')
    .replaceAll('&#60;', '<')
    .replaceAll('&#62;', '>');
const redirectOf = ({ redirectUris: [first = ''] }: TestClient): string => first;
const KINDS = Object.keys(CLIENT_KINDS) as readonly ClientKind[];
const REDIRECTS: Readonly<Record<ClientKind, string>> = {
  web: 'https://shop.example/callback',
  spa: 'https://shop.example/',
  native: 'com.example.shop:/callback',
  service: '',
  mcp: 'http://127.0.0.1/callback',
};
/** The form of a person who changes nothing but the name and the redirect URI. */
async function registered(
  kind: ClientKind,
): Promise<{ readonly page: Answer; readonly done: Answer; readonly id: string }> {
  const page = await operator.get(`${NEW}?kind=${kind}`);
  const id = `a-${kind}`;
  const form = { ...formTo(page, NEW), client_id: id, client_name: `The ${kind}` };
  const fields = new URLSearchParams(kind === 'service' ? form : { ...form, redirect_uris: REDIRECTS[kind] });
  // The boxes that are checked, each by its own.
  for (const [, box = ''] of page.body.matchAll(/<input type="checkbox" ([^>]*) checked>/g)) {
    const [, name = '', value = ''] = /name="([^"]*)" value="([^"]*)"/.exec(box) ?? [];
    if (!fields.getAll(name).includes(value)) fields.append(name, plain(value));
  }
  for (const [, name = '', options = ''] of page.body.matchAll(/<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    const [, value = ''] = /value="([^"]*)" selected/.exec(options) ?? [];
    fields.set(name, plain(value));
  }
  const sent = await operator.send('POST', NEW, fields.toString());
  return { page, done: sent, id };
}

describe('a registration by kind', () => {
  it('begins with the kinds, and has another with every field', async () => {
    const { body } = await operator.get(NEW);
    for (const { title } of Object.values(CLIENT_KINDS)) expect(body).toContain(title);
    expect(body).not.toContain(`action="${NEW}"`);
    expect((await operator.get(`${NEW}?kind=other`)).body).toContain('name="redirect_uris"');
  });

  it.each([
    ['web', 'client_secret_basic', ['authorization_code', 'refresh_token'], 'web', 'default'],
    ['spa', 'none', ['authorization_code', 'refresh_token'], 'web', 'browser-app'],
    ['native', 'none', ['authorization_code', 'refresh_token'], 'native', 'native-app'],
    ['service', 'client_secret_basic', ['client_credentials'], 'web', 'service'],
    ['mcp', 'none', ['authorization_code', 'refresh_token'], 'native', 'native-app'],
  ] as const)('makes a %s client with the right choices', async (kind, method, grantTypes, type, policy) => {
    const { done, id } = await registered(kind);
    expect([200, 303], done.body).toContain(done.status);
    // The secret is on this page alone.
    expect(done.body.includes('id="secret"')).toBe(method !== 'none');
    const edit = await operator.get(`/console/client/edit?id=${id}`);
    const checked = [...edit.body.matchAll(/name="grant_types" value="(\w+)" checked/g)].map(([, name]) => name);
    expect(checked.toSorted()).toEqual([...grantTypes].toSorted());
    for (const chosen of [method, type, policy]) expect(edit.body).toContain(`<option value="${chosen}" selected>`);
    const asksForUris = (await operator.get(`${NEW}?kind=${kind}`)).body.includes('name="redirect_uris"');
    expect(asksForUris).toBe(kind !== 'service');
  });

  it('offers the scopes, APIs and policies of the configuration, and keeps others that the client has', async () => {
    const client = await makeClient(test, { scope: ['openid', 'read', 'of-before'] });
    const { body } = await operator.get(`/console/client/edit?id=${client.clientId}`);
    for (const box of [
      'name="scope" value="read" checked',
      'name="scope" value="of-before" checked',
      'name="scope" value="email">',
    ])
      expect(body).toContain(box);
    expect(body).toContain('<option value="https://api.example.com"');
    const fields = new URLSearchParams(
      formTo({ ...(await operator.get(`/console/client/edit?id=${client.clientId}`)) }, '/console/client/edit'),
    );
    fields.delete('scope');
    for (const scope of ['openid', 'of-before']) fields.append('scope', scope);
    fields.set('redirect_uris', redirectOf(client));
    fields.delete('grant_types');
    fields.append('grant_types', 'authorization_code');
    const saved = await operator.send('POST', '/console/client/edit', fields.toString());
    expect(saved.status, saved.body).toBe(303);
    const after = (await operator.get(`/console/client/edit?id=${client.clientId}`)).body;
    expect(after).toContain('name="scope" value="of-before" checked');
    expect(after).not.toContain('name="scope" value="read" checked');
  });

  it('keeps the typed values, and the kind, where the API refuses them', async () => {
    const page = await operator.get(`${NEW}?kind=spa`);
    const form = { ...formTo(page, NEW), client_name: 'My shop', redirect_uris: 'http://shop.example/' };
    const { status, body } = await operator.post(NEW, form);
    expect(status).toBe(400);
    expect(body).toContain('single-page app');
    expect(body).toContain('value="My shop"');
    expect(body).toContain('http://shop.example/');
  });
});

describe('a sign-in that an operator tries', () => {
  it('is a real one of the client, whose code only the shown verifier redeems', async () => {
    const client = await makeClient(test, { scope: ['openid', 'read'] });
    const { body } = await operator.get(`/console/client/try?id=${client.clientId}`);
    const [, href = ''] = /class="button first" rel="noreferrer" href="([^"]*)"/.exec(body) ?? [];
    const asked = new URL(plain(href), test.issuer).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: client.clientId,
      redirect_uri: redirectOf(client),
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid read',
    });
    let at = await operator.get(plain(href));
    if (at.body.includes('name="decision"')) at = await operator.submit(at, { decision: 'approve' });
    const back = new URL(at.url);
    expect(back.href.startsWith(redirectOf(client))).toBe(true);
    expect(back.searchParams.get('state')).toBe(asked.get('state'));
    const [, verifier = ''] = /code_verifier=([\w-]+)/.exec(plain(body)) ?? [];
    const redeem = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: redirectOf(client),
    };
    expect((await token(test, client, { ...redeem, code_verifier: 'x'.repeat(43) })).json.error).toBe('invalid_grant');
    expect((await token(test, client, { ...redeem, code_verifier: verifier })).json.access_token).toBeDefined();
    // Each page has a verifier of its own.
    expect((await operator.get(`/console/client/try?id=${client.clientId}`)).body).not.toContain(verifier);
  });

  it('goes to registered redirect URIs alone', async () => {
    const client = await makeClient(test, { redirectUris: ['https://one.example/cb', 'https://two.example/cb'] });
    const at = (uri: string) =>
      operator.get(`/console/client/try?id=${client.clientId}&redirect_uri=${encodeURIComponent(uri)}`);
    const leadsTo = ({ body }: Answer) =>
      new URL(
        plain(/class="button first" rel="noreferrer" href="([^"]*)"/.exec(body)?.[1] ?? ''),
        test.issuer,
      ).searchParams.get('redirect_uri');
    expect(leadsTo(await at('https://two.example/cb'))).toBe('https://two.example/cb');
    expect(leadsTo(await at('https://evil.example/cb'))).toBe('https://one.example/cb');
    const service = await makeClient(test, { grantTypes: ['client_credentials'], redirectUris: [] });
    expect((await operator.get(`/console/client/try?id=${service.clientId}`)).body).toContain('it has no redirect URI');
  });

  /** The parameters that the command sends, as the shell would. */
  const pushedBy = (body: string) => {
    const [, command = ''] = /PUSHED=\$\(curl -s '([^)]*)\)$/m.exec(plain(body)) ?? [];
    const fields = [...command.matchAll(/--data-urlencode '([^=']*)=([^']*)'/g)];
    return fields.map(([, name = '', value = '']) => [name, value] as [string, string]);
  };
  const pages = (on: ConsoleApp, at: Browser, id: string) =>
    Promise.all(
      [`/console/client/try?id=${id}`, `/console/client?id=${id}`].map((path) => openPage(at, on.operator, path)),
    );

  it('shows the workload of a client, and sends the token of its platform', async () => {
    const { clientId } = await makeClient(test, {
      ...{ tokenEndpointAuthMethod: 'workload_jwt', workloadIssuer: 'https://cluster.example' },
      ...{ workloadSubject: 'system:serviceaccount:shop:api', jwksUri: 'https://cluster.example/jwks' },
    });
    const [tried, itself] = await pages(test, operator, clientId);
    const command = plain(tried?.body ?? '');
    expect(command).toContain(`--data-urlencode 'client_id=${clientId}'`);
    expect(command).toContain('--data-urlencode client_assertion@"$TOKEN_FILE"');
    expect(command).not.toContain('CLIENT_SECRET');
    const shown = plain(itself?.body ?? '');
    for (const words of ['The token of its workload', 'system:serviceaccount:shop:api', 'Public keys of its platform'])
      expect(shown).toContain(words);
    expect(shown).toContain('The client sends the token of its workload.');
    expect(shown).not.toContain('The secret comes from the environment');
  });

  it.each(['none', 'client_secret_basic'] as const)(
    'begins with a push of a client that has to push (%s)',
    async (method) => {
      const client = await makeClient(test, {
        ...{ requirePushedAuthorizationRequests: true, tokenEndpointAuthMethod: method, scope: ['openid', 'read'] },
        initiateLoginUri: 'https://shop.example/begin',
      });
      const [tried, itself] = await pages(test, operator, client.clientId);
      const body = plain(tried?.body ?? '');
      expect(body).toContain(`https://shop.example/begin?iss=${encodeURIComponent(test.issuer)}`);
      expect(body).not.toContain('class="button first"');
      expect(itself?.body).toContain('buildAuthorizationUrlWithPAR');
      const fields = pushedBy(body);
      expect(fields.filter(([name]) => name === 'client_id')).toHaveLength(method === 'none' ? 1 : 0);
      const pushed = await push(test, client, {}, { body: new URLSearchParams(fields).toString() });
      expect(pushed.status, JSON.stringify(pushed.json)).toBe(201);
      const [, address = ''] = /echo '([^']*)'"\$REQUEST_URI"/.exec(body) ?? [];
      const { pathname, search } = new URL(`${address}${pushed.json.request_uri}`);
      let at = await operator.get(`${pathname}${search}`);
      if (at.body.includes('name="decision"')) at = await operator.submit(at, { decision: 'approve' });
      const [, verifier = ''] = /code_verifier=([\w-]+)/.exec(body) ?? [];
      const code = new URL(at.url).searchParams.get('code') ?? '';
      const redeem = { grant_type: 'authorization_code', code, code_verifier: verifier };
      const { json } = await token(test, client, { ...redeem, redirect_uri: redirectOf(client) });
      expect(json.access_token).toBeDefined();
    },
  );

  it('begins with a push where the server demands it of every client, or the profile of the policy does', async () => {
    const [base] = shippedConfiguration.policies.values();
    const bank = { ...base, authorizationCodeLifetimeSeconds: 60, profile: 'fapi-2-security' } as Policy;
    const signing = { ...bank, profile: 'fapi-2-message-signing' } as const;
    const policies = new Map([...shippedConfiguration.policies, ['bank', bank], ['signing', signing]]);
    const { signIn } = shippedConfiguration;
    const byProfile = { tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: 'https://shop.example/keys' } as const;
    for (const everyClient of [false, true]) {
      const own = await openTestDatabase(anyDatabase);
      onTestFinished(own.close);
      const configuration = {
        ...{ ...shippedConfiguration, policies },
        signIn: { ...signIn, requirePushedAuthorizationRequests: everyClient },
      };
      const strict = await openConsoleApp(own.database, { configuration });
      onTestFinished(() => strict.app.close());
      const at = consoleBrowser(strict);
      await openPage(at, strict.operator);
      const tried = async (change: Parameters<typeof makeClient>[1]) => {
        const { clientId } = await makeClient(strict, change);
        return plain((await openPage(at, strict.operator, `/console/client/try?id=${clientId}`)).body);
      };
      expect((await tried({})).includes('/oauth/par')).toBe(everyClient);
      const kept = { ...byProfile, dpopBoundAccessTokens: true, idTokenSignedResponseAlg: 'ES256' } as const;
      expect(await tried({ ...kept, policy: 'bank' })).toContain('/oauth/par');
      for (const signs of [
        { ...kept, policy: 'signing' },
        { ...byProfile, requireSignedRequestObject: true },
      ]) {
        const body = await tried(signs);
        expect(body).toContain('signs its authorization requests');
        expect(body).not.toMatch(/\/oauth\/par|class="button first"/);
      }
    }
  });

  it('is open to an auditor, who signs in as any end-user does', async () => {
    const client = await makeClient(test);
    const auditor = consoleBrowser(test);
    const { status } = await openPage(auditor, test.auditor, `/console/client/try?id=${client.clientId}`);
    expect(status).toBe(200);
    const person = new Browser(test.app);
    expect((await openPage(person, await makeUser(test), `/console/client/try?id=${client.clientId}`)).status).toBe(
      403,
    );
  });
});

describe('the code of a client', () => {
  const HOSTILE = 'a"b\'c$(id)`id`$x\\';
  const values = {
    issuer: 'https://login.example.com',
    clientId: HOSTILE,
    redirectUri: 'https://shop.example/callback',
    scope: 'openid read',
    isConfidential: true,
  };

  it.each(KINDS)('of a %s has the issuer, the id and the redirect URI', (kind) => {
    for (const { library, code } of snippetsFor(kind, { ...values, clientId: 'photo-book' })) {
      expect(code, library).toContain('https://login.example.com');
      expect(code, library).toContain('photo-book');
      if (kind !== 'service' && !['Auth.js', 'Authlib'].includes(library))
        expect(code, library).toContain(values.redirectUri);
      // A public client shows no secret, and no text of a snippet is one.
      expect(code.includes('CLIENT_SECRET'), library).toBe(kind === 'web' || kind === 'service');
    }
  });

  it('quotes the id of a client, in each language', () => {
    const [node] = snippetsFor('web', values);
    expect(node?.code).toContain(JSON.stringify(HOSTILE));
    const [curl] = snippetsFor('service', values);
    expect(curl?.code).toContain(`'${encodeURIComponent(HOSTILE).replaceAll("'", "'\\''")}:'"$CLIENT_SECRET"`);
    const [android] = snippetsFor('native', values);
    expect(android?.code).not.toMatch(/[^\\]\$\(id\)/);
  });

  it('is on the page of the client, filled in', async () => {
    const client = await makeClient(test, { clientName: 'A shop' });
    const { body } = await operator.get(`/console/client?id=${client.clientId}`);
    for (const { library } of snippetsFor('web', values)) expect(body).toContain(`<summary>${library}</summary>`);
    expect(plain(body)).toContain(JSON.stringify(redirectOf(client)));
    expect(body).toContain('Try a sign-in…');
  });
});
