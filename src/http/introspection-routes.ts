/** POST /oauth/introspect: HTTP around src/protocol/introspection-request.ts. No CORS: only servers can keep the secret that it asks for. */
import type { FastifyInstance } from 'fastify';
import { answerIntrospectionRequest } from '../protocol/introspection-request.ts';
import type { SentTokenDeps } from '../protocol/sent-token.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { tell } from './request-log.ts';

export function introspectionRoutes(app: FastifyInstance, deps: SentTokenDeps): void {
  clientEndpoint(app, { url: '/oauth/introspect', mayBeRepeated: true }, async (request, form) => {
    const answer = await answerIntrospectionRequest(deps, request.headers.authorization, form);
    if (answer.kind === 'refused') return { ...answer, facts: { clientId: answer.clientId } };
    tell(request, 'introspected', { ...answer.facts, active: answer.body.active });
    return { kind: 'answered', body: answer.body };
  });
}
