/** The whole FAPI 2.0 flow by independent clients: private_key_jwt, a signed request that is pushed, DPoP, and a signed response. */
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../policies/profiles.ts';
import { makeClient, REDIRECT_URI } from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { runningClock } from '../support/clock.ts';
import { judged } from '../support/interop.ts';

const policies = new Map(
  [...shippedConfiguration.policies].flatMap(([name, policy]) => [
    [name, policy] as const,
    ...PROFILES.map((profile) => [profile, { ...policy, authorizationCodeLifetimeSeconds: 60, profile }] as const),
  ]),
);

describe('FAPI 2.0 Message Signing', () => {
  const judging = judged({ clock: runningClock(), configuration: { ...shippedConfiguration, policies } });

  async function registered() {
    const keys = await client.randomDPoPKeyPair('ES256', { extractable: true });
    const jwk = await crypto.subtle.exportKey('jwk', keys.publicKey);
    const { clientId } = await makeClient(judging.current.test, {
      ...{ policy: 'fapi-2-message-signing', tokenEndpointAuthMethod: 'private_key_jwt', secretMacs: [] },
      ...{ dpopBoundAccessTokens: true, idTokenSignedResponseAlg: 'ES256' },
      jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.y, kid: 'bank' } as never] },
    });
    return { clientId, key: { key: keys.privateKey, kid: 'bank' } };
  }

  it('is the flow of openid-client', async () => {
    const { test, user } = judging.current;
    const { clientId, key } = await registered();
    const config = await client.discovery(
      new URL(test.issuer),
      clientId,
      { id_token_signed_response_alg: 'ES256', authorization_signed_response_alg: 'ES256' },
      client.PrivateKeyJwt(key),
      { execute: [client.allowInsecureRequests, client.useJwtResponseMode] },
    );
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'));
    const verifier = client.randomPKCECodeVerifier();
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const signed = await client.buildAuthorizationUrlWithJAR(
      config,
      {
        ...{ redirect_uri: REDIRECT_URI, scope: 'openid read offline_access', state, nonce },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      },
      key,
    );
    const url = await client.buildAuthorizationUrlWithPAR(config, signed.searchParams, { DPoP });
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const callback = await judging.current.approve(url);
    expect([...callback.searchParams.keys()]).toEqual(['response']);
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
    const tokens = await client.authorizationCodeGrant(config, callback, checks, undefined, { DPoP });
    expect([tokens.token_type, tokens.claims()?.sub]).toEqual(['dpop', user.id]);
    const again = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
    expect(again.token_type).toBe('dpop');
    expect(await client.fetchUserInfo(config, again.access_token, user.id, { DPoP })).toMatchObject({ sub: user.id });
  });

  it('is the flow of oauth4webapi, with a refusal of the end-user in a signed response', async () => {
    const { test } = judging.current;
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(test.issuer);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const { clientId, key } = await registered();
    const which = {
      client_id: clientId,
      authorization_signed_response_alg: 'ES256',
      id_token_signed_response_alg: 'ES256',
    };
    const auth = oauth.PrivateKeyJwt(key);
    const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'));
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const pushed = async (more: Readonly<Record<string, string>> = {}) => {
      const parameters = {
        ...{ response_type: 'code', redirect_uri: REDIRECT_URI, scope: 'read', response_mode: 'jwt', state },
        ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
        ...more,
      };
      const request = await oauth.issueRequestObject(as, which, new URLSearchParams(parameters), key);
      const response = await oauth.pushedAuthorizationRequest(
        as,
        which,
        auth,
        { client_id: clientId, request },
        { DPoP, ...insecure },
      );
      const { request_uri } = await oauth.processPushedAuthorizationResponse(as, which, response);
      const url = new URL(as.authorization_endpoint ?? '');
      url.search = new URLSearchParams({ client_id: clientId, request_uri }).toString();
      return url;
    };
    const answer = await judging.current.approve(await pushed());
    const callback = await oauth.validateJwtAuthResponse(as, which, answer, state, insecure);
    const response = await oauth.authorizationCodeGrantRequest(as, which, auth, callback, REDIRECT_URI, verifier, {
      DPoP,
      ...insecure,
    });
    expect((await oauth.processAuthorizationCodeResponse(as, which, response)).token_type).toBe('dpop');
    const denied = await judging.current.approve(await pushed({ prompt: 'consent' }), 'deny');
    expect([...denied.searchParams.keys()]).toEqual(['response']);
    await expect(oauth.validateJwtAuthResponse(as, which, denied, state, insecure)).rejects.toMatchObject({
      error: 'access_denied',
    });
  });
});
