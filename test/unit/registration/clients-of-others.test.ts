import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readClientMetadata } from '../../../src/registration/client-metadata.ts';
import { CLIENT_SOURCES } from '../../../src/registration/sources/clients.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { exportFile } from '../../support/exports.ts';

const clientsIn = (from: string, document: unknown) =>
  CLIENT_SOURCES.find(({ name }) => name === from)?.clientsIn(document) ?? [];

const realm = JSON.parse(readFileSync(exportFile('keycloak-realm.json'), 'utf8')) as unknown;

/** GET /api/v2/clients. */
const AUTH0 = [
  {
    client_id: 'a0spa',
    name: 'Single page',
    app_type: 'spa',
    is_first_party: true,
    token_endpoint_auth_method: 'none',
    callbacks: ['https://app.example/callback', 'https://*.preview.example/callback'],
    allowed_logout_urls: ['https://app.example'],
    web_origins: ['https://app.example'],
    grant_types: ['authorization_code', 'implicit', 'refresh_token'],
  },
  {
    client_id: 'a0m2m',
    name: 'Robot',
    app_type: 'non_interactive',
    client_secret: 'kT9vQm2XwZ7rLb4NcY8sHd1FgP6jRa3E',
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['client_credentials', 'http://auth0.com/oauth/grant-type/password-realm'],
  },
  { client_id: 'a0global', name: 'All Applications', global: true, grant_types: ['client_credentials'] },
];

const HYDRA = {
  items: [
    {
      client_id: 'hydra-app',
      client_name: 'App',
      redirect_uris: ['https://app.example/cb', 'http://app.example/cb'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      response_types: ['code'],
      scope: 'openid offline read',
      token_endpoint_auth_method: 'client_secret_post',
      skip_consent: true,
      backchannel_logout_uri: 'https://app.example/bye',
    },
    {
      client_id: 'keyed',
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [] },
    },
  ],
};

const OIDC_PROVIDER = {
  clients: [
    {
      client_id: 'panva-app',
      client_secret: 'a-secret-of-the-application-1234567890',
      redirect_uris: ['com.example.app:/callback'],
      grant_types: ['authorization_code'],
    },
  ],
};

