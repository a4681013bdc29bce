/** grant_type=client_credentials (OAuth 2.1 §4.2): the client on its own behalf. No refresh token, no state. */
import { proofDemandedOf, unprovenReason } from '../lifecycles/presentation.ts';
import { shortScope } from '../oauth/scope.ts';
import { confirmationOf } from './confirmation.ts';
import { type GrantType, type Refused, refuse } from './grant-type.ts';
import { issueAccessToken } from './issue.ts';
import { type AccessProblem, requestedByClient } from './requested-access.ts';

export const clientCredentials: GrantType = {
  name: 'client_credentials',
  parse: (parameters) => ({
    grantId: null,
    apply: async (deps, { client, now }, { proof }) => {
      // OAuth 2.1 §4.2: the client credentials grant type MUST only be used by confidential clients.
      if (client.tokenEndpointAuthMethod === 'none') return refuse('public_client_credentials');
      const unproven = unprovenReason({ boundTo: null, ...proofDemandedOf(client) }, proof);
      if (unproven !== null) return refuse(unproven);
      const asked = { scope: parameters.get('scope'), resources: parameters.getAll('resource') };
      const access = requestedByClient(deps.configuration(), client, asked);
      if ('reason' in access) return refusedAccess(access);
      // RFC 9068 §2.2: `sub` is the client itself where no resource owner takes part.
      const confirmation = confirmationOf(proof);
      const subject = { client, sub: client.clientId, grantId: null, claims: null, signIn: null, confirmation };
      return { kind: 'issued', response: await issueAccessToken(deps, subject, access, now) };
    },
  }),
};

function refusedAccess({ reason, scope }: AccessProblem): Refused {
  if (reason === 'resource_unknown' || reason === 'resource_not_named' || reason === 'management_not_alone')
    return refuse(reason, 'resource');
  // A scope that needs an end-user is rejected before `openid` could be missing.
  const refused = refuse(reason === 'openid_missing' ? 'scope_not_allowed' : reason, 'scope');
  return scope === null ? refused : { ...refused, scope: shortScope(scope) };
}
