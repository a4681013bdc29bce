/**
 * CORS for the endpoints that scripts in browsers call. Never on the authorization endpoint: a browser goes there, no script does
 * (RFC 9700 §2.6).
 */
import type { HTTPMethods, onRequestHookHandler } from 'fastify';
import { setLogLine } from './request-log.ts';

export type CrossOriginOptions = {
  /** The origins whose scripts may read the responses. */
  readonly browserOrigins: () => Promise<ReadonlySet<string>>;
};

/**
 * An onRequest hook for all routes of one URL, including the route that refuses other methods: so errors, 503s among them, carry
 * the headers as well. Without an Origin header, or with an unknown origin, it does nothing.
 *
 * @param methods the methods of the endpoint.
 */
export function crossOrigin(
  { browserOrigins }: CrossOriginOptions,
  methods: readonly HTTPMethods[],
): onRequestHookHandler {
  const preflight = {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'authorization, content-type',
    // Seconds; half of Chromium's maximum. The preflight's content changes with releases only.
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
        // A client acts on these, besides the body.
        'access-control-expose-headers': 'www-authenticate, retry-after',
      });
      const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
      if (!isPreflight) return done();
      setLogLine(request, 'preflight', {});
      reply.code(204).headers(preflight).send();
    }, done);
  };
}
