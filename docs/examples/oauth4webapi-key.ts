import * as oauth from 'oauth4webapi';

/** `key`: of Web Crypto. `kid` is needed where the client has several keys. */
export async function serviceToken(issuer: string, clientId: string, key: oauth.CryptoKey, kid: string) {
  const url = new URL(issuer);
  // http is for your own machine only.
  const options = url.hostname === 'localhost' ? { [oauth.allowInsecureRequests]: true } : {};
  const as = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options));
  const client = { client_id: clientId };
  const authentication = oauth.PrivateKeyJwt({ key, kid });
  const response = await oauth.clientCredentialsGrantRequest(as, client, authentication, { scope: 'read' }, options);
  return oauth.processClientCredentialsResponse(as, client, response);
}
