/** The routes of the API, from the table of its operations. The answers are loaded for the first request that the guard admits. */
import type { FastifyInstance } from 'fastify';
import type { ManagementDeps } from './deps.ts';
import { ADDRESSES, MAX_BODY_BYTES, methodsAt, scopesOf } from './operations.ts';

/** In the scope of the API: below its prefix, behind the guard. */
export function operationRoutes(app: FastifyInstance, deps: ManagementDeps): void {
  for (const address of ADDRESSES) {
    const bodyLimit = MAX_BODY_BYTES[address];
    for (const method of methodsAt(address)) {
      app.route({
        method,
        url: address.replace(/^\/$/, '').replace(/\{(\w+)\}/g, ':$1'),
        config: { scopes: scopesOf(address, method) },
        exposeHeadRoute: method === 'GET',
        ...(bodyLimit !== undefined && { bodyLimit }),
        handler: async (request, reply) => {
          const { answerOperation } = await import('./answers.ts');
          return answerOperation(deps, { address, method }, request, reply);
        },
      });
    }
  }
}
