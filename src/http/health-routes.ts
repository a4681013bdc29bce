/** The health of the process, of the node, and of the database (docs/decisions/0054). */
import fp from 'fastify-plugin';
import { isClosing } from './closing.ts';
import { noStore } from './security-headers.ts';

export type DatabaseStanding = 'available' | 'not writable' | 'not reachable';

export type DatabaseHealth = {
  /** The result of the last check. Asks no database. */
  readonly last: () => DatabaseStanding;
  /** Asks the database. Never rejects. */
  readonly look: () => Promise<DatabaseStanding>;
  readonly close: () => void;
};

export type HealthRoutesOptions = {
  readonly databaseHealth: DatabaseHealth;
  /** Rejects when the server cannot sign. */
  readonly checkSigning: () => Promise<unknown>;
  /** The node refuses requests, because it has too many. */
  readonly isOverloaded: () => boolean;
};

export const healthRoutes = fp<HealthRoutesOptions>(
  async (app, { databaseHealth, checkSigning, isOverloaded }) => {
    app.addHook('onClose', async () => databaseHealth.close());

    /** The process answers. */
    app.get('/health/live', { exposeHeadRoute: true }, (_request, reply) => noStore(reply).send({ status: 'live' }));

    /**
     * The node serves the requests that it can. Without the database, these are keys and metadata, and errors that
     * clients understand, which a balancer without nodes cannot give. An overloaded node continues to serve the
     * requests that it has accepted: without it, the other nodes would have more.
     */
    app.get('/health/ready', { exposeHeadRoute: true }, async (request, reply) => {
      const notReady = (reason: string) =>
        noStore(reply).header('retry-after', '1').code(503).send({ status: 'not ready', reason });
      if (isClosing(app.server)) return notReady('closing');
      try {
        await checkSigning();
      } catch (error) {
        request.log.warn({ err: error }, 'not ready');
        return notReady('signing keys');
      }
      const database = databaseHealth.last();
      // So that the next response is right when the database is available again.
      if (database !== 'available') void databaseHealth.look();
      return noStore(reply).send({ status: isOverloaded() ? 'overloaded' : 'ready', database });
    });

    /** The database answers this node, has its tables, and is writable. */
    app.get('/health/database', { exposeHeadRoute: true }, async (_request, reply) => {
      const standing = await databaseHealth.look();
      if (standing === 'available') return noStore(reply).send({ status: standing });
      return noStore(reply).header('retry-after', '1').code(503).send({ status: 'unavailable', reason: standing });
    });
  },
  { name: 'health-routes', encapsulate: true },
);
