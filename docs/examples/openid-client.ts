import * as client from 'openid-client';

/** Once, when your program starts: reads what the server can do. */
export function connect(issuer: string, clientId: string, clientSecret: string): Promise<client.Configuration> {
  const server = new URL(issuer);
  return client.discovery(server, clientId, undefined, client.ClientSecretBasic(clientSecret), {
    // Statehouse speaks OAuth 2.1, not OpenID Connect.
    algorithm: 'oauth2',
    // http is for your own machine only.
    execute: server.hostname === 'localhost' ? [client.allowInsecureRequests] : [],
  });
}

/** Send the browser to `url`, and keep `checks` in its session on your side. */
export async function begin(config: client.Configuration, redirectUri: string) {
  const checks = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedState: client.randomState() };
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'read',
    state: checks.expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return { url, checks };
}

/** `callback` is the whole URL at which the browser came back. Checks state and issuer, then exchanges the code. */
export const finish = (config: client.Configuration, callback: URL, checks: client.AuthorizationCodeGrantChecks) =>
  client.authorizationCodeGrant(config, callback, checks);

/** The answer holds a new refresh token; the one that you sent is used up. */
export const refresh = (config: client.Configuration, refreshToken: string) =>
  client.refreshTokenGrant(config, refreshToken);

/** For a service that acts for itself, without a person. */
export const serviceToken = (config: client.Configuration) => client.clientCredentialsGrant(config, { scope: 'read' });
