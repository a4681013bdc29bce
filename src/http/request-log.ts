/** One line a request: what it was, what came of it, and why. */
import type { FastifyInstance, FastifyRequest } from 'fastify';

type Told = { readonly level: 'info' | 'warn' | 'error'; readonly message: string; readonly facts: object };

declare module 'fastify' {
  interface FastifyRequest {
    told: Told | null;
  }
}

/** What the request's line is to say. Ids and reasons only: no token, code, verifier, cookie, password or secret. */
export function tell(request: FastifyRequest, message: string, facts: object, level: Told['level'] = 'info'): void {
  request.told = { level, message, facts };
}

/** Method, route (never the URL: its query has codes, states and challenges), status, time, and what was told. */
export function logRequests(app: FastifyInstance): void {
  app.decorateRequest('told', null);
  app.addHook('onResponse', (request, reply, done) => {
    const { level, message, facts } = request.told ?? { level: 'info', message: 'answered', facts: {} };
    const { method, routeOptions } = request;
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
    request.log[level](
      { method, route: routeOptions.url ?? 'no route', status: reply.statusCode, milliseconds, ...facts },
      message,
    );
    done();
  });
}
