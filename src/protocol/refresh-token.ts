/** grant_type=refresh_token (OAuth 2.1 §4.3): parse → load → authenticate the client → present the token. */
import { readRefreshToken } from '../crypto/refresh-token.ts';
import { present } from '../lifecycles/presentation.ts';
import { refreshTokenRequest } from '../lifecycles/refresh-token/lifecycle.ts';
import { provesKey } from '../model/client.ts';
import { administratorNameOf } from './administrators.ts';
import { type GrantType, refuse } from './grant-type.ts';
import { readNarrowing, resourcesOfGrant } from './narrowing.ts';
import { settled, waysOf } from './presentation.ts';

const REASON_OF_READING = {
  malformed: 'refresh_token_malformed',
  forged: 'refresh_token_forged',
  unknown_key: 'refresh_token_unknown_key',
} as const;

export const refreshToken: GrantType = {
  name: 'refresh_token',
  parse: (parameters, keys) => {
    const sent = parameters.get('refresh_token');
    if (sent === null) return refuse('missing_parameter', 'refresh_token');
    const read = readNarrowing(parameters);
    if (read === null) return refuse('scope_malformed', 'scope');
    const token = readRefreshToken(keys, sent);
    // The server rejects it after the client has authenticated, and touches no row.
    if (token.kind !== 'authentic') return { grantId: null, apply: async () => refuse(REASON_OF_READING[token.kind]) };

    return {
      grantId: token.grantId,
      apply: async (deps, request, { presenter, proof }) => {
        const { grant, client } = request;
        if (!grant) return refuse('refresh_token_unknown');
        const narrowing = { ...read, resources: resourcesOfGrant(read.resources, grant) };
        const presented = { clientId: client.clientId, proof, clientProvesKey: provesKey(client), ...narrowing };
        const username = await administratorNameOf(deps, grant);
        const binding = { proof, boundTo: token.boundTo ?? null };
        const policy = waysOf(deps, narrowing, username, presenter, binding);
        const asked = refreshTokenRequest(token, presented, policy, deps.random.bytes(16));
        return settled(await present(deps, asked, { ...request, grant }));
      },
    };
  },
};
