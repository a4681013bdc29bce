import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeClient, REDIRECT_URI, type TestClient } from '../support/actors.ts';
import { judged } from '../support/interop.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

describe('oauth4webapi, an independent judge', () => {
  const judging = judged();
  let as: oauth.AuthorizationServer;

  beforeAll(async () => {
    const issuer = new URL(judging.current.test.issuer);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    as = await oauth.processDiscoveryResponse(issuer, response);
  });

  const authOf = ({ secret }: TestClient) => (secret === null ? oauth.None() : oauth.ClientSecretBasic(secret));

  async function authorize({ clientId }: TestClient, decision: 'approve' | 'deny' = 'approve') {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'read write',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    }).toString();
    const back = await judging.current.approve(url, decision);
    // Checks `state`, `iss` (RFC 9207) and error answers.
    const parameters = oauth.validateAuthResponse(as, { client_id: clientId }, back, state);
    return { parameters, verifier };
  }

  async function obtain(client: TestClient) {
    const { parameters, verifier } = await authorize(client);
    const which = { client_id: client.clientId };
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      which,
      authOf(client),
      parameters,
      REDIRECT_URI,
      verifier,
      insecure,
    );
    return oauth.processAuthorizationCodeResponse(as, which, response);
  }

  async function refresh(client: TestClient, token: string) {
    const which = { client_id: client.clientId };
    const response = await oauth.refreshTokenGrantRequest(as, which, authOf(client), token, insecure);
    return oauth.processRefreshTokenResponse(as, which, response);
  }

  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => (error instanceof oauth.ResponseBodyError ? error.error : String(error)),
    );

  it.each(['confidential', 'publicClient'] as const)('completes the whole flow as a %s client', async (kind) => {
    const client = judging.current[kind];
    const first = await obtain(client);
    const second = await refresh(client, first.refresh_token ?? '');
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await errorOf(refresh(client, first.refresh_token ?? ''))).toBe('invalid_grant');
    expect(await errorOf(refresh(client, second.refresh_token ?? ''))).toBe('invalid_grant');
  });

  it('accepts the access token as RFC 9068 defines it', async () => {
    const { access_token: token } = await obtain(judging.current.confidential);
    const request = new Request('https://api.example.com/', { headers: { authorization: `Bearer ${token}` } });
    const claims = await oauth.validateJwtAccessToken(as, request, 'https://api.example.com', insecure);
    expect(claims.sub).toBe(judging.current.user.id);
    expect(claims.scope).toBe('read write');
  });

  it('gets a token by client credentials', async () => {
    const { clientId, secret } = judging.current.confidential;
    for (const auth of [oauth.ClientSecretBasic(secret ?? ''), oauth.ClientSecretPost(secret ?? '')]) {
      const which = { client_id: clientId };
      const response = await oauth.clientCredentialsGrantRequest(as, which, auth, { scope: 'read' }, insecure);
      const answer = await oauth.processClientCredentialsResponse(as, which, response);
      expect(answer.refresh_token).toBeUndefined();
      expect(answer.scope).toBe('read');
    }
  });

  it('reads a denial by the resource owner', async () => {
    // A client without any earlier consent: else the remembered consent answers.
    const stranger = await makeClient(judging.current.test);
    await expect(authorize(stranger, 'deny')).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('reads invalid_client for a wrong secret, with WWW-Authenticate', async () => {
    const which = { client_id: judging.current.confidential.clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      which,
      oauth.ClientSecretBasic('wrong'),
      {},
      insecure,
    );
    expect(response.status).toBe(401);
    await expect(oauth.processClientCredentialsResponse(as, which, response)).rejects.toBeInstanceOf(
      oauth.WWWAuthenticateChallengeError,
    );
  });

  it('reads invalid_grant for a wrong verifier, and the correct one still works', async () => {
    const client = judging.current.confidential;
    const { parameters, verifier } = await authorize(client);
    const which = { client_id: client.clientId };
    const exchange = async (one: string) =>
      oauth.processAuthorizationCodeResponse(
        as,
        which,
        await oauth.authorizationCodeGrantRequest(as, which, authOf(client), parameters, REDIRECT_URI, one, insecure),
      );
    expect(await errorOf(exchange(oauth.generateRandomCodeVerifier()))).toBe('invalid_grant');
    expect((await exchange(verifier)).refresh_token).toBeDefined();
  });
});
