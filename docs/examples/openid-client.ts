import * as client from 'openid-client';

/** Once, when your program starts: reads what the server can do. */
export function connect(issuer: string, clientId: string, clientSecret: string): Promise<client.Configuration> {
  const server = new URL(issuer);
  return client.discovery(server, clientId, undefined, client.ClientSecretBasic(clientSecret), {
    // http is for your own machine only.
    execute: server.hostname === 'localhost' ? [client.allowInsecureRequests] : [],
  });
}

/** Send the browser to `url`, and keep `checks` in its session on your side. */
export async function begin(config: client.Configuration, redirectUri: string) {
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  };
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    // `openid` asks who the end-user is, `email` for that claim. The access token is for the UserInfo Endpoint.
    scope: 'openid email',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return { url, checks };
}

/** `callback` is the whole URL at which the browser came back. Checks state and issuer, exchanges the code, checks the ID Token. */
export async function finish(config: client.Configuration, callback: URL, checks: client.AuthorizationCodeGrantChecks) {
  const tokens = await client.authorizationCodeGrant(config, callback, checks);
  const sub = tokens.claims()?.sub;
  if (sub === undefined) throw new Error('no ID Token came');
  // `sub` is the end-user: it never changes, and no other end-user gets it. The other claims are for showing.
  const person = await client.fetchUserInfo(config, tokens.access_token, sub);
  return { tokens, person };
}

/** The answer holds a new refresh token; the one that you sent is used up. */
export const refresh = (config: client.Configuration, refreshToken: string) =>
  client.refreshTokenGrant(config, refreshToken);

/** End your own session first, then send the browser here; it comes back to `backTo`, which has to be registered. */
export const signOutUrl = (config: client.Configuration, idToken: string, backTo: string): URL =>
  client.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: backTo });

/** For a service that acts for itself, without an end-user. */
export const serviceToken = (config: client.Configuration) => client.clientCredentialsGrant(config, { scope: 'read' });
