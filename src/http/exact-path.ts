/**
 * Only the path as it is written in the route answers. The router decodes percent-encoded characters before it compares, so
 * `/oauth/introspec%74` would reach a route that a rule of the proxy in front, which compares the text, does not know.
 */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

export const exactPath = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      const { url, config } = request.routeOptions;
      // A path without parameters and without a query, as nearly all requests have, needs no closer look.
      if (request.raw.url === url || request.is404 || config.handedOn || isMeant(request)) done();
      else reply.callNotFound();
    });
  },
  { name: 'exact-path', dependencies: ['security-headers', 'error-handler'] },
);

/** As it stands in the first line. RFC 9112 §3.2.2: a server MUST accept the absolute form, too. */
function pathSent({ raw: { url = '' } }: FastifyRequest): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1);
  return path;
}

/** The pattern of the route with the parameters that were found, as they are or as `encodeURIComponent` writes them. */
function isMeant(request: FastifyRequest): boolean {
  const sent = pathSent(request);
  // A path that ends where a name should begin.
  if (Object.values(request.params as Record<string, string>).includes('')) return false;
  return [String, encodeURIComponent].some((written) => sent === pathWith(request, written));
}

const pathWith = ({ routeOptions, params }: FastifyRequest, written: (value: string) => string): string =>
  (routeOptions.url ?? '').replace(/:(\w+)/g, (_, name: string) =>
    written((params as Record<string, string>)[name] ?? ''),
  );
