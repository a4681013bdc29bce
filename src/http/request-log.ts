import type { FastifyInstance, FastifyRequest } from 'fastify';

/** One line a request: method, route (never the URL: its query has codes, states and challenges), status, time. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: routeOf(request),
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      },
      'answered',
    );
  });
}

export const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'no route';
