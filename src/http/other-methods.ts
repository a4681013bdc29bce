import type { FastifyInstance, FastifyReply, HTTPMethods, onRequestHookHandler } from 'fastify';
import { setLogLine } from './request-log.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * RFC 9110 §15.5.6: a 405 lists the allowed methods. The server does not read the body.
 *
 * @param before a hook that may respond first: OPTIONS of a preflight (src/http/cross-origin.ts) is no method of the
 * resource.
 */
export function refuseOtherMethods(
  app: FastifyInstance,
  url: string,
  allowed: readonly HTTPMethods[],
  send: (reply: FastifyReply) => FastifyReply,
  before?: onRequestHookHandler,
): void {
  const refuse: onRequestHookHandler = async (request, reply) => {
    setLogLine(request, 'refused', { reason: 'method_not_allowed' });
    return send(reply.header('allow', allowed.join(', ')));
  };
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    onRequest: before ? [before, refuse] : refuse,
    handler: (_request, reply) => reply,
  });
}
