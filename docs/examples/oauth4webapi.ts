import * as oauth from 'oauth4webapi';

type Server = oauth.AuthorizationServer;

/** Once, when your program starts: reads what the server can do. */
export async function discover(issuer: string): Promise<Server> {
  const url = new URL(issuer);
  // OAuth 2.1 alone: this app calls an API, and does not ask who the end-user is.
  const response = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure(issuer) });
  return oauth.processDiscoveryResponse(url, response);
}

/** Send the browser to `url`, and keep `verifier` and `state` in its session. */
export async function begin(as: Server, clientId: string, redirectUri: string) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  return { url, verifier, state };
}

/** `callback` is the whole URL at which the browser came back. */
export async function finish(
  as: Server,
  clientId: string,
  redirectUri: string,
  callback: URL,
  { verifier, state }: { verifier: string; state: string },
) {
  const client = { client_id: clientId };
  // Checks state, the issuer (RFC 9207) and error answers.
  const answer = oauth.validateAuthResponse(as, client, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    // A public client: it cannot keep a secret. With one: oauth.ClientSecretBasic(secret).
    oauth.None(),
    answer,
    redirectUri,
    verifier,
    insecure(as.issuer),
  );
  return oauth.processAuthorizationCodeResponse(as, client, response);
}

/** The answer holds a new refresh token; the one that you sent is used up. */
export async function refresh(as: Server, clientId: string, refreshToken: string) {
  const client = { client_id: clientId };
  const response = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), refreshToken, insecure(as.issuer));
  return oauth.processRefreshTokenResponse(as, client, response);
}

/** http is for your own machine only. */
const insecure = (issuer: string) => ({
  [oauth.allowInsecureRequests]: new URL(issuer).hostname === 'localhost',
});
