/** POST /oauth/revoke: HTTP around src/protocol/revocation-request.ts. */
import type { FastifyInstance } from 'fastify';
import { answerRevocationRequest } from '../protocol/revocation-request.ts';
import type { SentTokenDeps } from '../protocol/sent-token.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { crossOrigin } from './cross-origin.ts';
import type { HttpDeps } from './deps.ts';
import { tell } from './request-log.ts';

export function revocationRoutes(app: FastifyInstance, deps: SentTokenDeps & Pick<HttpDeps, 'browserOrigins'>): void {
  const endpoint = { url: '/oauth/revoke', mayBeRepeated: true, crossOrigin: crossOrigin(deps, ['POST']) };
  clientEndpoint(app, endpoint, async (request, form) => {
    const answer = await answerRevocationRequest(deps, request.headers.authorization, form);
    if (answer.kind === 'refused') return { ...answer, facts: { clientId: answer.clientId } };
    tell(request, 'revoked', answer.facts);
    // RFC 7009 §2.2: the content of the response body is ignored by the client; some insist on JSON.
    return { kind: 'answered', body: {} };
  });
}
