/** grant_type=authorization_code (OAuth 2.1 §4.1.3): parse → load → authenticate the client → present the code. */
import { isOwnCode, readAuthorizationCode } from '../crypto/authorization-code.ts';
import { sameSecretBytes, sha256 } from '../crypto/digest.ts';
import { authorizationCodeRequest } from '../lifecycles/authorization-code/lifecycle.ts';
import { present } from '../lifecycles/presentation.ts';
import { isCodeVerifier } from '../oauth/pkce.ts';
import { administratorNameOf } from './administrators.ts';
import { type GrantType, refuse } from './grant-type.ts';
import { askedResources, resourcesOfGrant } from './narrowing.ts';
import { settled, waysOf } from './presentation.ts';

export const authorizationCode: GrantType = {
  name: 'authorization_code',
  parse: (parameters) => {
    const code = parameters.get('code');
    const verifier = parameters.get('code_verifier');
    if (code === null) return refuse('missing_parameter', 'code');
    // RFC 7636 §4.5: required from every client, since every code was bound to a challenge.
    if (verifier === null) return refuse('missing_parameter', 'code_verifier');
    // RFC 6749 §4.1.3 defines no `scope` here, so the server ignores it. RFC 8707 §2.2 lets `resource` narrow the
    // access.
    const asked = askedResources(parameters);
    const read = readAuthorizationCode(code);
    if (!read) return { grantId: null, apply: async () => refuse('authorization_code_unknown') };
    // RFC 7636 §4.6: BASE64URL-ENCODE(SHA256(ASCII(code_verifier))). Text that is no verifier matches no challenge.
    const challengeOfVerifier = isCodeVerifier(verifier) ? sha256(verifier).toString('base64url') : null;
    const redirectUri = parameters.get('redirect_uri');

    return {
      grantId: read.grantId,
      apply: async (deps, request, { presenter, proof }) => {
        const { grant, client } = request;
        // A code whose secret does not match is unknown, not presented: a guess must not end a chain.
        if (!grant || !sameSecretBytes(grant.codeHash, read.secretHash) || !isOwnCode(deps.keys, read))
          return refuse('authorization_code_unknown');
        const resources = resourcesOfGrant(asked, grant);
        const presented = { clientId: client.clientId, redirectUri, challengeOfVerifier, proof, resources };
        const username = await administratorNameOf(deps, grant);
        const binding = { proof, boundTo: null };
        const policy = waysOf(deps, { scope: null, resources }, username, presenter, binding);
        const event = authorizationCodeRequest(presented, policy, deps.random.bytes(16));
        return settled(await present(deps, event, { ...request, grant }));
      },
    };
  },
};
