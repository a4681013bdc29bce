/** openid-client and oauth4webapi authenticate by key at every endpoint, with the code of docs/connecting-a-client-with-keys.md. */
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { serviceToken } from '../../docs/examples/oauth4webapi-key.ts';
import * as openidClientKey from '../../docs/examples/openid-client-key.ts';
import { makeClient, REDIRECT_URI } from '../support/actors.ts';
import { runningClock } from '../support/clock.ts';
import { judged } from '../support/interop.ts';

const ALGORITHMS = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  EdDSA: { name: 'Ed25519' },
  PS256: { name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
} as const;

describe.each(Object.entries(ALGORITHMS))('a client that signs with %s', (alg, algorithm) => {
  const judging = judged({ clock: runningClock() });

  async function registered() {
    const made = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
    const { privateKey, publicKey } = made as { privateKey: oauth.CryptoKey; publicKey: oauth.CryptoKey };
    const { kty, crv, x, y, n, e } = await crypto.subtle.exportKey('jwk', publicKey);
    const jwk = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e, kid: alg }));
    const { clientId } = await makeClient(judging.current.test, {
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [jwk] },
    });
    return { privateKey, clientId };
  }

  it('gets, refreshes, describes and revokes tokens with openid-client', async () => {
    const { privateKey, clientId } = await registered();
    const { issuer } = judging.current.test;
    const config = await openidClientKey.connect(issuer, clientId, privateKey);
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const back = await judging.current.approve(url);
    const tokens = await client.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(await client.tokenIntrospection(config, next.access_token)).toMatchObject({ active: true });
    await client.tokenRevocation(config, next.refresh_token ?? '');
    expect(await client.tokenIntrospection(config, next.access_token)).toEqual({ active: false });
    expect((await openidClientKey.serviceToken(config)).scope).toBe('read');
  });

  it('gets tokens with oauth4webapi, and no other key does', async () => {
    const { privateKey, clientId } = await registered();
    const { issuer } = judging.current.test;
    expect((await serviceToken(issuer, clientId, privateKey, alg)).token_type).toBe('bearer');
    const other = await registered();
    await expect(serviceToken(issuer, clientId, other.privateKey, alg)).rejects.toThrow(
      oauth.WWWAuthenticateChallengeError,
    );
  });
});
