/** POST /oauth/token: HTTP around src/grants/token-request.ts, and the log line of each answer. */
import type { FastifyInstance } from 'fastify';
import type { TokenDeps } from '../grants/grant-type.ts';
import { answerTokenRequest } from '../grants/token-request.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { tell } from './request-log.ts';

export function tokenRoutes(app: FastifyInstance, deps: TokenDeps): void {
  clientEndpoint(app, { url: '/oauth/token', mayBeRepeated: false }, async (request, form) => {
    const { outcome, facts } = await answerTokenRequest(deps, request.headers.authorization, form);
    if (outcome.kind === 'refused') return { kind: 'refused', refused: outcome, facts };
    tell(request, 'issued', { ...facts, scope: outcome.response.scope });
    return { kind: 'answered', body: outcome.response };
  });
}
