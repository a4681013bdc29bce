import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { REDIRECT_URI, type TestClient } from '../support/actors.ts';
import { judged } from '../support/interop.ts';

describe('openid-client, an independent judge', () => {
  const judging = judged();

  const discover = ({ clientId, secret }: TestClient) =>
    client.discovery(
      new URL(judging.current.test.issuer),
      clientId,
      undefined,
      secret === null ? client.None() : client.ClientSecretPost(secret),
      {
        algorithm: 'oauth2',
        execute: [client.allowInsecureRequests],
      },
    );

  async function authorize(config: client.Configuration) {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'read',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    });
    return { back: await judging.current.approve(url), checks: { pkceCodeVerifier, expectedState } };
  }

  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: { error?: string }) => error.error ?? String(error),
    );

  it('reads PKCE support from the metadata', async () => {
    const config = await discover(judging.current.confidential);
    expect(config.serverMetadata().supportsPKCE()).toBe(true);
  });

  it.each(['confidential', 'publicClient'] as const)('completes the whole flow as a %s client', async (kind) => {
    const config = await discover(judging.current[kind]);
    const { back, checks } = await authorize(config);
    const first = await client.authorizationCodeGrant(config, back, checks);
    expect(first.expiresIn()).toBeGreaterThan(0);
    const second = await client.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(await errorOf(client.refreshTokenGrant(config, first.refresh_token ?? ''))).toBe('invalid_grant');
    expect(await errorOf(client.refreshTokenGrant(config, second.refresh_token ?? ''))).toBe('invalid_grant');
  });

  it('ends the chain when it replays a code', async () => {
    const config = await discover(judging.current.confidential);
    const { back, checks } = await authorize(config);
    const first = await client.authorizationCodeGrant(config, back, checks);
    expect(await errorOf(client.authorizationCodeGrant(config, back, checks))).toBe('invalid_grant');
    expect(await errorOf(client.refreshTokenGrant(config, first.refresh_token ?? ''))).toBe('invalid_grant');
  });

  it('gets client credentials, and invalid_scope for an unknown scope', async () => {
    const config = await discover(judging.current.confidential);
    const answer = await client.clientCredentialsGrant(config, { scope: 'write' });
    expect(answer.scope).toBe('write');
    expect(await errorOf(client.clientCredentialsGrant(config, { scope: 'admin' }))).toBe('invalid_scope');
  });

  it('gets unauthorized_client for client credentials as a public client', async () => {
    const config = await discover(judging.current.publicClient);
    expect(await errorOf(client.clientCredentialsGrant(config, {}))).toBe('unauthorized_client');
  });
});
