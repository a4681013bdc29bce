import * as client from 'openid-client';

/** Once, when your program starts. `privateKey`: of Web Crypto; the server has its public half alone. */
export function connect(issuer: string, clientId: string, privateKey: client.CryptoKey): Promise<client.Configuration> {
  const server = new URL(issuer);
  return client.discovery(server, clientId, undefined, client.PrivateKeyJwt(privateKey), {
    // http is for your own machine only.
    execute: server.hostname === 'localhost' ? [client.allowInsecureRequests] : [],
  });
}

/** From here on, each request carries a new assertion: openid-client signs it. */
export const serviceToken = (config: client.Configuration) => client.clientCredentialsGrant(config, { scope: 'read' });
