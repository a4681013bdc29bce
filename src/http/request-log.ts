/** One log line for each request: method, route, status, time, outcome and reason. */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { answeredRequests, traceIdIn } from '../system/observed.ts';

type LogLine = { readonly level: 'info' | 'warn' | 'error'; readonly message: string; readonly facts: object };

declare module 'fastify' {
  interface FastifyRequest {
    logLine: LogLine | null;
  }
}

/** Sets the line of this request. Ids and reasons only: no token, code, verifier, cookie, password or secret. */
export function setLogLine(
  request: FastifyRequest,
  message: string,
  facts: object,
  level: LogLine['level'] = 'info',
): void {
  request.logLine = { level, message, facts };
}

const reasonIn = (facts: object): string | null =>
  'reason' in facts && typeof facts.reason === 'string' ? facts.reason : null;

/** The route and never the URL: its query contains codes, states and challenges. */
export const requestLog = fp(
  async (app) => {
    app.decorateRequest('logLine', null);
    app.addHook('onResponse', (request, reply, done) => {
      const { level, message, facts } = request.logLine ?? { level: 'info', message: 'answered', facts: {} };
      const { method, routeOptions } = request;
      const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
      const traceId = traceIdIn(request.time) ?? undefined;
      request.log[level](
        { method, route: routeOptions.url ?? 'no route', status: reply.statusCode, milliseconds, traceId, ...facts },
        message,
      );
      answeredRequests.publish(() => ({
        time: request.time,
        method,
        route: routeOptions.url ?? null,
        status: reply.statusCode,
        seconds: reply.elapsedTime / 1000,
        reason: reasonIn(facts),
      }));
      done();
    });
  },
  { name: 'request-log' },
);
