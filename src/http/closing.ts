import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { deadlines } from '../system/deadlines.ts';

const LOOKS_EVERY_MILLISECONDS = 20;

type Server = FastifyInstance['server'];
const closing = new WeakSet<Server>();

export const isClosing = (server: Server): boolean => closing.has(server);

/**
 * While the server closes, it finishes the requests in flight and closes their connections.
 *
 * A proxy may send its next request on a kept-alive connection in the moment in which the server ends it, and repeats no POST. So the
 * server answers for a moment more, and ends each connection with its answer. Only then does it end those that stayed idle, which would
 * keep the process running until a supervisor kills it.
 */
export const closeConnectionsWhenClosing = fp(
  async (app) => {
    const { server } = app;
    app.addHook('preClose', async () => {
      closing.add(server);
      const connections = promisify(server.getConnections.bind(server));
      const end = performance.now() + deadlines.keptConnectionsMilliseconds;
      while (performance.now() < end && (await connections()) > 0) await setTimeout(LOOKS_EVERY_MILLISECONDS);
    });
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (isClosing(server)) reply.header('connection', 'close');
      done(null, payload);
    });
  },
  { name: 'closing' },
);
