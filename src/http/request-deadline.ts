/** Starts the time that a request may wait for the database (src/system/request-time.ts). */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { begunRequests } from '../system/observed.ts';
import { pauseTime, type RequestTime, resumeTime, startTime, withinTime } from '../system/request-time.ts';

declare module 'fastify' {
  interface FastifyRequest {
    time: RequestTime;
  }
}

/** From a trusted proxy only: other senders could give all their requests the same id, or force a trace of each. */
function traceparentOf({ headers, ips = [] }: FastifyRequest): string | null {
  const { traceparent } = headers;
  return ips.length > 1 && typeof traceparent === 'string' ? traceparent : null;
}

export const requestDeadline = fp(
  async (app) => {
    app.decorateRequest('time');
    app.addHook('onRequest', (request, _reply, done) => {
      request.time = startTime();
      begunRequests.publish(() => ({
        time: request.time,
        method: request.method,
        traceparent: traceparentOf(request),
      }));
      withinTime(request.time, done);
    });
    app.addHook('preParsing', (request, _reply, payload, done) => {
      pauseTime(request.time);
      done(null, payload);
    });
    // Reading the body leaves the context of the request.
    app.addHook('preValidation', (request, _reply, done) => {
      resumeTime(request.time);
      withinTime(request.time, done);
    });
  },
  { name: 'request-deadline' },
);
