import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';
import {
  CLIENT_FIELDS,
  DEFAULT_METADATA,
  readClientMetadata,
  recordOf,
  toNames,
} from '../../../src/registration/client-metadata.ts';
import { reviewClient } from '../../../src/registration/client-review.ts';

const configuration = loadConfiguration(new URL('../../../policies', import.meta.url).pathname, 'https://as.test');
const web = { client_id: 'shop', redirect_uris: ['https://shop.example/callback'] };

function accepted(record: unknown) {
  const reading = readClientMetadata(record, configuration, false);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading;
}
const warningsOf = (change: object) => accepted({ ...web, ...change }).warnings.join('\n');

function refused(record: unknown): string {
  const reading = readClientMetadata(record, configuration, false);
  if (reading.ok) throw new Error('was accepted');
  return reading.problems.map((one) => `${one.key}: ${one.found} / ${one.allowed}`).join('\n');
}

describe('a client with the metadata of RFC 7591', () => {
  it('has the defaults of RFC 7591 §2', () => {
    expect(accepted(web)).toEqual({
      ok: true,
      warnings: [],
      value: {
        clientId: 'shop',
        clientName: null,
        secret: null,
        applicationType: 'web',
        tokenEndpointAuthMethod: 'client_secret_basic',
        jwks: null,
        jwksUri: null,
        tokenEndpointAuthSigningAlg: null,
        dpopBoundAccessTokens: false,
        requirePushedAuthorizationRequests: false,
        requireSignedRequestObject: false,
        requestObjectSigningAlg: null,
        authorizationSignedResponseAlg: null,
        tlsClientAuthSubjectDn: null,
        tlsClientAuthSanDns: null,
        tlsClientAuthSanUri: null,
        tlsClientAuthSanIp: null,
        tlsClientAuthSanEmail: null,
        workloadIssuer: null,
        workloadSubject: null,
        tlsClientCertificateBoundAccessTokens: false,
        redirectUris: ['https://shop.example/callback'],
        grantTypes: ['authorization_code'],
        scope: null,
        defaultScope: null,
        defaultResource: null,
        policy: 'default',
        consent: 'ask',
        postLogoutRedirectUris: [],
        idTokenSignedResponseAlg: 'RS256',
        logoUri: null,
        clientUri: null,
        initiateLoginUri: null,
        tosUri: null,
        policyUri: null,
      },
    });
  });

  it('rejects an id that is the audience of access tokens', () => {
    for (const client_id of ['https://api.example.com', 'https://as.test/oauth/userinfo']) {
      expect(readClientMetadata({ ...web, client_id }, configuration, false)).toMatchObject({
        ok: false,
        problems: [{ key: 'client_id', found: 'the identifier of a resource' }],
      });
    }
    expect(readClientMetadata({ ...web, client_id: 'https://api.example.com/' }, configuration, false).ok).toBe(true);
  });

  it('accepts null for an omitted field, and each value once', () => {
    const twice = {
      redirect_uris: [...web.redirect_uris, ...web.redirect_uris],
      grant_types: ['authorization_code', 'authorization_code'],
    };
    expect(accepted({ ...web, ...twice, scope: null, client_secret: null }).value).toEqual(accepted(web).value);
  });

  it.each([' ', ' leading and trailing ', `~!@ #$%^&*()+=:;"'<>?/\\|`, 'x'.repeat(1024)])(
    'keeps the secret %j verbatim',
    (secret) => {
      expect(accepted({ ...web, client_secret: secret }).value.secret).toBe(secret);
    },
  );

  it('warns of a short secret without printing it', () => {
    expect(warningsOf({ client_secret: 'hunter2' })).toMatch(/client_secret: 7 characters; expected at least 22/);
    expect(warningsOf({ client_secret: 'hunter2' })).not.toContain('hunter2');
    expect(warningsOf({ client_secret: 'abcdefgh'.repeat(4) })).toBe('');
  });

  it('warns of a short secret, and of one in a native app', () => {
    const secret = 'Zr3-kW9_pQx7LmB2vT8sYcZr3-kW9_pQ';
    expect(warningsOf({ client_secret: secret.slice(1) })).toBe(
      'client_secret: 31 characters are few; use 32 or more random ones',
    );
    expect(warningsOf({ client_secret: secret })).toBe('');
    expect(warningsOf({ client_secret: secret, application_type: 'native' })).toBe(
      'client_secret: a native app cannot keep a secret (RFC 8252 §8.5); use token_endpoint_auth_method "none"',
    );
  });

  it.each(['', 'x'.repeat(1025), 'tab\there', 'é', 'new\nline', 42, ['a'], {}])(
    'rejects the secret %j without printing it',
    (secret) => {
      const words = refused({ ...web, client_secret: secret });
      expect(words).toMatch(
        /^client_secret: (a text of \d+ characters \(not shown\)|a value that is not a text) \/ 1 to 1024/,
      );
      expect(words).not.toMatch(/here|é|line|42|xxx/);
    },
  );

  it.each(['implicit', 'password'])('rejects the grant type %s, and names the alternative', (grant) => {
    expect(refused({ ...web, grant_types: [grant] })).toMatch(`grant_types.0: "${grant}" / "authorization_code"`);
    expect(refused({ ...web, grant_types: [grant] })).toMatch('is not part of OAuth 2.1');
  });

  it.each(['constructor', '__proto__', 'toString', { toString: 1 }, 7])('rejects the grant type %j', (grant) => {
    expect(refused({ ...web, grant_types: [grant] })).toMatch(
      '/ "authorization_code", "refresh_token" or "client_credentials"',
    );
  });

  it.each([
    ['token_endpoint_auth_method', 'private_key_jwt'],
    ['token_endpoint_auth_method', 'client_secret_jwt'],
    ['application_type', 'desktop'],
    ['response_types', ['token']],
    ['response_types', ['code', 'code']],
    ['redirect_uris', 'https://shop.example/callback'],
    ['grant_types', []],
    ['client_id', ''],
    ['client_id', 'é'],
    ['client_id', 'x'.repeat(256)],
    ['client_name', ''],
    ['client_name', ' \u3000'],
    ['client_name', 'zero\0'],
    ['client_name', 'turned \u202e around'],
    ['client_name', 'half \ud800'],
    ['scope', ''],
    ['scope', 'quote"'],
    ['scope', 'a\tb'],
    ['policy', 'unknown'],
    ['default_resource', 'https://nowhere.example'],
    ['default_scope', 'unknown'],
    ['post_logout_redirect_uris', 'https://shop.example/out'],
    ['post_logout_redirect_uris', [7]],
    ['id_token_signed_response_alg', 'none'],
    ['id_token_signed_response_alg', 'HS256'],
    ['id_token_signed_response_alg', 'rs256'],
    ['id_token_signed_response_alg', ['RS256']],
    ['logo_uri', 'http://shop.example/logo.png'],
    ['logo_uri', 'data:image/png;base64,AAAA'],
    ['logo_uri', 'https://user:secret@shop.example/'],
    ['logo_uri', `https://shop.example/${'x'.repeat(2048)}`],
    ['tos_uri', 'javascript:alert(1)'],
    ['policy_uri', 'shop.example/privacy'],
    ['policy_uri', ''],
  ])('rejects %s = %j', (field, value) => {
    expect(refused({ ...web, [field]: value })).toMatch(new RegExp(`^${field}`));
  });

  it.each([
    ['client_id', 'é', '1 to 255 characters of %x20-7E, and neither "." nor ".."'],
    ['client_id', '..', '1 to 255 characters of %x20-7E, and neither "." nor ".."'],
    ['client_name', '', '1 to 200 characters without control characters, not only spaces'],
    ['client_secret', '', '1 to 1024 characters of %x20-7E'],
    ['redirect_uris', ['x'.repeat(2049)], 'an absolute URI of at most 2048 characters'],
    ['response_types', ['code', 'code'], '["code"], or [] for a client that signs no end-user in'],
    ['scope', '"', 'scope tokens separated by spaces (RFC 6749 §3.3), at most 4096 characters'],
    ['default_scope', '"', 'scope tokens separated by spaces (RFC 6749 §3.3), at most 4096 characters'],
    ['default_resource', '', 'the identifier of a resource in resources.yaml'],
    ['policy', 7, 'the name of a policy file'],
  ])('describes the values that %s expects', (field, value, expected) => {
    expect(refused({ ...web, [field]: value }).split(' / ')[1]).toBe(expected);
  });

  it.each([[['code']], [[]], [undefined]])('reads response_types %j, and does not store it', (response_types) => {
    expect(accepted({ ...web, response_types }).value).toEqual(accepted(web).value);
  });

  it('suggests the policy that was probably meant', () => {
    expect(readClientMetadata({ ...web, policy: 'defualt' }, configuration, false)).toMatchObject({
      problems: [{ key: 'policy', found: '"defualt"', nearest: 'default' }],
    });
  });

  it('has an option for every field that may be an argument, and a label where its name is not plain', () => {
    expect(CLIENT_FIELDS.map(({ name, words, isList }) => [name, words.option, words.label, isList])).toEqual([
      ['client_id', '--id <id>', undefined, false],
      ['client_name', '--name <name>', 'name', false],
      ['application_type', '--application-type <type>', undefined, false],
      ['token_endpoint_auth_method', '--auth-method <method>', 'authenticates', false],
      ['client_secret', undefined, undefined, false],
      ['jwks', '--jwks <json>', 'keys', false],
      ['jwks_uri', '--jwks-uri <uri>', 'keys at', false],
      ['token_endpoint_auth_signing_alg', '--auth-signing-alg <alg>', 'signs with', false],
      ['require_signed_request_object', '--require-signed-request-object <true|false>', 'signed requests', false],
      ['request_object_signing_alg', '--request-object-signing-alg <alg>', 'signs requests with', false],
      ['authorization_signed_response_alg', '--authorization-signed-response-alg <alg>', 'signed responses', false],
      ['tls_client_auth_subject_dn', '--tls-client-auth-subject-dn <dn>', 'certificate subject', false],
      ['tls_client_auth_san_dns', '--tls-client-auth-san-dns <name>', 'certificate DNS name', false],
      ['tls_client_auth_san_uri', '--tls-client-auth-san-uri <uri>', 'certificate URI', false],
      ['tls_client_auth_san_ip', '--tls-client-auth-san-ip <address>', 'certificate IP address', false],
      ['tls_client_auth_san_email', '--tls-client-auth-san-email <email>', 'certificate email', false],
      ['workload_issuer', '--workload-issuer <url>', 'workload issuer', false],
      ['workload_subject', '--workload-subject <sub>', 'workload subject', false],
      ['redirect_uris', '--redirect-uri <uri>', 'redirect URIs', true],
      ['grant_types', '--grant-type <type>', undefined, true],
      ['response_types', undefined, undefined, true],
      ['scope', '--scope <scopes>', undefined, false],
      ['default_scope', '--default-scope <scopes>', undefined, false],
      ['default_resource', '--default-resource <uri>', undefined, false],
      ['policy', '--policy <name>', undefined, false],
      ['consent', '--consent <mode>', undefined, false],
      ['post_logout_redirect_uris', '--post-logout-redirect-uri <uri>', 'after a sign-out', true],
      ['id_token_signed_response_alg', '--id-token-alg <alg>', 'ID Tokens', false],
      ['dpop_bound_access_tokens', '--dpop-bound-access-tokens <true|false>', 'DPoP-bound access tokens', false],
      [
        'require_pushed_authorization_requests',
        '--require-pushed-authorization-requests <true|false>',
        'authorization requests',
        false,
      ],
      [
        'tls_client_certificate_bound_access_tokens',
        '--tls-client-certificate-bound-access-tokens <true|false>',
        'certificate-bound access tokens',
        false,
      ],
      ['logo_uri', '--logo-uri <uri>', 'logo', false],
      ['client_uri', '--client-uri <uri>', 'home page', false],
      ['initiate_login_uri', '--initiate-login-uri <uri>', 'starts a sign-in at', false],
      ['tos_uri', '--tos-uri <uri>', 'terms of service', false],
      ['policy_uri', '--policy-uri <uri>', 'privacy policy', false],
    ]);
  });

  it('offers the same values as the commands', () => {
    const choices = CLIENT_FIELDS.flatMap(({ name, choices }) => (choices.length > 0 ? [[name, choices]] : []));
    expect(choices).toEqual([
      ['application_type', ['web', 'native']],
      [
        'token_endpoint_auth_method',
        [
          ...['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
          ...['tls_client_auth', 'self_signed_tls_client_auth', 'workload_jwt', 'none'],
        ],
      ],
      ['token_endpoint_auth_signing_alg', ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256']],
      ['request_object_signing_alg', ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256']],
      ['authorization_signed_response_alg', ['ES256', 'RS256', 'EdDSA']],
      ['grant_types', ['authorization_code', 'refresh_token', 'client_credentials']],
      ['consent', ['ask', 'skip']],
      ['id_token_signed_response_alg', ['ES256', 'RS256', 'EdDSA']],
    ]);
  });

  it('writes a stored value verbatim, also where the current bounds reject it', () => {
    const stored = { ...DEFAULT_METADATA, clientId: 'é', scope: ['read', 'write'], defaultScope: ['quote"'] };
    expect(toNames(stored)).toMatchObject({ client_id: 'é', scope: 'read write', default_scope: ['quote"'] });
  });

  it('is written with the minimum, and with the differences from the defaults', () => {
    const always = {
      application_type: 'web',
      token_endpoint_auth_method: 'client_secret_basic',
      redirect_uris: web.redirect_uris,
      grant_types: ['authorization_code'],
      policy: 'default',
    };
    const stored = accepted(web).value;
    expect(toNames(stored)).toEqual({ client_id: 'shop', ...always });
    const change = { scope: 'read write', default_scope: 'read', id_token_signed_response_alg: 'ES256' };
    expect(toNames(accepted({ ...web, ...change }).value)).toEqual({ client_id: 'shop', ...always, ...change });
    expect(recordOf(stored).get('scope')).toBeUndefined();
    expect([...recordOf(stored).keys()]).not.toContain('client_secret');
  });

  it('escapes printed input so that it cannot control a terminal', () => {
    expect(refused({ ...web, policy: '\u001b[31m\u009b\u202e\u2028' })).toMatch(/^[\x20-\x7e]+$/);
  });

  it('warns of the members that it ignores', () => {
    expect(warningsOf({ contacts: ['a@b.example'], redirectUris: [] })).toBe(
      'contacts: ignored, Statehouse does not use it\n' +
        'redirectUris: ignored, Statehouse does not use it (did you mean "redirect_uris"?)',
    );
    // A short name that differs by three letters, and a long one by four, are other names.
    for (const name of ['cod', 'post_logout_redirect_pages']) {
      expect(warningsOf({ [name]: 'x' })).toBe(`${name}: ignored, Statehouse does not use it`);
    }
  });

  it.each([null, 'text', 1, [], undefined])('rejects %j as a record', (record) => {
    expect(refused(record)).toMatch('an object with the fields of RFC 7591');
  });
});

describe('rules between fields', () => {
  it('require a redirect URI exactly where a code is sent', () => {
    expect(refused({ client_id: 'x' })).toMatch('redirect_uris: none / at least one');
    expect(accepted({ client_id: 'x', grant_types: ['client_credentials'] }).warnings).toEqual([]);
    expect(warningsOf({ grant_types: ['client_credentials'] })).toMatch('redirect_uris: not used');
  });

  it('deny client credentials and secrets to public clients', () => {
    const open = { token_endpoint_auth_method: 'none' };
    expect(accepted({ ...web, ...open }).value).toMatchObject({ tokenEndpointAuthMethod: 'none', secret: null });
    expect(refused({ client_id: 'x', ...open, grant_types: ['client_credentials'] })).toBe(
      'grant_types: "client_credentials" for a public client / grant types of a public client: client credentials need a secret (OAuth 2.1 §4.2)',
    );
    expect(refused({ ...web, ...open, client_secret: 'x'.repeat(40) })).toMatch(
      'client_secret: a secret / no secret with',
    );
  });

  it('warn where no refresh token is possible', () => {
    expect(warningsOf({ redirect_uris: [], grant_types: ['client_credentials', 'refresh_token'] })).toMatch(
      'has no effect',
    );
  });

  it('limit the default scope to the ceiling', () => {
    expect(accepted({ ...web, scope: 'read other', default_scope: 'read' }).value.defaultScope).toEqual(['read']);
    expect(refused({ ...web, scope: 'read', default_scope: 'read write' })).toMatch(
      'default_scope: "write" / what `scope` allows',
    );
  });

  it.each<[object, string]>([
    [
      { client_id: 'https://api.example.com' },
      'client_id: the identifier of a resource / an id that is not an audience of access tokens (RFC 9068 §5)',
    ],
    [
      { redirect_uris: ['/cb'] },
      'redirect_uris.0: "/cb", which is not an absolute URI / an absolute URI, compared exactly (OAuth 2.1 §2.3.1)',
    ],
    [
      { post_logout_redirect_uris: ['/out'] },
      'post_logout_redirect_uris.0: "/out", which is not an absolute URI / an absolute URI, compared exactly (RP-Initiated Logout §3)',
    ],
    [
      { redirect_uris: ['com.example.app:/cb'] },
      'redirect_uris.0: "com.example.app:/cb" / https for a web application (application_type "native" may use a scheme of an app)',
    ],
    [
      { policy: 'unknown' },
      'policy: "unknown" / "browser-app", "default", "native-app" or "service" (the policy files)',
    ],
    [
      { default_resource: 'https://nowhere.example' },
      'default_resource: "https://nowhere.example" / "https://api.example.com" (resources.yaml)',
    ],
    [{ scope: 'read', default_scope: 'read write openid' }, 'default_scope: "write", "openid" / what `scope` allows'],
    [
      { default_scope: 'read fly' },
      'default_scope: "fly" / scopes that resources.yaml describes, or that `scope` lists',
    ],
  ])('reject %j, with a remedy', (change, words) => {
    expect(refused({ ...web, ...change })).toBe(words);
  });

  it('accept a default resource of resources.yaml', () => {
    const default_resource = 'https://api.example.com';
    expect(accepted({ ...web, default_resource }).value.defaultResource).toBe(default_resource);
  });

  it('distinguish errors from warnings', () => {
    const { value } = accepted({ ...web, scope: 'read fly' });
    const review = reviewClient({ ...value, policy: 'gone' }, configuration);
    expect(review.errors.map(({ key }) => key)).toEqual(['policy']);
    expect(review.warnings).toEqual([expect.stringMatching(/^scope: no resource describes "fly"/)]);
  });

  it('treat a scope of an API with a name of OpenID Connect as that of the API', () => {
    const resources = configuration.resources.map((resource) => ({
      ...resource,
      scopes: [...resource.scopes, { name: 'email', description: 'send email' }],
    }));
    const reading = readClientMetadata({ ...web, scope: 'email' }, { ...configuration, resources }, false);
    expect(reading).toMatchObject({ ok: true, warnings: [] });
  });

  it('warn where a client requests openid beside an API that has userInfo: false', () => {
    const resources = configuration.resources.map((one) => ({ ...one, userInfo: false }));
    const open = { identifier: 'https://open.test', name: 'Photos', scopes: [{ name: 'photos', description: 'see' }] };
    const there = { ...configuration, resources: [...resources, open] };
    const warnings = (change: object) => {
      const reading = readClientMetadata({ ...web, ...change }, there, false);
      return reading.ok ? reading.warnings.join('\n') : 'refused';
    };
    const says =
      /^scope: access tokens for https:\/\/\S+ \(userInfo: false\) do not open the UserInfo Endpoint; .*resource=\S+\/oauth\/userinfo$/;
    for (const concerned of [{ scope: 'openid read' }, { default_scope: 'openid read' }, {}]) {
      expect(warnings(concerned)).toMatch(says);
    }
    const machine = { grant_types: ['client_credentials'], redirect_uris: [] };
    for (const other of [
      { scope: 'read' },
      { scope: 'openid email' },
      { scope: 'openid email profile', default_scope: 'openid' },
      { scope: 'openid photos', default_resource: 'https://open.test' },
      machine,
    ]) {
      expect(warnings(other)).toBe('');
    }
    expect(warningsOf({ scope: 'openid read' })).toBe('');
  });

  it('warn of scopes that no resource describes', () => {
    expect(warningsOf({ scope: 'read orders' })).toMatch(/no resource describes "orders"; it counts for https:/);
  });

  it('include the scopes of the management API, which no client has by default', () => {
    expect(warningsOf({ scope: 'read clients:read' })).toBe('');
    expect(warningsOf({ scope: 'read clients:read', default_scope: 'clients:read' })).toBe(
      'default_scope: "clients:read" is a scope of the management API, which is never granted by default',
    );
    expect(refused({ ...web, default_scope: 'clients:read' })).toBe(
      'default_scope: "clients:read" / scopes that resources.yaml describes, or that `scope` lists',
    );
    expect(refused({ ...web, client_id: configuration.management.identifier })).toMatch(/^client_id: the identifier/);
    expect(refused({ ...web, default_resource: configuration.management.identifier })).toMatch(/^default_resource/);
  });

  it('include the scopes of OpenID Connect, and warn of those without effect', () => {
    const refreshing = { grant_types: ['authorization_code', 'refresh_token'] };
    expect(warningsOf({ scope: 'openid' })).toBe('');
    expect(warningsOf({ ...refreshing, scope: 'openid profile email address phone offline_access read' })).toBe('');
    expect(warningsOf({ scope: 'openid email', default_scope: 'openid' })).toBe('');
    expect(warningsOf({ scope: 'email read' })).toBe(
      'scope: "email" is never granted without "openid" (OpenID Connect Core §3.1.2.1)',
    );
    expect(warningsOf({ scope: 'profile' })).toMatch(/without "openid"[\s\S]*scope: none of its scopes can be granted/);
    expect(warningsOf({ scope: 'openid email', default_scope: 'email' })).toMatch(/^default_scope: "email" is never/);
    expect(warningsOf({ scope: 'read offline_access' })).toMatch(/"offline_access" has no effect without/);
    expect(warningsOf({ ...refreshing, scope: 'offline_access' })).toBe('scope: none of its scopes can be granted');
  });

  it('limit the algorithm of ID Tokens to those of the signing keys', () => {
    expect(accepted({ ...web, id_token_signed_response_alg: 'ES256' }).value.idTokenSignedResponseAlg).toBe('ES256');
    expect(refused({ ...web, id_token_signed_response_alg: 'EdDSA' })).toBe(
      'id_token_signed_response_alg: "EdDSA" / "ES256" or "RS256" (algorithms of signing-keys.yaml)',
    );
    const signingKeys = { ...configuration.signingKeys, algorithms: ['ES256', 'RS256', 'EdDSA'] as const };
    const wider = { ...configuration, signingKeys: { ...signingKeys, algorithms: [...signingKeys.algorithms] } };
    expect(readClientMetadata({ ...web, id_token_signed_response_alg: 'EdDSA' }, wider, false).ok).toBe(true);
  });
});

describe('redirect URIs', () => {
  it.each([
    ['web', 'https://shop.example/cb?a=b'],
    ['web', 'http://127.0.0.1:8080/cb'],
    ['web', 'http://[::1]/cb'],
    ['native', 'https://shop.example/cb'],
    ['native', 'com.example.app:/cb'],
  ])('are registered for a %s application: %s', (application_type, uri) => {
    expect(warningsOf({ application_type, redirect_uris: [uri] })).toBe('');
  });

  it.each([
    ['web', 'http://localhost:3000/cb', /127\.0\.0\.1 is safer$/],
    ['native', 'http://localhost/cb', /any port is accepted$/],
    ['web', 'http://shop.localhost:3000/cb', /127\.0\.0\.1 is safer$/],
    ['native', 'myapp:/cb', /RFC 8252 §7\.1/],
  ])('lead to a warning for a %s application: %s', (application_type, uri, words) => {
    expect(warningsOf({ application_type, redirect_uris: [uri] })).toMatch(words);
  });

  it.each(['http://shop.example/cb', 'http://localhost.evil.example/cb', 'http://127.0.0.1.evil.example/cb'])(
    'with http beyond the loopback interface are rejected for every application: %s',
    (uri) => {
      for (const application_type of ['web', 'native']) {
        expect(refused({ ...web, application_type, redirect_uris: [uri] })).toBe(
          `redirect_uris.0: "${uri}", where the code can be read on the way / https; http for a loopback address alone (RFC 9700 §2.6)`,
        );
      }
    },
  );

  it.each([
    ['web', 'https://x.example\\@other.example/cb'],
    ['web', 'https://SHOP.example/cb'],
    ['web', 'com.example.app:/cb'],
    ['native', 'javascript:alert(1)'],
    ['web', 'https://*.shop.example/cb'],
    ['web', 'https://shop.example/cb#part'],
    ['web', 'https://user@shop.example/cb'],
    ['web', '/cb'],
    ['web', ''],
    ['web', 'https://shop.example/é'],
    ['web', `https://shop.example/${'x'.repeat(2048)}`],
  ])('are rejected for a %s application: %s', (application_type, uri) => {
    expect(refused({ ...web, application_type, redirect_uris: ['https://fine.example/', uri] })).toMatch(
      /^redirect_uris\.1: /,
    );
  });
});

describe('post-logout redirect URIs', () => {
  const out = (uri: string, application_type = 'web') => ({
    ...web,
    application_type,
    post_logout_redirect_uris: ['https://fine.example/', uri],
  });
  it.each([
    ['web', 'https://shop.example/out?a=b'],
    ['web', 'http://127.0.0.1:8080/out'],
    ['native', 'com.example.app:/out'],
  ])('are registered for a %s application: %s, once', (application_type, uri) => {
    const reading = accepted({ ...out(uri, application_type), post_logout_redirect_uris: [uri, uri] });
    expect(reading.value.postLogoutRedirectUris).toEqual([uri]);
    expect(reading.warnings).toEqual([]);
  });
  it.each([
    ['web', 'http://localhost:3000/out', /^post_logout_redirect_uris\.1: .*127\.0\.0\.1 is safer$/],
    ['native', 'http://localhost/out', /127\.0\.0\.1 is safer$/],
    ['native', 'myapp:/out', /RFC 8252 §7\.1/],
  ])('lead to a warning for a %s application: %s', (application_type, uri, words) => {
    expect(warningsOf(out(uri, application_type))).toMatch(words);
  });
  it.each([
    ['web', 'http://shop.example/out'],
    ['native', 'http://shop.example/out'],
    ['web', 'https://x.example\\@other.example/out'],
    ['web', 'https://shop.example:443/out'],
    ['web', 'com.example.app:/out'],
    ['native', 'javascript:alert(1)'],
    ['native', 'data:text/html,x'],
    ['web', 'https://*.shop.example/out'],
    ['web', 'https://shop.example/out#part'],
    ['web', 'https://user@shop.example/out'],
    ['web', '/out'],
    ['web', ''],
    ['web', `https://shop.example/${'x'.repeat(2048)}`],
  ])('are rejected for a %s application: %s', (application_type, uri) => {
    expect(refused(out(uri, application_type))).toMatch(/^post_logout_redirect_uris\.1: /);
  });
});
