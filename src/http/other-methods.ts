import type { FastifyInstance, FastifyReply, HTTPMethods, onRequestHookHandler } from 'fastify';
import { tell } from './request-log.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * RFC 9110 §15.5.6: 405 says which methods there are. The body is not looked at.
 *
 * @param first may answer before (src/http/cross-origin.ts: OPTIONS of a preflight is no method of the resource).
 */
export function refusedOtherMethods(
  app: FastifyInstance,
  url: string,
  allowed: readonly HTTPMethods[],
  answer: (reply: FastifyReply) => FastifyReply,
  first?: onRequestHookHandler,
): void {
  const refuse: onRequestHookHandler = async (request, reply) => {
    tell(request, 'refused', { reason: 'method_not_allowed' });
    return answer(reply.header('allow', allowed.join(', ')));
  };
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    onRequest: first ? [first, refuse] : refuse,
    handler: (_request, reply) => reply,
  });
}
