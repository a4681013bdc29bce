import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify';
import { tell } from './request-log.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** RFC 9110 §15.5.6: 405 says which methods there are. The body is not looked at. */
export function refusedOtherMethods(
  app: FastifyInstance,
  url: string,
  allowed: readonly HTTPMethods[],
  answer: (reply: FastifyReply) => FastifyReply,
): void {
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    onRequest: async (request, reply) => {
      tell(request, 'refused', { reason: 'method_not_allowed' });
      return answer(reply.header('allow', allowed.join(', ')));
    },
    handler: (_request, reply) => reply,
  });
}
