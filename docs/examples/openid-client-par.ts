import * as client from 'openid-client';

/** The server gets the parameters now, and the browser a link to them. `key`: binds the code too, if your tokens are bound. */
export async function push(config: client.Configuration, redirectUri: string, key?: client.CryptoKeyPair) {
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  };
  const parameters = {
    redirect_uri: redirectUri,
    scope: 'openid email',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  };
  const options = key && { DPoP: client.getDPoPHandle(config, key) };
  return { url: await client.buildAuthorizationUrlWithPAR(config, parameters, options), checks };
}
