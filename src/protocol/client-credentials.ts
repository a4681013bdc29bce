/** grant_type=client_credentials (OAuth 2.1 §4.2): the client on its own behalf. No refresh token, no state. */
import { type GrantType, refuse } from './grant-type.ts';
import { issueAccessToken } from './issue.ts';
import { requestedByClient } from './requested-access.ts';

export const clientCredentials: GrantType = {
  name: 'client_credentials',
  parse: (parameters) => ({
    grantId: null,
    apply: async (deps, { client, now }) => {
      // OAuth 2.1 §4.2: the client credentials grant type MUST only be used by confidential clients.
      if (client.tokenEndpointAuthMethod === 'none') return refuse('public_client_credentials');
      const asked = { scope: parameters.get('scope'), resources: parameters.getAll('resource') };
      const access = requestedByClient(deps.configuration(), client, asked);
      if (access === 'scope_unknown' || access === 'openid_missing') return refuse('scope_unknown', 'scope');
      if (access === 'resource_unknown') return refuse(access, 'resource');
      // RFC 9068 §2.2: `sub` is the client itself where no resource owner takes part.
      const subject = { client, sub: client.clientId, grantId: null, claims: null };
      return { kind: 'issued', response: issueAccessToken(deps, subject, access, now) };
    },
  }),
};
