/**
 * The bound of the concurrent requests of a node. Beyond it, the server refuses a request before it reads it, so that
 * the running ones are answered in time (RFC 9110 §15.6.4). A request counts from the arrival of its body. The health
 * endpoints always answer.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Configuration } from '../config/configuration.ts';
import { deadlines } from '../system/deadlines.ts';
import { type ArrivingBodies, arrivingBodies, hasBody } from './arriving-bodies.ts';
import { apiAskedBy, type RefusingApi } from './early-refusal.ts';
import { sendProblem } from './problem.ts';
import { setLogLine } from './request-log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    isInProgress: boolean;
  }
}

/** The load of a node. */
export type Load = {
  readonly bodies: ArrivingBodies;
  /** The number of such requests. */
  inProgress: number;
  readonly limit: () => number;
  /** In milliseconds of `performance.now()`. */
  refusedAt: number;
};

export function loadOf(configuration: () => Pick<Configuration, 'limits'>): Load {
  const limit = () => configuration().limits.requestsInProgress;
  const bodies = arrivingBodies(() => Math.max(LEAST_BODIES, limit()));
  return { bodies, inProgress: 0, limit, refusedAt: Number.NEGATIVE_INFINITY };
}

/** Waiting for a body is little work: a lower limit of requests does not lower this one. */
const LEAST_BODIES = 1000;
/** Long enough for a monitor that asks every few seconds. */
const TOLD_MILLISECONDS = 10_000;
const WORDS = 'This server has too many requests at the moment. Nothing was changed. Try again.';

/** The node refused a request within the last seconds, because it had too many. */
export const isOverloaded = ({ refusedAt }: Load): boolean => performance.now() - refusedAt < TOLD_MILLISECONDS;

export const overload = fp<{ readonly load: Load; readonly refusingApi?: RefusingApi | undefined }>(
  async (app, { load, refusingApi }) => {
    const { bodies, limit } = load;
    app.decorateRequest('arrival', null);
    app.decorateRequest('isInProgress', false);

    function admit(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
      if (load.inProgress >= limit()) return void refuse(request, reply);
      load.inProgress += 1;
      request.isInProgress = true;
      // The work continues when the client has disconnected.
      reply.raw.once('close', () => {
        if (request.isInProgress) setTimeout(() => end(request), deadlines.answerMilliseconds).unref();
      });
      done();
    }

    function refuse(request: FastifyRequest, reply: FastifyReply): unknown {
      load.refusedAt = performance.now();
      setLogLine(request, 'refused', { reason: 'overloaded' });
      reply.header('retry-after', '1');
      const asked = apiAskedBy(request, refusingApi);
      if (asked !== null) return asked.refuse(reply, 'overloaded');
      if (/text\/html/.test(request.headers.accept ?? ''))
        return sendProblem(request, reply, 503, ({ problems }) => problems.overloaded);
      return reply
        .code(503)
        .header('cache-control', 'no-store')
        .send({ error: 'temporarily_unavailable', error_description: WORDS });
    }

    function end(request: FastifyRequest): void {
      if (request.isInProgress) load.inProgress -= 1;
      request.isInProgress = false;
    }

    app.addHook('onRequest', (request, reply, done) => {
      if (request.routeOptions.url?.startsWith('/health/')) return done();
      if (!hasBody(request)) return admit(request, reply, done);
      if (load.inProgress >= limit()) return void refuse(request, reply);
      bodies.expect(request, reply);
      done();
    });
    app.addHook('preValidation', (request, reply, done) =>
      bodies.arrived(request) ? admit(request, reply, done) : done(),
    );
    app.addHook('onSend', (request, _reply, payload, done) => {
      end(request);
      done(null, payload);
    });
  },
  { name: 'overload', dependencies: ['request-log'] },
);
