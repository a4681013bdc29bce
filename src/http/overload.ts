/**
 * How many requests a node works on at once. Beyond that a request is refused before anything is read, so that those in progress are
 * answered in time (RFC 9110 §15.6.4). Health is always answered.
 */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Configuration } from '../config/configuration.ts';
import { deadlines } from '../system/deadlines.ts';
import { sendProblem } from './problem.ts';
import { setLogLine } from './request-log.ts';

export type OverloadOptions = { readonly configuration: () => Pick<Configuration, 'limits'> };

declare module 'fastify' {
  interface FastifyInstance {
    /** A request was refused within the last seconds, since the node had enough to do. */
    isOverloaded: () => boolean;
  }
}

/** So that who asks every few seconds sees it. */
const TOLD_MILLISECONDS = 10_000;
const WORDS = 'This server has as many requests as it can work on. Nothing was changed; try again.';

export const overload = fp<OverloadOptions>(
  async (app, { configuration }) => {
    const inProgress = new Set<FastifyRequest>();
    let refusedAt = Number.NEGATIVE_INFINITY;
    app.decorate('isOverloaded', () => performance.now() - refusedAt < TOLD_MILLISECONDS);
    app.addHook('onRequest', (request, reply, done) => {
      if (request.routeOptions.url?.startsWith('/health/')) return done();
      if (inProgress.size >= configuration().limits.requestsInProgress) {
        refusedAt = performance.now();
        setLogLine(request, 'refused', { reason: 'overloaded' });
        reply.header('retry-after', '1');
        if (/text\/html/.test(request.headers.accept ?? ''))
          return void sendProblem(request, reply, 503, ({ problems }) => problems.overloaded);
        return void reply
          .code(503)
          .header('cache-control', 'no-store')
          .send({ error: 'temporarily_unavailable', error_description: WORDS });
      }
      inProgress.add(request);
      // Work goes on when the client has gone. An answer of another app is seen only when it is over.
      reply.raw.once('close', () => {
        if (!inProgress.has(request)) return;
        if (request.routeOptions.config.handedOn) inProgress.delete(request);
        else setTimeout(() => inProgress.delete(request), deadlines.requestMilliseconds).unref();
      });
      done();
    });
    app.addHook('onSend', (request, _reply, payload, done) => {
      inProgress.delete(request);
      done(null, payload);
    });
  },
  { name: 'overload', dependencies: ['request-log'] },
);
