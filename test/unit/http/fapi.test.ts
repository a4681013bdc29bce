/** FAPI 2.0 as a policy: the demands on each request that the registration of a client cannot know. */
import { randomUUID } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROFILES, type Profile } from '../../../policies/profiles.ts';
import { authorizeUrl, goThrough, makeClient, makePkce, REDIRECT_URI, type TestClient } from '../../support/actors.ts';
import { ISSUER, shippedConfiguration } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { signedBy, testKey } from '../../support/client-keys.ts';
import { anyDatabase } from '../../support/database.ts';
import { type ProofKey, proofKey, proofOf } from '../../support/dpop.ts';
import { push } from '../../support/pushing.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const key = testKey();
const RS256_API = 'https://rs256.example.com';
let scene: Scene;
let proof: ProofKey;
let secured: TestClient;
let signing: TestClient;

const base = shippedConfiguration.policies.get('default');
if (base === undefined) throw new Error('no default policy');
const policies = new Map([
  ...shippedConfiguration.policies,
  ...PROFILES.map((profile) => [profile, { ...base, authorizationCodeLifetimeSeconds: 60, profile }] as const),
]);
const configuration = {
  ...shippedConfiguration,
  policies,
  resources: [
    ...shippedConfiguration.resources,
    {
      ...{ identifier: RS256_API, name: 'An older API', accessTokenSigningAlgorithm: 'RS256' as const },
      scopes: [{ name: 'old', description: 'use the older API' }],
    },
  ],
};

const underProfile = (policy: Profile, change: Parameters<typeof makeClient>[1] = {}) =>
  makeClient(scene, {
    ...{ policy, tokenEndpointAuthMethod: 'private_key_jwt', secretMacs: [], jwks: { keys: [key.jwk as never] } },
    ...{ dpopBoundAccessTokens: true, idTokenSignedResponseAlg: 'ES256', ...change },
  });

beforeAll(async () => {
  scene = await openScene(anyDatabase, { configuration });
  proof = await proofKey();
  secured = await underProfile('fapi-2-security');
  signing = await underProfile('fapi-2-message-signing');
});
afterAll(() => scene.close());

const seconds = () => Math.floor(scene.clock.now().getTime() / 1000);
const assertionOf = ({ clientId }: TestClient, by = key) => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: signedBy(by, {
    ...{ iss: clientId, sub: clientId, aud: ISSUER, jti: randomUUID(), iat: seconds(), exp: seconds() + 60 },
  }),
});
type Fields = Readonly<Record<string, string | undefined>>;
const requestOf = (client: TestClient, change: Fields = {}) =>
  Object.fromEntries(new URL(authorizeUrl(client, makePkce(), change), ISSUER).searchParams);
const authenticated = (client: TestClient, fields: Fields) =>
  push(
    scene,
    client,
    {},
    { headers: {}, body: new URLSearchParams({ ...assertionOf(client), ...fields } as never).toString() },
  );
const pushRequest = (client: TestClient, change: Fields = {}) => authenticated(client, requestOf(client, change));
const objectOf = (client: TestClient, change: object = {}) =>
  signedBy(key, {
    ...{ iss: client.clientId, aud: ISSUER, nbf: seconds(), exp: seconds() + 60, response_mode: 'jwt' },
    ...{ ...requestOf(client), ...change },
  });
const pushObject = (client: TestClient, change: object = {}) =>
  authenticated(client, { client_id: client.clientId, request: objectOf(client, change) });
async function tokens(client: TestClient, fields: Fields, by: ProofKey | null = proof) {
  const reply = await scene.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(by && { dpop: proofOf(by, { url: `${ISSUER}/oauth/token`, now: scene.clock.now() }) }),
    },
    payload: new URLSearchParams({ ...assertionOf(client), ...fields } as never).toString(),
  });
  return reply.json();
}

