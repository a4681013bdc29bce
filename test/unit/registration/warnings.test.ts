/** Warnings about registrations that the environment or the configuration lets do nothing. */
import { describe, expect, it } from 'vitest';
import type { Configuration } from '../../../src/config/configuration.ts';
import { certificateWarnings } from '../../../src/registration/certificate-warnings.ts';
import { introspectorsIn, introspectorWarnings, scopeWarnings } from '../../../src/registration/unknown-names.ts';
import { shippedConfiguration } from '../../support/app.ts';

describe('a client of mutual TLS', () => {
  const NO_PROXY = 'no trusted proxy passes certificates (STATEHOUSE_CLIENT_CERTIFICATE_HEADER)';
  const NO_AUTHORITIES = 'no certificate authorities are configured (STATEHOUSE_CLIENT_CERTIFICATE_AUTHORITIES)';
  const refused = (method: string, ...reasons: string[]) =>
    `token_endpoint_auth_method ${method}: ${reasons.join(', and ')}, so the client cannot authenticate`;
  const unbound = `tls_client_certificate_bound_access_tokens: ${NO_PROXY}, so the client gets no token`;
  const warnings = (method: string, isBound: boolean, certificates: unknown) =>
    certificateWarnings(
      { tokenEndpointAuthMethod: method, tlsClientCertificateBoundAccessTokens: isBound } as never,
      certificates as never,
    );

  it.each<[string, boolean, unknown, readonly string[]]>([
    ['tls_client_auth', false, null, [refused('tls_client_auth', NO_PROXY, NO_AUTHORITIES)]],
    ['tls_client_auth', false, { authorities: null }, [refused('tls_client_auth', NO_AUTHORITIES)]],
    ['tls_client_auth', false, { authorities: [] }, []],
    ['self_signed_tls_client_auth', false, null, [refused('self_signed_tls_client_auth', NO_PROXY)]],
    ['self_signed_tls_client_auth', false, { authorities: null }, []],
    ['client_secret_basic', false, null, []],
    ['client_secret_basic', true, null, [unbound]],
    ['client_secret_basic', true, { authorities: null }, []],
    ['self_signed_tls_client_auth', true, null, [refused('self_signed_tls_client_auth', NO_PROXY), unbound]],
  ])('with %s, bound tokens %s and the settings %j has the warnings %j', (method, isBound, certificates, expected) => {
    expect(warnings(method, isBound, certificates)).toEqual(expected);
  });
});

describe('the clients that introspect', () => {
  const configuration = {
    resources: [
      { identifier: 'https://a.test', introspectedBy: ['api', 'web\u0007'] },
      { identifier: 'https://b.test' },
      { identifier: 'https://c.test', introspectedBy: ['api'] },
    ],
  } as unknown as Configuration;

  it('are those that the resources name, once each', () => {
    expect(introspectorsIn(configuration)).toEqual(['api', 'web\u0007']);
  });

  it('have a warning where they do not exist, or have no secret', () => {
    const known = [
      { clientId: 'other', tokenEndpointAuthMethod: 'none' },
      { clientId: 'api', tokenEndpointAuthMethod: 'none' },
    ] as const;
    const isPublic = 'which is a public client: only a client with a secret may introspect';
    expect(introspectorWarnings(configuration, known)).toEqual([
      `resource https://a.test: introspectedBy names the client "api", ${isPublic}`,
      'resource https://a.test: introspectedBy names the client "web\\u{7}", which does not exist: register it with this id, with a secret',
      `resource https://c.test: introspectedBy names the client "api", ${isPublic}`,
    ]);
    const secret = ['api', 'web\u0007'].map((clientId) => ({
      clientId,
      tokenEndpointAuthMethod: 'client_secret_basic' as const,
    }));
    expect(introspectorWarnings(configuration, secret)).toEqual([]);
  });
});

it('a scope that nothing describes has a warning with the name of the client', () => {
  const clients = [
    { clientId: 'a\u0007', scope: ['openid', 'fly'] },
    { clientId: 'b', scope: null },
  ];
  expect(scopeWarnings(shippedConfiguration, clients)).toEqual([
    expect.stringMatching(/^client a\\u\{7\}: scope: no resource describes "fly"; /),
  ]);
});
