/** Pushed requests by independent clients: openid-client, with the file that the guide shows, and oauth4webapi. */
import { decodeJwt, exportJWK } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { push } from '../../docs/examples/openid-client-par.ts';
import { makeClient, REDIRECT_URI } from '../support/actors.ts';
import { withEveryPolicy } from '../support/app.ts';
import { runningClock } from '../support/clock.ts';
import { judged } from '../support/interop.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
const KINDS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;

describe.each([
  ['without proofs', { isProven: false, options: {} }],
  ['with proofs', { isProven: true, options: {} }],
  [
    'with proofs and nonces',
    { isProven: true, options: { configuration: withEveryPolicy({ dpopNonceRequired: true }) } },
  ],
])('pushed requests %s', (_name, { isProven, options }) => {
  const judging = judged({ ...options, clock: runningClock() });
  let as: oauth.AuthorizationServer;
  beforeAll(async () => {
    const issuer = new URL(judging.current.test.issuer);
    as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  });

  /** A client that can begin a sign-in by a push alone, and its authentication in each library. */
  async function registered(method: (typeof KINDS)[number]) {
    const keys = await oauth.generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'key' };
    const { clientId, secret } = await makeClient(judging.current.test, {
      tokenEndpointAuthMethod: method,
      requirePushedAuthorizationRequests: true,
      dpopBoundAccessTokens: isProven,
      ...(method === 'private_key_jwt' && { jwks: { keys: [jwk as never] } }),
      ...(method === 'none' && { grantTypes: ['authorization_code', 'refresh_token'] }),
    });
    const signing = { key: keys.privateKey, kid: 'key' };
    const authentication = {
      client_secret_basic: () =>
        [openid.ClientSecretBasic(secret ?? ''), oauth.ClientSecretBasic(secret ?? '')] as const,
      client_secret_post: () => [openid.ClientSecretPost(secret ?? ''), oauth.ClientSecretPost(secret ?? '')] as const,
      private_key_jwt: () => [openid.PrivateKeyJwt(signing), oauth.PrivateKeyJwt(signing)] as const,
      none: () => [openid.None(), oauth.None()] as const,
    };
    const [forOpenid, forOauth] = authentication[method]();
    return { clientId, forOpenid, forOauth };
  }

  it.each(KINDS)('openid-client signs in with %s', async (method) => {
    const { clientId, forOpenid } = await registered(method);
    const { test, approve, user } = judging.current;
    const execute = [openid.allowInsecureRequests];
    const config = await openid.discovery(new URL(test.issuer), clientId, undefined, forOpenid, { execute });
    const key = await openid.randomDPoPKeyPair('ES256');
    const { url, checks } = await push(config, REDIRECT_URI, isProven ? key : undefined);
    expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
    const back = await approve(url);
    if (isProven) {
      const thief = { DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256')) };
      await expect(openid.authorizationCodeGrant(config, back, checks, undefined, thief)).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    }
    const own = isProven ? { DPoP: openid.getDPoPHandle(config, key) } : undefined;
    const tokens = await openid.authorizationCodeGrant(config, back, checks, undefined, own);
    expect([tokens.token_type, tokens.claims()?.sub]).toEqual([isProven ? 'dpop' : 'bearer', user.id]);
    const plain = openid.buildAuthorizationUrl(config, { redirect_uri: REDIRECT_URI, scope: 'openid' });
    await expect(approve(plain)).rejects.toThrow();
  });

  it.each(KINDS)('oauth4webapi signs in with %s', async (method) => {
    const { clientId, forOauth } = await registered(method);
    const which = { client_id: clientId };
    const DPoP = isProven ? oauth.DPoP({}, await oauth.generateKeyPair('ES256')) : undefined;
    const more = { ...insecure, ...(DPoP && { DPoP }) };
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const parameters = {
      ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT_URI, scope: 'read', state },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    };
    const pushed = await repeated(async () => {
      const response = await oauth.pushedAuthorizationRequest(as, which, forOauth, parameters, more);
      return oauth.processPushedAuthorizationResponse(as, which, response);
    });
    expect(pushed.expires_in).toBe(60);
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({ client_id: clientId, request_uri: pushed.request_uri }).toString();
    const callback = oauth.validateAuthResponse(as, which, await judging.current.approve(url), state);
    const tokens = await repeated(async () => {
      const response = await oauth.authorizationCodeGrantRequest(
        ...([as, which, forOauth, callback, REDIRECT_URI, verifier, more] as const),
      );
      return oauth.processAuthorizationCodeResponse(as, which, response);
    });
    expect([tokens.token_type, decodeJwt(tokens.access_token)['cnf']]).toEqual(
      DPoP ? ['dpop', { jkt: await DPoP.calculateThumbprint() }] : ['bearer', undefined],
    );
  });

  it('oauth4webapi reads the error of a push', async () => {
    const { clientId, forOauth } = await registered('client_secret_basic');
    const response = await oauth.pushedAuthorizationRequest(as, { client_id: clientId }, forOauth, {}, insecure);
    await expect(oauth.processPushedAuthorizationResponse(as, { client_id: clientId }, response)).rejects.toMatchObject(
      { error: 'invalid_request', status: 400 },
    );
  });
});

/** Repeats a request that needs a nonce, as the documentation of the library shows. */
async function repeated<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return work();
  }
}
