import fp from 'fastify-plugin';
import { Unavailable } from '../engine/errors.ts';
import { noStore } from './security-headers.ts';

export type HealthRoutesOptions = {
  /** Rejects when the database is not available or has no tables, or nothing can be signed. */
  readonly ping: () => Promise<unknown>;
  /** The node refuses requests, since it has enough to do. */
  readonly isOverloaded: () => boolean;
};

export const healthRoutes = fp<HealthRoutesOptions>(
  async (app, { ping, isOverloaded }) => {
    /** The process answers. */
    app.get('/health/live', { exposeHeadRoute: true }, (_request, reply) => noStore(reply).send({ status: 'live' }));

    /** The process can serve. An overloaded node goes on serving what it takes on: without it the others would have more. */
    app.get('/health/ready', { exposeHeadRoute: true }, async (request, reply) => {
      try {
        await ping();
        return noStore(reply).send({ status: isOverloaded() ? 'overloaded' : 'ready' });
      } catch (error) {
        request.log.warn({ err: error }, 'not ready');
        return noStore(reply)
          .header('retry-after', '1')
          .code(503)
          .send({ status: 'not ready', reason: reasonOf(error) });
      }
    });
  },
  { name: 'health-routes', encapsulate: true },
);

const reasonOf = (error: unknown): 'database' | 'signing keys' =>
  error instanceof Unavailable && error.reason === 'signing_unavailable' ? 'signing keys' : 'database';
