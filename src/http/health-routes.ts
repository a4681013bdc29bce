import fp from 'fastify-plugin';
import { noStore } from './security-headers.ts';

export type HealthRoutesOptions = {
  /** Rejects when the database is not available or has no tables. */
  readonly ping: () => Promise<unknown>;
};

export const healthRoutes = fp<HealthRoutesOptions>(
  async (app, { ping }) => {
    /** The process answers. */
    app.get('/health/live', { exposeHeadRoute: true }, (_request, reply) => noStore(reply).send({ status: 'live' }));

    /** The process can serve. */
    app.get('/health/ready', { exposeHeadRoute: true }, async (request, reply) => {
      try {
        await ping();
        return noStore(reply).send({ status: 'ready' });
      } catch (error) {
        request.log.warn({ err: error }, 'not ready');
        return noStore(reply).header('retry-after', '1').code(503).send({ status: 'not ready', reason: 'database' });
      }
    });
  },
  { name: 'health-routes', encapsulate: true },
);
