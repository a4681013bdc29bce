/**
 * CORS for the endpoints that apps in browsers ask by script. Whose scripts may read the answers is for src/storage/browser-
 * origins.ts to say. Never on the authorization endpoint: a browser goes there, no script does (RFC 9700 §2.6).
 */
import type { HTTPMethods, onRequestHookHandler } from 'fastify';
import type { HttpDeps } from './deps.ts';
import { tell } from './request-log.ts';

/**
 * An onRequest hook for every route of one URL, the one that refuses other methods too: then errors, 503s among them, carry
 * the headers as well. Without an Origin header it does nothing; to an unknown origin nothing is said.
 *
 * @param methods those that the endpoint has.
 */
export function crossOrigin(
  { browserOrigins }: Pick<HttpDeps, 'browserOrigins'>,
  methods: readonly HTTPMethods[],
): onRequestHookHandler {
  const preflight = {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'authorization, content-type',
    // Seconds. Half of what Chromium keeps at the most; what it says changes with releases only.
    'access-control-max-age': '3600',
  };
  return (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined) return done();
    browserOrigins().then((known) => {
      if (!known.has(origin)) return done();
      reply.headers({
        // This origin and not "*", and no credentials: no cookie of this server ever counts here.
        'access-control-allow-origin': origin,
        vary: 'Origin',
        // What a client is to act on besides the body.
        'access-control-expose-headers': 'www-authenticate, retry-after',
      });
      const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
      if (!isPreflight) return done();
      tell(request, 'preflight', {});
      reply.code(204).headers(preflight).send();
    }, done);
  };
}
