import { readFileSync } from 'node:fs';
import * as client from 'openid-client';

/** The platform renews the token in its file, so each request reads the file. */
export const byWorkload =
  (tokenFile: string): client.ClientAuth =>
  (_server, { client_id }, body) => {
    body.set('client_id', client_id);
    body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    body.set('client_assertion', readFileSync(tokenFile, 'utf8').trim());
  };

/** Once, when your program starts. `tokenFile`: /var/run/secrets/login/token, with the volume below. */
export function connect(issuer: string, clientId: string, tokenFile: string): Promise<client.Configuration> {
  const server = new URL(issuer);
  return client.discovery(server, clientId, undefined, byWorkload(tokenFile), {
    // http is for your own machine only.
    execute: server.hostname === 'localhost' ? [client.allowInsecureRequests] : [],
  });
}

export const serviceToken = (config: client.Configuration) => client.clientCredentialsGrant(config, { scope: 'read' });
