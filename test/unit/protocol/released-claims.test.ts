/** The released claims per place and scope; and their description in the metadata. */
import { describe, expect, it } from 'vitest';
import type { ClaimsPolicy } from '../../../policies/claims-schema.ts';
import { NO_BRANDING } from '../../../src/config/branding.ts';
import { STANDARD_CLAIMS } from '../../../src/oauth/claims.ts';
import { resourceMetadata, serverMetadata } from '../../../src/protocol/metadata.ts';
import { releasableClaims, releasedClaims, tokensReleaseClaims } from '../../../src/protocol/released-claims.ts';
import { ISSUER, keyRing } from './memory.ts';
import { configuration } from './ports.ts';

type Place = ClaimsPolicy['scopes'][number]['claims'][number]['in'][number];
const scope = (name: string, claims: Readonly<Record<string, readonly Place[]>>) => ({
  name,
  claims: Object.entries(claims).map(([claim, places]) => ({ name: claim, in: [...places] })),
});
const policy: ClaimsPolicy = {
  scopes: [
    scope('staff', { groups: ['userinfo', 'id_token'], level: ['userinfo'] }),
    scope('read', { tenant: ['access_token'], groups: ['access_token'] }),
  ],
};

describe('released claims', () => {
  it('depend on scope and place', () => {
    expect([...releasableClaims(policy, 'userinfo')]).toEqual([['staff', ['groups', 'level']]]);
    expect([...releasableClaims(policy, 'id_token')]).toEqual([['staff', ['groups']]]);
    expect([...releasableClaims(policy, 'access_token')]).toEqual([['read', ['tenant', 'groups']]]);
  });

  const alice = { groups: ['a'], level: 0, tenant: null, secret: 'never' };
  it.each<[Place, string[], object | null, object]>([
    ['userinfo', ['staff', 'read'], alice, { groups: ['a'], level: 0 }],
    ['id_token', ['staff'], alice, { groups: ['a'] }],
    ['access_token', ['read'], alice, { tenant: null, groups: ['a'] }],
    ['access_token', ['read'], { level: 1 }, {}],
    ['access_token', ['staff'], alice, {}],
    ['access_token', ['toString', 'constructor'], alice, {}],
    ['access_token', ['read'], null, {}],
  ])('at %s for %j', (place, asked, claims, released) => {
    expect(releasedClaims(policy, place, asked, claims as Record<string, unknown> | null)).toEqual(released);
  });

  it('exclude those that every object inherits', () => {
    const inherited: ClaimsPolicy = { scopes: [scope('read', { toString: ['access_token'] as const })] };
    expect(releasedClaims(inherited, 'access_token', ['read'], {})).toEqual({});
  });

  it.each<[Place, boolean]>([
    ['id_token', true],
    ['access_token', true],
    ['userinfo', false],
  ])('of %s are in a token: %s', (place, isInTokens) => {
    expect(tokensReleaseClaims({ scopes: [scope('read', { tenant: [place] })] })).toBe(isInTokens);
  });

  it('are in no token without a policy', () => {
    expect(tokensReleaseClaims({ scopes: [] })).toBe(false);
  });
});

describe('the metadata', () => {
  const branding = { ...NO_BRANDING, links: { terms: 'https://as.test/terms' } };
  const deps = {
    issuer: ISSUER,
    keyRing,
    configuration: () => configuration({ claims: policy, branding }),
    uiLocales: ['de'],
  };

  it('lists what this server supports, with its addresses', () => {
    expect(serverMetadata(deps)).toEqual({
      issuer: 'https://as.test',
      authorization_endpoint: 'https://as.test/oauth/authorize',
      token_endpoint: 'https://as.test/oauth/token',
      userinfo_endpoint: 'https://as.test/oauth/userinfo',
      revocation_endpoint: 'https://as.test/oauth/revoke',
      pushed_authorization_request_endpoint: 'https://as.test/oauth/par',
      require_pushed_authorization_requests: false,
      introspection_endpoint: 'https://as.test/oauth/introspect',
      end_session_endpoint: 'https://as.test/oauth/logout',
      jwks_uri: 'https://as.test/.well-known/jwks.json',
      scopes_supported: [
        ...['openid', 'profile', 'email', 'address', 'phone'],
        ...['pay', 'read', 'write', 'audit', 'open', 'offline_access'],
      ],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'],
      authorization_signing_alg_values_supported: ['ES256', 'EdDSA'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      revocation_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
        'none',
      ],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'],
      revocation_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'],
      introspection_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'],
      code_challenge_methods_supported: ['S256'],
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256'],
      authorization_response_iss_parameter_supported: true,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'EdDSA'],
      // Claims in access tokens alone are for APIs.
      claims_supported: ['sub', 'iss', 'auth_time', 'acr', ...STANDARD_CLAIMS, 'groups', 'level'],
      acr_values_supported: [
        'urn:statehouse:acr:password',
        'urn:statehouse:acr:multi-factor',
        'urn:statehouse:acr:phishing-resistant',
      ],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      ui_locales_supported: ['de'],
      op_tos_uri: 'https://as.test/terms',
      claims_parameter_supported: false,
      request_parameter_supported: true,
      request_object_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'],
      require_signed_request_object: false,
      request_uri_parameter_supported: false,
    });
  });

  it('of the UserInfo Endpoint describes its use', () => {
    expect(resourceMetadata(deps)).toEqual({
      resource: 'https://as.test/oauth/userinfo',
      authorization_servers: ['https://as.test'],
      scopes_supported: ['openid', 'profile', 'email', 'address', 'phone'],
      bearer_methods_supported: ['header', 'body'],
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256'],
      resource_name: 'Your identity',
    });
  });
});
