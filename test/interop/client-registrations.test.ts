/** Clients that register themselves by independent libraries: openid-client and oauth4webapi, from the registration to the rotation. */
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { REDIRECT_URI } from '../support/actors.ts';
import { acceptingRegistrations } from '../support/client-registrations.ts';
import { runningClock } from '../support/clock.ts';
import { judged } from '../support/interop.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
const METADATA = {
  client_name: 'Agent',
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
};
const KINDS = ['none', 'client_secret_basic', 'client_secret_post', undefined] as const;

describe('clients that register themselves', () => {
  const judging = judged({ clock: runningClock(), configuration: acceptingRegistrations() });

  it.each(KINDS)('openid-client registers a client with the method %s, signs in and rotates', async (method) => {
    const { test, approve } = judging.current;
    const config = await openid.dynamicClientRegistration(
      new URL(test.issuer),
      { ...METADATA, ...(method && { token_endpoint_auth_method: method }) },
      undefined,
      { execute: [openid.allowInsecureRequests] },
    );
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'read offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
    const back = await approve(url);
    const tokens = await openid.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    expect((await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token).toBeDefined();
  });

  it('oauth4webapi registers a client, and reads an error of the registration', async () => {
    const issuer = new URL(judging.current.test.issuer);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const ask = async (metadata: object) =>
      oauth.processDynamicClientRegistrationResponse(
        await oauth.dynamicClientRegistrationRequest(as, metadata as Partial<oauth.Client>, insecure),
      );
    expect(await ask(METADATA)).toMatchObject({
      client_id: expect.any(String),
      client_secret: expect.any(String),
      client_secret_expires_at: 0,
      registration_access_token: expect.any(String),
    });
    await expect(ask({ ...METADATA, redirect_uris: ['javascript:alert(1)'] })).rejects.toMatchObject({
      error: 'invalid_redirect_uri',
      status: 400,
    });
  });
});