describe('clients of other systems', () => {
  it('of Keycloak come with their secrets and exact redirect URIs', () => {
    const clients = clientsIn('keycloak', realm);
    const shop = clients.find(({ name }) => name === 'shop');
    expect(shop?.record).toEqual({
      client_id: 'shop',
      client_name: 'The shop',
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret: 'HqNKXv2vG3bPzq0aZr8sT5wYd1uFcMe9',
      redirect_uris: ['https://shop.example/callback'],
      post_logout_redirect_uris: ['https://shop.example/bye'],
      grant_types: ['authorization_code', 'refresh_token'],
    });
    expect(shop?.leftOut).toEqual([
      'back-channel logout: this server does not have it',
      'grant type password: use authorization_code; the password grant is not part of OAuth 2.1',
      'redirect URI "https://shop.example/*": it has a wildcard; redirect URIs are compared exactly',
      'post-logout redirect URI "https://shop.example/*": it has a wildcard; redirect URIs are compared exactly',
    ]);
    expect(clients.filter(({ skipped }) => skipped !== null).map(({ name, skipped }) => [name, skipped])).toEqual([
      ['account', 'Keycloak makes it for itself'],
      ['admin-cli', 'Keycloak makes it for itself'],
      ['saml-app', 'it does not use OpenID Connect'],
      ['off', 'it is disabled'],
      ['all', 'it has no redirect URI without a wildcard'],
    ]);
    const keyed = clients.find(({ name }) => name === 'keyed');
    expect(keyed?.leftOut).toContain('authentication by client-jwt: the client gets a secret');
  });

  it('of Auth0 come without wildcards and old grant types', () => {
    const [spa, robot, global] = clientsIn('auth0', AUTH0);
    expect(spa?.record).toMatchObject({
      redirect_uris: ['https://app.example/callback'],
      token_endpoint_auth_method: 'none',
      consent: 'skip',
    });
    expect(spa?.leftOut.map((words) => words.split(':')[0])).toEqual([
      'web_origins',
      'grant type implicit',
      'redirect URI "https',
    ]);
    expect(robot?.record).toMatchObject({
      client_secret: AUTH0[1]?.client_secret,
      grant_types: ['client_credentials'],
    });
    expect(robot?.leftOut.join()).toContain('grant type password');
    expect(global?.skipped).toBe('Auth0 makes it for itself');
  });

  it('of Hydra get another secret, since it keeps hashes', () => {
    const [app, keyed] = clientsIn('hydra', HYDRA);
    expect(app?.record).toEqual({
      client_id: 'hydra-app',
      client_name: 'App',
      scope: 'openid read',
      consent: 'skip',
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: ['https://app.example/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
    });
    expect(app?.leftOut).toEqual([
      'client_secret: the export has none; the client gets another',
      'back-channel logout: this server does not have it',
      'grant type urn:ietf:params:oauth:grant-type:jwt-bearer: this server does not have it',
      'redirect URI "http://app.example/cb": it can be read on the way: use https',
    ]);
    expect(keyed?.leftOut).toContain(
      'jwks: the import takes no keys; register them, with token_endpoint_auth_method private_key_jwt',
    );
  });

  it('of oidc-provider come as they are', () => {
    const [app] = clientsIn('oidc-provider', OIDC_PROVIDER);
    expect(app).toMatchObject({
      record: { application_type: 'native', client_secret: OIDC_PROVIDER.clients[0]?.client_secret },
      leftOut: [],
    });
  });

  it.each([
    ['keycloak', realm],
    ['auth0', AUTH0],
    ['hydra', HYDRA],
    ['oidc-provider', OIDC_PROVIDER],
  ])('of %s are accepted by the rules of this server in production', (from, document) => {
    for (const { record, skipped } of clientsIn(from, document)) {
      if (skipped !== null) continue;
      // The scopes of the other system are a warning.
      expect(readClientMetadata(record, shippedConfiguration, true)).toMatchObject({ ok: true });
    }
  });

  it.each(CLIENT_SOURCES.map(({ name }) => name))('of %s: other JSON becomes no client, and no exception', (from) => {
    for (const document of [null, 7, 'text', [], {}, { clients: 7 }, [null, 1, 'x', []], { clients: [{}, null] }]) {
      const names = clientsIn(from, document).filter(({ skipped }) => skipped === null);
      expect(names).toEqual([]);
    }
  });
});

describe('a client of another system', () => {
  const one = (from: string, client: unknown) => {
    const [converted] = clientsIn(from, [client]);
    if (converted === undefined) throw new Error('none');
    return converted;
  };
  const CODE = { clientId: 'shop', redirectUris: ['https://shop.test/cb'] };
  const keycloak = (change: object) => one('keycloak', { ...CODE, ...change });
  const auth0 = (change: object) =>
    one('auth0', {
      client_id: 'shop',
      callbacks: ['https://shop.test/cb'],
      grant_types: ['authorization_code'],
      ...change,
    });
  const hydra = (change: object) =>
    one('hydra', { client_id: 'shop', redirect_uris: ['https://shop.test/cb'], ...change });
  const provider = (change: object) =>
    one('oidc-provider', { client_id: 'shop', redirect_uris: ['https://shop.test/cb'], ...change });

  it('of Keycloak has its fields, with addresses of https alone', () => {
    const attributes = { logoUri: 'https://l.test', policyUri: 'https://p.test', tosUri: 'https://t.test' };
    expect(keycloak({ name: 'Shop', baseUrl: 'https://b.test', secret: 's', attributes })).toEqual({
      name: 'shop',
      record: {
        ...{ client_name: 'Shop', client_uri: 'https://b.test', logo_uri: 'https://l.test' },
        ...{ policy_uri: 'https://p.test', tos_uri: 'https://t.test', client_id: 'shop', client_secret: 's' },
        ...{ token_endpoint_auth_method: 'client_secret_basic', redirect_uris: ['https://shop.test/cb'] },
        grant_types: ['authorization_code', 'refresh_token'],
      },
      leftOut: [],
      skipped: null,
    });
    expect(keycloak({ name: `\${client_account}`, baseUrl: 'http://b.test', secret: '' }).record).toEqual({
      ...{ client_id: 'shop', token_endpoint_auth_method: 'client_secret_basic' },
      ...{ redirect_uris: ['https://shop.test/cb'], grant_types: ['authorization_code', 'refresh_token'] },
    });
    expect(keycloak({ name: 'a ${' }).record['client_name']).toBe('a ${');
  });

  it('of Keycloak has the grant types that are switched on', () => {
    const grants = (change: object) => keycloak(change).record['grant_types'];
    expect(grants({ serviceAccountsEnabled: true })).toEqual([
      'authorization_code',
      'refresh_token',
      'client_credentials',
    ]);
    expect(grants({ standardFlowEnabled: false, serviceAccountsEnabled: true })).toEqual(['client_credentials']);
    const off = { implicitFlowEnabled: false, directAccessGrantsEnabled: false };
    const attributes = { 'oauth2.device.authorization.grant.enabled': 'true' };
    expect(keycloak({ ...off, attributes: { 'oauth2.device.authorization.grant.enabled': 'false' } }).leftOut).toEqual(
      [],
    );
    expect(keycloak({ implicitFlowEnabled: true, directAccessGrantsEnabled: true, attributes }).leftOut).toEqual([
      'grant type implicit: use authorization_code with PKCE; the implicit grant is not part of OAuth 2.1',
      'grant type password: use authorization_code; the password grant is not part of OAuth 2.1',
      'grant type device_code: this server does not have it',
    ]);
  });

  it('of Keycloak has redirect URIs under its root, and those of a code alone', () => {
    const redirectUris = ['/cb', 'https://x.test/cb/', 'https://x.test/cb/', 7];
    expect(keycloak({ rootUrl: 'https://r.test', redirectUris }).record['redirect_uris']).toEqual([
      'https://r.test/cb',
      'https://x.test/cb/',
    ]);
    expect(keycloak({ redirectUris: ['/cb'] }).skipped).toBe('it has no redirect URI without a wildcard');
    const off = keycloak({ standardFlowEnabled: false, serviceAccountsEnabled: true });
    expect(off.record['redirect_uris']).toEqual([]);
    const attributes = { 'post.logout.redirect.uris': '+##https://a.test/bye##https://b.test/bye' };
    expect(keycloak({ attributes })).toMatchObject({
      record: { post_logout_redirect_uris: ['https://a.test/bye', 'https://b.test/bye'] },
      leftOut: [],
    });
  });

  it.each<[object, object, readonly string[]]>([
    [{ publicClient: true, secret: 's' }, { token_endpoint_auth_method: 'none' }, []],
    [{ clientAuthenticatorType: 'client-secret' }, { token_endpoint_auth_method: 'client_secret_basic' }, []],
    [
      { clientAuthenticatorType: 'client-jwt' },
      { token_endpoint_auth_method: 'client_secret_basic' },
      ['authentication by client-jwt: the client gets a secret'],
    ],
    [
      { secret: '**********' },
      { token_endpoint_auth_method: 'client_secret_basic' },
      ['client_secret: the export hides it; the client gets another'],
    ],
    [{ secret: '**x' }, { client_secret: '**x' }, []],
    [{ secret: 'x**' }, { client_secret: 'x**' }, []],
    [
      { consentRequired: false },
      { consent: 'skip' },
      [
        'no consent page in Keycloak either: it is registered as your own (consent: skip); remove that for apps of others',
      ],
    ],
    [{ consentRequired: true }, {}, []],
    [{ protocolMappers: [{}] }, {}, ['protocol mappers: release claims with claims.yaml']],
    [{ protocolMappers: [] }, {}, []],
    [{ attributes: { 'backchannel.logout.url': 'x' } }, {}, ['back-channel logout: this server does not have it']],
  ])('of Keycloak with %j has %j, and leaves %j behind', (change, record, leftOut) => {
    const converted = keycloak(change);
    expect(converted.record).toMatchObject(record);
    expect(converted.leftOut).toEqual(leftOut);
    if (!('secret' in change) || !('client_secret' in record))
      expect(converted.record).not.toHaveProperty('client_secret');
    if (!('consent' in record)) expect(converted.record).not.toHaveProperty('consent');
  });

  it.each<[object, string | null]>([
    [{}, null],
    [{ protocol: 'openid-connect', enabled: true, bearerOnly: false }, null],
    [{ clientId: 'broker' }, 'Keycloak makes it for itself'],
    [{ clientId: 'account-console' }, 'Keycloak makes it for itself'],
    [{ clientId: 'realm-management' }, 'Keycloak makes it for itself'],
    [{ clientId: 'security-admin-console' }, 'Keycloak makes it for itself'],
    [{ clientId: 'acme-realm' }, 'Keycloak makes it for itself'],
    [{ clientId: '-realm-x' }, null],
    [{ protocol: 'saml' }, 'it does not use OpenID Connect'],
    [{ enabled: false }, 'it is disabled'],
    [{ bearerOnly: true }, 'it is an API: see resources.yaml'],
    [{ clientId: undefined }, 'it has no client_id'],
    [{ standardFlowEnabled: false }, 'it has no grant type of this server'],
    [{ redirectUris: [] }, 'it has no redirect URI without a wildcard'],
  ])('of Keycloak with %j is skipped: %s', (change, skipped) => {
    expect(keycloak(change).skipped).toBe(skipped);
  });

  it('has a redirect URI of a scheme as a native app alone, and names a long one in part', () => {
    const native = ['https://a.test/cb', 'com.example.app:/cb'];
    expect(auth0({ callbacks: native }).record['application_type']).toBe('native');
    expect(auth0({ callbacks: ['http://127.0.0.1/cb'] }).record).not.toHaveProperty('application_type');
    expect(auth0({ callbacks: ['http+app:/cb'] }).record['application_type']).toBe('native');
    const long = `http://a.test/${'x'.repeat(300)}`;
    expect(auth0({ callbacks: [long] }).leftOut).toEqual([
      `redirect URI "${long.slice(0, 200)}": it can be read on the way: use https`,
    ]);
  });

  it('of Auth0 has its fields, and the method that its type implies', () => {
    const fields = {
      name: 'Shop',
      logo_uri: 'https://l.test',
      initiate_login_uri: 'https://i.test',
      client_secret: 's',
    };
    const converted = auth0({ ...fields, allowed_logout_urls: ['https://shop.test/bye'], is_first_party: false });
    expect(converted).toEqual({
      name: 'shop',
      record: {
        ...{ client_name: 'Shop', logo_uri: 'https://l.test', initiate_login_uri: 'https://i.test', client_id: 'shop' },
        ...{
          token_endpoint_auth_method: 'client_secret_post',
          client_secret: 's',
          grant_types: ['authorization_code'],
        },
        redirect_uris: ['https://shop.test/cb'],
        post_logout_redirect_uris: ['https://shop.test/bye'],
      },
      leftOut: [],
      skipped: null,
    });
    expect(auth0({ app_type: 'spa' }).record['token_endpoint_auth_method']).toBe('none');
    const basic = { app_type: 'spa', token_endpoint_auth_method: 'client_secret_basic' };
    expect(auth0(basic).record['token_endpoint_auth_method']).toBe('client_secret_basic');
    expect(auth0({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }).leftOut).toEqual([
      'grant type device_code: this server does not have it',
    ]);
    expect(auth0({ web_origins: [] }).leftOut).toEqual([]);
  });

  it('of Hydra gets another secret unless it has none, and keeps its scope without "offline"', () => {
    const lost = 'client_secret: the export has none; the client gets another';
    expect(hydra({ client_secret: 's', scope: 'offline' })).toMatchObject({ leftOut: [lost] });
    expect(hydra({ client_secret: 's', scope: 'offline' }).record).toEqual({
      ...{ client_id: 'shop', token_endpoint_auth_method: 'client_secret_basic' },
      ...{ redirect_uris: ['https://shop.test/cb'], grant_types: ['authorization_code'] },
    });
    expect(hydra({ token_endpoint_auth_method: 'none', skip_consent: false })).toMatchObject({ leftOut: [] });
    expect(hydra({ scope: 'openid offline read' }).record['scope']).toBe('openid read');
  });

  it('of oidc-provider has its secret and fields, and no scope', () => {
    const uris = {
      client_uri: 'https://c.test',
      logo_uri: 'http://l.test',
      post_logout_redirect_uris: ['https://shop.test/bye'],
    };
    expect(provider({ client_secret: 's', client_name: 'Shop', scope: 'read', ...uris })).toMatchObject({
      leftOut: [],
    });
    expect(provider({ client_secret: 's', client_name: 'Shop', scope: 'read', ...uris }).record).toEqual({
      ...{ client_name: 'Shop', client_uri: 'https://c.test', client_id: 'shop', client_secret: 's' },
      ...{ token_endpoint_auth_method: 'client_secret_basic', redirect_uris: ['https://shop.test/cb'] },
      ...{ post_logout_redirect_uris: ['https://shop.test/bye'], grant_types: ['authorization_code'] },
    });
    expect(provider({}).leftOut).toEqual(['client_secret: the export has none; the client gets another']);
  });

  it.each([
    ['backchannel_logout_uri', 'back-channel logout: this server does not have it'],
    ['frontchannel_logout_uri', 'front-channel logout: this server does not have it'],
    ['jwks_uri', 'jwks_uri: the import takes no keys; register them, with token_endpoint_auth_method private_key_jwt'],
    ['jwks', 'jwks: the import takes no keys; register them, with token_endpoint_auth_method private_key_jwt'],
  ])('of oidc-provider leaves %s behind', (name, words) => {
    expect(provider({ client_secret: 's', [name]: 'x' }).leftOut).toEqual([words]);
  });

  it.each(['keycloak', 'auth0', 'hydra', 'oidc-provider'])(
    'of %s is found in a list, in a document, and alone',
    (from) => {
      const member = from === 'hydra' ? 'items' : 'clients';
      const client = from === 'keycloak' ? CODE : { client_id: 'shop' };
      for (const document of [[client], { [member]: [client] }, [{ [member]: [client] }], client])
        expect(clientsIn(from, document).map(({ name }) => name)).toEqual(['shop']);
      expect(clientsIn(from, 7)).toEqual([]);
    },
  );
});