describe('under FAPI 2.0 Security Profile', () => {
  it('a client pushes, signs in, and gets tokens that are bound to its key', async () => {
    const pkce = makePkce();
    const pushed = await authenticated(
      secured,
      Object.fromEntries(new URL(authorizeUrl(secured, pkce, { scope: 'openid read' }), ISSUER).searchParams),
    );
    expect(pushed.status).toBe(201);
    expect(pushed.json.expires_in).toBeLessThan(600);
    const { url } = await goThrough(new Browser(scene.app), pushed.link, scene.user);
    const answer = new URL(url).searchParams;
    expect(answer.get('iss')).toBe(ISSUER);
    const code = { grant_type: 'authorization_code', code: answer.get('code') ?? '', code_verifier: pkce.verifier };
    const form = { ...code, redirect_uri: REDIRECT_URI };
    expect((await tokens(secured, form, null)).error).toBe('invalid_dpop_proof');
    const issued = await tokens(secured, form);
    expect(issued.token_type).toBe('DPoP');
    for (const jwt of [issued.access_token, issued.id_token]) expect(decodeProtectedHeader(jwt).alg).toBe('ES256');
  });

  it('a request that comes with the browser is refused (§5.3.2.2)', async () => {
    const reply = await new Browser(scene.app).send('GET', authorizeUrl(secured, makePkce()), null);
    expect([reply.status, reply.headers['location']]).toEqual([400, undefined]);
    expect(reply.body).toContain('pushed_request_required');
  });

  it('a push without authentication is refused (§5.3.2.2)', async () => {
    expect((await push(scene, secured, {}, { headers: {} })).status).toBe(401);
  });

  it('a signed response is signed with ES256 where the client registered nothing', async () => {
    const pushed = await pushRequest(secured, { response_mode: 'jwt' });
    const { url } = await goThrough(new Browser(scene.app), pushed.link, scene.user);
    expect(decodeProtectedHeader(new URL(url).searchParams.get('response') ?? '').alg).toBe('ES256');
  });

  it('access tokens are not signed with RS256 (§5.4.1)', async () => {
    const issued = await tokens(secured, { grant_type: 'client_credentials', scope: 'old', resource: RS256_API });
    expect(issued).toMatchObject({ error: 'invalid_target' });
    expect((await tokens(secured, { grant_type: 'client_credentials', scope: 'read' })).token_type).toBe('DPoP');
  });

  /** Registered before its policy named the profile. */
  it.each<[string, Parameters<typeof makeClient>[1]]>([
    ['public', { tokenEndpointAuthMethod: 'none', jwks: null }],
    ['with a secret', { tokenEndpointAuthMethod: 'client_secret_basic' }],
    ['without bound tokens', { dpopBoundAccessTokens: false }],
    ['with ID Tokens by RS256', { idTokenSignedResponseAlg: 'RS256' }],
    ['with an http redirect URI', { redirectUris: ['http://127.0.0.1/callback'] }],
  ])('a client from before the profile is refused everywhere: %s', async (_, change) => {
    const old = await makeClient(scene, {
      ...{ policy: 'fapi-2-security', tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.jwk as never] } },
      ...{ dpopBoundAccessTokens: true, idTokenSignedResponseAlg: 'ES256', ...change },
    });
    const asserts = old.tokenEndpointAuthMethod === 'private_key_jwt';
    const pushed = asserts ? await pushRequest(old) : await push(scene, old);
    expect(pushed).toMatchObject({ status: 400, json: { error: 'unauthorized_client' } });
    if (asserts && !old.redirectUris[0]?.startsWith('http:'))
      expect(await tokens(old, { grant_type: 'client_credentials', scope: 'read' })).toMatchObject({
        error: 'unauthorized_client',
      });
  });

  it.each(['/oauth/token', '/oauth/par', '/oauth/introspect', '/oauth/revoke'])(
    'an RS256 assertion of a client from before the profile is refused at %s (§5.4.1)',
    async (url) => {
      const rsa = testKey('RS256');
      const registration: Parameters<typeof makeClient>[1] = {
        ...{ tokenEndpointAuthMethod: 'private_key_jwt', secretMacs: [], jwks: { keys: [rsa.jwk as never] } },
        ...{ dpopBoundAccessTokens: true, idTokenSignedResponseAlg: 'ES256', tokenEndpointAuthSigningAlg: 'RS256' },
      };
      const answerTo = async (client: TestClient) => {
        const fields = { ...assertionOf(client, rsa), token: 'unknown', grant_type: 'client_credentials' };
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          ...(url === '/oauth/token' && {
            dpop: proofOf(proof, { url: `${ISSUER}${url}`, now: scene.clock.now() }),
          }),
        };
        const payload = new URLSearchParams(url === '/oauth/par' ? { ...fields, ...requestOf(client) } : fields);
        const reply = await scene.app.inject({ method: 'POST', url, headers, payload: payload.toString() });
        return [reply.statusCode, reply.body === '' ? undefined : reply.json().error];
      };
      // The key and the assertion are good, without a profile.
      const [status] = await answerTo(await makeClient(scene, registration));
      expect([200, 201]).toContain(status);
      const old = await makeClient(scene, { ...registration, policy: 'fapi-2-security' });
      expect(await answerTo(old)).toEqual([401, 'invalid_client']);
    },
  );
});

describe('under FAPI 2.0 Message Signing', () => {
  it('a client pushes a request object, and gets a signed response', async () => {
    const pushed = await pushObject(signing);
    expect(pushed.status).toBe(201);
    const { url } = await goThrough(new Browser(scene.app), pushed.link, scene.user);
    expect([...new URL(url).searchParams.keys()]).toEqual(['response']);
  });

  it('a request without a signature is refused (§5.3.1)', async () => {
    const pushed = await pushRequest(signing, { response_mode: 'jwt' });
    expect(pushed).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  });

  it('a request for an unsigned response is refused (§5.4.1)', async () => {
    for (const response_mode of [undefined, 'query', 'form_post'])
      expect((await pushObject(signing, { response_mode })).json).toMatchObject({ error: 'invalid_request' });
    expect((await pushObject(signing, { response_mode: 'form_post.jwt' })).status).toBe(201);
  });

  it.each<[string, () => object, boolean]>([
    ['no nbf', () => ({ nbf: undefined }), false],
    ['an nbf of an hour ago', () => ({ nbf: seconds() - 3600, exp: seconds() }), false],
    ['an nbf of 59 minutes ago', () => ({ nbf: seconds() - 3540, exp: seconds() + 60 }), true],
    ['an exp more than an hour after nbf', () => ({ exp: seconds() + 3601 }), false],
    ['an aud in a list', () => ({ aud: [ISSUER] }), true],
  ])('a request object with %s counts or not (§5.3.1)', async (_, change, counts) => {
    const { status, json } = await pushObject(signing, change());
    expect([status, json.error]).toEqual(counts ? [201, undefined] : [400, 'invalid_request_object']);
  });

  it('a signed request that comes with the browser is refused', async () => {
    const query = new URLSearchParams({ client_id: signing.clientId, request: objectOf(signing) });
    const reply = await new Browser(scene.app).send('GET', `/oauth/authorize?${query}`, null);
    expect([reply.status, reply.headers['location']]).toEqual([400, undefined]);
  });
});
