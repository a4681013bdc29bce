/** POST /oauth/token: HTTP around src/protocol/token-request.ts, and the log line of each answer. */
import type { FastifyInstance } from 'fastify';
import type { TokenDeps } from '../protocol/grant-type.ts';
import { answerTokenRequest } from '../protocol/token-request.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { crossOrigin } from './cross-origin.ts';
import type { HttpDeps } from './deps.ts';
import { tell } from './request-log.ts';

export function tokenRoutes(app: FastifyInstance, deps: TokenDeps & Pick<HttpDeps, 'browserOrigins'>): void {
  const endpoint = { url: '/oauth/token', mayBeRepeated: false, crossOrigin: crossOrigin(deps, ['POST']) };
  clientEndpoint(app, endpoint, async (request, form) => {
    const { outcome, facts } = await answerTokenRequest(deps, request.headers.authorization, form);
    if (outcome.kind === 'refused') return { kind: 'refused', refused: outcome, facts };
    tell(request, 'issued', { ...facts, scope: outcome.response.scope });
    return { kind: 'answered', body: outcome.response };
  });
}
