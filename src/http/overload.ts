/**
 * How many requests a node works on at once. Beyond that a request is refused before anything is read, so that those in progress are
 * answered in time (RFC 9110 §15.6.4). A request counts from the moment that it is there with its body. Health is always answered.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Configuration } from '../config/configuration.ts';
import { deadlines } from '../system/deadlines.ts';
import { type ArrivingBodies, arrivingBodies, hasBody } from './arriving-bodies.ts';
import { sendProblem } from './problem.ts';
import { setLogLine } from './request-log.ts';

/** What a node has to do. */
export type Load = {
  readonly bodies: ArrivingBodies;
  readonly inProgress: Set<FastifyRequest['raw']>;
  readonly limit: () => number;
  /** As `performance.now()` tells it. */
  refusedAt: number;
};

export function loadOf(configuration: () => Pick<Configuration, 'limits'>): Load {
  const limit = () => configuration().limits.requestsInProgress;
  const bodies = arrivingBodies(() => Math.max(LEAST_BODIES, limit()));
  return { bodies, inProgress: new Set(), limit, refusedAt: Number.NEGATIVE_INFINITY };
}

/** A body that is awaited is little work: a lower limit of requests does not lower this. */
const LEAST_BODIES = 1000;
/** So that who asks every few seconds sees it. */
const TOLD_MILLISECONDS = 10_000;
const WORDS = 'This server has as many requests as it can work on. Nothing was changed; try again.';

/** A request was refused within the last seconds, since the node had enough to do. */
export const isOverloaded = ({ refusedAt }: Load): boolean => performance.now() - refusedAt < TOLD_MILLISECONDS;

export const overload = fp<{ readonly load: Load }>(
  async (app, { load }) => {
    const { bodies, inProgress, limit } = load;

    function admit(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
      const { raw } = request;
      if (inProgress.size >= limit()) return void refuse(request, reply, load);
      inProgress.add(raw);
      // Work goes on when the client has gone.
      reply.raw.once('close', () => {
        if (inProgress.has(raw)) setTimeout(() => inProgress.delete(raw), deadlines.answerMilliseconds).unref();
      });
      done();
    }

    app.addHook('onRequest', (request, reply, done) => {
      if (request.routeOptions.url?.startsWith('/health/')) return done();
      if (!hasBody(request)) return admit(request, reply, done);
      if (inProgress.size >= limit()) return void refuse(request, reply, load);
      bodies.expect(request, reply);
      done();
    });
    app.addHook('preValidation', (request, reply, done) =>
      bodies.arrived(request) ? admit(request, reply, done) : done(),
    );
    app.addHook('onSend', (request, _reply, payload, done) => {
      inProgress.delete(request.raw);
      done(null, payload);
    });
  },
  { name: 'overload', dependencies: ['request-log'] },
);

function refuse(request: FastifyRequest, reply: FastifyReply, load: Load): unknown {
  load.refusedAt = performance.now();
  setLogLine(request, 'refused', { reason: 'overloaded' });
  reply.header('retry-after', '1');
  if (/text\/html/.test(request.headers.accept ?? ''))
    return sendProblem(request, reply, 503, ({ problems }) => problems.overloaded);
  return reply
    .code(503)
    .header('cache-control', 'no-store')
    .send({ error: 'temporarily_unavailable', error_description: WORDS });
}
