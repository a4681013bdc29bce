import * as oauth from 'oauth4webapi';

/** Opens its connections with the certificate of the client, as undici does with `new Agent({ connect: { cert, key } })`. */
type Fetch = (url: string, request: { method: string; headers: Record<string, string> }) => Promise<Response>;

export async function serviceToken(issuer: string, clientId: string, fetch: Fetch) {
  const options = { [oauth.customFetch]: fetch };
  const url = new URL(issuer);
  const as = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options));
  // With it, the library uses the aliases of the endpoints (RFC 8705 §5), where the server has any.
  const client = { client_id: clientId, use_mtls_endpoint_aliases: true };
  const authentication = oauth.TlsClientAuth();
  const response = await oauth.clientCredentialsGrantRequest(as, client, authentication, { scope: 'read' }, options);
  return oauth.processClientCredentialsResponse(as, client, response);
}
