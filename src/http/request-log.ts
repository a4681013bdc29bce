/** One log line for each request: method, route, status, time, what came of it, and why. */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

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

/** The route and never the URL: its query has codes, states and challenges. */
export const requestLog = fp(
  async (app) => {
    app.decorateRequest('logLine', null);
    app.addHook('onResponse', (request, reply, done) => {
      const { level, message, facts } = request.logLine ?? { level: 'info', message: 'answered', facts: {} };
      const { method, routeOptions } = request;
      const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
      request.log[level](
        { method, route: routeOptions.url ?? 'no route', status: reply.statusCode, milliseconds, ...facts },
        message,
      );
      done();
    });
  },
  { name: 'request-log' },
);
