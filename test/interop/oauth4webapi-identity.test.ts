/** oauth4webapi as an OpenID Connect client, of an issuer that has a path. */
import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { goThrough, makeClient, REDIRECT_URI, type TestClient } from '../support/actors.ts';
import { Browser } from '../support/browser.ts';
import { formPosted, judged } from '../support/interop.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
const API = 'https://api.example.com';

describe('oauth4webapi, OpenID Connect at an issuer with a path', () => {
  const judging = judged({ path: '/tenant' });
  let as: oauth.AuthorizationServer;

  const discover = async (algorithm: 'oidc' | 'oauth2') => {
    const issuer = new URL(judging.current.test.issuer);
    const response = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
    return { url: response.url, document: await oauth.processDiscoveryResponse(issuer, response) };
  };
  beforeAll(async () => {
    as = (await discover('oidc')).document;
  });

  const which = ({ clientId, idTokenSignedResponseAlg }: TestClient): oauth.Client => ({
    client_id: clientId,
    id_token_signed_response_alg: idTokenSignedResponseAlg,
    require_auth_time: true,
    [oauth.clockTolerance]: 5,
  });
  const authOf = ({ secret }: TestClient) => (secret === null ? oauth.None() : oauth.ClientSecretPost(secret));

  async function request(client: TestClient, more: Readonly<Record<string, string>> = {}) {
    const kept = {
      verifier: oauth.generateRandomCodeVerifier(),
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
    };
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid email offline_access',
      code_challenge: await oauth.calculatePKCECodeChallenge(kept.verifier),
      code_challenge_method: 'S256',
      state: kept.state,
      nonce: kept.nonce,
      ...more,
    }).toString();
    return { url, kept };
  }
  type Kept = Awaited<ReturnType<typeof request>>['kept'];

  async function exchange(client: TestClient, parameters: URLSearchParams, { verifier, nonce }: Kept, maxAge?: number) {
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      which(client),
      authOf(client),
      parameters,
      REDIRECT_URI,
      verifier,
      insecure,
    );
    const asked = { expectedNonce: nonce, requireIdToken: true, ...(maxAge !== undefined && { maxAge }) };
    const tokens = await oauth.processAuthorizationCodeResponse(as, which(client), response, asked);
    // The claims were checked above; this checks the signature, with the keys of the JWKS.
    await oauth.validateApplicationLevelSignature(as, response, insecure);
    return tokens;
  }

  async function signIn(client: TestClient, more: Readonly<Record<string, string>> = {}) {
    const { url, kept } = await request(client, more);
    const back = await judging.current.approve(url);
    const parameters = oauth.validateAuthResponse(as, which(client), back, kept.state);
    return exchange(client, parameters, kept, more['max_age'] === undefined ? undefined : Number(more['max_age']));
  }

  const userInfo = async (client: TestClient, accessToken: string, sub: string) =>
    oauth.processUserInfoResponse(
      as,
      which(client),
      sub,
      await oauth.userInfoRequest(as, which(client), accessToken, insecure),
    );

  it('finds the same document at both well-known addresses', async () => {
    const { origin } = new URL(judging.current.test.issuer);
    const [connect, plain] = [await discover('oidc'), await discover('oauth2')];
    expect(connect.url).toBe(`${origin}/tenant/.well-known/openid-configuration`);
    expect(plain.url).toBe(`${origin}/.well-known/oauth-authorization-server/tenant`);
    expect(plain.document).toEqual(connect.document);
  });

  it.each(['confidential', 'publicClient'] as const)('signs in as a %s client', async (kind) => {
    const client = judging.current[kind];
    const tokens = await signIn(client, { max_age: '600' });
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    expect(claims?.sub).toBe(judging.current.user.id);
    expect((await userInfo(client, tokens.access_token, claims?.sub ?? '')).sub).toBe(claims?.sub);
    await expect(userInfo(client, tokens.access_token, 'another user')).rejects.toThrow();
  });

  it.each(['ES256', 'RS256'] as const)('verifies the signature of an ID Token with %s', async (alg) => {
    const client = await makeClient(judging.current.test, { idTokenSignedResponseAlg: alg });
    const [header = ''] = String((await signIn(client)).id_token).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg });
  });

  it('refreshes: another ID Token with the same subject', async () => {
    const client = judging.current.publicClient;
    const first = await signIn(client);
    const response = await oauth.refreshTokenGrantRequest(
      as,
      which(client),
      authOf(client),
      first.refresh_token ?? '',
      insecure,
    );
    const second = await oauth.processRefreshTokenResponse(as, which(client), response);
    await oauth.validateApplicationLevelSignature(as, response, insecure);
    expect(oauth.getValidatedIdTokenClaims(second)?.sub).toBe(oauth.getValidatedIdTokenClaims(first)?.sub);
  });

  it('reads a form_post answer', async () => {
    const { test, confidential, user } = judging.current;
    const { url, kept } = await request(confidential, { response_mode: 'form_post' });
    const page = await goThrough(new Browser(test.app), `${url.pathname}${url.search}`, user);
    const posted = new URLSearchParams(await formPosted(page.body).text());
    const parameters = oauth.validateAuthResponse(as, which(confidential), posted, kept.state);
    expect((await exchange(confidential, parameters, kept)).id_token).toBeDefined();
  });

  it('receives login_required, in an answer with the issuer of this server', async () => {
    const { test, confidential } = judging.current;
    const { url, kept } = await request(confidential, { prompt: 'none' });
    const { url: back } = await new Browser(test.app).get(`${url.pathname}${url.search}`);
    expect(() => oauth.validateAuthResponse(as, which(confidential), new URL(back), kept.state)).toThrow(
      expect.objectContaining({ error: 'login_required' }),
    );
    const other = new URL(back);
    other.searchParams.set('iss', 'https://another.example');
    expect(() => oauth.validateAuthResponse(as, which(confidential), other, kept.state)).toThrow(/iss/);
  });

  it('revokes an access token, and reads from the header that it is invalid', async () => {
    const client = judging.current.confidential;
    const { access_token: token } = await signIn(client);
    const response = await oauth.revocationRequest(as, which(client), authOf(client), token, insecure);
    await oauth.processRevocationResponse(response);
    const refusal = await userInfo(client, token, judging.current.user.id).catch((error: unknown) => error);
    if (!(refusal instanceof oauth.WWWAuthenticateChallengeError)) throw new Error('was not refused');
    expect(refusal.cause[0]).toMatchObject({ scheme: 'bearer', parameters: { error: 'invalid_token' } });
  });

  it('finds the metadata of the UserInfo Endpoint at the address of RFC 9728', async () => {
    const resource = new URL(as.userinfo_endpoint ?? '');
    const response = await oauth.resourceDiscoveryRequest(resource, insecure);
    const metadata = await oauth.processResourceDiscoveryResponse(resource, response);
    expect(metadata.authorization_servers).toEqual([judging.current.test.issuer]);
  });

  it('requests a resource, at both endpoints', async () => {
    const client = judging.current.confidential;
    const { access_token: token } = await signIn(client, { resource: API, scope: 'openid read' });
    const calling = new Request(API, { headers: { authorization: `Bearer ${token}` } });
    const claims = await oauth.validateJwtAccessToken(as, calling, API, insecure);
    expect(claims).toMatchObject({ sub: judging.current.user.id, client_id: client.clientId });
    await expect(oauth.validateJwtAccessToken(as, calling, 'https://other.example', insecure)).rejects.toThrow();
    const own = await oauth.clientCredentialsGrantRequest(
      as,
      which(client),
      authOf(client),
      { resource: API, scope: 'write' },
      insecure,
    );
    expect((await oauth.processClientCredentialsResponse(as, which(client), own)).scope).toBe('write');
  });
});
