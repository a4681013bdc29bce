import type { FastifyInstance } from 'fastify';
import { ping } from '../storage/server.ts';
import type { HttpDeps } from './deps.ts';
import { noStore } from './security-headers.ts';

export function healthRoutes(app: FastifyInstance, deps: HttpDeps): void {
  /** The process answers. */
  app.get('/health/live', { exposeHeadRoute: true }, (_request, reply) => noStore(reply).send({ status: 'live' }));

  /** The process can serve: its database answers and has its tables. */
  app.get('/health/ready', { exposeHeadRoute: true }, async (request, reply) => {
    try {
      await ping(deps.db);
      return noStore(reply).send({ status: 'ready' });
    } catch (error) {
      request.log.warn({ err: error }, 'not ready');
      return noStore(reply).header('retry-after', '1').code(503).send({ status: 'not ready', reason: 'database' });
    }
  });
}
