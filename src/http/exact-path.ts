/**
 * Only the path in the spelling of the route gets an answer. The router decodes percent-encoded characters before it
 * compares, so `/oauth/introspec%74` would bypass the rule of a proxy, which compares the text.
 */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

export const exactPath = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      const { url } = request.routeOptions;
      // A path without parameters and without a query, as in nearly all requests, needs no more checks.
      if (request.raw.url === url || request.is404 || isSpelledAs(request, url ?? '')) done();
      else reply.callNotFound();
    });
  },
  { name: 'exact-path', dependencies: ['security-headers', 'error-handler'] },
);

/** As in the request line. RFC 9112 §3.2.2: a server MUST accept the absolute form, too. */
export function pathSent({ raw: { url = '' } }: FastifyRequest): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1);
  return path;
}

/**
 * Whether the request spells the path as this pattern of a route. Parameters may be plain, or encoded by
 * `encodeURIComponent`.
 */
export function isSpelledAs(request: FastifyRequest, pattern: string): boolean {
  const found = expressionOf(pattern).exec(pathSent(request));
  if (found === null) return false;
  const sent = found.slice(1);
  // A path that ends where a name should begin.
  if (sent.includes('')) return false;
  return [String, encodeURIComponent].some((written) => sent.every((one) => one === written(decodeURIComponent(one))));
}

const EXPRESSIONS = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  const known = EXPRESSIONS.get(pattern);
  if (known !== undefined) return known;
  const parts = pattern.split('/').map((part) => (part.startsWith(':') ? '([^/]*)' : part.replaceAll('.', '\\.')));
  const made = new RegExp(`^${parts.join('/')}$`);
  EXPRESSIONS.set(pattern, made);
  return made;
}
