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
