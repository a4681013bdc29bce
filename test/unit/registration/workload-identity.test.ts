/** The registration of clients that authenticate with the token of their workload (docs/decisions/0115). */
import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../../policies/profiles.ts';
import { policySchema } from '../../../policies/schema.ts';
import { readClientMetadata, toNames } from '../../../src/registration/client-metadata.ts';
import { readKeySet } from '../../../src/registration/key-set.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { testKey } from '../../support/client-keys.ts';

const KUBERNETES = {
  workload_issuer: 'https://kubernetes.default.svc.cluster.local',
  workload_subject: 'system:serviceaccount:shop:api',
};
const SPIFFE = { workload_subject: 'spiffe://example.org/shop/api' };
const key = testKey('RS256');
const jwks = { keys: [key.jwk] };
const lifetimes = { ...shippedConfiguration.policies.get('default'), authorizationCodeLifetimeSeconds: 60 };
const configuration = {
  ...shippedConfiguration,
  policies: new Map([
    ...shippedConfiguration.policies,
    ...PROFILES.map((profile) => [profile, policySchema.parse({ ...lifetimes, profile })] as const),
  ]),
};

const SERVICE = {
  ...{ client_id: 'shop-api', grant_types: ['client_credentials'], policy: 'service' },
  token_endpoint_auth_method: 'workload_jwt',
};
const read = (change: object) => readClientMetadata({ ...SERVICE, ...change }, configuration, true);
function problemsOf(change: object): readonly string[] {
  const reading = read(change);
  return reading.ok ? [] : reading.problems.map(({ key: at, found, allowed }) => `${at}: ${found} / ${allowed}`);
}

describe('a client with workload_jwt', () => {
  it.each([
    ['a service account of Kubernetes', { ...KUBERNETES, jwks }],
    ['a platform that publishes its keys', { ...KUBERNETES, jwks_uri: 'https://oidc.example/openid/v1/jwks' }],
    ['a SPIFFE ID', { ...SPIFFE, jwks }],
    ['a SPIFFE ID with an issuer', { ...SPIFFE, workload_issuer: 'https://spire.example/', jwks }],
    ['one algorithm', { ...KUBERNETES, jwks, token_endpoint_auth_signing_alg: 'RS256' }],
  ])('is registered with %s, without a secret', (_, change) => {
    const reading = read(change);
    expect(reading).toMatchObject({ ok: true, warnings: [], value: { secret: null } });
    // Byte for byte: issuers are compared as strings.
    if (reading.ok) expect(toNames(reading.value)).toMatchObject(change);
  });

  it.each([
    ['no subject', { ...KUBERNETES, workload_subject: undefined }, 'workload_subject: none'],
    ['no issuer', { ...KUBERNETES, workload_issuer: undefined }, 'workload_issuer: none'],
    ['an issuer as subject', { ...KUBERNETES, workload_subject: KUBERNETES.workload_issuer }, 'another value than'],
    ['a secret', { ...KUBERNETES, client_secret: 'a secret that is long enough for it' }, 'client_secret'],
    ['an algorithm of no key', { ...KUBERNETES, token_endpoint_auth_signing_alg: 'ES256' }, 'an algorithm of one'],
    ['a MAC', { ...KUBERNETES, token_endpoint_auth_signing_alg: 'HS256' }, 'token_endpoint_auth_signing_alg'],
    // The keys are not of the client.
    ['signed requests', { ...KUBERNETES, require_signed_request_object: true }, 'require_signed_request_object: true'],
  ])('is refused with %s', (_, change, words) => {
    expect(problemsOf({ jwks, ...change })).toEqual([expect.stringContaining(words)]);
  });

  it('is refused without keys, and with two places for them', () => {
    expect(problemsOf(KUBERNETES)).toEqual([expect.stringContaining('"workload_jwt" without keys')]);
    expect(problemsOf({ ...KUBERNETES, jwks, jwks_uri: 'https://oidc.example/jwks' })).toHaveLength(1);
  });

  it.each([
    'http://kubernetes.default.svc',
    ' https://oidc.example',
    'https://oidc.example?tenant=1',
    'https://oidc.example#keys',
    'https://user@oidc.example',
    'HTTPS://oidc.example',
    'kubernetes/serviceaccount',
    `https://oidc.example/${'x'.repeat(2048)}`,
    '',
  ])('is refused with the issuer %j', (workload_issuer) => {
    expect(problemsOf({ ...KUBERNETES, jwks, workload_issuer })).toEqual([
      expect.stringContaining('workload_issuer: '),
    ]);
  });

  it.each([
    'system:serviceaccount:shop:*',
    '*',
    ' system:serviceaccount:shop:api',
    'system:serviceaccount:shop:api\n',
    'spiffe://example.org',
    'spiffe://example.org/',
    'spiffe://Example.org/shop',
    'SPIFFE://example.org/shop',
    'spiffe://example.org/shop?x=1',
    'spiffe://example.org/shop//api',
    'x'.repeat(1025),
    '',
  ])('is refused with the subject %j', (workload_subject) => {
    const problems = problemsOf({ ...KUBERNETES, jwks, workload_subject });
    expect(problems).toEqual([expect.stringMatching(/^workload_subject: .*an exact subject without \*/s)]);
  });

  it.each(PROFILES)('is refused under the profile %s', (policy) => {
    const bound = { dpop_bound_access_tokens: true, id_token_signed_response_alg: 'ES256', policy };
    expect(problemsOf({ ...KUBERNETES, jwks: { keys: [testKey().jwk] }, ...bound })).toEqual([
      expect.stringMatching(
        /^token_endpoint_auth_method: "workload_jwt" .* \(FAPI 2\.0 Security Profile §5\.3\.2\.1\)/,
      ),
    ]);
  });
});

describe('the fields of a workload', () => {
  it('have no effect with another method, and a warning says so', () => {
    const secret = { token_endpoint_auth_method: 'client_secret_basic' };
    expect(read({ ...KUBERNETES, ...secret })).toMatchObject({
      ok: true,
      warnings: ['workload_issuer', 'workload_subject'].map(
        (name) => `${name}: not used without token_endpoint_auth_method "workload_jwt"`,
      ),
    });
  });
});

describe('the keys of a SPIFFE bundle', () => {
  const svid = { ...testKey('ES256', 'svid').jwk, use: 'jwt-svid' };

  it('count where they sign JWT-SVIDs', () => {
    const x509 = { ...testKey('ES256', 'x509').jwk, use: 'x509-svid' };
    const bundle = { keys: [svid, x509], spiffe_sequence: 1, spiffe_refresh_hint: 300 };
    expect(readKeySet(JSON.stringify(bundle))).toEqual([svid]);
    expect(problemsOf({ ...SPIFFE, jwks: { keys: [svid] } })).toEqual([]);
    expect(problemsOf({ ...SPIFFE, jwks: { keys: [x509] } })).toHaveLength(1);
  });

  it('are refused as keys of a client', () => {
    const own = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [svid] } };
    expect(problemsOf(own)).toEqual([expect.stringContaining('jwks.keys.0.use: "jwt-svid"')]);
  });
});
