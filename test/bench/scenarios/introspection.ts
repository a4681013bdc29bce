/** RFC 7662: an active access token of a grant, asked for by the client that it was issued to. */
import { clientRequest, expected } from '../requests.ts';
import { nothing, type Scenario } from './scenario.ts';
import { codeExchange } from './token-requests.ts';

export const introspection: Scenario = {
  name: 'introspection',
  inFlight: [8],
  needs: [codeExchange.name],
  isKnownTo: ({ introspectionUrl }) => introspectionUrl !== undefined,
  prepare: nothing,
  operate: async ({ target, held, send, index }) => {
    const { introspectionUrl: url = '' } = target;
    const { text } = expected(await send(clientRequest(url, { token: held.accessTokens[index] ?? '' })), 200);
    if (!text.includes('"active":true')) throw new Error(`An active access token is called inactive: ${text}`);
  },
};
